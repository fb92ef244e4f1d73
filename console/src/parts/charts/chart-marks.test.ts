import { expect, test } from 'vitest'
import type { Mark } from './chart-marks.ts'
import { fillOf, marksFor, patternId } from './chart-marks.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`)

test('given ten names, when marked for one chart, then each has a colour of its own', () => {
  const marks = marksFor(names(10), new Map())
  expect(new Set([...marks.values()].map((mark) => mark.color)).size).toBe(10)
})

test('given thirty names, when marked for one chart, then no two look the same', () => {
  const marks = marksFor(names(30), new Map())
  expect(new Set([...marks.values()].map(patternId)).size).toBe(30)
})

test('given a name that was marked before, when charts have other names beside it, then it looks the same', () => {
  const known = new Map<string, Mark>()
  const first = marksFor(names(8), known)
  const second = marksFor(['a', 'model-3', 'z', 'model-7'], known)
  expect(second.get('model-3')).toEqual(first.get('model-3'))
  expect(second.get('model-7')).toEqual(first.get('model-7'))
  expect(new Set([...second.values()].map((mark) => mark.color)).size).toBe(4)
})

test('given the same names in another order, when marked afresh, then the marks are the same', () => {
  expect(marksFor(names(8).toReversed(), new Map())).toEqual(new Map(marksFor(names(8), new Map())))
})

test('given more names than marks, when marked, then each still has one', () => {
  expect(marksFor(names(99), new Map()).size).toBe(99)
})

test('given a mark, when filled, then a solid one is its colour and another its pattern', () => {
  expect(fillOf({ color: '#123456', pattern: 'solid' })).toBe('#123456')
  expect(fillOf({ color: '#123456', pattern: 'dots' })).toBe('url(#mark-dots-123456)')
})
