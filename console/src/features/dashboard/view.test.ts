import { expect, test } from 'vitest'
import { allowsHours, dashboardBounds, dashboardView, SELF_SPAN_SECONDS } from './view.ts'

const NOW = 1_790_000_123

test.each([
  ['hour', '24h'],
  ['day', '7d'],
  ['week', '30d'],
  ['nonsense', '24h'],
] as const)('given an empty address and the option %s, when viewed, then %s', (option, preset) => {
  expect(dashboardView({}, option, NOW).range).toEqual({ type: 'preset', preset })
})

test('given hours over a month, when viewed, then days are shown', () => {
  expect(dashboardView({ by: 'hour', range: '30d' }, 'hour', NOW).granularity).toBe('day')
  expect(dashboardView({ by: 'hour', range: '7d' }, 'hour', NOW).granularity).toBe('hour')
  expect(allowsHours({ type: 'custom', start: NOW - 9 * 86_400 }, NOW)).toBe(false)
})

test('given a range, when bounded, then it starts on a full hour', () => {
  const { start, end } = dashboardBounds({ type: 'preset', preset: '1h' }, true, NOW)
  expect(start % 3600).toBe(0)
  expect(NOW - start).toBeGreaterThanOrEqual(3600)
  expect(end).toBe(NOW)
})

test('given a year, when a user asks, then the server is asked for no more than it gives', () => {
  const year = { type: 'custom', start: NOW - 365 * 86_400 } as const
  const { start, end } = dashboardBounds(year, false, NOW)
  expect(end - start).toBeLessThanOrEqual(SELF_SPAN_SECONDS)
  expect(dashboardBounds(year, true, NOW).start).toBeLessThan(start)
})
