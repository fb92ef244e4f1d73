import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { get } from '../../core/api.ts'
import type { Page } from '../../core/contract.ts'
import { filtersOf, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { OrderSearch, OrderStatus } from './filters.ts'
import { ORDER_FILTERS } from './filters.ts'

/** One online top-up of GET /api/ledger/top-ups; times in unix seconds, 0 = not yet. Money is decimal text, in yuan. */
export interface Order {
  readonly trade_no: string
  readonly user_id: number
  readonly username: string
  readonly status: OrderStatus
  readonly quota: number
  readonly money: string
  readonly payment_method: string
  readonly amount: number
  readonly unit: string
  readonly price: string
  readonly group: string
  readonly group_ratio: string
  readonly quota_per_unit: string
  readonly create_time: number
  readonly paid_time: number
  readonly abandoned_time: number
  readonly gateway_trade_no: string
  /** Payments beyond the first: the gateway took them, and no quota was given for them. */
  readonly further_payments: readonly FurtherPayment[]
}

interface FurtherPayment {
  readonly gateway_trade_no: string
  readonly money: string
  readonly paid_time: number
}

const PATH = '/api/ledger/top-ups'

/** Where the orders under the filters are exported from. */
export const ordersAt = (search: OrderSearch): { path: string; query: Query } => ({
  path: PATH,
  query: listQuery(ORDER_FILTERS, search, { isAdmin: true, nowSeconds: Date.now() / 1000 }),
})

/** One page of the orders under the filters, newest first. */
export function ordersQuery(search: OrderSearch, pageSize: number) {
  return queryOptions<ListRows<Order>>({
    queryKey: ['orders', filtersOf(search), search.p ?? 1, pageSize],
    queryFn: ({ signal }) => {
      const { path, query } = ordersAt(search)
      return get<Page<Order>>(path, { ...query, p: search.p ?? 1, page_size: pageSize }, signal)
    },
    placeholderData: keepPreviousData,
  })
}

/** One order by its number; null when there is none. */
export function orderQuery(number: string) {
  return queryOptions<Order | null>({
    queryKey: ['orders', 'one', number],
    queryFn: async ({ signal }) => {
      const query = { trade_no: number, p: 1, page_size: 10 }
      const { items } = await get<Page<Order>>(PATH, query, signal)
      return items.find((order) => order.trade_no === number) ?? null
    },
  })
}
