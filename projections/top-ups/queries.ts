import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { counted } from '../runner/reads.ts'
import { type OrderRow, orderRow } from './projector.ts'

/** Conditions of a list of orders; absent = no condition. */
export interface OrderFilter {
  readonly userId?: number
  readonly status?: string
  /** Our number or the gateway's. */
  readonly number?: string
  /** When it was made, unix milliseconds: from here on, and before. */
  readonly from?: number
  readonly to?: number
}

/** A page of orders, newest first, and how many match in all. `page` counts from 1. */
export async function orderPage(
  reads: CommonQueryMethods,
  filter: OrderFilter,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<{ readonly rows: readonly OrderRow[]; readonly total: number }> {
  const orders = sql.fragment`top_ups.orders where ${matching(filter)}`
  const [rows, total] = await Promise.all([
    reads.any(sql.type(orderRow)`
      select * from ${orders}
      order by requested_at desc, trade_no desc limit ${size} offset ${(page - 1) * size}`),
    reads.oneFirst(sql.type(counted)`select count(*) as count from ${orders}`),
  ])
  return { rows, total }
}

/** Where an order stands in a list. */
export type OrderPlace = Pick<OrderRow, 'requested_at' | 'trade_no'>

/** Orders below a place, newest first; null = from the newest on. */
export function ordersBelow(
  reads: CommonQueryMethods,
  filter: OrderFilter,
  before: OrderPlace | null,
  limit: number,
): Promise<readonly OrderRow[]> {
  const below =
    before &&
    sql.fragment`(requested_at, trade_no) < (${before.requested_at}::bigint, ${before.trade_no}::text)`
  return reads.any(sql.type(orderRow)`
    select * from top_ups.orders where ${sql.and([matching(filter), below])}
    order by requested_at desc, trade_no desc limit ${limit}`)
}

const matching = ({ userId, status, number, from, to }: OrderFilter) =>
  sql.and([
    userId !== undefined && sql.fragment`user_id = ${userId}`,
    status !== undefined && sql.fragment`status = ${status}`,
    number !== undefined &&
      sql.fragment`(trade_no = ${number} or gateway_trade_no = ${number}
      or (further_payments <> '[]' and further_payments::jsonb
            @> jsonb_build_array(jsonb_build_object('gateway_trade_no', ${number}::text))))`,
    from !== undefined && sql.fragment`requested_at >= ${from}`,
    to !== undefined && sql.fragment`requested_at < ${to}`,
  ])

/** Orders that were made before a moment (unix milliseconds) and wait, oldest first. */
export const pendingOrders = (
  reads: CommonQueryMethods,
  before: number,
  limit = 1_000,
): Promise<readonly string[]> =>
  reads.anyFirst(sql.type(z.object({ trade_no: z.string() }))`
    select trade_no from top_ups.orders where status = 'pending' and requested_at < ${before}
    order by requested_at limit ${limit}`)
