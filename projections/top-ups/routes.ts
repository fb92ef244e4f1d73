import { type ApiRoute, callerOf, route } from '@tollgate/command-api/http-contract/api-route.ts'
import type pg from 'pg'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import { distinctIds, type Names } from '../http/names.ts'
import { queryInt, queryPage, queryPageSize, queryText } from '../http/query.ts'
import { furtherPayments, type OrderRow } from './projector.ts'
import { orderPage } from './queries.ts'

export interface TopUpReadDeps {
  readonly pool: pg.Pool
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
export const topUpReadRoutes = ({ pool, names }: TopUpReadDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/user/topup/orders',
    access: 'user',
    summary: 'A page of the own online top-ups, newest first; status pending, paid or abandoned',
    reads: ['top-ups'],
    query: z.object({ p: queryPage(1), page_size: queryPageSize(), status: queryStatus() }),
    answer: { data: pageOf(orderAnswer) },
    example: { query: { p: '1', page_size: '10', status: 'paid' }, data: EXAMPLE_PAGE },
    handle: async (request) => {
      const { p, page_size: size, status } = request.query
      const { userId, username } = callerOf(request)
      const page = Math.max(1, p)
      const filter = { userId, ...(status === '' ? {} : { status }) }
      const { rows, total } = await orderPage(pool, filter, { page, size })
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
    handle: async (request) => {
      const { p, page_size: size, user_id, status, trade_no } = request.query
      const page = Math.max(1, p)
      const filter = {
        ...(user_id === 0 ? {} : { userId: user_id }),
        ...(status === '' ? {} : { status }),
        ...(trade_no === '' ? {} : { number: trade_no }),
      }
      const { rows, total } = await orderPage(pool, filter, { page, size })
      const users = await names.users(distinctIds(rows.map((row) => row.user_id)))
      const items = rows.map((row) => entityOf(row, users.get(row.user_id) ?? ''))
      return { data: { items, total, page, page_size: size } }
    },
  }),
]

const entityOf = (row: OrderRow, username: string): object => ({
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
