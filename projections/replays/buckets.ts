import { zoneDays } from '../zones/zone-days.ts'
import type { Bucket } from './definition.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Zones change their offset at quarters of an hour of the clock, so one answer serves a whole quarter. */
const QUARTER_MS = 15 * MINUTE_MS
const KNOWN_MAX = 200_000

/**
 * The beginning of the bucket that a moment is in, unix milliseconds. Weeks begin on Monday. Throws a RangeError for a
 * zone that is none.
 */
export function bucketsOf(bucket: Bucket, zone: string): (at: number) => number {
  const startAt = startsOf(bucket, zone)
  const known = new Map<number, number>()
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS)
    const found = known.get(quarter)
    if (found !== undefined) return found
    if (known.size >= KNOWN_MAX) known.clear()
    const start = startAt(quarter * QUARTER_MS)
    known.set(quarter, start)
    return start
  }
}

function startsOf(bucket: Bucket, zone: string): (at: number) => number {
  const { offsetAt, dayOf, startOf } = zoneDays(zone)
  switch (bucket) {
    case 'hour':
      return (at) => at - modulo(at + offsetAt(at), HOUR_MS)
    case 'day':
      return (at) => startOf(dayOf(at))
    case 'week':
      return (at) => {
        const day = dayOf(at)
        return startOf(day - ((new Date(day * DAY_MS).getUTCDay() + 6) % 7))
      }
    case 'month':
      return (at) => {
        const date = new Date(dayOf(at) * DAY_MS)
        return startOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / DAY_MS)
      }
    default:
      return bucket satisfies never
  }
}

const modulo = (value: number, divisor: number): number =>
  value - Math.floor(value / divisor) * divisor
