import { expect, test } from 'vitest'
import { SECTIONS } from './option-field.ts'
import { changedTexts, numberProblem, textsOf } from './option-form.ts'

const loaded = textsOf(SECTIONS.general, new Map([['RetryTimes', '2']]))

test('given nothing typed, when compared, then nothing is saved', () => {
  expect(changedTexts(loaded, { ...loaded, RetryTimes: ' 2 ' })).toEqual([])
})

test('given one option typed anew, when compared, then it alone is saved', () => {
  expect(changedTexts(loaded, { ...loaded, RetryTimes: '3' })).toEqual([
    { key: 'RetryTimes', value: '3' },
  ])
})

test.each([
  ['2', null],
  ['', 'number'],
  ['two', 'number'],
  ['1.5', 'whole'],
  ['11', 'range'],
  ['-1', 'range'],
])('given the retries %s, when checked, then %s', (text, problem) => {
  const retries = SECTIONS.general.find((field) => field.key === 'RetryTimes')
  expect(retries && numberProblem(retries, text)).toBe(problem)
})

test('given all sections, when listed, then no option is edited in two places', () => {
  const keys = Object.values(SECTIONS).flatMap((fields) => fields.map((field) => field.key))
  expect(new Set(keys).size).toBe(keys.length)
})
