import type { UsageHour } from './queries.ts'
import { clock, dateOf, dayOf, dayStart } from '../../parts/time-format.ts'
import type { Granularity } from './filters.ts'

/** The use of one stretch of time. */
export interface Bucket {
  /** First second, and the second after the last, unix seconds. */
  readonly start: number
  readonly end: number
  /** `MM-DD HH:00`, `MM-DD` or `MM-DD - MM-DD`, in the reader's zone (console API, section 6.1). */
  readonly label: string
  readonly rows: readonly UsageHour[]
}

/** So many bars are drawn at least, that few records do not look like a wall. */
const BUCKETS_MIN = 7
/** A range that would need more is drawn from its oldest record on. */
const BUCKETS_MAX = 800
const HOUR = 3600

/**
 * Hourly rows gathered into stretches of time without gaps over the whole range (or seven stretches, whichever is more),
 * the last of which ends with the range's last hour or day.
 */
export function bucketsOf(
  rows: readonly UsageHour[],
  granularity: Granularity,
  range: { readonly start: number; readonly end: number },
): readonly Bucket[] {
  if (rows.length === 0) return []
  const slots = rows.map((row) => slotOf(row.created_at, granularity))
  const newest = slots.reduce((a, b) => Math.max(a, b), slotOf(range.end, granularity))
  const oldest = slots.reduce((a, b) => Math.min(a, b))
  const width = granularity === 'week' ? 7 : 1
  const countFrom = (first: number): number => Math.floor((newest - first) / width) + 1
  const whole = countFrom(Math.min(oldest, slotOf(range.start, granularity)))
  const count = Math.max(BUCKETS_MIN, whole > BUCKETS_MAX ? countFrom(oldest) : whole)
  const gathered = Array.from({ length: count }, (): UsageHour[] => [])
  for (const [index, row] of rows.entries()) {
    const back = Math.floor((newest - (slots[index] ?? newest)) / width)
    gathered[count - 1 - back]?.push(row)
  }
  return gathered.map((bucketRows, index) => {
    const last = newest - (count - 1 - index) * width
    return { ...interval(last - width + 1, last, granularity), rows: bucketRows }
  })
}

/** The number of an hour, or of a day in the reader's zone. */
const slotOf = (seconds: number, granularity: Granularity): number =>
  granularity === 'hour' ? Math.floor(seconds / HOUR) : dayOf(seconds)

function interval(
  first: number,
  last: number,
  granularity: Granularity,
): { start: number; end: number; label: string } {
  if (granularity === 'hour') {
    const label = `${monthDay(first * HOUR)} ${clock(first * HOUR).slice(0, 2)}:00`
    return { start: first * HOUR, end: (last + 1) * HOUR, label }
  }
  const start = dayStart(first)
  const label =
    granularity === 'day' ? monthDay(start) : `${monthDay(start)} - ${monthDay(dayStart(last))}`
  return { start, end: dayStart(last + 1), label }
}

function monthDay(seconds: number): string {
  return dateOf(seconds).slice(5)
}

/** Hours between the labels of hourly bars. */
const HOUR_STEPS = [1, 2, 3, 6, 12, 24] as const
/** So many labels stand under the bars at most. */
const TICKS_MAX = 12

/** The labels to write under the bars: of hours the full ones of a clock's face, of others every so many up to now. */
export function ticksOf(buckets: readonly Bucket[], granularity: Granularity): readonly string[] {
  if (granularity !== 'hour') {
    const step = Math.ceil(buckets.length / TICKS_MAX)
    return buckets
      .filter((_, index) => (buckets.length - 1 - index) % step === 0)
      .map(({ label }) => label)
  }
  const step = HOUR_STEPS.find((hours) => buckets.length / hours <= TICKS_MAX) ?? 24
  return buckets
    .filter(({ start }) => Number(clock(start).slice(0, 2)) % step === 0)
    .map(({ label }) => label)
}
