import { queryOptions } from '@tanstack/react-query'
import { get } from '../../../core/api.ts'
import type { Replay, ReplayDimension, ReplayLine } from '../../../parts/replays/replay-queries.ts'
import { replayLinesQuery } from '../../../parts/replays/replay-queries.ts'
import { SELF_SPAN_SECONDS } from '../view.ts'
import type { SourceKey, SourceKeys, SourceRow } from './source-data.ts'

/** The source of the dashboard's figures: live data, or a finished replay. */
export type Source = 'live' | Replay

/** Which time of live data is asked for, unix milliseconds `[from, to)`, and by whom. */
export interface Frame {
  readonly from: number
  readonly to: number
  readonly isAdmin: boolean
}

/** Lines of one call at most; the export has all. */
const LINES_MAX = 5_000
/** Live data names so many users or tokens at most. */
const TOP_MOST = 100

/** The replays that may be chosen, newest first. */
export const finishedQuery = queryOptions({
  queryKey: ['replays', 'finished'],
  queryFn: async ({ signal }) => {
    const { items } = await get('/api/replays', { p: 1, page_size: 200 }, signal)
    return items.filter(({ status }) => status === 'done')
  },
})

/** Quota of a replay's line: at the chosen prices, which are the charged ones where it keeps to them. */
const useOf = (line: ReplayLine) => ({
  quota: line.repriced,
  count: line.requests,
  tokens: line.prompt_tokens + line.completion_tokens,
})

/**
 * By model and time; a replay that has no table by model, or too many lines in it, gives one line a bucket. Null when
 * even those are too many to draw.
 */
export function rowsQuery(source: Source, frame: Frame) {
  return queryOptions({
    queryKey: ['dashboard', 'source-rows', ...keyOf(source, frame)],
    queryFn: async ({ signal, client }): Promise<readonly SourceRow[] | null> => {
      if (source === 'live') return liveRows(frame, signal)
      const by = { isSummed: false, most: LINES_MAX }
      const tables = source.by.includes('model') ? ['model', 'total'] : ['total']
      for (const table of tables) {
        const { items, total } = await client.fetchQuery(replayLinesQuery(source, table, by))
        if (total > items.length) continue
        return items.map((line) => ({ at: line.bucket ?? 0, model: line.key, ...useOf(line) }))
      }
      return null
    },
  })
}

/** By one dimension over the whole time; null where the source does not have it. */
export function keysQuery(source: Source, dimension: ReplayDimension, frame: Frame) {
  return queryOptions({
    queryKey: ['dashboard', 'source-keys', dimension, ...keyOf(source, frame)],
    queryFn: async ({ signal, client }): Promise<SourceKeys | null> => {
      if (source === 'live') return liveKeys(dimension, frame, signal)
      if (!source.by.includes(dimension)) return null
      const by = { isSummed: true, most: LINES_MAX }
      const { items, total } = await client.fetchQuery(replayLinesQuery(source, dimension, by))
      const keys = items.map((line) => ({ key: line.key, name: line.name, ...useOf(line) }))
      return { keys, isWhole: total <= items.length }
    },
  })
}

const keyOf = (source: Source, frame: Frame) =>
  source === 'live'
    ? ['live', frame.from, frame.to, frame.isAdmin]
    : [source.id, source.position, source.ended_at]

/** Live data is kept by the hour: each hour that begins in the frame counts as a whole. */
async function liveRows(frame: Frame, signal: AbortSignal): Promise<readonly SourceRow[]> {
  const path = frame.isAdmin ? '/api/data/' : '/api/data/self'
  const parts = await Promise.all(spansOf(frame).map((span) => get(path, span, signal)))
  return parts.flat().map((row) => ({
    at: row.created_at * 1000,
    model: row.model_name,
    quota: row.quota,
    count: row.count,
    tokens: row.token_used,
  }))
}

async function liveKeys(
  dimension: ReplayDimension,
  frame: Frame,
  signal: AbortSignal,
): Promise<SourceKeys | null> {
  if (dimension === 'group') return null
  if (dimension === 'model') {
    const rows = await liveRows(frame, signal)
    const keys = rows.map(({ model, quota, count, tokens }) => ({
      key: model,
      name: model,
      quota,
      count,
      tokens,
    }))
    return { keys: addedUp(keys), isWhole: true }
  }
  if (!frame.isAdmin && dimension !== 'token') return null
  const path = frame.isAdmin ? '/api/data/top' : '/api/data/self/top'
  const parts = await Promise.all(
    spansOf(frame).map((span) => get(path, { ...span, by: dimension, limit: TOP_MOST }, signal)),
  )
  const keys = parts.flat().map(({ id, name, quota, count, token_used: tokens }) => ({
    key: String(id),
    name,
    quota,
    count,
    tokens,
  }))
  return { keys: addedUp(keys), isWhole: parts.every(({ length }) => length < TOP_MOST) }
}

function addedUp(keys: readonly SourceKey[]): readonly SourceKey[] {
  return [...Map.groupBy(keys, ({ key }) => key).values()].map((same) =>
    same.reduce((sum, one) => ({
      ...sum,
      quota: sum.quota + one.quota,
      count: sum.count + one.count,
      tokens: sum.tokens + one.tokens,
    })),
  )
}

/** The frame in pieces that one call may ask for, unix seconds, both ends inclusive. */
function spansOf({ from, to, isAdmin }: Frame) {
  const [first, last] = [Math.ceil(from / HOUR_MS) * HOUR, Math.ceil(to / 1000) - 1]
  const step = isAdmin ? Number.POSITIVE_INFINITY : SELF_SPAN_SECONDS
  const spans: { readonly start_timestamp: number; readonly end_timestamp: number }[] = []
  for (let start = first; start <= last; start += step) {
    spans.push({ start_timestamp: start, end_timestamp: Math.min(last, start + step - 1) })
  }
  return spans
}

const HOUR = 3_600
const HOUR_MS = 3_600_000
