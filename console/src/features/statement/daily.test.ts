import { afterAll, expect, test, vi } from 'vitest'
import { setTimeZone } from '../../core/time-zone.ts'
import { curveOf, daysOf, eventsOf } from './daily.ts'
import type { EventLine, SumLine } from './queries.ts'

vi.stubGlobal('localStorage', { setItem: () => undefined })
afterAll(() => {
  setTimeZone('')
  vi.unstubAllGlobals()
})

const day = (number: number): number => Date.UTC(2026, 9, number)
const line = (number: number, credit: number, debit: number): SumLine => ({
  type: 'sum',
  from: day(number),
  to: day(number + 1),
  kind: '',
  token_id: 0,
  token_name: '',
  model: '',
  events: 1,
  last_position: 0,
  first_position: number,
  credit,
  debit,
  balance: null,
})

test('given days without lines, when the curve is made, then they keep the balance of the day before', () => {
  setTimeZone('UTC')
  const lines = [line(2, 50, 0), line(4, 0, 30)]
  const days = daysOf({ from: day(1), to: day(5), opening: 100, lines })
  expect(days.map(({ closing }) => closing)).toEqual([100, 150, 150, 120])
  expect(days[3]).toMatchObject({ start: day(4) / 1000, credit: 0, debit: 30, closing: 120 })
})

test('given a month that is not over, when the curve is made, then days to come have no balance', () => {
  setTimeZone('UTC')
  const month = { from: day(1), to: day(32), opening: 100, lines: [line(2, 50, 0)] }
  const days = daysOf(month, day(4) / 1000)
  expect(days.map(({ closing }) => closing)).toEqual([100, 150, 150, 150])
  expect(daysOf(month, day(-3) / 1000)).toEqual([])
})

const HOUR = 3_600_000
test.each([
  ['a day, event by event', [day(2), day(3)], [day(2), day(3)], true, false],
  ['a month as it is', [day(1), day(32)], [day(1), day(32)], false, false],
  [
    'parts of days as they are',
    [day(2) + HOUR, day(4) + 1],
    [day(2) + HOUR, day(4) + 1],
    false,
    false,
  ],
  [
    'all time by its last 366 days',
    [0, day(20) + HOUR],
    [day(20 - 365), day(20) + HOUR],
    false,
    true,
  ],
])('given a period, when it has a curve, then it shows %s', (_, asked, shown, isDay, isCut) => {
  setTimeZone('UTC')
  const [from = 0, to = 0] = asked
  const curve = { from: shown[0], to: shown[1], isDay, isCut }
  expect(curveOf({ from, to }, day(40) / 1000)).toEqual(curve)
})

const event = (at: number, credit: number, debit: number): EventLine => ({
  type: 'event',
  position: at,
  at,
  dated: at,
  kind: 'usage',
  event_id: '',
  event_type: 'UsageCharged',
  reference: '',
  actor: '',
  actor_name: '',
  token_id: 0,
  token_name: '',
  channel: 0,
  model: '',
  facts: { reason: '', adjustment: null, late: false, service_at: null },
  credit,
  debit,
  held_change: 0,
  balance: 0,
})

test('given single events, when the curve is made, then it starts at the opening and steps at each event', () => {
  const from = day(1)
  const lines = [event(from + 5_000, 0, 30), event(from + 9_000, 50, 0)]
  const steps = eventsOf({ from, opening: 100, lines })
  expect(steps.map(({ start, closing }) => [start - from / 1000, closing])).toEqual([
    [0, 100],
    [5, 70],
    [9, 120],
  ])
})
