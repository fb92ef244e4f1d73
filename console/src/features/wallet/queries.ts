import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { callEnvelope, get } from '../../core/api.ts'
import type { Row } from '../../core/calls.ts'
import type { Page } from '../../core/contract.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { selfQuery } from '../../core/status.ts'

/** How one pays: by Alipay or by WeChat. */
export type PaymentMethod = 'zfb' | 'wx'

/** An order of quota; `money` is the price to be paid, with two decimals. */
export type Order = Row<'GET /api/user/topup/orders'>

/** A form that the browser posts to the payment gateway. */
export interface PaymentForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

const PAGE_SIZE = 10
/** How often an order that waits for its payment is looked at again. */
const PENDING_INTERVAL_MS = 5_000
/** An order older than this is rarely paid any more. */
const PENDING_SECONDS = 3_600

const ORDERS = '/api/user/topup/orders'
const REDEMPTIONS = '/api/user/redemptions'

/** Where all own orders are listed. */
export const ordersAt = () => ({ path: ORDERS, query: {} })
/** Where all codes that one has redeemed are listed. */
export const redemptionsAt = () => ({ path: REDEMPTIONS, query: {} })

const ordersKey = ['wallet', 'orders'] as const
/** Everything read of redeemed codes. */
export const redemptionsKey = ['wallet', 'redemptions'] as const

/** The own orders, newest first; while a fresh one waits for its payment they are read again by themselves. */
export const ordersQuery = infiniteQueryOptions({
  queryKey: ordersKey,
  queryFn: ({ pageParam, signal }) => get(ORDERS, { p: pageParam, page_size: PAGE_SIZE }, signal),
  initialPageParam: 1,
  getNextPageParam: nextPage,
  refetchInterval: (query) =>
    query.state.data?.pages.some((page) => page.items.some(isAwaited))
      ? PENDING_INTERVAL_MS
      : false,
})

/** The codes that one has redeemed, newest first. */
export const redemptionsQuery = infiniteQueryOptions({
  queryKey: redemptionsKey,
  queryFn: ({ pageParam, signal }) =>
    get(REDEMPTIONS, { p: pageParam, page_size: PAGE_SIZE }, signal),
  initialPageParam: 1,
  getNextPageParam: nextPage,
})

/** The price of an amount, as the server calculates it for this user: text with two decimals. */
export const costQuery = (amount: number) =>
  queryOptions({
    queryKey: ['wallet', 'cost', amount],
    queryFn: async ({ signal }) => {
      const body = { amount, top_up_code: '' }
      return (await callEnvelope('POST', '/api/user/amount', { body, signal })).data
    },
  })

/** Makes an order; answers the form that pays it. */
export async function orderTopUp(amount: number, method: PaymentMethod): Promise<PaymentForm> {
  const body = { amount, payment_method: method, top_up_code: '' }
  const answer = await callEnvelope('POST', '/api/user/pay', { body })
  // `data` is a text with a failure alone, which `callEnvelope` throws.
  return { url: answer.url ?? '', fields: typeof answer.data === 'string' ? {} : answer.data }
}

function nextPage({ page, page_size: size, total }: Page<unknown>): number | undefined {
  return page * size < total ? page + 1 : undefined
}

function isAwaited({ status, create_time: ordered }: Order): boolean {
  return status === 'pending' && Date.now() / 1000 - ordered < PENDING_SECONDS
}

/** Reads what the wallet shows first. */
export function readAhead({ client }: Entered): void {
  void client.prefetchQuery(selfQuery)
}
