import { expect, test } from 'vitest'
import { dollarsPerMillion } from './dollars.ts'

test.each([
  [1.25, 500_000, '$2.50'],
  [0.075, 500_000, '$0.15'],
  [0.0001, 500_000, '$0.0002'],
  [1_000, 500_000, '$2,000.00'],
  [1, 1_000_000, '$1.00'],
])('given the ratio %d at %d a dollar, then a million tokens cost %s', (ratio, unit, price) => {
  expect(dollarsPerMillion(ratio, unit)).toBe(price)
})
