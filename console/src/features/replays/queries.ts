import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { Replay } from '../../parts/replays/replay-queries.ts'
import type { ReplaySearch } from './filters.ts'

/** While one waits or runs, its progress is asked for so often. */
const PROGRESS_MS = 1_000

export const isActive = ({ status }: Replay): boolean => status === 'queued' || status === 'running'

/** One page of replays, newest first. */
export function replaysQuery(search: ReplaySearch, pageSize: number) {
  const query = { p: search.p ?? 1, page_size: pageSize }
  return queryOptions<ListRows<Replay>>({
    queryKey: ['replays', query],
    queryFn: ({ signal }) => get('/api/replays', query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? PROGRESS_MS : false),
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<ReplaySearch>): void {
  void client.prefetchQuery(replaysQuery(search, pageSize))
}

/** The revision whose prices a replay was calculated at, or that its draft was laid over; for administrators. */
export function revisionOfReplay({ book_revision: revision }: Replay, isAdmin: boolean) {
  return queryOptions({
    queryKey: ['prices', 'one', String(revision)],
    queryFn: ({ signal }) =>
      get(pathOf('/api/ledger/prices/{revision}', { revision: revision ?? -1 }), undefined, signal),
    enabled: isAdmin && revision !== null && revision >= 0,
  })
}

/** The charges to go through in a replay before it is asked for, and how long (null = not known yet); unix milliseconds. */
export function estimateQuery(from: number, to: number) {
  return queryOptions({
    queryKey: ['replays', 'estimate', from, to],
    queryFn: ({ signal }) => get('/api/replays/estimate', { from, to }, signal),
    placeholderData: keepPreviousData,
    enabled: to > from,
  })
}
