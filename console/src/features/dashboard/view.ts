import type { Range } from '../../parts/range/range.ts'
import { boundsOf, rangeOf } from '../../parts/range/range.ts'
import type { DashboardSearch, Granularity } from './filters.ts'
import { GRANULARITIES } from './filters.ts'

/** The view that the address asks for, with the defaults filled in: range and granularity always have a value. */
export interface DashboardView {
  readonly granularity: Granularity
  readonly range: Range
  readonly username: string
}

/** How far back each granularity looks by default (console API, section 6.1). */
const DEFAULT_RANGE = { hour: '24h', day: '7d', week: '30d' } as const

/** Bars by the hour over more than this would be thinner than a finger or a pixel. */
const HOUR_SPAN_MAX_SECONDS = 8 * 86_400

/** The view of an address. `defaultTime` is the option DataExportDefaultTime. */
export function dashboardView(
  search: DashboardSearch,
  defaultTime: string,
  nowSeconds: number,
): DashboardView {
  const fallback = GRANULARITIES.find((name) => name === defaultTime) ?? 'hour'
  const wanted = search.by ?? fallback
  const asked = rangeOf(search)
  const range: Range =
    asked.type === 'all' ? { type: 'preset', preset: DEFAULT_RANGE[wanted] } : asked
  const granularity =
    wanted === 'hour' && !allowsHours(range, nowSeconds) ? ('day' as const) : wanted
  return { granularity, range, username: search.username ?? '' }
}

/** True when the range is short enough for a bar an hour. */
export function allowsHours(range: Range, nowSeconds: number): boolean {
  const { start, end } = boundsOf(range, nowSeconds)
  return start !== undefined && (end ?? nowSeconds) - start <= HOUR_SPAN_MAX_SECONDS
}

/** The longest span that the server gives a user of their own use. */
export const SELF_SPAN_SECONDS = 2_592_000
const HOUR = 3600

/**
 * From and to in unix seconds, from a full hour because use is kept by the hour. A user who is no administrator gets
 * at most the last 30 days of the range.
 */
export function dashboardBounds(
  range: Range,
  isAdmin: boolean,
  nowSeconds: number,
): { start: number; end: number } {
  const asked = boundsOf(range, nowSeconds)
  const end = asked.end ?? nowSeconds
  const start = Math.floor((asked.start ?? end - SELF_SPAN_SECONDS) / HOUR) * HOUR
  if (isAdmin) return { start, end }
  const earliest = Math.ceil((end - SELF_SPAN_SECONDS) / HOUR) * HOUR
  return { start: Math.max(start, earliest), end }
}
