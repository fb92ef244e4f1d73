import type { RangeSearch } from '../../parts/range/range.ts'
import { rangeSearchFields } from '../../parts/range/range-search.ts'
import { oneOf, readSearch, text } from '../../parts/search-params.ts'

/** How much time one bar stands for. */
export const GRANULARITIES = ['hour', 'day', 'week'] as const
/** How much time one bar stands for. */
export type Granularity = (typeof GRANULARITIES)[number]

const FIELDS = {
  ...rangeSearchFields,
  by: oneOf(GRANULARITIES),
  username: text,
  source: text,
  over: text,
}

/**
 * The dashboard's address: range, granularity and, for administrators, whose use is shown. `source` is a replay to draw
 * instead of live data, `over` a second source to lay over it: a replay, or `live`.
 */
export interface DashboardSearch extends RangeSearch {
  readonly by?: Granularity
  readonly username?: string
  readonly source?: string
  readonly over?: string
}

/** Reads the address; odd values are left out. */
export function parseDashboardSearch(raw: Record<string, unknown>): DashboardSearch {
  return readSearch(raw, FIELDS)
}
