import { dayOf, dayStart } from '../../parts/time-format.ts'
import type { Period } from '../../parts/range/months.ts'
import type { Statement } from './queries.ts'

/** A step of the balance curve, a day or an event; amounts in quota. */
export interface Step {
  readonly key: string
  /** The first second of the day, or the second of the event. */
  readonly start: number
  readonly credit: number
  readonly debit: number
  /** The balance from then on, up to the next step. */
  readonly closing: number
}

/** A period of at most so many seconds is shown event by event: the longest day there is. */
export const DAY_MOST = 25 * 3_600

/** The most days that are shown: a year. */
const DAYS_MOST = 366

/** The part of a statement's period on the curve. */
export interface CurvePeriod extends Period {
  /** Event by event, as of a day; else day by day. */
  readonly isDay: boolean
  /** The period began earlier than its days that are shown. */
  readonly isCut: boolean
}

/** A period as it is; of one of more than 366 days, the last 366 that have begun. */
export function curveOf({ from, to }: Period, nowSeconds: number): CurvePeriod {
  const whole = { from, to, isDay: (to - from) / 1000 <= DAY_MOST, isCut: false }
  const [first, last] = [dayOf(from / 1000), dayOf((to - 1) / 1000)]
  if (last - first < DAYS_MOST) return whole
  const until = Math.max(Math.min(last, dayOf(nowSeconds)), first + DAYS_MOST - 1)
  const since = until - DAYS_MOST + 1
  const end = Math.min(to, dayStart(until + 1) * 1000)
  return since === first
    ? { ...whole, to: end }
    : { ...whole, from: dayStart(since) * 1000, to: end, isCut: true }
}

/** The first second of the day after that of a moment. */
export const dayAfter = (seconds: number): number => dayStart(dayOf(seconds) + 1)

/**
 * Every day of a statement by day up to that of now, those on which nothing happened too: the balance stays as it was.
 * Days to come have no balance yet.
 */
export function daysOf(
  statement: Pick<Statement, 'from' | 'to' | 'opening' | 'lines'>,
  nowSeconds = Infinity,
): Step[] {
  const first = dayOf(statement.from / 1000)
  const whole = dayOf((statement.to - 1) / 1000)
  const last = nowSeconds === Infinity ? whole : Math.min(whole, dayOf(nowSeconds))
  const lines = new Map(statement.lines.map((line) => [lineDay(line), line]))
  let closing = statement.opening
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const line = lines.get(first + index)
    closing += (line?.credit ?? 0) - (line?.debit ?? 0)
    const start = dayStart(first + index)
    return {
      key: String(start),
      start,
      credit: line?.credit ?? 0,
      debit: line?.debit ?? 0,
      closing,
    }
  })
}

/** Every event of a statement by event, after the balance that the period begins with. */
export function eventsOf(statement: Pick<Statement, 'from' | 'opening' | 'lines'>): Step[] {
  let closing = statement.opening
  const events = statement.lines.flatMap((line) => {
    if (line.type === 'sum') return []
    const { position, at, credit, debit } = line
    closing += credit - debit
    return { key: String(position), start: at / 1000, credit, debit, closing }
  })
  const opening = { credit: 0, debit: 0, closing: statement.opening }
  return [{ key: 'opening', start: statement.from / 1000, ...opening }, ...events]
}

const lineDay = (line: Statement['lines'][number]): number =>
  dayOf((line.type === 'sum' ? line.from : line.at) / 1000)
