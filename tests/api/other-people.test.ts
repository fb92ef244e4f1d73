import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { requestJson } from '@tollgate/infra/http/openapi/json-schema.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../support/processes.ts'
import { PASSWORD } from '../support/whole-tollgate.ts'
import { type Answered, call, type SeededProduct, seedAccounts } from './seeded.ts'
import { addPerson, type Person } from './people.ts'

/** A person's belongings are neither seen nor changed by another of the same or a lower level. */
let seeded: SeededProduct
let secondAdmin: Person
/** Ann's. */
let replay: string

beforeAll(async () => {
  seeded = await seedAccounts()
  const asked = { name: 'hers', from: 0, to: Date.now(), prices: 'today' }
  const { data } = await call(seeded, seeded.ann, 'POST', '/api/replays', asked)
  replay = z.object({ id: z.string() }).parse(data).id
  secondAdmin = await addPerson(seeded.whole, 'admin2', 10)
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

/** Names under which a request says whose thing or which thing it means. */
const POINTING =
  /^(?:id|ids|user_id|username|token|token_id|token_name|key|mj_id|task_id|channel_id)$/

interface Attempt {
  readonly route: `${ApiRoute['method']} ${string}`
  /** The text in place of the parameter, or behind a path that has none. */
  readonly path?: (seeded: SeededProduct) => string
  readonly body?: (seeded: SeededProduct) => unknown
  /** The answer that bob gets. */
  readonly told: object
}

const NOT_FOUND = { success: false, message: 'record not found' }
const NO_REPLAY = { success: false, code: 'replay_unknown' }
const NOTHING = { success: true, data: [] }
const EMPTY_PAGE = { success: true, data: { items: [], total: 0 } }
const hour = (): string => {
  const now = Math.floor(Date.now() / 1000)
  return `start_timestamp=${now - 3_600}&end_timestamp=${now + 60}`
}

/** Bob's attempts on what is ann's, at every route that users may call and that takes a name or number. */
const ATTEMPTS: readonly Attempt[] = [
  { route: 'GET /api/token/:id', path: ({ token }) => `/${token.id}`, told: NOT_FOUND },
  { route: 'DELETE /api/token/:id', path: ({ token }) => `/${token.id}`, told: NOT_FOUND },
  {
    route: 'POST /api/token',
    body: ({ ann }) => ({ name: 'hers', unlimited_quota: true, user_id: ann.id }),
    // His own, for which he has no balance.
    told: { success: false, message: '余额不足' },
  },
  {
    route: 'PUT /api/token',
    body: ({ token }) => ({ id: token.id, name: 'mine', unlimited_quota: true }),
    told: NOT_FOUND,
  },
  {
    route: 'PUT /api/token',
    path: () => '?status_only=true',
    body: ({ token }) => ({ id: token.id, status: 2 }),
    told: NOT_FOUND,
  },
  {
    route: 'GET /api/token/search',
    path: ({ token }) => `?token=${token.key}&keyword=`,
    told: NOTHING,
  },
  {
    route: 'GET /api/log/self',
    path: () => '?username=ann&token_name=first',
    told: EMPTY_PAGE,
  },
  {
    route: 'GET /api/log/self/stat',
    path: () => `?username=ann&${hour()}`,
    told: { success: true, data: { quota: 0, token: 0, rpm: 0, tpm: 0 } },
  },
  {
    route: 'GET /api/ledger/statement/self',
    path: ({ ann, token }) => `?user_id=${ann.id}&token_id=${token.id}&group=none`,
    told: { success: true, data: { debits: 0, lines: [] } },
  },
  {
    route: 'GET /api/ledger/statement/self/export',
    path: ({ ann, token }) => `?user_id=${ann.id}&token_id=${token.id}&format=hledger`,
    told: { success: false, code: 'export_book_filtered' },
  },
  ...(
    [
      ['GET /api/replays/:id'],
      ['PATCH /api/replays/:id', { name: 'mine' }],
      ['DELETE /api/replays/:id'],
      ['POST /api/replays/:id/cancel', {}],
      ['POST /api/replays/:id/rerun', {}],
      ['GET /api/replays/:id/data'],
      ['GET /api/replays/:id/export'],
    ] as const
  ).map(([route, body]): Attempt => {
    return { route, path: () => `/${replay}`, told: NO_REPLAY, ...(body && { body: () => body }) }
  }),
  { route: 'GET /api/data/self', path: () => `?username=ann&${hour()}`, told: NOTHING },
  { route: 'GET /api/mj/self', path: () => '?mj_id=mj-1', told: NOTHING },
  { route: 'GET /api/task/self', path: () => '?task_id=suno-1', told: NOTHING },
  {
    route: 'POST /api/user/topup',
    body: () => ({ key: '00000000000000000000000000000000' }),
    told: { success: false, message: '兑换失败，无效的兑换码' },
  },
  {
    route: 'PUT /api/user/self',
    body: ({ ann }) => ({ id: ann.id, username: 'bob', display_name: 'Bob B.' }),
    told: { success: true },
  },
]

const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path.replace(/\/$/, '')}`

const pointersOf = ({ params, query, body }: ApiRoute): readonly string[] =>
  [params, query, body]
    .flatMap((schema) =>
      schema === undefined ? [] : Object.keys(requestJson(schema).properties ?? {}),
    )
    .filter((name) => POINTING.test(name))

test('given every route of users, when it takes an id, then bob attempts it on ann’s below', () => {
  const attempted = new Set<string>(ATTEMPTS.map(({ route }) => route))
  const pointing = seeded.whole.tollgate.routes.filter(
    (route) => route.access === 'user' && pointersOf(route).length > 0,
  )
  expect(pointing.length).toBeGreaterThan(5)
  expect(pointing.map(nameOf).filter((route) => !attempted.has(route))).toEqual([])
})

test('given bob, when he attempts ann’s data, then he reads nothing and nothing of hers changes', async () => {
  const { ann, bob } = seeded
  await until('nothing of hers changes by itself any more', async () => {
    const { held } = await selfOf(ann)
    const { data } = await call(seeded, ann, 'GET', `/api/replays/${replay}`)
    return held === 0 && z.object({ status: z.string() }).parse(data).status === 'done'
  })
  const before = await belongingsOf(ann)
  for (const { route, path, body, told } of ATTEMPTS) {
    const [method, template = ''] = route.split(' ')
    const [start = '', end = ''] = template.split('/:id')
    const address = start + (path?.(seeded) ?? '') + end
    const answered = await call(seeded, bob, method as ApiRoute['method'], address, body?.(seeded))
    expect({ route, ...answered }).toMatchObject({ route, ...told })
    expect(JSON.stringify(answered)).not.toContain(seeded.token.key)
    expect(JSON.stringify(answered)).not.toContain('"first"')
  }
  expect(await belongingsOf(ann)).toEqual(before)
})

async function belongingsOf(person: Person): Promise<readonly Answered[]> {
  const paths = ['user/self', 'token', 'log/self', 'mj/self', 'task/self', 'replays'].map(
    (path) => `/api/${path}`,
  )
  return Promise.all(paths.map((path) => call(seeded, person, 'GET', path)))
}

const MAY_NOT_UPDATE = '无权更新同权限等级或更高权限等级的用户信息'

test('given an admin, when they act on another admin or root, then each call is refused by contract', async () => {
  const { admin, root } = seeded
  for (const other of [admin, root]) {
    const as = (method: ApiRoute['method'], path: string, body?: unknown) =>
      call(seeded, secondAdmin, method, path, body)
    expect(await as('GET', `/api/user/${other.id}`)).toMatchObject({
      success: false,
      message: '无权获取同级或更高等级用户的信息',
    })
    const form = {
      id: other.id,
      username: other.username,
      display_name: 'Mine',
      password: 'taken-over-1',
    }
    expect(await as('PUT', '/api/user', form)).toMatchObject({
      success: false,
      message: MAY_NOT_UPDATE,
    })
    for (const action of ['disable', 'enable', 'delete', 'demote', 'promote']) {
      expect(await as('POST', '/api/user/manage', { id: other.id, action })).toMatchObject({
        success: false,
        message: MAY_NOT_UPDATE,
      })
    }
    expect(await as('DELETE', `/api/user/${other.id}`)).toMatchObject({
      success: false,
      message: '无权删除同权限等级或更高权限等级的用户',
    })
    expect(await call(seeded, other, 'GET', '/api/user/self')).toMatchObject({ success: true })
  }
})

/** All that a form must not set of a user, whoever sends it. */
const GRABBED = {
  role: 100,
  status: 2,
  quota: 9_000_000,
  used_quota: -1,
  request_count: 99,
  group: 'svip',
  access_token: 'chosen-by-myself',
  aff_quota: 1_000_000,
  aff_count: 7,
  aff_history_quota: 1_000_000,
  inviter_id: 1,
  email: 'root@example.com',
  github_id: 'octocat',
  DeletedAt: null,
} as const

const selfOf = async (person: Person) => {
  const { data } = await call(seeded, person, 'GET', '/api/user/self')
  return z.record(z.string(), z.unknown()).parse(data)
}

test('given forms with all fields of a user, when sent about oneself, then only meant fields change', async () => {
  const { bob, ann } = seeded
  const before = await selfOf(bob)
  const form = { ...GRABBED, id: ann.id, display_name: 'Bob' }
  expect(await call(seeded, bob, 'PUT', '/api/user/self', form)).toMatchObject({ success: true })
  expect(await selfOf(bob)).toEqual({ ...before, display_name: 'Bob' })

  const setting = { notify_type: 'email', quota_warning_threshold: 5, ...GRABBED, id: ann.id }
  expect(await call(seeded, bob, 'PUT', '/api/user/setting', setting)).toMatchObject({
    success: true,
  })
  const { setting: stored, ...kept } = await selfOf(bob)
  expect(JSON.parse(z.string().parse(stored))).toEqual({
    notify_type: 'email',
    quota_warning_threshold: 5,
    accept_unset_model_ratio_model: false,
  })
  const { setting: _, ...keptBefore } = before
  expect(kept).toEqual({ ...keptBefore, display_name: 'Bob' })
})

test('given a new user’s form with all fields, when an admin sends it, then the user is ordinary', async () => {
  const form = { ...GRABBED, id: 4_000, username: 'dora', password: PASSWORD, role: 1 }
  expect(await call(seeded, secondAdmin, 'POST', '/api/user', form)).toMatchObject({
    success: true,
  })
  const found = await call(seeded, secondAdmin, 'GET', '/api/user/search?keyword=dora')
  const items = z
    .object({ items: z.array(z.record(z.string(), z.unknown())) })
    .parse(found.data).items
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({
    username: 'dora',
    role: 1,
    status: 1,
    quota: 0,
    group: 'default',
  })
  expect(items[0]).toMatchObject({ email: '', github_id: '', aff_quota: 0, inviter_id: 0 })
})

/** Waits for what the admin has written, which ann's own session would not. */
async function seenByAdmin({ id }: Person) {
  const { data } = await call(seeded, secondAdmin, 'GET', `/api/user/${id}`)
  return z.record(z.string(), z.unknown()).parse(data)
}

test('given an edit with all fields, when an admin sends it, then role, status, e-mail and ids stay', async () => {
  const { ann } = seeded
  const before = await seenByAdmin(ann)
  const form = {
    ...GRABBED,
    role: 1,
    id: ann.id,
    username: 'ann',
    display_name: 'Ann',
    group: 'vip',
  }
  expect(await call(seeded, secondAdmin, 'PUT', '/api/user', form)).toMatchObject({
    success: true,
  })
  expect(await seenByAdmin(ann)).toEqual({ ...before, quota: GRABBED.quota, group: 'vip' })
})

test('given a token’s form with owner, key and use, when sent, then the token is the caller’s and new', async () => {
  const { bob, ann, token } = seeded
  await call(seeded, secondAdmin, 'PUT', '/api/user', {
    id: bob.id,
    username: 'bob',
    display_name: 'Bob',
    group: 'default',
    quota: 5_000,
  })
  const form = {
    name: 'grab',
    id: token.id,
    user_id: ann.id,
    key: 'chosen',
    used_quota: -5,
    remain_quota: 5,
    status: 4,
  }
  expect(await call(seeded, bob, 'POST', '/api/token', form)).toMatchObject({ success: true })
  const listed = await call(seeded, bob, 'GET', '/api/token')
  expect(listed.data).toMatchObject([
    { user_id: bob.id, used_quota: 0, remain_quota: 5, status: 1, name: 'grab' },
  ])
  expect(JSON.stringify(listed.data)).not.toContain('chosen')
})
