import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { get } from '../../core/api.ts'
import type { Answer, Row } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { BalancesSearch } from './filters.ts'
import { asOfQuery } from './filters.ts'

/** The balance of one account: `position` is that of the last posting in it, −1 before the first. */
export type AccountBalance = Row<'GET /api/ledger/balances'>

/** A page with the totals of all accounts as decimal text; `final`: nothing that comes later can change it. */
type BalancesPage = Answer<'GET /api/ledger/balances'>

const PATH = '/api/ledger/balances'

/** Where all balances are exported from. */
export const balancesAt = (search: BalancesSearch): { path: typeof PATH; query: Query } => ({
  path: PATH,
  query: asOfQuery(search),
})

/** One page of balances by user id. */
export const balancesQuery = (search: BalancesSearch, pageSize: number) =>
  queryOptions<ListRows<AccountBalance>>({
    ...readingOf(search, pageSize),
    placeholderData: keepPreviousData,
  })

/** The totals of all accounts, out of the same answer. */
export const totalsQuery = (search: BalancesSearch, pageSize: number) =>
  queryOptions<BalancesPage>({
    ...readingOf(search, pageSize),
    placeholderData: keepPreviousData,
  })

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<BalancesSearch>): void {
  void client.prefetchQuery(balancesQuery(search, pageSize))
}

function readingOf(search: BalancesSearch, pageSize: number) {
  const query = { ...asOfQuery(search), p: search.p ?? 1, page_size: pageSize }
  return {
    queryKey: ['balances', query],
    queryFn: ({ signal }: { signal: AbortSignal }) => get(PATH, query, signal),
  }
}
