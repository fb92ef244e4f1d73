import { expect, test } from 'vitest'
import { matchesFuzzily, priceOf, sortedModels, startGroup, ratioPalette } from './price-rows.ts'

const model = {
  model_name: 'gpt-4o-mini',
  quota_type: 0 as const,
  model_ratio: 0.075,
  model_price: 0,
  completion_ratio: 4,
  enable_groups: ['default'],
  owner_by: '',
  has_price: true,
}

test('given a ratio, when priced for a group, then a million tokens cost ratio × 2 × group ratio dollars', () => {
  expect(priceOf(model, 0.8, 'currency', 500_000)).toEqual({
    by: 'tokens',
    input: '0.12',
    output: '0.48',
  })
  expect(priceOf(model, 1, 'quota', 500_000)).toEqual({
    by: 'tokens',
    input: '75000',
    output: '300000',
  })
})

test('given a price for each call, when priced for a group, then it is price × group ratio', () => {
  const call = { ...model, quota_type: 1 as const, model_price: 0.04 }
  expect(priceOf(call, 0.5, 'currency', 500_000)).toEqual({ by: 'call', call: '0.02' })
  expect(priceOf(call, 1, 'quota', 500_000)).toEqual({ by: 'call', call: '20000' })
})

test('given models, when sorted, then gpt comes first and the rest by name', () => {
  const names = ['o1', 'claude', 'gpt-4o'].map((model_name) => ({ ...model, model_name }))
  expect(sortedModels(names).map((one) => one.model_name)).toEqual(['gpt-4o', 'claude', 'o1'])
})

test.each([
  ['g4m', true],
  ['GPT mini', true],
  ['', true],
  ['4g', false],
  ['mini gemini', false],
])('given the search %s, when a name is compared, then %s', (typed, expected) => {
  expect(matchesFuzzily('gpt-4o-mini', typed)).toBe(expected)
})

test('given groups, when the page starts, then it shows the own group where it can', () => {
  expect(startGroup('vip', ['default', 'vip'])).toBe('vip')
  expect(startGroup('gone', ['default', 'vip'])).toBe('default')
  expect(startGroup(undefined, ['vip'])).toBe('vip')
  expect(startGroup(undefined, [])).toBe('default')
})

test.each([
  [5.01, 'red'],
  [5, 'orange'],
  [3.01, 'orange'],
  [3, 'blue'],
  [1.01, 'blue'],
  [1, 'green'],
  [0, 'green'],
])('given the group ratio %d, when its tag is coloured, then it is %s', (ratio, palette) => {
  expect(ratioPalette(ratio)).toBe(palette)
})
