/** The ranges that are offered by name; each ends now. */
export const RANGE_PRESETS = ['1h', '24h', '7d', '30d'] as const
/** The name of an offered range. */
export type RangePreset = (typeof RANGE_PRESETS)[number]

/** A span of time as the address carries it: by name, or from and to in unix seconds, or nothing for all time. */
export type Range =
  | { readonly type: 'preset'; readonly preset: RangePreset }
  | { readonly type: 'custom'; readonly start?: number; readonly end?: number }
  | { readonly type: 'all' }

const SECONDS: Record<RangePreset, number> = {
  '1h': 3600,
  '24h': 86_400,
  '7d': 7 * 86_400,
  '30d': 30 * 86_400,
}

/** The fields of an address that hold a range. */
export interface RangeSearch {
  readonly range?: RangePreset
  readonly start?: number
  readonly end?: number
}

/** The range in an address. Named wins over dates. */
export function rangeOf(search: RangeSearch): Range {
  if (search.range) return { type: 'preset', preset: search.range }
  if (search.start === undefined && search.end === undefined) return { type: 'all' }
  return {
    type: 'custom',
    ...(search.start === undefined ? {} : { start: search.start }),
    ...(search.end === undefined ? {} : { end: search.end }),
  }
}

/** True when a range ends before it begins, so that nothing can lie in it. */
export const isReversed = (range: Range): boolean =>
  range.type === 'custom' &&
  range.start !== undefined &&
  range.end !== undefined &&
  range.end < range.start

/** The address fields of a range. */
export function rangeSearch(range: Range): RangeSearch {
  if (range.type === 'preset') return { range: range.preset }
  if (range.type === 'all') return {}
  return {
    ...(range.start === undefined ? {} : { start: range.start }),
    ...(range.end === undefined ? {} : { end: range.end }),
  }
}

/** From and to in unix seconds at a moment; a named range rounds its start to the minute, so that calls are shared. */
export function boundsOf(range: Range, nowSeconds: number): { start?: number; end?: number } {
  if (range.type === 'all') return {}
  if (range.type === 'preset')
    return { start: Math.floor((nowSeconds - SECONDS[range.preset]) / 60) * 60 }
  return {
    ...(range.start === undefined ? {} : { start: range.start }),
    ...(range.end === undefined ? {} : { end: range.end }),
  }
}
