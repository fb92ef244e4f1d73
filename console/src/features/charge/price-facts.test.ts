import { expect, test } from 'vitest'
import { isPartOf, PRICE_FACTS } from './price-facts.ts'

const FACTORS = ['model-ratio', 'cache-write-1h-ratio', 'long-prompt-factor'] as const
const line = {
  kind: 'cache-write-1h-in',
  count: 9,
  factors: FACTORS.map((name) => ({ name, value: '2' })),
  rate: '8',
  quota: '72',
} as const
const partsOf = (lines: readonly (typeof line)[]) =>
  PRICE_FACTS.filter((name) =>
    isPartOf({ arithmetic: { lines, exact: '72', rounding: 'none' } }, name),
  )

test('given an amount, when its price is shown, then only what had a part in it is', () => {
  expect(partsOf([line])).toEqual([
    'modelRatio',
    'cacheWrite1hRatio',
    'longInFactor',
    'longOutFactor',
  ])
})

test('given a charge without arithmetic or of nothing, when its price is shown, then all of it is', () => {
  expect(partsOf([])).toEqual(PRICE_FACTS)
  expect(PRICE_FACTS.filter((name) => isPartOf({ arithmetic: null }, name))).toEqual(PRICE_FACTS)
})
