import { timeZone } from '../core/time-zone.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** No zone was ever further from UTC. */
const OFFSET_MAX_MS = 16 * 60 * MINUTE_MS

/** `YYYY-MM-DD HH:mm:ss` in the reader's zone (console API, section 6), or a dash for no time. */
export const dateTime = (seconds: number): string => (seconds > 0 ? momentText(seconds) : '–')

/** The same for every moment, as `readMoment` reads it. */
export const momentText = (seconds: number): string => wallText(seconds).replace('T', ' ')

/** `YYYY-MM-DD` in the reader's zone. */
export const dateOf = (seconds: number): string => wallText(seconds).slice(0, 10)

/** `HH:mm:ss` in the reader's zone. */
export const clock = (seconds: number): string => wallText(seconds).slice(11)

/**
 * Seconds of a moment that was typed as `dateTime` writes it, or null when the text is no moment. Seconds, or the whole
 * time of day, may be left out: `2026-11-25 17:09`, `2026-11-25`.
 */
export function readMoment(text: string): number | null {
  const [, date, time, seconds = ':00'] = MOMENT.exec(text.trim()) ?? []
  if (date === undefined) return null
  const wall = new Date(`${date}T${(time ?? '00:00').padStart(5, '0')}${seconds}Z`)
  // February has no 31st, though a Date takes it for a day of March.
  const isThere = Number.isFinite(wall.getTime()) && wall.toISOString().startsWith(date)
  if (!isThere) return null
  if (time === undefined) return dayStart(wall.getTime() / DAY_MS)
  return Math.floor(momentOf(wall.getTime()) / 1000)
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ]+(\d{1,2}:\d{2})(:\d{2})?)?$/u

/** The number of the day that a time is in, counted from 1970: the last that has started in the zone. */
export function dayOf(seconds: number, zone = timeZone()): number {
  let day = Math.floor(wallOf(seconds * 1000, zone) / DAY_MS)
  while (dayStart(day + 1, zone) <= seconds) day += 1
  return day
}

/**
 * The first second at which clocks show a day, as the server starts days: the first of two midnights, or what clocks
 * show after they skipped midnight. A day that a zone left out starts with the next.
 */
export function dayStart(day: number, zone = timeZone()): number {
  // The browser's own zone changes when its machine travels, and is read without a format.
  if (zone === '') return firstSecond(day, zone)
  const starts = knownStarts.get(zone) ?? new Map<number, number>()
  const known = starts.get(day)
  if (known !== undefined) return known
  knownStarts.set(zone, starts)
  if (starts.size >= STARTS_MAX) starts.clear()
  const start = firstSecond(day, zone)
  starts.set(day, start)
  return start
}

const STARTS_MAX = 5_000
const knownStarts = new Map<string, Map<number, number>>()

function firstSecond(day: number, zone: string): number {
  const wall = day * DAY_MS
  const offsetAt = (moment: number): number => wallOf(moment, zone) - moment
  let before = wall - OFFSET_MAX_MS
  let after = wall + OFFSET_MAX_MS
  const offsetBefore = offsetAt(before)
  const offsetAfter = offsetAt(after)
  const start = wall - offsetBefore
  if (offsetBefore === offsetAfter) return start / 1000
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000
    if (offsetAt(middle) === offsetBefore) before = middle
    else after = middle
  }
  return (start < after ? start : Math.max(after, wall - offsetAfter)) / 1000
}

/** The reader's zone with its offset now, such as `Asia/Shanghai, UTC+08:00`; UTC is its own. */
export function zoneName(zone = timeZone()): string {
  const name = zone || Intl.DateTimeFormat().resolvedOptions().timeZone
  if (name === 'UTC') return name
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const minutes = (wallOf(now, zone) - now) / MINUTE_MS
  const size = Math.abs(minutes)
  const offset = `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${name}, ${offset}`
}

/**
 * The reader's zone as it was in a period of unix milliseconds, such as `UTC+8 · Asia/Shanghai`; where clocks changed in
 * between, `UTC+2/+1 · Europe/Berlin`.
 */
export function periodZone({ from, to }: { from: number; to: number }, zone = timeZone()): string {
  const name = zone || Intl.DateTimeFormat().resolvedOptions().timeZone
  if (name === 'UTC') return name
  const [first, last] = [shortOffset(from, zone), shortOffset(Math.max(from, to - 1000), zone)]
  const offsets = first === last ? first : `${first || '+0'}/${last || '+0'}`
  return `UTC${offsets} · ${name}`
}

/** Such as `+8` or `+5:45`; '' without a difference to UTC. */
function shortOffset(moment: number, zone: string): string {
  const minute = Math.floor(moment / MINUTE_MS) * MINUTE_MS
  const minutes = Math.round((wallOf(minute, zone) - minute) / MINUTE_MS)
  if (minutes === 0) return ''
  const size = Math.abs(minutes)
  const rest = size % 60 === 0 ? '' : `:${two(size % 60)}`
  return `${minutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${rest}`
}

/** `YYYY-MM-DDTHH:mm:ss` of a time in seconds, as clocks in the reader's zone show it. */
function wallText(seconds: number): string {
  return new Date(wallOf(seconds * 1000)).toISOString().slice(0, 19)
}

/**
 * The wall-clock time of a zone ('' = the browser's) at a moment, as the milliseconds at which clocks in UTC show the
 * same.
 */
export function wallOf(moment: number, zone = timeZone()): number {
  if (zone) return Date.parse(`${formatOf(zone).format(moment).replace(' ', 'T')}Z`)
  return moment - new Date(moment).getTimezoneOffset() * MINUTE_MS
}

/** The moment at which clocks show that: around a change of summer time one of the two, or one nearby. */
function momentOf(wall: number): number {
  const offsetAt = (moment: number): number => wallOf(moment) - moment
  return wall - offsetAt(wall - offsetAt(wall))
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Swedes write `YYYY-MM-DD HH:mm:ss`. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  formats.set(timeZone, format)
  return format
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
