import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { get, orNull } from '../../core/api.ts'
import type { Log } from '../../core/contract.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersOf, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { LogSearch } from './filters.ts'
import { LOG_FILTERS } from './filters.ts'

/** Where the rows under the filters are read, and exported from; a range up to now ends when it is asked. */
export const logsAt = (
  search: LogSearch,
  isAdmin: boolean,
): { path: '/api/log/' | '/api/log/self/'; query: Query } => ({
  path: isAdmin ? '/api/log/' : '/api/log/self/',
  query: listQuery(LOG_FILTERS, search, { isAdmin, nowSeconds: Date.now() / 1000 }),
})

/** One page of the log under the filters, newest first. */
export function logsQuery(search: LogSearch, isAdmin: boolean, pageSize: number) {
  const page = search.p ?? 1
  return queryOptions<ListRows<Log>>({
    queryKey: ['logs', filtersOf(search), page, isAdmin, pageSize],
    queryFn: ({ signal }) => {
      const { path, query } = logsAt(search, isAdmin)
      return get(path, { ...query, p: page, page_size: pageSize }, signal)
    },
    placeholderData: keepPreviousData,
  })
}

/** The cost of the rows under the filters, and the pace of the last minute. */
export function logStatQuery(search: LogSearch, isAdmin: boolean) {
  return queryOptions({
    queryKey: ['log-stat', filtersOf(search), isAdmin],
    queryFn: ({ signal }) =>
      get(isAdmin ? '/api/log/stat' : '/api/log/self/stat', logsAt(search, isAdmin).query, signal),
    placeholderData: keepPreviousData,
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, isAdmin, pageSize }: Entered<LogSearch>): void {
  void client.prefetchQuery(logsQuery(search, isAdmin, pageSize))
  void client.prefetchQuery(logStatQuery(search, isAdmin))
}

/** The row of an event, on whichever page it is; null when there is none, or it is somebody else's. */
export function logRowQuery(eventId: string, at: number | undefined) {
  return queryOptions<Log | null>({
    queryKey: ['logs', 'one', eventId, at],
    queryFn: ({ signal }) =>
      orNull(get(pathOf('/api/log/{event_id}', { event_id: eventId }), { created_at: at }, signal)),
  })
}

/** The user behind a row. */
export function userQuery(id: number) {
  return queryOptions({
    queryKey: ['users', 'of-log', id],
    queryFn: ({ signal }) => get(pathOf('/api/user/{id}', { id }), undefined, signal),
  })
}
