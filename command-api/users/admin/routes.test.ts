import { afterAll, beforeAll, expect, test } from 'vitest'
import { callRoute } from '@tollgate/tests/support/command-api.ts'
import {
  as,
  openUsersUnderTest,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import type { ApiRoute } from '../../http-contract/api-route.ts'
import type { User } from '../../identity/users.ts'

let under: UsersUnderTest
let routes: readonly ApiRoute[]

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ routes } = under)
})
afterAll(() => under.close())

const register: UsersUnderTest['register'] = (...terms) => under.register(...terms)

test('given a user of the same level, when looked at, then refused; root may', async () => {
  const admin = await register(10)
  const other = await register(10)
  const get = (who: User) =>
    callRoute(routes, 'GET /api/user/:id', { params: { id: String(other.id) }, caller: as(who) })
  expect(await get(admin)).toMatchObject({ message: '无权获取同级或更高等级用户的信息' })
  const seen = await get(await register(100))
  expect(seen.data).toMatchObject({ id: other.id, access_token: null })
})

test('given users who sign up meanwhile, when read below the last, then those of before come once', async () => {
  const root = await register(100)
  const [first, second, third] = [await register(1), await register(1), await register(1)]
  const wanted = { keyword: '', group: '', ids: null, reader: { userId: root.id, role: 100 } }
  const { users } = under.deps
  const newest = await users.below(wanted, null, 2)
  expect(newest.map(({ id }) => id)).toEqual([third.id, second.id])
  await register(1)
  const next = await users.below(wanted, second.id, 2)
  expect(next.map(({ id }) => id)).toEqual([first.id, root.id])
  const found = await users.below({ ...wanted, keyword: first.username }, null, 100)
  expect(found.map(({ id }) => id)).toEqual([first.id])
})

test('given users who are not below, when an admin lists or searches, then only their own data is found', async () => {
  const admin = await register(10)
  const [user, peer, root] = [await register(1), await register(10), await register(100)]
  for (const { id } of [admin, user, peer, root]) {
    await under.deps.users.update(id, {
      ownEmail: `mail-${id}@secret.example`,
      setting: JSON.stringify({ webhook_url: `https://hook-${id}.example` }),
    })
    await under.fixture.pool.query('update identity.users set github_id = $1 where id = $2', [
      `git-${id}`,
      id,
    ])
  }
  const ids: readonly number[] = [admin, user, peer, root].map(({ id }) => id)
  const list = async (who: User, query: Record<string, string> = { page_size: '100' }) => {
    const name = 'keyword' in query ? 'GET /api/user/search' : 'GET /api/user'
    const { data } = await callRoute(routes, name, { query, caller: as(who) })
    const { items } = data as {
      items: { id: number; email: string; setting: string; github_id: string }[]
    }
    return items.filter(({ id }) => ids.includes(id))
  }
  const told = async (who: User) =>
    (await list(who))
      .filter(({ email, setting, github_id: git }) => `${email}${setting}${git}` !== '')
      .map(({ id }) => id)
  expect((await list(admin)).map(({ id }) => id)).toEqual(ids.toReversed())
  expect(await told(admin)).toEqual([user.id, admin.id])
  expect(await told(root)).toEqual(ids.toReversed())
  const byMail = async (who: User) =>
    (await list(who, { keyword: '@secret.example' })).map(({ id }) => id)
  expect(await byMail(admin)).toEqual([user.id, admin.id])
  expect(await byMail(root)).toEqual(ids.toReversed())
})

test('given a deletion by path, when the target is not below, then refused, else soft', async () => {
  const root = await register(100)
  const user = await register()
  const remove = (who: User, id: number) =>
    callRoute(routes, 'DELETE /api/user/:id', { params: { id: String(id) }, caller: as(who) })
  expect((await remove(root, (await register(100)).id)).message).toBe(
    '无权删除同权限等级或更高权限等级的用户',
  )
  expect((await remove(root, user.id)).wrote).toBeGreaterThan(0)
  expect((await remove(root, user.id)).message).toBe('record not found')
  const list = await callRoute(routes, 'GET /api/user/search', {
    query: { keyword: String(user.id) },
    caller: as(root),
  })
  expect(list.data).toMatchObject({
    page: 1,
    page_size: 10,
    items: expect.arrayContaining([
      expect.objectContaining({ id: user.id, DeletedAt: expect.stringMatching(/^2026-/) }),
    ]),
  })
})

test('given many users, when paged, then newest first with the total, and numbers narrow the search', async () => {
  await register()
  await register()
  const root = await register(100)
  const list = (
    query: Record<string, string>,
    name: 'GET /api/user' | 'GET /api/user/search' = 'GET /api/user',
  ) => callRoute(routes, name, { query, caller: as(root) })
  const first = (await list({ page_size: '2' })).data as { items: { id: number }[]; total: number }
  expect(first.items.map(({ id }) => id)).toEqual([root.id, root.id - 1])
  const second = (await list({ p: '2', page_size: '2' })).data as typeof first
  expect(second.items[0]?.id).toBe(root.id - 2)
  expect(second.total).toBe(first.total)
  expect((await list({ quota: '101' }, 'GET /api/user/search')).data).toMatchObject({ total: 0 })
  expect((await list({ quota: '100' }, 'GET /api/user/search')).data).toMatchObject({ total: 1 })
})
