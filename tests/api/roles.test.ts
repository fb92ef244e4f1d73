import { randomUUID } from 'node:crypto'
import { DENIALS } from '@tollgate/command-api/identity/authenticate.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { UserEvent } from '@tollgate/domain/user/events.ts'
import { requestJson } from '@tollgate/infra/http/openapi/json-schema.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../support/processes.ts'
import { type Answered, call, type SeededProduct, seedAccounts } from './seeded.ts'
import { addPerson, type Person } from './people.ts'

/**
 * Rules of roles with all that the routes really do behind them: nobody below reaches what is above, by the level of a
 * route or by whom it is used on, and what was attempted has left no event and no row changed.
 */
let seeded: SeededProduct
let second: Person

beforeAll(async () => {
  seeded = await seedAccounts()
  second = await addPerson(seeded.whole, 'admin2', 10)
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path.replace(/\/$/, '')}`

/** The call of a route's own example, with everything about the first channel, token or user. */
const exampleCall = (who: Person, { method, path, example }: ApiRoute): Promise<Answered> => {
  const query = new URLSearchParams(example?.query).toString()
  const url = path.replaceAll(/:\w+/g, '1')
  const body = method === 'GET' ? undefined : (example?.body ?? {})
  return call(seeded, who, method, query === '' ? url : `${url}?${query}`, body)
}

interface Trace {
  readonly caused: readonly number[]
  readonly rows: readonly unknown[]
}

/** How many events each of the people has caused, and the rows that events do not tell of. */
async function traceOf(...people: readonly Person[]): Promise<Trace> {
  const { pool } = seeded.whole.database
  await until('the workflow has projected every user', usersAreProjected)
  const caused = await Promise.all(
    people.map(async ({ id }) => {
      const actor = `%"actor":"user:${id}"%`
      return pool.query('select position from ledger.events where metadata like $1', [actor])
    }),
  )
  const tables = [
    'identity.users',
    'secrets.tokens',
    'secrets.channels',
    'secrets.options',
    'secrets.redemptions',
  ]
  const rows = await Promise.all(
    tables.map(async (table) => (await pool.query(`select * from ${table} order by 1`)).rows),
  )
  return { caused: caused.map(({ rows: events }) => events.length), rows }
}

/** The workflow projects a user once more after the request that changed them, which touches the row again. */
async function usersAreProjected(): Promise<boolean> {
  const { rows } = await seeded.whole.database.pool.query(
    `select from process_manager.pending where kind = 'user-projection'
     union all
     select from ledger.events join process_manager.checkpoint on events.position > checkpoint.position
     where type = any($1)`,
    [PROJECTED_TYPES],
  )
  return rows.length === 0
}

/** Events of users that begin such work. */
const PROJECTED_TYPES: readonly UserEvent['type'][] = [
  'UserRegistered',
  'UserRoleChanged',
  'UserBanned',
  'UserReinstated',
  'UserGroupChanged',
  'UserDeleted',
]

test('given administrators’ or root’s routes, when a lower role calls them, then nothing comes of it', async () => {
  const { ann, admin } = seeded
  const before = await traceOf(ann, admin)
  const heard = new Map<string, Answered>()
  for (const route of seeded.whole.tollgate.routes) {
    const lower = { admin: [ann], root: [ann, admin], public: [], visitor: [], user: [] }
    for (const who of lower[route.access]) {
      heard.set(`${who.username}: ${nameOf(route)}`, await exampleCall(who, route))
    }
  }
  expect(heard.size).toBeGreaterThan(50)
  const letIn = [...heard].filter(([, { message }]) => message !== DENIALS.roleTooLow)
  expect(letIn).toEqual([])
  expect([...heard.values()].filter(({ success }) => success !== false)).toEqual([])
  expect(await traceOf(ann, admin)).toEqual(before)
})

const MAY_NOT_UPDATE = '无权更新同权限等级或更高权限等级的用户信息'

interface Attempt {
  readonly route: `${ApiRoute['method']} ${string}`
  readonly body?: (target: Person) => object
  readonly told: string
}

const manage = (action: string, told: string): Attempt => ({
  route: 'POST /api/user/manage',
  body: ({ id }) => ({ id, action }),
  told,
})
const edit = (fields: object, told: string): Attempt => ({
  route: 'PUT /api/user',
  body: ({ id, username }) => ({ id, username, ...fields }),
  told,
})

/** Attempts of an administrator on somebody who is not below: another administrator, root, themselves. */
const ON_EQUALS: readonly Attempt[] = [
  { route: 'GET /api/user/:id', told: '无权获取同级或更高等级用户的信息' },
  { route: 'DELETE /api/user/:id', told: '无权删除同权限等级或更高权限等级的用户' },
  { route: 'GET /api/user/:id/sessions', told: '无权获取同级或更高等级用户的信息' },
  { route: 'DELETE /api/user/:id/sessions', told: MAY_NOT_UPDATE },
  { route: 'DELETE /api/user/:id/sessions/:session', told: MAY_NOT_UPDATE },
  edit({ password: 'taken-over-1' }, MAY_NOT_UPDATE),
  edit({ display_name: 'Mine' }, MAY_NOT_UPDATE),
  edit({ group: 'svip' }, MAY_NOT_UPDATE),
  edit({ quota: 0 }, MAY_NOT_UPDATE),
  edit({ quota: 9_000_000, quota_before: 0 }, MAY_NOT_UPDATE),
  edit({ role: 1 }, MAY_NOT_UPDATE),
  ...['disable', 'enable', 'delete', 'demote', 'promote'].map((action) =>
    manage(action, MAY_NOT_UPDATE),
  ),
]

/** Attempts of an administrator on somebody below that only root may make, or nobody. */
const ON_LOWER: readonly Attempt[] = [
  manage('promote', '普通管理员用户无法提升其他用户为管理员'),
  manage('demote', '该用户已经是普通用户'),
  edit({ role: 10 }, '无权将其他用户权限等级提升到大于等于自己的权限等级'),
  edit({ role: 100 }, '无权将其他用户权限等级提升到大于等于自己的权限等级'),
]

/** Attempts that not even root may make on root. */
const ON_ROOT: readonly Attempt[] = [
  manage('disable', '无法禁用超级管理员用户'),
  manage('demote', '无法降级超级管理员用户'),
  manage('delete', '无法删除超级管理员用户'),
  manage('promote', '该用户已经是管理员'),
  { route: 'DELETE /api/user/:id', told: '无权删除同权限等级或更高权限等级的用户' },
  { route: 'DELETE /api/user/self', told: '不能删除超级管理员账户' },
]

const attempt = (who: Person, target: Person, { route, body }: Attempt): Promise<Answered> => {
  const [method, path = ''] = route.split(' ')
  const url = path.replace(':id', String(target.id)).replace(':session', randomUUID())
  return call(seeded, who, method as ApiRoute['method'], url, body?.(target))
}

async function expectRefused(
  who: Person,
  targets: readonly Person[],
  attempts: readonly Attempt[],
): Promise<void> {
  const before = await traceOf(who)
  for (const target of targets) {
    for (const one of attempts) {
      const { route, told } = one
      const answered = await attempt(who, target, one)
      expect({ route, on: target.username, ...answered }).toMatchObject({
        success: false,
        message: told,
      })
    }
  }
  expect(await traceOf(who)).toEqual(before)
}

test('given administrators’ routes with a user’s id, when looked for, then each is attempted below', () => {
  const attempted = new Set<string>(ON_EQUALS.map(({ route }) => route))
  const taking = seeded.whole.tollgate.routes.filter(
    ({ access, path, params, body }) =>
      access === 'admin' &&
      path.startsWith('/api/user') &&
      [params, body].some(
        (schema) => schema !== undefined && 'id' in (requestJson(schema).properties ?? {}),
      ),
  )
  expect(new Set(taking.map(nameOf))).toEqual(attempted)
})

test('given an administrator, when they act on equals, root or themselves, then nothing changes', async () => {
  const { admin, root } = seeded
  await expectRefused(second, [admin, root, second], ON_EQUALS)
})

test('given an administrator, when they would raise somebody to their level, then nothing changes', async () => {
  await expectRefused(second, [seeded.ann], ON_LOWER)
  const form = { username: 'helper', password: 'long-enough-1' }
  for (const role of [10, 100]) {
    expect(await call(seeded, second, 'POST', '/api/user', { ...form, role })).toMatchObject({
      success: false,
      message: '无法创建权限大于等于自己的用户',
    })
  }
  expect(await seeded.whole.tollgate.identity.users.byLogin('helper')).toBeNull()
})

test('given root, when root is banned, demoted or deleted, then it is refused, by root too', async () => {
  const { root } = seeded
  await expectRefused(root, [root], ON_ROOT)
})

test('given a user, when they use administrators’ routes on another’s id, then they are told nothing', async () => {
  const { ann, bob } = seeded
  const before = await traceOf(bob)
  for (const one of [...ON_EQUALS, ...ON_LOWER]) {
    const answered = await attempt(bob, ann, one)
    expect({ route: one.route, ...answered }).toMatchObject({
      success: false,
      message: DENIALS.roleTooLow,
    })
    expect(JSON.stringify(answered)).not.toContain('ann')
  }
  expect(await traceOf(bob)).toEqual(before)
})

test('given root and administrators, when root changes an administrator, then it is done', async () => {
  const { root } = seeded
  const third = await addPerson(seeded.whole, 'admin3', 10)
  const before = await traceOf(root, second)
  expect(await attempt(root, third, edit({ group: 'vip' }, ''))).toMatchObject({ success: true })
  const shown = await attempt(root, third, { route: 'GET /api/user/:id', told: '' })
  expect(z.object({ group: z.string(), role: z.int() }).parse(shown.data)).toEqual({
    group: 'vip',
    role: 10,
  })
  expect(await attempt(root, third, manage('demote', ''))).toMatchObject({ success: true })
  expect(await attempt(second, third, { route: 'DELETE /api/user/:id', told: '' })).toMatchObject({
    success: true,
  })
  // The trace that the tests above compare does change: two events by root, and a deletion by the administrator. The
  // account is suspended in their name, too, unless the workflow was faster.
  const { caused } = await traceOf(root, second)
  const added = caused.map((count, index) => count - (before.caused[index] ?? 0))
  expect(added).toEqual([2, expect.toBeOneOf([1, 2])])
})
