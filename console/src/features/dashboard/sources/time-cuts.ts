import type { ReplayBucket } from '../../../parts/replays/replay-queries.ts'
import { dayOf, dayStart, wallOf } from '../../../parts/time-format.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ORDER: readonly ReplayBucket[] = ['hour', 'day', 'week', 'month']

/** So many bars are drawn at most: more time is cut coarser. */
const CUTS_MAX = 400

/** How a span of time is cut into bars: where each begins, unix milliseconds. */
export interface Cuts {
  readonly bucket: ReplayBucket
  readonly zone: string
  readonly starts: readonly number[]
}

/** Cuts `[from, to)` without gaps, no finer than `least` and than there is room for; as replays cut it. */
export function cutsOf(least: ReplayBucket, zone: string, from: number, to: number): Cuts {
  const fit = ORDER.slice(ORDER.indexOf(least)).find(
    (bucket) => (to - from) / SHORTEST[bucket] <= CUTS_MAX,
  )
  const bucket = fit ?? 'month'
  const starts: number[] = []
  for (let start = startOf(bucket, zone, from); start < to && starts.length < CUTS_MAX;) {
    starts.push(start)
    // Beyond the next beginning, and before the one after it.
    start = startOf(bucket, zone, start + SHORTEST[bucket] * 1.2)
  }
  return { bucket, zone, starts }
}

/** The coarser of two. */
export const coarser = (one: ReplayBucket, other: ReplayBucket): ReplayBucket =>
  ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other

/** The index of the bar that a moment is in; −1 before the first. */
export function cutAt(starts: readonly number[], at: number): number {
  let low = -1
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

const SHORTEST: Readonly<Record<ReplayBucket, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
}

/** The beginning of the bar that a moment is in; weeks begin on Monday. */
function startOf(bucket: ReplayBucket, zone: string, at: number): number {
  const seconds = Math.floor(at / 1000)
  if (bucket === 'hour') {
    return at - (((wallOf(seconds * 1000, zone) % HOUR_MS) + (at % 1000)) % HOUR_MS)
  }
  const day = dayOf(seconds, zone)
  return dayStart(firstDayOf(bucket, day), zone) * 1000
}

function firstDayOf(bucket: Exclude<ReplayBucket, 'hour'>, day: number): number {
  const date = new Date(day * DAY_MS)
  if (bucket === 'day') return day
  if (bucket === 'week') return day - ((date.getUTCDay() + 6) % 7)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / DAY_MS
}
