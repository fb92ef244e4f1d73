import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersOf } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { JournalSearch } from './filters.ts'
import { journalQueryOf } from './filters.ts'
import type { JournalLine } from './journal-line.ts'

const PATH = '/api/ledger/journal'

/** Where the postings under the filters are exported from, in formats joined by commas. */
export const journalExportAt = (search: JournalSearch, formats: string) => ({
  path: '/api/ledger/journal/export',
  query: { ...journalQueryOf(search), format: formats },
})

/** One page of the journal under the filters, newest first. */
export function journalQuery(search: JournalSearch, pageSize: number) {
  return queryOptions<ListRows<JournalLine>>({
    queryKey: ['journal', filtersOf(search), search.after, pageSize],
    queryFn: async ({ signal }) => {
      const query = { ...journalQueryOf(search), after: search.after, limit: pageSize }
      const { lines, next } = await get(PATH, query, signal)
      return { items: lines, next }
    },
    placeholderData: keepPreviousData,
  })
}

/** The totals of all postings under the filters. */
export function journalTotalsQuery(search: JournalSearch) {
  return queryOptions({
    queryKey: ['journal-totals', filtersOf(search)],
    queryFn: ({ signal }) => get('/api/ledger/journal/totals', journalQueryOf(search), signal),
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<JournalSearch>): void {
  void client.prefetchQuery(journalQuery(search, pageSize))
  void client.prefetchQuery(journalTotalsQuery(search))
}

/** One posting by its place, `position:line`; null when there is none. */
export function postingQuery(id: string) {
  return queryOptions<JournalLine | null>({
    queryKey: ['journal', 'one', id],
    queryFn: async ({ signal }) => {
      const [position = '', line = ''] = id.split(':')
      if (!/^\d+$/.test(position)) return null
      const query = { from_position: position, to_position: position }
      const { lines } = await get(PATH, query, signal)
      return lines.find((one) => String(one.line) === line) ?? null
    },
  })
}
