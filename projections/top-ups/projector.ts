import { topUpStream } from '@tollgate/domain/event.ts'
import type { TopUpEvent } from '@tollgate/domain/top-up/events.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { evolveRows, type RowsOfStreams } from '../runner/evolve-rows.ts'
import type { Recorded } from '../runner/projected-events.ts'
import type { Projector } from '../runner/projector.ts'

const tables = `
  create table orders (
    trade_no text collate "C" primary key,
    user_id bigint not null,
    status text not null,
    quota bigint not null,
    money text not null,
    method text not null,
    amount bigint not null,
    unit text not null,
    price text not null,
    group_name text not null,
    group_ratio text not null,
    quota_per_unit text not null,
    requested_at bigint not null,
    paid_at bigint,
    gateway_trade_no text not null,
    abandoned_at bigint,
    further_payments text not null
  )`

const indexes = `
  create index on orders (requested_at desc, trade_no desc);
  create index on orders (user_id, requested_at desc);
  create index on orders (requested_at) where status = 'pending'`

/** Only what version 1 has as well: it is compared with before version 2 takes its place. */
const comparison = `
  select 'order ' || trade_no as key, jsonb_build_object('status', status, 'quota', quota, 'money', money,
    'paid_at', paid_at) as figures
  from {orders}`

const eventTypes = ['TopUpRequested', 'TopUpPaid', 'TopUpPaidAgain', 'TopUpAbandoned'] as const

/** A row of `top_ups.orders`. Times in unix milliseconds, money and ratios as decimal text. */
export const orderRow = z.object({
  trade_no: z.string(),
  user_id: z.number(),
  status: z.enum(['pending', 'paid', 'abandoned']),
  quota: z.number(),
  money: z.string(),
  method: z.string(),
  amount: z.number(),
  unit: z.string(),
  price: z.string(),
  group_name: z.string(),
  group_ratio: z.string(),
  quota_per_unit: z.string(),
  requested_at: z.number(),
  paid_at: z.number().nullable(),
  /** '' until it is paid. */
  gateway_trade_no: z.string(),
  abandoned_at: z.number().nullable(),
  /** JSON of FurtherPayment[]: what was paid after the payment that was credited. */
  further_payments: z.string(),
})
export type OrderRow = Readonly<z.output<typeof orderRow>>

/** A payment of an order that was paid already, under another number of the gateway. */
export interface FurtherPayment {
  readonly gateway_trade_no: string
  readonly money: string
  /** Unix milliseconds. */
  readonly paid_at: number
}

/** Every order at the payment gateway, with its price and what became of it. */
export const topUps: Projector<(typeof eventTypes)[number]> = {
  name: 'top-ups',
  version: 2,
  streamPrefixes: ['topup-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  handle: (batch, tx) => evolveRows(tx, ROWS, batch),
}

/** The order's number in the name of its stream. */
export const orderOf = (stream: string): string => stream.slice(topUpStream('').length)

/** The row after one more event; undefined when the event concerns no order that was made. */
function evolve(row: OrderRow | undefined, event: Recorded<TopUpEvent>): OrderRow | undefined {
  if (event.type === 'TopUpRequested') {
    const { at, user, quota, money, method, amount, unit, price, group, groupRatio, quotaPerUnit } =
      event.data
    return {
      trade_no: orderOf(event.stream),
      user_id: user,
      status: 'pending',
      quota,
      money,
      method,
      amount,
      unit,
      price,
      group_name: group,
      group_ratio: groupRatio,
      quota_per_unit: quotaPerUnit,
      requested_at: at,
      paid_at: null,
      gateway_trade_no: '',
      abandoned_at: null,
      further_payments: '[]',
    }
  }
  if (row === undefined) return undefined
  switch (event.type) {
    case 'TopUpPaid': {
      const { at, gatewayTradeNo } = event.data
      return { ...row, status: 'paid', paid_at: at, gateway_trade_no: gatewayTradeNo }
    }
    case 'TopUpPaidAgain': {
      const { at, money, gatewayTradeNo } = event.data
      const further = furtherPayments(row)
      const number = storableText(gatewayTradeNo)
      const again: FurtherPayment = { gateway_trade_no: number, money, paid_at: at }
      return { ...row, further_payments: JSON.stringify([...further, again]) }
    }
    case 'TopUpAbandoned':
      return { ...row, status: 'abandoned', abandoned_at: event.data.at }
    default:
      return event satisfies never
  }
}

/** The further payments in a row. */
export const furtherPayments = (
  row: Pick<OrderRow, 'further_payments'>,
): readonly FurtherPayment[] => JSON.parse(row.further_payments) as readonly FurtherPayment[]

const COLUMNS = {
  trade_no: 'text',
  user_id: 'bigint',
  status: 'text',
  quota: 'bigint',
  money: 'text',
  method: 'text',
  amount: 'bigint',
  unit: 'text',
  price: 'text',
  group_name: 'text',
  group_ratio: 'text',
  quota_per_unit: 'text',
  requested_at: 'bigint',
  paid_at: 'bigint',
  gateway_trade_no: 'text',
  abandoned_at: 'bigint',
  further_payments: 'text',
} as const satisfies Record<keyof OrderRow, string>

const ROWS: RowsOfStreams<OrderRow, Recorded<TopUpEvent>> = {
  table: 'orders',
  columns: COLUMNS,
  key: 'trade_no',
  keyOf: orderOf,
  changing: ['status', 'paid_at', 'gateway_trade_no', 'abandoned_at', 'further_payments'],
  evolve,
}
