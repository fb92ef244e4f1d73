import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { get } from '../../core/api.ts'
import type { Row } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersOf, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { OrderSearch } from './filters.ts'
import { ORDER_FILTERS } from './filters.ts'

/** One online top-up; times in unix seconds, 0 = not yet; money is decimal text, in yuan. */
export type Order = Row<'GET /api/ledger/top-ups'>

const PATH = '/api/ledger/top-ups'

/** Where the orders under the filters are exported from. */
export const ordersAt = (search: OrderSearch): { path: typeof PATH; query: Query } => ({
  path: PATH,
  query: listQuery(ORDER_FILTERS, search, { isAdmin: true, nowSeconds: Date.now() / 1000 }),
})

/** One page of the orders under the filters, newest first. */
export function ordersQuery(search: OrderSearch, pageSize: number) {
  return queryOptions<ListRows<Order>>({
    queryKey: ['orders', filtersOf(search), search.p ?? 1, pageSize],
    queryFn: ({ signal }) => {
      const { path, query } = ordersAt(search)
      return get(path, { ...query, p: search.p ?? 1, page_size: pageSize }, signal)
    },
    placeholderData: keepPreviousData,
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<OrderSearch>): void {
  void client.prefetchQuery(ordersQuery(search, pageSize))
}

/** One order by its number; null when there is none. */
export function orderQuery(number: string) {
  return queryOptions<Order | null>({
    queryKey: ['orders', 'one', number],
    queryFn: async ({ signal }) => {
      const query = { trade_no: number, p: 1, page_size: 10 }
      const { items } = await get(PATH, query, signal)
      return items.find((order) => order.trade_no === number) ?? null
    },
  })
}
