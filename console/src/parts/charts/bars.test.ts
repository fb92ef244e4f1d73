import { expect, test } from 'vitest'
import type { StackedPoint, StackedSeries } from './bars.ts'
import { barAt, heightOf, partsPath } from './bars.ts'

const PLOT = { left: 40, top: 8, width: 200, height: 100 }
const SERIES: StackedSeries[] = ['a', 'b'].map((key) => ({
  key,
  label: key,
  mark: { color: '#123456', pattern: 'solid' },
}))
const point = (key: string, a: number, b: number): StackedPoint => ({
  key,
  label: key,
  values: { a, b },
  total: a + b,
})

/** The rectangles of a path: x, y, width, height. */
const rectangles = (path: string) =>
  [...path.matchAll(/M([^ ]+) ([^h]+)h([^v]+)v([^h]+)h[^z]+z/g)].map((match) =>
    match.slice(1).map(Number),
  )

test('given two series, when stacked, then the second stands on the first, and nothing is drawn for zero', () => {
  const points = [point('1', 10, 30), point('2', 0, 20)]
  const drawn = (of: string) =>
    rectangles(partsPath(of, { series: SERIES, points, plot: PLOT, most: 50, isBeside: false }))
  // Each place is 100 wide; the bar keeps to the widest that bars may be, in its middle.
  expect(drawn('a')).toEqual([[62, 88, 56, 20]])
  expect(drawn('b')).toEqual([
    [62, 28, 56, 60],
    [162, 68, 56, 40],
  ])
})

test('given many bars, when drawn, then they leave gaps and stay within the plot', () => {
  const points = Array.from({ length: 168 }, (_, index) => point(String(index), 1, 0))
  const drawn = rectangles(
    partsPath('a', { series: SERIES, points, plot: PLOT, most: 1, isBeside: false }),
  )
  expect(drawn).toHaveLength(168)
  for (const [index, [x = 0, y, width = 0, height]] of drawn.entries()) {
    expect([y, height]).toEqual([8, 100])
    expect(x).toBeGreaterThanOrEqual(PLOT.left)
    expect(x + width).toBeLessThan(drawn[index + 1]?.[0] ?? PLOT.left + PLOT.width)
  }
})

test('given a second source, when drawn beside, then the two share the place of one', () => {
  const both = { ...point('1', 10, 0), beside: { values: { a: 40 }, total: 40 } }
  expect(heightOf(both)).toBe(40)
  const drawn = (isBeside: boolean) =>
    rectangles(partsPath('a', { series: SERIES, points: [both], plot: PLOT, most: 40, isBeside }))
  expect(drawn(false)).toEqual([[112, 83, 28, 25]])
  expect(drawn(true)).toEqual([[140, 8, 28, 100]])
})

test.each([
  [40, 0],
  [139, 0],
  [141, 1],
  [240, 1],
  [0, 0],
  [400, 1],
])('given a place %d from the left, when asked whose it is, then it is the bar %d', (x, bar) => {
  expect(barAt(x, PLOT, 2)).toBe(bar)
})
