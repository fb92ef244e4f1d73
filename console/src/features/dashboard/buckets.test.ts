import { expect, test } from 'vitest'
import type { UsageHour } from './queries.ts'
import { bucketsOf, ticksOf } from './buckets.ts'

const DAY = 86_400
const noon = Math.floor(new Date(2026, 4, 20, 12).getTime() / 1000)
const row = (created_at: number): UsageHour => ({
  model_name: 'gpt-4o',
  created_at,
  count: 1,
  quota: 10,
  token_used: 5,
})

const now = { start: noon, end: noon }

test('given nothing, when gathered, then there are no bars', () => {
  expect(bucketsOf([], 'hour', now)).toEqual([])
})

test.each([
  ['hour', '05-20 06:00', '05-20 12:00'],
  ['day', '05-14', '05-20'],
  ['week', '04-02 - 04-08', '05-14 - 05-20'],
] as const)(
  'given one record, when gathered by %s, then seven bars end with it',
  (by, first, last) => {
    const buckets = bucketsOf([row(noon)], by, now)
    expect(buckets).toHaveLength(7)
    expect(buckets[0]?.label).toBe(first)
    expect(buckets[6]?.label).toBe(last)
    expect(buckets[6]?.rows).toHaveLength(1)
  },
)

test.each(['hour', 'day', 'week'] as const)(
  'given records of five weeks, when gathered by %s, then each lies in its bar and bars touch',
  (by) => {
    const rows = Array.from({ length: 200 }, (_, index) => row(noon - index * 4 * 3600))
    const buckets = bucketsOf(rows, by, now)
    expect(buckets.flatMap((bucket) => bucket.rows)).toHaveLength(200)
    for (const bucket of buckets)
      for (const { created_at } of bucket.rows) {
        expect(created_at).toBeGreaterThanOrEqual(bucket.start)
        expect(created_at).toBeLessThan(bucket.end)
      }
    for (const [index, bucket] of buckets.entries())
      if (index > 0) expect(bucket.start).toBe(buckets[index - 1]?.end)
  },
)

test('given two records nine days apart, when gathered by day, then the days between are empty bars', () => {
  const buckets = bucketsOf([row(noon), row(noon - 9 * DAY)], 'day', now)
  expect(buckets.map(({ rows }) => rows.length)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1])
})

test('given a day with use in its last hour alone, when gathered by hour, then the whole day is drawn', () => {
  const buckets = bucketsOf([row(noon)], 'hour', { start: noon - DAY, end: noon + 600 })
  expect(buckets).toHaveLength(25)
  expect(buckets[0]).toMatchObject({ label: '05-19 12:00', rows: [] })
  expect(ticksOf(buckets, 'hour')).toEqual([
    '05-19 12:00',
    '05-19 15:00',
    '05-19 18:00',
    '05-19 21:00',
    '05-20 00:00',
    '05-20 03:00',
    '05-20 06:00',
    '05-20 09:00',
    '05-20 12:00',
  ])
})

test('given a range since the beginning of time, when gathered, then it begins with the oldest record', () => {
  expect(bucketsOf([row(noon)], 'day', { start: 0, end: noon })).toHaveLength(7)
})

test('given thirty days, when labelled, then at most twelve labels end with the last', () => {
  const buckets = bucketsOf([row(noon)], 'day', { start: noon - 29 * DAY, end: noon })
  const ticks = ticksOf(buckets, 'day')
  expect(buckets).toHaveLength(30)
  expect(ticks).toHaveLength(10)
  expect(ticks.at(-1)).toBe('05-20')
})
