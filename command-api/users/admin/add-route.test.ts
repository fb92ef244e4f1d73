import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import {
  openUsersUnderTest,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import type { ApiRoute } from '../../http-contract/api-route.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { UserRouteDeps } from '../self-routes.ts'

let under: UsersUnderTest
let deps: UserRouteDeps
let routes: readonly ApiRoute[]

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ deps, routes } = under)
})
afterAll(() => under.close())

const typesOf = (stream: string) => under.typesOf(stream)

describe('adding users', () => {
  const add = (body: object, role: Role = 10) =>
    callRoute(routes, 'POST /api/user', { body, caller: callerWith(1, role) })

  test('given a form, when sent, then the user has role 1, an open account and their name for display', async () => {
    const reply = await add({ username: ' bob ', password: 'password', role: 0 })
    expect(reply.wrote).toBeGreaterThan(0)
    const bob = await deps.users.byLogin('bob')
    expect(bob).toMatchObject({ role: 1, displayName: 'bob', isOpened: true })
    expect(await typesOf(accountStream(bob?.id ?? 0))).toEqual(['AccountOpened'])
  })

  test.each([
    [{ username: ' ', password: 'password' }, '用户名和密码不能为空！'],
    [{ username: 'x', password: '' }, '用户名和密码不能为空！'],
    [{ username: 'x', password: 'password', role: 10 }, '无法创建权限大于等于自己的用户'],
    [{ username: 'Bob', password: 'password' }, '用户名已存在，或已注销'],
    [
      { username: 'b@ex.com', password: 'password' },
      '用户名不能是邮箱地址，除非是您自己已绑定的邮箱',
    ],
  ])('given the form %j, when sent by an admin, then %s', async (body, message) => {
    expect(await add(body)).toMatchObject({ success: false, message })
  })
})
