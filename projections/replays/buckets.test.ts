import { expect, test } from 'vitest'
import { bucketsOf } from './buckets.ts'
import { percentile, slotOf, SLOTS } from './latency.ts'

const at = (text: string): number => Date.parse(text)

test.each([
  ['hour', 'Asia/Kolkata', '2026-03-01T12:10:00Z', '2026-03-01T11:30:00Z'],
  ['day', 'Asia/Shanghai', '2026-03-01T15:59:59Z', '2026-02-28T16:00:00Z'],
  ['day', 'Europe/Berlin', '2026-03-29T22:30:00Z', '2026-03-29T22:00:00Z'],
  ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z'],
  ['week', 'UTC', '2026-11-22T23:59:59Z', '2026-11-16T00:00:00Z'],
  ['month', 'America/New_York', '2026-11-30T12:00:00Z', '2026-11-01T04:00:00Z'],
  ['day', 'America/Havana', '2024-11-03T04:30:00Z', '2024-11-03T04:00:00Z'],
  ['day', 'America/Havana', '2024-11-03T05:30:00Z', '2024-11-03T04:00:00Z'],
  ['week', 'Atlantic/Azores', '2024-10-27T00:30:00Z', '2024-10-21T00:00:00Z'],
] as const)(
  'given a %s in %s, when %s is put into it, then it begins at %s',
  (bucket, zone, moment, start) => {
    expect(new Date(bucketsOf(bucket, zone)(at(moment))).toISOString()).toBe(
      new Date(start).toISOString(),
    )
  },
)

test('given times, when counted in slots, then slots grow with them and percentiles bound them', () => {
  const counts = Array.from({ length: SLOTS }, () => 0)
  for (let ms = 1; ms <= 1_000; ms += 1) counts[slotOf(ms)] = (counts[slotOf(ms)] ?? 0) + 1
  expect(counts.reduce((all, one) => all + one)).toBe(1_000)
  const p50 = percentile(counts, 0.5) ?? 0
  expect(p50).toBeGreaterThanOrEqual(500)
  expect(p50).toBeLessThan(500 * 2 ** (1 / 3))
  expect(slotOf(10 ** 9)).toBe(SLOTS - 1)
  expect(percentile([], 0.5)).toBeNull()
})
