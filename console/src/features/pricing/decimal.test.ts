import { expect, test } from 'vitest'
import { product, quotient, shortened, withCents } from './decimal.ts'

test.each([
  [[0.075, 2, 0.8], '0.12'],
  [[0.1, 0.2], '0.02'],
  [[1.25, 2, 1, 4], '10'],
  [[1e-7, 2], '0.0000002'],
  [[1e21, 1], '1000000000000000000000'],
  [[0, 3], '0'],
])('given %j, when multiplied, then it is exactly %s', (factors, expected) => {
  expect(product(...factors)).toBe(expected)
})

test.each([
  ['0.8888888888', 6, '0.888889'],
  ['0.9999999', 6, '1'],
  ['12.5', 6, '12.5'],
  ['3', 6, '3'],
])('given %s, when shortened to %i places, then it is %s', (text, places, expected) => {
  expect(shortened(text, places)).toBe(expected)
})

test.each([
  ['2', '2.00'],
  ['2.2', '2.20'],
  ['1.7144', '1.7144'],
])('given %s, when written as money, then it is %s', (text, expected) => {
  expect(withCents(text)).toBe(expected)
})

test('given a price, when made a ratio, then no binary dust is left', () => {
  expect(quotient(0.15, 2)).toBe(0.075)
  expect(quotient(0.6, 0.15)).toBe(4)
  expect(quotient(1, 3)).toBe(0.333333333333)
})
