import type { Position } from '@tollgate/domain/event.ts'

/** The input of a replay. The same definition over the same log gives the same numbers. */
export interface ReplayDefinition {
  /** Charges dated in `[from, to)`, unix milliseconds. */
  readonly from: number
  readonly to: number
  /** Events from the first to the last of these positions of the log, both included; absent = whatever their position. */
  readonly positions?: ReplayPositions | undefined
  readonly filters: ReplayFilters
  readonly prices: ReplayPrices
  readonly bucket: Bucket
  /** IANA name of the zone whose days the buckets are. */
  readonly zone: string
  /** One result table each; totals over all come without asking. */
  readonly by: readonly ReplayTable[]
}

export interface ReplayPositions {
  readonly first?: Position | undefined
  readonly last?: Position | undefined
}

/** Lists let through any of theirs; what is absent filters nothing. Failures have no endpoint, estimate, end or lateness. */
export interface ReplayFilters {
  readonly users?: readonly number[] | undefined
  readonly groups?: readonly string[] | undefined
  readonly tokens?: readonly number[] | undefined
  readonly models?: readonly string[] | undefined
  readonly channels?: readonly number[] | undefined
  /** Paths such as `/v1/chat/completions`. */
  readonly endpoints?: readonly string[] | undefined
  readonly stream?: boolean | undefined
  readonly estimated?: boolean | undefined
  readonly cancelled?: boolean | undefined
  readonly late?: boolean | undefined
}

/**
 * `as-charged`; the book in force at the log's end (`today`) or at a position of the log; or a draft: texts of pricing
 * options that replace today's.
 */
export type ReplayPrices =
  | 'as-charged'
  | 'today'
  | Position
  | { readonly options: Readonly<Record<string, string>> }

export const BUCKETS = ['hour', 'day', 'week', 'month'] as const
export type Bucket = (typeof BUCKETS)[number]

export const DIMENSIONS = ['user', 'group', 'token', 'model', 'channel'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** A dimension, or a pair of them such as `user+model`. */
export type ReplayTable = Dimension | `${Dimension}+${Dimension}`

/** Table of the sums over all, which every replay has. */
export const TOTAL = 'total'

export const dimensionsOf = (table: string): readonly Dimension[] =>
  table === TOTAL ? [] : (table.split('+') as Dimension[])

/** Reads `user` or `user+model`; null for anything else. */
export function replayTableOf(text: string): ReplayTable | null {
  const names = text.split('+')
  const isFit =
    names.length <= 2 &&
    new Set(names).size === names.length &&
    names.every((name) => (DIMENSIONS as readonly string[]).includes(name))
  return isFit ? (text as ReplayTable) : null
}
