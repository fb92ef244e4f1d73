import { afterAll, expect, test, vi } from 'vitest'
import { setTimeZone } from '../../core/time-zone.ts'
import { daysOf } from './daily.ts'
import type { SumLine } from './queries.ts'

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
  expect(days[3]).toEqual({ start: day(4) / 1000, credit: 0, debit: 30, closing: 120 })
})
