import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Page } from '../../core/contract.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { ReplaySearch } from './filters.ts'

/** A replay as the API tells of it; times in unix milliseconds. */
export interface Replay {
  readonly id: string
  readonly owner_name: string
  readonly name: string
  readonly from: number
  readonly to: number
  readonly prices: 'as-charged' | 'today' | number | { readonly options: object }
  readonly by: readonly string[]
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly created_at: number
  readonly position: number
  readonly log_end: number | null
  readonly charges: number
  readonly remaining_ms: number | null
  readonly problem: string | null
}

/** A line of a result, summed over the whole time. */
export interface ReplayLine {
  readonly key: string
  readonly name: string
  readonly requests: number
  readonly failures: number
  readonly quota: number
  readonly repriced: number
  readonly unpriced: number
  /** Decimal texts of quota before rounding; 0 where nothing was priced anew. */
  readonly exact: string
  readonly exact_repriced: string
}

/** While one waits or runs, its progress is asked for so often. */
const PROGRESS_MS = 1_000

export const isActive = ({ status }: Replay): boolean => status === 'queued' || status === 'running'

/** One page of replays, newest first. */
export function replaysQuery(search: ReplaySearch, pageSize: number) {
  const query = { p: search.p ?? 1, page_size: pageSize }
  return queryOptions<ListRows<Replay>>({
    queryKey: ['replays', query],
    queryFn: ({ signal }) => get<Page<Replay>>('/api/replays', query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? PROGRESS_MS : false),
  })
}

/** One replay by its id. */
export function replayQuery(id: string) {
  return queryOptions<Replay | null>({
    queryKey: ['replays', 'one', id],
    queryFn: ({ signal }) => get<Replay>(`/api/replays/${id}`, {}, signal),
  })
}

/** Lines of a result over the whole time, the largest change first. */
export function replayLinesQuery({ id, position }: Replay, by: string) {
  const query = { by, sum: true, p: 1, page_size: LINES_MAX }
  return queryOptions({
    // The result grows with the position, and is made anew by a rerun.
    queryKey: ['replay-lines', id, by, position],
    queryFn: ({ signal }) => get<Page<ReplayLine>>(`/api/replays/${id}/data`, query, signal),
    placeholderData: keepPreviousData,
  })
}

/** Lines that a table shows; all are in the export. */
const LINES_MAX = 100
