import {
  type ApiRequest,
  type ApiRoute,
  callerOf,
  type CsvRow,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import { distinctIds, type Names } from '../http/names.ts'
import { queryInt, queryPage, queryPageSize, queryText } from '../http/query.ts'
import { furtherPayments, type OrderRow } from './projector.ts'
import { type OrderFilter, orderPage, type OrderPlace, ordersBelow } from './queries.ts'

export interface TopUpReadDeps {
  readonly reads: CommonQueryMethods
  readonly names: Pick<Names, 'users'>
}

const STATUSES = ['pending', 'paid', 'abandoned'] as const
const queryStatus = () =>
  queryText().meta({ description: 'Top-ups in this state; absent = in all', enum: STATUSES })

const query = z.object({
  p: queryPage(1),
  page_size: queryPageSize(),
  user_id: queryInt().describe('Top-ups of this user; 0 = of all'),
  status: queryStatus(),
  trade_no: queryText().describe('Number of the order, whole; empty = all'),
  start_timestamp: queryInt().describe(
    'Orders made from this moment on, unix seconds; 0 = from the first',
  ),
  end_timestamp: queryInt().describe(
    'Orders made up to and with this second, unix seconds; 0 = up to the last',
  ),
})

const orderAnswer = z.object({
  trade_no: z.string(),
  user_id: z.int(),
  username: z.string(),
  status: z.enum(STATUSES),
  quota: z.int(),
  money: z.string(),
  payment_method: z.string(),
  amount: z.int(),
  unit: z.string(),
  price: z.string(),
  group: z.string(),
  group_ratio: z.string(),
  quota_per_unit: z.string(),
  create_time: z.int(),
  paid_time: z.int(),
  abandoned_time: z.int(),
  gateway_trade_no: z.string(),
  further_payments: z.array(
    z.object({ gateway_trade_no: z.string(), money: z.string(), paid_time: z.int() }),
  ),
})

const EXAMPLE_PAGE = {
  items: [
    {
      trade_no: 'USR7NOa1B2c31767225600',
      user_id: 7,
      username: 'ann',
      status: 'paid',
      quota: 5_000_000,
      money: '73.00',
      payment_method: 'zfb',
      amount: 10,
      unit: 'usd',
      price: '7.3',
      group: 'default',
      group_ratio: '1',
      quota_per_unit: '500000',
      create_time: 1_767_225_600,
      paid_time: 1_767_225_660,
      abandoned_time: 0,
      gateway_trade_no: '2026010122001',
      further_payments: [],
    },
  ],
  total: 1,
  page: 1,
  page_size: 10,
} as const

/** Orders at the payment gateway: one's own, and all of them for whoever looks after the money: role 10. */
export const topUpReadRoutes = ({ reads, names }: TopUpReadDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/user/topup/orders',
    access: 'user',
    summary: 'A page of the own online top-ups, newest first; status pending, paid or abandoned',
    reads: ['top-ups'],
    query: z.object({ p: queryPage(1), page_size: queryPageSize(), status: queryStatus() }),
    answer: { data: pageOf(orderAnswer) },
    example: { query: { p: '1', page_size: '10', status: 'paid' }, data: EXAMPLE_PAGE },
    csv: {
      ...CSV,
      async *batches(request) {
        const { username } = callerOf(request)
        for await (const rows of everyOrder(reads, ownFilter(request)))
          yield rows.map((row) => csvRow(entityOf(row, username)))
      },
    },
    handle: async (request) => {
      const { p, page_size: size } = request.query
      const page = Math.max(1, p)
      const { rows, total } = await orderPage(reads, ownFilter(request), { page, size })
      const { username } = callerOf(request)
      const items = rows.map((row) => entityOf(row, username))
      return { data: { items, total, page, page_size: size } }
    },
  }),
  route({
    method: 'GET',
    path: '/api/ledger/top-ups',
    access: 'admin',
    summary: 'A page of online top-ups, newest first; status pending, paid or abandoned',
    reads: ['top-ups'],
    query,
    answer: { data: pageOf(orderAnswer) },
    example: {
      query: { p: '1', page_size: '10', status: 'paid' },
      data: EXAMPLE_PAGE,
    },
    csv: {
      ...CSV,
      async *batches({ query: asked }) {
        for await (const rows of everyOrder(reads, filterOf(asked)))
          yield (await entitiesOf(names, rows)).map(csvRow)
      },
    },
    handle: async (request) => {
      const { p, page_size: size } = request.query
      const page = Math.max(1, p)
      const { rows, total } = await orderPage(reads, filterOf(request.query), { page, size })
      return { data: { items: await entitiesOf(names, rows), total, page, page_size: size } }
    },
  }),
]

const CSV = { name: 'top-ups', columns: Object.keys(orderAnswer.shape) }

const everyOrder = (
  reads: CommonQueryMethods,
  filter: OrderFilter,
): AsyncIterable<readonly OrderRow[]> =>
  below<OrderRow, OrderPlace>(
    (before, limit) => ordersBelow(reads, filter, before, limit),
    (row) => row,
  )

const csvRow = (order: z.output<typeof orderAnswer>): CsvRow => ({
  ...order,
  further_payments: JSON.stringify(order.further_payments),
})

const ownFilter = (request: ApiRequest<unknown, { readonly status: string }>): OrderFilter => {
  const { status } = request.query
  return { userId: callerOf(request).userId, ...(status === '' ? {} : { status }) }
}

const filterOf = (asked: z.output<typeof query>): OrderFilter => ({
  ...(asked.user_id === 0 ? {} : { userId: asked.user_id }),
  ...(asked.status === '' ? {} : { status: asked.status }),
  ...(asked.trade_no === '' ? {} : { number: asked.trade_no }),
  ...(asked.start_timestamp === 0 ? {} : { from: asked.start_timestamp * 1_000 }),
  ...(asked.end_timestamp === 0 ? {} : { to: (asked.end_timestamp + 1) * 1_000 }),
})

async function entitiesOf(
  names: TopUpReadDeps['names'],
  rows: readonly OrderRow[],
): Promise<readonly z.output<typeof orderAnswer>[]> {
  const users = await names.users(distinctIds(rows.map((row) => row.user_id)))
  return rows.map((row) => entityOf(row, users.get(row.user_id) ?? ''))
}

const entityOf = (row: OrderRow, username: string): z.output<typeof orderAnswer> => ({
  trade_no: row.trade_no,
  user_id: row.user_id,
  username,
  status: row.status,
  quota: row.quota,
  money: row.money,
  payment_method: row.method,
  amount: row.amount,
  unit: row.unit,
  price: row.price,
  group: row.group_name,
  group_ratio: row.group_ratio,
  quota_per_unit: row.quota_per_unit,
  create_time: Math.floor(row.requested_at / 1000),
  paid_time: Math.floor((row.paid_at ?? 0) / 1000),
  abandoned_time: Math.floor((row.abandoned_at ?? 0) / 1000),
  gateway_trade_no: row.gateway_trade_no,
  further_payments: furtherPayments(row).map(({ gateway_trade_no, money, paid_at }) => ({
    gateway_trade_no,
    money,
    paid_time: Math.floor(paid_at / 1000),
  })),
})
