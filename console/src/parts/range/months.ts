import { dayOf, dayStart } from '../time-format.ts'

/** `[from, to)` in unix milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

const DAY_MS = 86_400_000

/** The calendar month that lies `months` after that of a moment, in the reader's zone. */
export function monthFrom(seconds: number, months: number): Period {
  const wall = new Date(dayOf(seconds) * DAY_MS)
  const start = (offset: number): number => {
    const first = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + months + offset)
    return dayStart(first / DAY_MS) * 1000
  }
  return { from: start(0), to: start(1) }
}
