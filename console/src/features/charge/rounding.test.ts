import { expect, test } from 'vitest'
import { roundedBy } from './rounding.ts'

test.each([
  [74, '73.575', '+0.425'],
  [73, '73.425', '−0.425'],
  [1, '0.0000001', '+0.9999999'],
  [2, '2.000', '0'],
  [5, '5', '0'],
  [0, '0', '0'],
])(
  'given %d charged for exactly %s, when asked, then it was rounded by %s',
  (amount, exact, by) => {
    expect(roundedBy(amount, exact)).toBe(by)
  },
)
