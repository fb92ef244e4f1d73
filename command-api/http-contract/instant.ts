/**
 * A moment as callers write it: RFC 3339 with a zone, or unix milliseconds. Null for anything else, also for a time
 * without zone, which names no moment.
 */
export function instantOf(written: string): number | null {
  const text = written.trim()
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  const day = RFC_3339.exec(text)?.[1]
  if (day === undefined || !isDay(day)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i

/** `Date` reads the 30th of February as the 2nd of March. */
function isDay(day: string): boolean {
  const at = Date.parse(day)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}
