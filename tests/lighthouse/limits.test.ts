import { expect, test } from 'vitest'
import { missedBy, summaryOf } from './limits.ts'

const FULL = { performance: 100, accessibility: 100, bestPractices: 100, layoutShift: 0 }

test('given three runs of a page, when they are summed up, then each figure is its own median', () => {
  const runs = [
    { ...FULL, performance: 70, layoutShift: 0.01 },
    { ...FULL, performance: 99, layoutShift: 0.3 },
    { ...FULL, performance: 91, layoutShift: 0.02 },
  ]
  expect(summaryOf(runs)).toEqual({ ...FULL, performance: 91, layoutShift: 0.02 })
})

test.each([
  { place: '/', device: 'desktop', least: 95 },
  { place: '/login', device: 'mobile', least: 90 },
  { place: '/log', device: 'mobile', least: 80 },
  { place: '/detail', device: 'desktop', least: 95 },
] as const)(
  'given $place ($device), when its performance is $least, then it has reached its limit, just',
  ({ place, device, least }) => {
    expect(missedBy({ ...FULL, performance: least }, place, device)).toEqual([])
    expect(missedBy({ ...FULL, performance: least - 1 }, place, device)).toEqual([
      `performance is ${least - 1}, at least ${least} wanted`,
    ])
  },
)

test('given a page with a fault, or without a figure, when it is judged, then each is named', () => {
  const seen = { ...FULL, accessibility: 99, bestPractices: 96, layoutShift: Number.NaN }
  expect(missedBy(seen, '/', 'mobile')).toEqual([
    'accessibility is 99, at least 100 wanted',
    'best practices is 96, at least 100 wanted',
    'CLS is NaN, at most 0.02 wanted',
  ])
})
