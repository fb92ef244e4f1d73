import { dayOf, dayStart } from '../../parts/time-format.ts'
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

/** Every day of a statement by day, those on which nothing happened too: the balance stays as it was. */
export function daysOf(statement: Pick<Statement, 'from' | 'to' | 'opening' | 'lines'>): Step[] {
  const first = dayOf(statement.from / 1000)
  const last = dayOf((statement.to - 1) / 1000)
  const lines = new Map(statement.lines.map((line) => [lineDay(line), line]))
  let closing = statement.opening
  return Array.from({ length: last - first + 1 }, (_, index) => {
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
