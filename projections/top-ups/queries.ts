import type pg from 'pg'
import type { OrderRow } from './projector.ts'

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
  pool: pg.Pool,
  filter: OrderFilter,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<{ readonly rows: readonly OrderRow[]; readonly total: number }> {
  const values = valuesOf(filter)
  const [listed, counted] = await Promise.all([
    pool.query<OrderRow>(
      `select * from top_ups.orders where ${WHERE}
       order by requested_at desc, trade_no desc limit $6 offset $7`,
      [...values, size, (page - 1) * size],
    ),
    pool.query<{ total: number }>(
      `select count(*) as total from top_ups.orders where ${WHERE}`,
      values,
    ),
  ])
  return { rows: listed.rows, total: counted.rows[0]?.total ?? 0 }
}

/** Where an order stands in a list. */
export type OrderPlace = Pick<OrderRow, 'requested_at' | 'trade_no'>

/** Orders below a place, newest first; null = from the newest on. */
export async function ordersBelow(
  pool: pg.Pool,
  filter: OrderFilter,
  before: OrderPlace | null,
  limit: number,
): Promise<readonly OrderRow[]> {
  const { rows } = await pool.query<OrderRow>(
    `select * from top_ups.orders
     where ${WHERE} and ($6::bigint is null or (requested_at, trade_no) < ($6, $7::text))
     order by requested_at desc, trade_no desc limit $8`,
    [...valuesOf(filter), before?.requested_at ?? null, before?.trade_no ?? null, limit],
  )
  return rows
}

const valuesOf = ({ userId, status, number, from, to }: OrderFilter) => [
  userId ?? null,
  status ?? null,
  number ?? null,
  from ?? null,
  to ?? null,
]

const WHERE = `($1::bigint is null or user_id = $1)
  and ($2::text is null or status = $2)
  and ($3::text is null or trade_no = $3 or gateway_trade_no = $3
    or (further_payments <> '[]' and further_payments::jsonb @> jsonb_build_array(jsonb_build_object('gateway_trade_no', $3::text))))
  and ($4::bigint is null or requested_at >= $4)
  and ($5::bigint is null or requested_at < $5)`

/** Orders that were made before a moment (unix milliseconds) and wait, oldest first. */
export async function pendingOrders(
  pool: pg.Pool,
  before: number,
  limit = 1_000,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ trade_no: string }>(
    `select trade_no from top_ups.orders where status = 'pending' and requested_at < $1
     order by requested_at limit $2`,
    [before, limit],
  )
  return rows.map((row) => row.trade_no)
}
