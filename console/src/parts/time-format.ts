import { timeZone } from '../core/time-zone.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

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
  const [, date, time = '00:00', seconds = ':00'] = MOMENT.exec(text.trim()) ?? []
  if (date === undefined) return null
  const wall = new Date(`${date}T${time.padStart(5, '0')}${seconds}Z`)
  // February has no 31st, though a Date takes it for a day of March.
  const isThere = Number.isFinite(wall.getTime()) && wall.toISOString().startsWith(date)
  return isThere ? Math.floor(momentOf(wall.getTime()) / 1000) : null
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ]+(\d{1,2}:\d{2})(:\d{2})?)?$/u

/** The number of a day in the reader's zone, counted from 1970; summer time never moves one. */
export const dayOf = (seconds: number): number => Math.floor(wallOf(seconds * 1000) / DAY_MS)

/** The second that a day of that number begins with. */
export const dayStart = (day: number): number => momentOf(day * DAY_MS) / 1000

/** The reader's zone with its offset now, such as `Asia/Shanghai, UTC+08:00`. */
export function zoneName(zone = timeZone()): string {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const minutes = (wallOf(now, zone) - now) / MINUTE_MS
  const size = Math.abs(minutes)
  const offset = `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${zone || Intl.DateTimeFormat().resolvedOptions().timeZone}, ${offset}`
}

/** `YYYY-MM-DDTHH:mm:ss` of a time in seconds, as clocks in the reader's zone show it. */
function wallText(seconds: number): string {
  return new Date(wallOf(seconds * 1000)).toISOString().slice(0, 19)
}

/** What clocks of a zone ('' = the browser's) show at a moment, as the milliseconds at which clocks in UTC show the same. */
export function wallOf(moment: number, zone = timeZone()): number {
  if (zone) return Date.parse(`${formatOf(zone).format(moment).replace(' ', 'T')}Z`)
  return moment - new Date(moment).getTimezoneOffset() * MINUTE_MS
}

/** The moment at which clocks show that: around a change of summer time one of the two, or one nearby. */
export function momentOf(wall: number, zone = timeZone()): number {
  const offsetAt = (moment: number): number => wallOf(moment, zone) - moment
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
