import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Log, LogStat, Page } from '../../core/contract.ts'
import type { LogSearch } from './filters.ts'
import { logQuery } from './filters.ts'

/** Rows that one call of the export asks for, the most that users may have at once. */
const EXPORT_PAGE_ROWS = 100
/** Rows that one export may hold, so that a browser can carry it. */
export const EXPORT_ROWS_MAX = 50_000

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

/** Every row under the filters, newest first, up to the export's limit. The end is fixed so that pages do not shift. */
export async function exportedLogs(filters: LogSearch, isAdmin: boolean): Promise<readonly Log[]> {
  const endsAt = Math.floor(now())
  const query = logQuery(filters, isAdmin, endsAt)
  const rows: Log[] = []
  for (let page = 1; rows.length < EXPORT_ROWS_MAX; page++) {
    const found = await get<Page<Log>>(path(isAdmin), {
      ...query,
      end_timestamp: query['end_timestamp'] ?? endsAt,
      p: page,
      page_size: EXPORT_PAGE_ROWS,
    })
    rows.push(...found.items)
    if (found.items.length < EXPORT_PAGE_ROWS) break
  }
  return rows
}
