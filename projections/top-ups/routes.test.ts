import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { tradeNo, userId } from '@tollgate/domain/ids.ts'
import { callerWith, callRoute, csvBatches } from '@tollgate/tests/support/command-api.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { walletHistory } from '@tollgate/tests/support/histories/wallet-history.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { topUps } from './projector.ts'
import { pendingOrders } from './queries.ts'
import { topUpReadRoutes } from './routes.ts'

const AT = Date.UTC(2026, 0, 1)
let log: ProjectionLog
let routes: readonly ApiRoute[]
const order = (number: number): string => tradeNo(userId(2), `order${number}`, AT)

beforeAll(async () => {
  log = await openProjectionLog()
  for (const { stream, event } of walletHistory(AT)) await log.append(stream, event)
  await log.project([topUps])
  const users = async (ids: readonly number[]) => new Map(ids.map((id) => [id, `user${id}`]))
  routes = topUpReadRoutes({ reads: log.reads, names: { users } })
})
afterAll(() => log.close())

interface Page {
  readonly items: readonly { readonly trade_no: string }[]
  readonly total: number
}
const pageOf = async (query = {}): Promise<Page> =>
  (await callRoute(routes, 'GET /api/ledger/top-ups', { query, caller: callerWith(1, 10) }))
    .data as Page

describe('listing top-ups', () => {
  test.each([
    [{}, [4, 3, 2, 1]],
    [{ p: '2', page_size: '3' }, [1]],
    [{ status: 'pending' }, [1]],
    [{ status: 'paid' }, [4, 2]],
    [{ status: 'abandoned' }, [3]],
    [{ user_id: '2', status: 'abandoned' }, [3]],
    [{ user_id: '3' }, []],
    [{ trade_no: order(3) }, [3]],
    [{ trade_no: 'G1' }, [4, 2]],
    [{ trade_no: 'G2' }, [4]],
    [{ start_timestamp: `${AT / 1000}`, end_timestamp: `${AT / 1000}` }, [4, 3, 2, 1]],
    [{ start_timestamp: `${AT / 1000 + 1}` }, []],
    [{ end_timestamp: `${AT / 1000 - 1}` }, []],
  ])(
    'given the query %j, when asked, then these are found, newest first',
    async (query, numbers) => {
      const { items } = await pageOf(query)
      expect(items.map(({ trade_no }) => trade_no)).toEqual(numbers.map(order))
    },
  )

  test('given orders of somebody, when they ask for their own, then it is theirs alone, by state', async () => {
    const own = async (userId: number, query = {}) => {
      const reply = await callRoute(routes, 'GET /api/user/topup/orders', {
        query,
        caller: callerWith(userId),
      })
      return (reply.data as Page).items.map(({ trade_no }) => trade_no)
    }
    expect(await own(2)).toEqual([4, 3, 2, 1].map(order))
    expect(await own(2, { status: 'pending', user_id: '3' })).toEqual([order(1)])
    expect(await own(3)).toEqual([])
  })

  test('given an order that was given up and paid then, when read, then all of its life and price is there', async () => {
    const { items, total } = await pageOf({ trade_no: order(4) })
    expect(total).toBe(1)
    expect(items[0]).toEqual({
      trade_no: order(4),
      user_id: 2,
      username: 'user2',
      status: 'paid',
      quota: 500_000,
      money: '7.30',
      payment_method: 'wx',
      amount: 1,
      unit: 'usd',
      price: '7.3',
      group: 'default',
      group_ratio: '1',
      quota_per_unit: '500000',
      create_time: AT / 1000,
      paid_time: AT / 1000,
      abandoned_time: AT / 1000,
      gateway_trade_no: 'G1',
      further_payments: [{ gateway_trade_no: 'G2', money: '7.30', paid_time: AT / 1000 }],
    })
  })
})

test('given orders, when those that wait since before a moment are asked for, then only they are named', async () => {
  expect(await pendingOrders(log.reads, AT + 1)).toEqual([order(1)])
  expect(await pendingOrders(log.reads, AT)).toEqual([])
})

test('given pending orders paid during their export, when it goes on, then no other is skipped', async () => {
  await log.pool.query(
    `insert into top_ups.orders
     select 'USR9NOmany' || n, 9, 'pending', 1, '1.00', 'zfb', 1, 'usd', '1', 'default', '1', '500000',
       $1::bigint, null, '', null, '[]'
     from generate_series(1, 1500) n`,
    [AT],
  )
  const batches = csvBatches(routes, 'GET /api/ledger/top-ups', {
    query: { status: 'pending', user_id: '9' },
    caller: callerWith(1, 10),
  })
  const seen: unknown[] = []
  for await (const rows of batches) {
    seen.push(...rows.map((row) => row['trade_no']))
    await log.pool.query(`update top_ups.orders set status = 'paid' where trade_no = any($1)`, [
      seen.slice(0, 500),
    ])
  }
  expect(new Set(seen).size).toBe(1_500)
  expect(seen).toHaveLength(1_500)
})
