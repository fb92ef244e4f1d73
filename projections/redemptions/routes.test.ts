import type { ApiReply, ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { walletHistory } from '@tollgate/tests/support/histories/wallet-history.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redemptions } from './projector.ts'
import { redeemedBelow } from './queries.ts'
import { redemptionReadRoutes } from './routes.ts'

const AT = Date.UTC(2026, 0, 1)
let log: ProjectionLog
let routes: readonly ApiRoute[]

beforeAll(async () => {
  log = await openProjectionLog()
  for (const { stream, event } of walletHistory(AT)) await log.append(stream, event)
  await log.project([redemptions])
  const named = (id: number) => ({ name: `name${id}`, code: `code${id}` })
  routes = redemptionReadRoutes({
    reads: log.reads,
    names: { users: async (ids) => new Map(ids.map((id) => [id, `user${id}`])) },
    redemptionSecrets: {
      describe: async (ids) => new Map(ids.map((id) => [id, named(id)])),
      findByCode: async (code) => Number(/^code(\d)$/.exec(code)?.[1] ?? 0) || null,
      searchByName: async (beginning) =>
        [1, 2, 3, 4, 5, 6, 7].filter((id) => named(id).name.startsWith(beginning)),
    },
  })
})
afterAll(() => log.close())

const caller = callerWith(1, 10)
const get = (path: string, query = {}, params = {}): Promise<ApiReply> =>
  callRoute(routes, `GET /api/redemption/${path}`, { query, params, caller })

interface Page {
  readonly items: readonly { readonly id: number }[]
  readonly total: number
  readonly page: number
  readonly page_size: number
}
async function pageOf(path: '' | 'search', query = {}) {
  const { items, ...page } = (await get(path, query)).data as Page
  return { ids: items.map(({ id }) => id), ...page }
}

const ALL = [5, 4, 3, 2, 1]

test('given codes that somebody redeemed, when they ask, then they see these without name and whole code', async () => {
  const own = async (userId: number) =>
    (await callRoute(routes, 'GET /api/user/redemptions', { caller: callerWith(userId) })).data
  const used = await log.pool.query<{ code_id: number; quota: number; used_at: number }>(
    'select * from redemptions.codes where used_by = 2 order by used_at desc',
  )
  expect(used.rows.length).toBeGreaterThan(0)
  expect(await own(2)).toEqual({
    items: used.rows.map(({ code_id, quota, used_at }) => ({
      id: code_id,
      key_hint: `code…ode${code_id}`,
      status: 3,
      quota,
      redeemed_time: Math.floor(used_at / 1000),
    })),
    total: used.rows.length,
    page: 1,
    page_size: 10,
  })
  expect(await own(9)).toMatchObject({ items: [], total: 0 })
})

test('given codes redeemed at one moment, when read below the last, then each of before comes once', async () => {
  const redeem = (first: number, last: number, at: number) =>
    log.pool.query(
      `insert into redemptions.codes
       select copied.* from redemptions.codes as used, generate_series($1::int, $2::int) as id,
         jsonb_populate_record(used, jsonb_build_object('code_id', id, 'used_by', 42, 'used_at', $3::bigint)) as copied
       where used.used_by = 2`,
      [first, last, at],
    )
  try {
    await redeem(901, 904, AT)
    await redeem(905, 906, AT + 1)
    const read: number[] = []
    for (let rows = await redeemedBelow(log.reads, 42, null, 2); rows.length > 0;) {
      read.push(...rows.map((row) => row.code_id))
      await redeem(906 + read.length, 906 + read.length, AT + 2)
      rows = await redeemedBelow(log.reads, 42, rows.at(-1) ?? null, 2)
    }
    expect(read).toEqual([906, 905, 904, 903, 902, 901])
  } finally {
    await log.pool.query('delete from redemptions.codes where used_by = 42')
  }
})

describe('listing codes', () => {
  test.each([
    [{}, { ids: ALL, total: 5, page: 0, page_size: 10 }],
    [{ p: '0' }, { ids: ALL, total: 5, page: 0, page_size: 10 }],
    [
      { p: '-3', page_size: '-1' },
      { ids: ALL, total: 5, page: 0, page_size: 10 },
    ],
    [
      { p: '1', page_size: '2' },
      { ids: [5, 4], total: 5, page: 1, page_size: 2 },
    ],
    [
      { p: '3', page_size: '2' },
      { ids: [1], total: 5, page: 3, page_size: 2 },
    ],
    [
      { p: '4', page_size: '2' },
      { ids: [], total: 5, page: 4, page_size: 2 },
    ],
  ])(
    'given the query %j, when listed, then it is this page without deleted codes',
    async (query, page) => {
      expect(await pageOf('', query)).toEqual(page)
    },
  )

  test.each([
    [{}, ALL],
    [{ keyword: '3' }, [3]],
    [{ keyword: 'name' }, ALL],
    [{ keyword: 'name4' }, [4]],
    [{ keyword: 'nothing' }, []],
    [{ user_id: '2' }, [5]],
    [{ user_id: '3' }, []],
    [{ code: 'code2' }, [2]],
    [{ code: 'code' }, []],
    [{ code: 'code2', keyword: 'name' }, [2]],
    [{ code: 'code2', keyword: 'name3' }, []],
    [{ user_id: '2', keyword: 'name5' }, [5]],
  ])('given the search %j, when asked, then these are found', async (query, ids) => {
    expect((await pageOf('search', query)).ids).toEqual(ids)
  })
})

describe('one code', () => {
  test('given a used one, when read, then all its fields are there', async () => {
    expect(await get(':id', {}, { id: '5' })).toEqual({
      data: {
        id: 5,
        user_id: 1,
        key: 'code5',
        status: 3,
        name: 'name5',
        quota: 100_000,
        created_time: AT / 1000,
        redeemed_time: AT / 1000,
        count: 0,
        used_user_id: 2,
        username: 'user1',
        used_username: 'user2',
        DeletedAt: null,
      },
    })
  })

  test.each([
    ['1', { status: 1, quota: 100_000, redeemed_time: 0, used_user_id: 0, used_username: '' }],
    ['2', { status: 1, quota: 7 }],
    ['3', { status: 2 }],
    ['4', { status: 1 }],
  ])('given code %s, when read, then it is as its events left it', async (id, fields) => {
    expect((await get(':id', {}, { id })).data).toMatchObject(fields)
  })

  test.each([
    ['0', 'id 为空！'],
    ['6', 'record not found'],
    ['99', 'record not found'],
    ['-1', 'record not found'],
  ])('given the id %s, when read, then it is refused', async (id, message) => {
    expect(await get(':id', {}, { id })).toMatchObject({ success: false, message })
  })
})
