import { afterAll, expect, test, vi } from 'vitest'
import { setTimeZone } from '../../core/time-zone.ts'
import { monthFrom } from '../../parts/range/months.ts'
import { parseOwnStatementSearch, parseStatementSearch, periodOf } from './filters.ts'

vi.stubGlobal('localStorage', { setItem: () => undefined })
afterAll(() => {
  setTimeZone('')
  vi.unstubAllGlobals()
})

const NOW = Date.UTC(2026, 9, 31, 20) / 1000

test('given no range, when the period is asked for, then it is the month in the reader’s zone', () => {
  setTimeZone('Asia/Shanghai')
  // In Shanghai it is November already.
  expect(periodOf({}, NOW)).toEqual({
    from: Date.UTC(2026, 9, 31, 16),
    to: Date.UTC(2026, 10, 30, 16),
  })
  setTimeZone('UTC')
  expect(periodOf({}, NOW)).toEqual({ from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 10, 1) })
})

test('given a month, when its neighbours are asked for, then the year turns with them', () => {
  setTimeZone('UTC')
  const january = Date.UTC(2027, 0, 15) / 1000
  expect(monthFrom(january, -1).from).toBe(Date.UTC(2026, 11, 1))
  expect(monthFrom(january, 12).to).toBe(Date.UTC(2028, 1, 1))
})

test('given dates in the address, when the period is asked for, then it is those in milliseconds', () => {
  expect(periodOf({ start: 100, end: 200 }, NOW)).toEqual({ from: 100_000, to: 200_000 })
  expect(periodOf({ start: 200, end: 100 }, NOW)).toEqual({ from: 200_000, to: 201_000 })
})

test('given odd values in the address, when it is read, then they are left out', () => {
  expect(parseStatementSearch({ group: 'week', term: 'charges', user: '7', token: -1 })).toEqual({
    term: 'charges',
    user: 7,
  })
})

test('given one’s own statement, when its address names another user, then only one’s own is asked for', () => {
  const raw = { user: 3, group: 'day' }
  expect({ ...raw, ...parseOwnStatementSearch(raw) }).toStrictEqual({
    user: undefined,
    group: 'day',
  })
})
