import { zoneDays } from '../zones/zone-days.ts'

/** `[from, to)` in unix milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

const DAY_MS = 86_400_000

/**
 * Where the days or months of a zone begin within a period, the period's own beginning first: each part lasts until the
 * next, the last until the period's end.
 */
export function partsOf({ from, to }: Period, zone: string, unit: 'day' | 'month'): number[] {
  const { dayOf, startOf } = zoneDays(zone)
  const starts = [from]
  let last = from
  for (let day = following(dayOf(from), unit); startOf(day) < to; day = following(day, unit)) {
    const start = startOf(day)
    // A day that the zone left out starts with the next.
    if (start > last) starts.push(start)
    last = start
  }
  return starts
}

/** The first day of the unit after that of a day. */
function following(day: number, unit: 'day' | 'month'): number {
  if (unit === 'day') return day + 1
  const date = new Date(day * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS
}

/** One part of a list of parts, by its index. */
export const partAt = (starts: readonly number[], index: number, { from, to }: Period): Period => ({
  from: starts[index] ?? from,
  to: starts[index + 1] ?? to,
})
