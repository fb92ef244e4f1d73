import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { requestJson } from '@tollgate/infra/http/openapi/json-schema.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { type Answered, call } from './seeded.ts'
import { type Person, signIn } from './people.ts'

/** Every list that comes in pages reads and bounds them alike, wherever it is served from. */
let whole: WholeTollgate
let root: Person
let lists: readonly List[]
/** Its result is a list, too. */
let replay: string

interface List {
  readonly path: string
  readonly sizeKey: string
  readonly size: object
}

beforeAll(async () => {
  whole = await startWholeTollgate()
  root = await signIn(whole, 'root')
  lists = whole.tollgate.routes.flatMap(listOf)
  const asked = { name: 'all', from: 0, to: Date.now() }
  const { data } = await call({ whole }, root, 'POST', '/api/replays', asked)
  replay = z.object({ id: z.string() }).parse(data).id
}, 60_000)
afterAll(() => whole.stop(), 30_000)

function listOf({ path, query }: ApiRoute): readonly List[] {
  const fields = query === undefined ? {} : (requestJson(query).properties ?? {})
  return ['page_size', 'size'].flatMap((sizeKey) => {
    const size = fields[sizeKey]
    return typeof size === 'object' ? [{ path, sizeKey, size }] : []
  })
}

/**
 * The page sizes that the contract bounds itself: more is asked for in vain, and not refused (console-api 2.8, 2.10).
 */
const OF_CONTRACT = { '/api/token/': 100, '/api/log/self': 100 } as const

const get = ({ path, sizeKey }: List, size: number | string, page = ''): Promise<Answered> =>
  call(
    { whole },
    root,
    'GET',
    `${path.replace(':id', replay)}?${sizeKey}=${size}${page === '' ? '' : `&p=${page}`}`,
  )

test('given all lists in pages, when looked for, then these are they', () => {
  expect(lists.map(({ path }) => path).toSorted()).toEqual([
    '/api/channel/',
    '/api/ledger/balances',
    '/api/ledger/holds',
    '/api/ledger/notices',
    '/api/ledger/top-ups',
    '/api/log/',
    '/api/log/self',
    '/api/redemption/',
    '/api/redemption/search',
    '/api/replays',
    '/api/replays/:id/data',
    '/api/token/',
    '/api/user',
    '/api/user/redemptions',
    '/api/user/search',
    '/api/user/topup/orders',
  ])
})

test('given a list unbounded by the contract, when read, then pages end at 10000 rows, as documented', async () => {
  for (const list of lists.filter(({ path }) => !(path in OF_CONTRACT))) {
    expect([list.path, list.size]).toMatchObject([list.path, { maximum: 10_000, default: 10 }])
    const full = await get(list, 10_000)
    expect([list.path, full.success]).toEqual([list.path, true])
    if (!Array.isArray(full.data)) expect(full.data).toMatchObject({ page_size: 10_000 })
    expect([list.path, await get(list, 10_001)]).toMatchObject([
      list.path,
      { success: false, message: '每页最多 10000 条，请减小 page_size 并分页查询' },
    ])
  }
})

test('given a list with a bound of the contract, when more is asked for, then it has as many as that', async () => {
  for (const list of lists.filter(({ path }) => path in OF_CONTRACT)) {
    const most = OF_CONTRACT[list.path as keyof typeof OF_CONTRACT]
    expect(JSON.stringify(list.size)).toContain(`At most ${most}`)
    const { success, data } = await get(list, 10_001)
    expect([list.path, success]).toEqual([list.path, true])
    if (!Array.isArray(data)) expect(data).toMatchObject({ page_size: most })
  }
})

test.each(['', '0', '-1', 'NaN', '1.5'])(
  'given a list, when a page of size "%s" is asked for, then it has ten rows at most',
  async (size) => {
    for (const list of lists) {
      const { success, data } = await get(list, size)
      expect([list.path, success]).toEqual([list.path, true])
      if (!Array.isArray(data)) expect(data).toMatchObject({ page_size: 10 })
    }
  },
)

test('given a list, when a page beyond all numbers is asked for, then it is empty and nothing breaks', async () => {
  for (const list of [
    ...lists,
    ...['/api/mj/', '/api/mj/self', '/api/task/', '/api/task/self'].map((path) => ({
      path,
      sizeKey: 'page_size',
      size: {},
    })),
  ]) {
    const { success, data } = await get(list, 10_000, String(Number.MAX_SAFE_INTEGER))
    expect([list.path, success]).toEqual([list.path, true])
    expect([list.path, data]).toMatchObject([list.path, Array.isArray(data) ? [] : { items: [] }])
  }
})
