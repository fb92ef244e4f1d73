import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isZone, zoneDays } from './zone-days.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let log: ProjectionLog
beforeAll(async () => {
  log = await openProjectionLog()
})
afterAll(() => log.close())

/**
 * The first quarter of an hour at which PostgreSQL's clocks show each day of a year, or a later day; and the day that
 * they show then.
 */
const FIRST_QUARTERS = `
  select day::date - date '1970-01-01' as day,
    (select (extract(epoch from min(at)) * 1000)::bigint
     from generate_series(day at time zone 'UTC' - interval '26 h', day at time zone 'UTC' + interval '26 h', '15 min') at
     where at at time zone $1 >= day) as start
  from generate_series(make_date($2, 1, 1)::timestamp, make_date($2, 12, 31), '1 day') day`

// Clocks skip midnight or show it twice, in 30 minutes, at a quarter of a day, or leave out a day.
test.each([
  ['UTC', 2024],
  ['Europe/Berlin', 2024],
  ['America/Havana', 2023],
  ['America/Havana', 2024],
  ['Atlantic/Azores', 2019],
  ['Atlantic/Azores', 2024],
  ['America/Sao_Paulo', 2017],
  ['America/Santiago', 2023],
  ['America/St_Johns', 2009],
  ['Asia/Beirut', 2022],
  ['Asia/Kathmandu', 1986],
  ['Asia/Tehran', 2021],
  ['Africa/Cairo', 2014],
  ['Australia/Lord_Howe', 2024],
  ['America/Toronto', 1919],
  ['Pacific/Apia', 2011],
  ['Pacific/Kwajalein', 1993],
])(
  'given the zone %s in %i, when its days start, then each does so where PostgreSQL shows it first',
  async (zone, year) => {
    const { rows } = await log.pool.query<{ day: number; start: number }>(FIRST_QUARTERS, [
      zone,
      year,
    ])
    expect(rows.length).toBeGreaterThan(364)
    const { startOf } = zoneDays(zone)
    expect(rows.map(({ day }) => ({ day, start: startOf(day) }))).toEqual(rows)
  },
)

test.each(['America/Havana', 'America/St_Johns', 'America/Toronto', 'Pacific/Apia', 'Asia/Tehran'])(
  'given moments in %s, when their day is asked for, then it is the last that has started',
  (zone) => {
    const { dayOf, startOf } = zoneDays(zone)
    for (const year of [1919, 1986, 2009, 2011, 2024]) {
      const from = Date.UTC(year, 0, 1)
      for (let at = from; at < from + 366 * DAY_MS; at += 29 * HOUR_MS + 61_001) {
        const day = dayOf(at)
        expect(startOf(day)).toBeLessThanOrEqual(at)
        expect(startOf(day + 1)).toBeGreaterThan(at)
      }
    }
  },
)

test('given midnight that is skipped or shown twice, when the day starts, then it is the first instant', () => {
  const startOf = (zone: string, date: string): string =>
    new Date(zoneDays(zone).startOf(Date.parse(date) / DAY_MS)).toISOString()
  expect(startOf('America/Havana', '2024-03-10')).toBe('2024-03-10T05:00:00.000Z')
  expect(startOf('America/Havana', '2024-11-03')).toBe('2024-11-03T04:00:00.000Z')
  expect(startOf('Atlantic/Azores', '2024-10-27')).toBe('2024-10-27T00:00:00.000Z')
  expect(startOf('Pacific/Apia', '2011-12-30')).toBe(startOf('Pacific/Apia', '2011-12-31'))
})

test('given a text that is no zone, or an offset, when asked, then it is none', () => {
  const names = ['Europe/Berlin', 'UTC', 'Mars/Base', '', '+08:00']
  expect(names.map(isZone)).toEqual([true, true, false, false, false])
})
