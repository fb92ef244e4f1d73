import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { get } from '../../core/api.ts'
import type { Log, LogStat, Page } from '../../core/contract.ts'
import type { LogSearch } from './filters.ts'
import { logQuery } from './filters.ts'

const now = () => Date.now() / 1000
const path = (isAdmin: boolean) => (isAdmin ? '/api/log/' : '/api/log/self/')

/** One page of the log under the filters. */
export function logsQuery(filters: LogSearch, isAdmin: boolean, pageSize: number) {
  const { row: _, ...shown } = filters
  return queryOptions({
    queryKey: ['logs', shown, isAdmin, pageSize],
    queryFn: ({ signal }) =>
      get<Page<Log>>(
        path(isAdmin),
        { ...logQuery(shown, isAdmin, now()), p: filters.p ?? 1, page_size: pageSize },
        signal,
      ),
    placeholderData: keepPreviousData,
  })
}

/** What the rows under the filters cost, and the pace of the last minute. */
export function logStatQuery(filters: LogSearch, isAdmin: boolean) {
  const { row: _, p: __, size: ___, ...shown } = filters
  return queryOptions({
    queryKey: ['log-stat', shown, isAdmin],
    queryFn: ({ signal }) =>
      get<LogStat>(
        isAdmin ? '/api/log/stat' : '/api/log/self/stat',
        logQuery(shown, isAdmin, now()),
        signal,
      ),
    placeholderData: keepPreviousData,
  })
}

/** Where all rows under the filters are exported from. */
export const exportOf = (filters: LogSearch, isAdmin: boolean): { path: string; query: Query } => ({
  path: path(isAdmin),
  query: logQuery(filters, isAdmin, now()),
})
