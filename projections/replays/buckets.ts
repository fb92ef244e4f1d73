import type { Bucket } from './definition.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** No zone changes its offset within a quarter of an hour of the clock, so one answer serves a whole quarter. */
const QUARTER_MS = 15 * MINUTE_MS
const KNOWN_MAX = 200_000

/**
 * The beginning of the bucket that a moment is in, unix milliseconds. Weeks begin on Monday. Throws a RangeError for a
 * zone that is none.
 */
export function bucketsOf(bucket: Bucket, zone: string): (at: number) => number {
  const offsetAt = offsets(zone)
  const known = new Map<number, number>()
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS)
    const found = known.get(quarter)
    if (found !== undefined) return found
    if (known.size >= KNOWN_MAX) known.clear()
    const start = startOf(bucket, quarter * QUARTER_MS, offsetAt)
    known.set(quarter, start)
    return start
  }
}

export function isZone(zone: string): boolean {
  try {
    return zone !== '' && offsets(zone)(0) < DAY_MS
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function startOf(bucket: Bucket, at: number, offsetAt: (at: number) => number): number {
  const offset = offsetAt(at)
  const local = at + offset
  if (bucket === 'hour') return at - modulo(local, 60 * MINUTE_MS)
  const day = local - modulo(local, DAY_MS)
  const date = new Date(day)
  const start =
    bucket === 'day'
      ? day
      : bucket === 'week'
        ? day - ((date.getUTCDay() + 6) % 7) * DAY_MS
        : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  return instantOf(start, offsetAt)
}

/** When a zone's clocks show a time (as if it were UTC); where they skip it, an hour beside. */
export function instantOf(local: number, offsetAt: (at: number) => number): number {
  const guess = local - offsetAt(local)
  return local - offsetAt(guess)
}

/** A zone's clock minus UTC at a moment, in milliseconds. */
export function offsets(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
    const shown = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    )
    return shown - Math.floor(at / 1000) * 1000
  }
}

const modulo = (value: number, divisor: number): number =>
  value - Math.floor(value / divisor) * divisor
