import { expect, test } from 'vitest'
import { axisTo, axisWidth, ticksFitting } from './axis.ts'

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

const HOURS = Array.from({ length: 48 }, (_, hour) => `11-2${hour < 24 ? 3 : 4} ${hour % 24}:00`)
const everySixth = HOURS.filter((_, hour) => hour % 6 === 0)

test.each([
  [2_000, everySixth],
  [700, everySixth.filter((_, index) => index % 2 === 0)],
  [320, everySixth.filter((_, index) => index % 3 === 0)],
  [30, [] as string[]],
])(
  'given bars of %d pixels, when labelled, then labels stand apart and within: %j',
  (width, labels) => {
    expect(ticksFitting(everySixth, HOURS, width)).toEqual(labels)
  },
)

test('given any width, when labelled, then no label touches another or the edge', () => {
  const half = (7.5 * 11) / 2
  for (let width = 100; width < 3_000; width += 7) {
    const middles = ticksFitting(everySixth, HOURS, width).map(
      (label) => ((HOURS.indexOf(label) + 0.5) * width) / HOURS.length,
    )
    for (const [index, middle] of middles.entries()) {
      expect(middle + half).toBeLessThanOrEqual(width)
      if (index > 0) expect(middle - (middles[index - 1] ?? 0)).toBeGreaterThan(2 * half)
    }
  }
})
