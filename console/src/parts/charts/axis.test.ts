import { expect, test } from 'vitest'
import { axisTo, axisWidth } from './axis.ts'

test.each([
  [2.6, [0, 1, 2, 3], 0],
  [0.65, [0, 0.2, 0.4, 0.6, 0.8], 1],
  [0.0021, [0, 0.001, 0.002, 0.003], 3],
  [10, [0, 2.5, 5, 7.5, 10], 1],
  [100, [0, 25, 50, 75, 100], 0],
  [1_340_000, [0, 500_000, 1_000_000, 1_500_000], 0],
  [0, [0, 1], 0],
])(
  'given values up to %d, when marked, then the ticks are round: %j',
  (greatest, ticks, digits) => {
    expect(axisTo(greatest)).toEqual({ ticks, digits })
  },
)

test('given any greatest value, when marked, then the axis reaches it in two to five steps', () => {
  for (let greatest = 0.000_002; greatest < 1e12; greatest *= 1.37) {
    const { ticks } = axisTo(greatest)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(greatest * (1 - 1e-9))
    expect(ticks.length).toBeGreaterThanOrEqual(3)
    expect(ticks.length).toBeLessThanOrEqual(6)
  }
})

test.each([
  [[], 10],
  [['0'], 18],
  [['$0.000000', '$0.000002'], 81],
  [['0', '500k', '1M', '1.5M'], 42],
])(
  'given labels %j, when measured, then an axis of %d pixels holds the longest',
  (labels, width) => {
    expect(axisWidth(labels)).toBe(width)
  },
)
