import { afterAll, beforeAll, expect, test } from 'vitest'
import { callRoute } from '@tollgate/tests/support/command-api.ts'
import {
  as,
  openUsersUnderTest,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
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
