import { afterAll, afterEach, expect, test, vi } from 'vitest'
// oxlint-disable-next-line no-restricted-imports -- compares the two; the console itself imports nothing of the server
import { zoneDays } from '../../../projections/zones/zone-days.ts'
import { setTimeZone } from '../core/time-zone.ts'
import {
  clock,
  dateTime,
  dayOf,
  dayStart,
  readMoment,
  momentText,
  periodZone,
  zoneName,
} from './time-format.ts'

vi.stubGlobal('localStorage', { setItem: () => undefined })
afterEach(() => setTimeZone(''))
afterAll(() => vi.unstubAllGlobals())

test.each(['', 'UTC', 'Asia/Kathmandu', 'America/St_Johns'])(
  'given a time and the zone %j, when put into an input and read back, then it is the same second',
  (zone) => {
    setTimeZone(zone)
    const seconds = 1_790_000_123
    expect(readMoment(momentText(seconds))).toBe(seconds)
    expect(dateTime(seconds)).toBe(momentText(seconds))
  },
)

test.each([
  ['UTC', '2026-09-21 14:15:23', 'UTC'],
  ['Asia/Kathmandu', '2026-09-21 20:00:23', 'Asia/Kathmandu, UTC+05:45'],
  ['Pacific/Honolulu', '2026-09-21 04:15:23', 'Pacific/Honolulu, UTC−10:00'],
])(
  'given the zone %s, when a time is written, then it is what clocks show there',
  (zone, text, name) => {
    setTimeZone(zone)
    expect(dateTime(1_790_000_123)).toBe(text)
    expect(zoneName()).toBe(name)
  },
)

test.each([
  ['UTC', 'UTC'],
  ['Asia/Shanghai', 'UTC+8 · Asia/Shanghai'],
  ['Asia/Kathmandu', 'UTC+5:45 · Asia/Kathmandu'],
  ['Pacific/Honolulu', 'UTC−10 · Pacific/Honolulu'],
  ['Europe/Berlin', 'UTC+2/+1 · Europe/Berlin'],
  ['Europe/London', 'UTC+1/+0 · Europe/London'],
])(
  'given a period in the zone %s, when its zone is named, then by its offsets then',
  (zone, name) => {
    const october = { from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 10, 1) }
    expect(periodZone(october, zone)).toBe(name)
  },
)

test('given days around a change of summer time, when counted, then each has its 23, 24 or 25 hours', () => {
  setTimeZone('Europe/Berlin')
  const first = dayOf(Date.UTC(2026, 2, 27) / 1000)
  const starts = Array.from({ length: 5 }, (_, index) => dayStart(first + index))
  expect(starts.map(clock)).toEqual(Array(5).fill('00:00:00'))
  expect(starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / 3600)).toEqual([
    24, 24, 23, 24,
  ])
})

test.each([
  ['2026-11-25 17:09:08', '2026-11-25 17:09:08'],
  [' 2026-11-25T9:09 ', '2026-11-25 09:09:00'],
  ['2026-11-25', '2026-11-25 00:00:00'],
])('given %j, when read, then it is %s', (typed, moment) => {
  expect(dateTime(readMoment(typed) ?? 0)).toBe(moment)
})

test.each(['', 'soon', '2026-02-31', '2026-13-01', '2026-11-25 25:00', '25/11/2026'])(
  'given %j, when read, then it is no moment',
  (typed) => {
    expect(readMoment(typed)).toBeNull()
  },
)

test('given nothing, when shown, then it is a dash', () => {
  expect(dateTime(0)).toBe('–')
})

test.each([
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'Atlantic/Azores',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Toronto',
  'Pacific/Apia',
])('given days in %s, when their start is asked for, then it is that of the server', (zone) => {
  const { startOf, dayOf: serverDayOf } = zoneDays(zone)
  for (const year of [1919, 1986, 2009, 2011, 2024, 2026]) {
    const first = Date.UTC(year, 0, 1) / 86_400_000
    const days = Array.from({ length: 366 }, (_, index) => first + index)
    expect(days.map((day) => dayStart(day, zone) * 1000)).toEqual(days.map(startOf))
    const moments = days.map((day, index) => day * 86_400 + ((index * 7_919) % 86_400))
    expect(moments.map((at) => dayOf(at, zone))).toEqual(
      moments.map((at) => serverDayOf(at * 1000)),
    )
  }
})

test('given a date without a time, when midnight is shown twice, then it is the start of the day', () => {
  setTimeZone('America/Havana')
  expect(readMoment('2024-11-03')).toBe(Date.UTC(2024, 10, 3, 4) / 1000)
})
