import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRoute, type CommandApiFixture } from '@tollgate/tests/support/command-api.ts'
import {
  as,
  openUsersUnderTest,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { userStream } from '@tollgate/domain/event.ts'
import type { ApiReply, ApiRoute } from '../../http-contract/api-route.ts'
import type { Sessions } from '../../identity/sessions.ts'
import type { User } from '../../identity/users.ts'

let under: UsersUnderTest
let fixture: CommandApiFixture
let sessions: Sessions
let routes: readonly ApiRoute[]

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ fixture, sessions, routes } = under)
})
afterAll(() => under.close())

const register: UsersUnderTest['register'] = (...terms) => under.register(...terms)
const typesOf = (stream: string) => under.typesOf(stream)
const messageOf = (reply: ApiReply) => ({ success: reply.success ?? true, message: reply.message })

describe('managing users', () => {
  const manage = (who: User, id: number, action: string) =>
    callRoute(routes, 'POST /api/user/manage', { body: { id, action }, caller: as(who) })

  test('given a user, when banned and reinstated, then sessions end, the account stops and works again', async () => {
    const admin = await register(10)
    const user = await register()
    const session = await sessions.open(user.id)
    expect((await manage(admin, user.id, 'disable')).data).toMatchObject({
      id: 0,
      role: 1,
      status: 2,
    })
    expect(await sessions.find(session.token)).toBeNull()
    expect(await fixture.ledger.inspect(user.id, ({ status }) => status)).toBe('suspended')
    expect((await manage(admin, user.id, 'enable')).data).toMatchObject({ role: 1, status: 1 })
    expect(await fixture.ledger.inspect(user.id, ({ status }) => status)).toBe('active')
    expect(await typesOf(userStream(user.id))).toEqual([
      'UserRegistered',
      'UserBanned',
      'UserReinstated',
    ])
  })

  test('given the actions by role, when tried, then each is done or refused with its text', async () => {
    const root = await register(100)
    const admin = await register(10)
    const other = await register(10)
    const user = await register()
    const outcomes: [User, number, string, string | number][] = [
      [admin, other.id, 'disable', '无权更新同权限等级或更高权限等级的用户信息'],
      [admin, user.id, 'promote', '普通管理员用户无法提升其他用户为管理员'],
      [root, user.id, 'promote', 10],
      [root, user.id, 'promote', '该用户已经是管理员'],
      [root, user.id, 'demote', 1],
      [root, user.id, 'demote', '该用户已经是普通用户'],
      [root, root.id, 'disable', '无法禁用超级管理员用户'],
      [root, root.id, 'demote', '无法降级超级管理员用户'],
      [root, root.id, 'delete', '无法删除超级管理员用户'],
      [root, 999_999, 'disable', '用户不存在'],
      [admin, user.id, 'dance', 1],
      [admin, root.id, 'dance', '无权更新同权限等级或更高权限等级的用户信息'],
      [admin, other.id, 'dance', '无权更新同权限等级或更高权限等级的用户信息'],
      [admin, root.id, 'disable', '无权更新同权限等级或更高权限等级的用户信息'],
      [admin, user.id, 'delete', 1],
      [admin, user.id, 'disable', '用户已注销'],
    ]
    for (const [who, id, action, expected] of outcomes) {
      const reply = await manage(who, id, action)
      if (typeof expected === 'number') expect(reply.data).toMatchObject({ role: expected })
      else expect(messageOf(reply)).toEqual({ success: false, message: expected })
    }
  })
})
