import { queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import { pathOf, type Row } from '../../core/calls.ts'

/** How the time of a replay is cut. */
export const REPLAY_BUCKETS = ['hour', 'day', 'week', 'month'] as const
export type ReplayBucket = (typeof REPLAY_BUCKETS)[number]

/** Dimensions that a replay breaks down by; users have the first three. */
export const REPLAY_DIMENSIONS = ['model', 'group', 'token', 'user', 'channel'] as const
export type ReplayDimension = (typeof REPLAY_DIMENSIONS)[number]

/** Those that a role may break down by. */
export const dimensionsFor = (isAdmin: boolean): readonly ReplayDimension[] =>
  isAdmin ? REPLAY_DIMENSIONS : REPLAY_DIMENSIONS.slice(0, 3)

/** A replay; times in unix milliseconds, `positions_to_read` null before it runs. */
export type Replay = Row<'GET /api/replays'>

/** A line of a result: of a bucket (unix milliseconds), or summed over the whole time (`bucket` null). */
export type ReplayLine = Row<'GET /api/replays/{id}/data'>

/** One replay by its id. */
export function replayQuery(id: string) {
  return queryOptions<Replay | null>({
    queryKey: ['replays', 'one', id],
    queryFn: ({ signal }) => get(pathOf('/api/replays/{id}', { id }), {}, signal),
  })
}

/** Lines of a result by one of its tables: by bucket, or summed with the largest change first. At most `most`. */
export function replayLinesQuery(
  { id, position, ended_at: endedAt }: Replay,
  table: string,
  { isSummed, most }: { readonly isSummed: boolean; readonly most: number },
) {
  const query = { by: table, sum: isSummed, p: 1, page_size: most }
  const result = `${id} ${table}`
  return queryOptions({
    // The result grows with the position, and is made anew by a rerun.
    queryKey: ['replay-lines', result, query, position, endedAt],
    queryFn: ({ signal }) => get(pathOf('/api/replays/{id}/data', { id }), query, signal),
    // Lines of another table would be shown, and linked, as if they were of this one.
    placeholderData: (previous, before) => (before?.queryKey[1] === result ? previous : undefined),
  })
}
