import { dayOf, dayStart } from '../../parts/time-format.ts'
import type { Statement } from './queries.ts'

/** A day of the balance curve; amounts in quota. */
export interface Day {
  /** Its first second. */
  readonly start: number
  readonly credit: number
  readonly debit: number
  readonly closing: number
}

/** Every day of a statement by day, those on which nothing happened too: the balance stays as it was. */
export function daysOf(statement: Pick<Statement, 'from' | 'to' | 'opening' | 'lines'>): Day[] {
  const first = dayOf(statement.from / 1000)
  const last = dayOf((statement.to - 1) / 1000)
  const lines = new Map(statement.lines.map((line) => [lineDay(line), line]))
  let closing = statement.opening
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const line = lines.get(first + index)
    closing += (line?.credit ?? 0) - (line?.debit ?? 0)
    return {
      start: dayStart(first + index),
      credit: line?.credit ?? 0,
      debit: line?.debit ?? 0,
      closing,
    }
  })
}

const lineDay = (line: Statement['lines'][number]): number =>
  dayOf((line.type === 'sum' ? line.from : line.at) / 1000)
