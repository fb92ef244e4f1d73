import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Page } from '../../core/contract.ts'

/** How the time of a replay is cut. */
export const REPLAY_BUCKETS = ['hour', 'day', 'week', 'month'] as const
export type ReplayBucket = (typeof REPLAY_BUCKETS)[number]

/** Dimensions that a replay breaks down by; users have the first three. */
export const REPLAY_DIMENSIONS = ['model', 'group', 'token', 'user', 'channel'] as const
export type ReplayDimension = (typeof REPLAY_DIMENSIONS)[number]

/** Those that a role may break down by. */
export const dimensionsFor = (isAdmin: boolean): readonly ReplayDimension[] =>
  isAdmin ? REPLAY_DIMENSIONS : REPLAY_DIMENSIONS.slice(0, 3)

/** A replay as the API tells of it; times in unix milliseconds. */
export interface Replay {
  readonly id: string
  readonly owner_name: string
  readonly name: string
  readonly from: number
  readonly to: number
  readonly filters: Readonly<Record<string, boolean | readonly (string | number)[]>>
  readonly prices: 'as-charged' | 'today' | number | { readonly options: object }
  readonly bucket: ReplayBucket
  readonly zone: string
  readonly by: readonly string[]
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly created_at: number
  readonly ended_at: number | null
  readonly position: number
  /** Positions of the log read so far, and those that the whole run reads (null before it runs). */
  readonly positions_read: number
  readonly positions_to_read: number | null
  readonly charges: number
  readonly remaining_ms: number | null
  /** Why it failed, in English; `problem_code` is null for failures of older versions. */
  readonly problem: string | null
  readonly problem_code: 'too-many-rows' | 'broke-off' | null
  readonly rows_max: number
}

/** A line of a result: of a bucket (unix milliseconds), or summed over the whole time (`bucket` null). */
export interface ReplayLine {
  readonly bucket: number | null
  readonly key: string
  readonly name: string
  /** The second of a pair's; '' otherwise. */
  readonly key2: string
  readonly name2: string
  readonly requests: number
  readonly failures: number
  readonly quota: number
  readonly repriced: number
  readonly unpriced: number
  /** Decimal texts of quota before rounding; 0 where nothing was priced anew. */
  readonly exact: string
  readonly exact_repriced: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

/** One replay by its id. */
export function replayQuery(id: string) {
  return queryOptions<Replay | null>({
    queryKey: ['replays', 'one', id],
    queryFn: ({ signal }) => get<Replay>(`/api/replays/${id}`, {}, signal),
  })
}

/** Lines of a result by one of its tables: by bucket, or summed with the largest change first. At most `most`. */
export function replayLinesQuery(
  { id, position, ended_at: endedAt }: Replay,
  table: string,
  { isSummed, most }: { readonly isSummed: boolean; readonly most: number },
) {
  const query = { by: table, sum: isSummed, p: 1, page_size: most }
  return queryOptions({
    // The result grows with the position, and is made anew by a rerun.
    queryKey: ['replay-lines', id, query, position, endedAt],
    queryFn: ({ signal }) => get<Page<ReplayLine>>(`/api/replays/${id}/data`, query, signal),
    placeholderData: keepPreviousData,
  })
}
