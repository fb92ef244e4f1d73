import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRoute, type CommandApiFixture } from '@tollgate/tests/support/command-api.ts'
import {
  as,
  openUsersUnderTest,
  PASSWORD,
  TEST_CAUSE,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import type { ApiRoute } from '../http-contract/api-route.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { OWN_PASSWORD_LIMIT } from '../identity/rate-limiter.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { User } from '../identity/users.ts'
import { userRoutes } from './routes.ts'
import type { UserRouteDeps } from './self-routes.ts'

let under: UsersUnderTest
let fixture: CommandApiFixture
let deps: UserRouteDeps
let sessions: Sessions
let routes: readonly ApiRoute[]

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ fixture, deps, sessions, routes } = under)
})
afterAll(() => under.close())

const register: UsersUnderTest['register'] = (...terms) => under.register(...terms)
const typesOf = (stream: string) => under.typesOf(stream)

describe('the own account', () => {
  const put = (user: User, body: object, sessionId: string | null = null) =>
    callRoute(routes, 'PUT /api/user/self', { body, caller: { ...as(user), sessionId } })

  test('given a user, when they read themselves, then balance, counters and access token are there', async () => {
    const user = await register(1, 700)
    const token = (await callRoute(routes, 'GET /api/user/token', { caller: as(user) })).data
    expect(token).toMatch(/^[\w+/]{32}$/)
    const self = (await callRoute(routes, 'GET /api/user/self', { caller: as(user) })).data
    expect(self).toMatchObject({
      id: user.id,
      password: '',
      quota: 700,
      held: 0,
      access_token: token,
      DeletedAt: null,
    })
    expect(Object.keys(self as object).length).toBe(27)
    expect((await deps.accessTokens.find(String(token)))?.userId).toBe(user.id)
    await callRoute(routes, 'GET /api/user/token', { caller: as(user) })
    expect(await deps.accessTokens.find(String(token))).toBeNull()
  })

  test('given an edit without some fields, when put, then those stay', async () => {
    const user = await register()
    await put(user, { display_name: 'Ann' })
    await put(user, { username: `renamed${user.id}`, display_name: '' })
    expect(await deps.users.byId(user.id)).toMatchObject({
      username: `renamed${user.id}`,
      displayName: 'Ann',
      passwordHash: user.passwordHash,
    })
  })

  test.each([
    [{ password: 'new password' }, '请输入原密码'],
    [{ original_password: PASSWORD }, '请输入新密码'],
    [{ password: 'new password', original_password: 'wrong' }, '原密码错误'],
    [{ password: PASSWORD, original_password: PASSWORD }, '新密码不能与原密码相同'],
    [{ password: 'short', original_password: PASSWORD }, '密码长度不得小于 8 位！'],
    [
      { username: 'x'.repeat(13) },
      "输入不合法 Key: 'User.Username' Error:Field validation for 'Username' failed on the 'max' tag",
    ],
    [{ username: 'taken' }, '用户名已存在，或已注销'],
    [{ username: 'Taken' }, '用户名已存在，或已注销'],
    [{ username: 'me@ex.com' }, '用户名不能是邮箱地址，除非是您自己已绑定的邮箱'],
    [{ username: 'ro\u200bot' }, '用户名不能包含换行、控制字符或不可见字符'],
    [{ display_name: 'a\r\nb' }, '显示名称不能包含换行、控制字符或不可见字符'],
    [{ username: 7 }, '无效的参数'],
  ])('given the edit %j, when put, then %s', async (body, message) => {
    await deps.users
      .insert({
        username: 'taken',
        passwordHash: null,
        displayName: '',
        role: 1,
        openingQuota: 0,
        openingSource: 'sign-up',
      })
      .catch(() => undefined)
    const user = await register()
    expect(await put(user, body)).toMatchObject({ success: false, message })
    expect((await deps.users.byId(user.id))?.passwordHash).toBe(user.passwordHash)
  })

  test('given a new password, when put, then the other sessions end and this one stays', async () => {
    const user = await register()
    const mine = await sessions.open(user.id)
    const other = await sessions.open(user.id)
    const body = { password: 'another horse', original_password: PASSWORD }
    expect((await put(user, body, mine.id)).success).toBeUndefined()
    expect(await sessions.find(mine.token)).toMatchObject({ userId: user.id })
    expect(await sessions.find(other.token)).toBeNull()
    const hash = (await deps.users.byId(user.id))?.passwordHash ?? null
    expect(await deps.passwords.verify('another horse', hash)).toBe(true)
  })

  test('given a stolen session, when too many old passwords are guessed, then even the right one waits', async () => {
    const user = await register()
    const quick = userRoutes({
      ...deps,
      passwords: {
        ...deps.passwords,
        verify: (password) => Promise.resolve(password === PASSWORD),
      },
    })
    const change = (original_password: string) =>
      callRoute(quick, 'PUT /api/user/self', {
        body: { password: 'another horse', original_password },
        caller: as(user),
      })
    for (let n = 0; n < OWN_PASSWORD_LIMIT.attempts; n++) {
      expect(await change(`guess ${n}`)).toMatchObject({ message: '原密码错误' })
    }
    expect(await change(PASSWORD)).toMatchObject({
      status: 429,
      headers: { 'Retry-After': String(OWN_PASSWORD_LIMIT.windowMs / 1000) },
    })
    fixture.pass(OWN_PASSWORD_LIMIT.windowMs)
    expect(await change(PASSWORD)).toEqual({})
  })

  test('given a system access token, when the password changes, by oneself or an admin, then it is dead', async () => {
    const user = await register()
    const admin = await register(10)
    const changes = [
      () => put(user, { password: 'another horse', original_password: PASSWORD }),
      () =>
        callRoute(routes, 'PUT /api/user', {
          body: { id: user.id, password: 'a third horse' },
          caller: as(admin),
        }),
    ]
    for (const change of changes) {
      const token = await deps.accessTokens.renew(user.id)
      const session = await sessions.open(user.id)
      expect((await change()).success).toBeUndefined()
      expect(await deps.accessTokens.find(token)).toBeNull()
      expect((await deps.users.byId(user.id))?.accessTokenCiphertext).toBeNull()
      expect(await sessions.find(session.token)).toBeNull()
    }
  })

  test('given a server that dies after the new password is written, when asked, then old sessions are gone', async () => {
    const user = await register()
    const session = await sessions.open(user.id)
    const dying = {
      ...deps,
      sessions: { ...sessions, revokeAll: () => Promise.reject(new Error('died')) },
    }
    const body = { password: 'another horse', original_password: PASSWORD }
    await callRoute(userRoutes(dying), 'PUT /api/user/self', { body, caller: as(user) })
    expect(await sessions.find(session.token)).toBeNull()
  })

  test.each(['vi@ex.com', 'VI@ex.com'])(
    'given another’s e-mail, when somebody is renamed to %s, then refused, and its owner still signs in',
    async (username) => {
      const owner = (await deps.users.byLogin('vi@ex.com')) ?? (await register())
      await deps.users.update(owner.id, { ownEmail: 'vi@ex.com' })
      const thief = await register()
      const admin = await register(10)
      const taken = { success: false, message: '用户名已存在，或已注销' }
      expect(await put(thief, { username })).toMatchObject(taken)
      const body = { id: thief.id, username }
      expect(await callRoute(routes, 'PUT /api/user', { body, caller: as(admin) })).toMatchObject(
        taken,
      )
      expect((await deps.users.byLogin('vi@ex.com'))?.id).toBe(owner.id)
      expect(await put(owner, { username })).toEqual({})
    },
  )

  test('given an account without a password, when one is set, then no old one is asked for', async () => {
    const user = await register()
    await fixture.pool.query('update identity.users set password_hash = null where id = $1', [
      user.id,
    ])
    expect((await put(user, { password: 'first horse' })).success).toBeUndefined()
  })

  test('given a user, when they leave, then account, sessions and name are closed; root stays', async () => {
    const user = await register()
    const session = await sessions.open(user.id)
    const leave = (who: User) => callRoute(routes, 'DELETE /api/user/self', { caller: as(who) })
    expect(await leave(user)).toEqual({ session: null })
    expect(await deps.users.byLogin(user.username)).toBeNull()
    expect(await sessions.find(session.token)).toBeNull()
    expect(await typesOf(userStream(user.id))).toEqual(['UserRegistered', 'UserDeleted'])
    expect((await typesOf(accountStream(user.id))).at(-1)).toBe('AccountSuspended')
    expect(await leave(await register(100))).toMatchObject({
      message: '不能删除超级管理员账户',
    })
  })

  test('given no affiliate code, when asked for, then one is made once', async () => {
    const user = await register()
    const ask = async () =>
      (await callRoute(routes, 'GET /api/user/aff', { caller: as(user) })).data
    const code = await ask()
    expect(code).toMatch(/^[0-9a-zA-Z]{4}$/)
    expect(await ask()).toBe(code)
  })

  test('given affiliate quota, when moved, then the balance grows; too little and too much are refused', async () => {
    const user = await register()
    await fixture.ledger.execute(
      user.id,
      { type: 'EarnAffiliateReward', amount: quota(600_000), invitee: userId(999) },
      TEST_CAUSE,
    )
    const move = (amount: number) =>
      callRoute(routes, 'POST /api/user/aff_transfer', {
        body: { quota: amount },
        caller: as(user),
      })
    for (const amount of [0, -1, 499_999]) {
      expect((await move(amount)).message).toBe('划转金额最低为 ＄1.000000 额度')
    }
    expect((await move(600_001)).message).toBe('划转失败 邀请额度不足！')
    expect((await move(600_000)).message).toBe('划转成功')
    expect(await fixture.ledger.inspect(user.id, (s) => [s.posted, s.affiliate])).toEqual([
      600_000, 0,
    ])
  })
})
