/** The days of a zone. Days count from 1970-01-01 = 0; moments are unix milliseconds. */
export interface ZoneDays {
  /** The zone's clock minus UTC at a moment, in milliseconds. */
  readonly offsetAt: (at: number) => number
  /** The day that a moment is in: the last that has started. */
  readonly dayOf: (at: number) => number
  /**
   * The first instant at which clocks show a day: the first of two midnights, or what clocks show after they skipped
   * midnight. A day that a zone left out starts with the next.
   */
  readonly startOf: (day: number) => number
}

const DAY_MS = 86_400_000
/** No zone was ever further from UTC. */
const OFFSET_MAX_MS = 16 * 3_600_000
const STARTS_MAX = 20_000
const ZONES_MAX = 100
const zones = new Map<string, ZoneDays>()

/** An IANA name; offsets such as +08:00 have opposite signs in POSIX and ISO 8601, so they are none. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    zoneDays(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Reads the days of a zone by its IANA name. Throws a RangeError for a name that is none. */
export function zoneDays(zone: string): ZoneDays {
  const known = zones.get(zone)
  if (known !== undefined) return known
  if (zones.size >= ZONES_MAX) zones.clear()
  const days = daysBy(offsetsOf(zone))
  zones.set(zone, days)
  return days
}

function daysBy(offsetAt: (at: number) => number): ZoneDays {
  const starts = new Map<number, number>()
  const startOf = (day: number): number => {
    const known = starts.get(day)
    if (known !== undefined) return known
    if (starts.size >= STARTS_MAX) starts.clear()
    const start = firstInstant(day * DAY_MS, offsetAt)
    starts.set(day, start)
    return start
  }
  return {
    offsetAt,
    startOf,
    dayOf(at) {
      let day = Math.floor((at + offsetAt(at)) / DAY_MS)
      while (startOf(day + 1) <= at) day += 1
      return day
    },
  }
}

/** The first moment at which clocks show a time (as if it were UTC) or a later one. */
function firstInstant(wall: number, offsetAt: (at: number) => number): number {
  let before = wall - OFFSET_MAX_MS
  let after = wall + OFFSET_MAX_MS
  const offsetBefore = offsetAt(before)
  const offsetAfter = offsetAt(after)
  const start = wall - offsetBefore
  if (offsetBefore === offsetAfter) return start
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle) === offsetBefore) before = middle
    else after = middle
  }
  return start < after ? start : Math.max(after, wall - offsetAfter)
}

function offsetsOf(zone: string): (at: number) => number {
  // Its format takes as long as folding an event, for each quarter of an hour of a replay.
  if (zone === 'UTC') return () => 0
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
