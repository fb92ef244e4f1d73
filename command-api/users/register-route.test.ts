import { setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import type { ApiReply, ApiRoute } from '../http-contract/api-route.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { type EmailCodes, emailCodeRows } from '../identity/email/email-codes.ts'
import { argon2Passwords, type Passwords } from '../identity/passwords.ts'
import { userStore } from '../identity/user-store.ts'
import type { UserStore } from '../identity/users.ts'
import { postedRequests } from '../idempotency/posted-requests.ts'
import { type TokenSecrets, tokenSecrets } from '../secrets/token-secrets.ts'
import { owedTokens } from './first-token.ts'
import { registerRoute, type RegisterRouteDeps } from './register-route.ts'

let fixture: CommandApiFixture
let users: UserStore
let codes: EmailCodes
let passwords: Passwords
let tokens: TokenSecrets
let settings: Readonly<Record<string, string>> = {}
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
  codes = emailCodeRows(fixture)
  passwords = argon2Passwords(fixture.entropy)
  tokens = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
})
afterAll(() => fixture.close())
beforeEach(() => {
  settings = {}
})

const deps = (isTokenGiven: boolean): RegisterRouteDeps => ({
  ...fixture,
  users,
  codes,
  passwords,
  secrets: tokens,
  owed: owedTokens(fixture.db),
  options: { current: () => optionsFrom(Object.entries(settings)) },
  humanCheck: ({ turnstile }) =>
    Promise.resolve(
      turnstile === 'robot' ? { status: 'refused', message: 'no robots' } : { status: 'human' },
    ),
  isTokenGiven,
})
const routesWith = (isTokenGiven: boolean): readonly ApiRoute[] => [
  registerRoute(deps(isTokenGiven)),
]
const send = (body: unknown, turnstile = '', isTokenGiven = false): Promise<ApiReply> =>
  callRoute(routesWith(isTokenGiven), 'POST /api/user/register', { body, query: { turnstile } })
const fresh = () => `user${++made}`
const PASSWORD = 'correct horse'

test('given a form, when sent, then a user of role 1 is there without e-mail, and nobody is signed in', async () => {
  settings = { QuotaForNewUser: '700' }
  const username = fresh()
  const reply = await send({
    username: ` ${username} `,
    password: PASSWORD,
    password2: PASSWORD,
    email: `${username}@example.com`,
    role: 100,
    status: 2,
    quota: 10_000,
    group: 'vip',
    id: 1,
  })
  expect(reply).toEqual({})
  const user = await users.byLogin(username)
  expect(user).toMatchObject({
    username,
    displayName: username,
    email: '',
    role: 1,
    isBanned: false,
    group: 'default',
  })
  expect(await passwords.verify(PASSWORD, user?.passwordHash ?? null)).toBe(true)
  const posted = await fixture.ledger.inspect(userId(user?.id ?? 0), (account) => account.posted)
  expect(posted).toBe(700)
})

const VERIFIED = { EmailVerificationEnabled: 'true' }
const OFF = {
  closed: { RegisterEnabled: 'false' },
  self: { SelfUseModeEnabled: 'true' },
  password: { PasswordRegisterEnabled: 'false' },
}
const tag = (field: string, rule: string) =>
  `输入不合法 Key: 'User.${field}' Error:Field validation for '${field}' failed on the '${rule}' tag`
const good = { username: 'newcomer', password: PASSWORD }
const bad = { username: 'a name too long', password: 'short' }

test.each([
  ['robot', { ...OFF.closed }, undefined, 'no robots'],
  ['', OFF.closed, 'no object', '管理员关闭了新用户注册'],
  ['', { ...OFF.closed, ...OFF.password }, bad, '管理员关闭了新用户注册'],
  ['', { ...OFF.self, ...OFF.password }, bad, '管理员关闭了新用户注册'],
  ['', OFF.password, bad, '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册'],
  ['', VERIFIED, { ...bad, username: ' ' }, '无效的参数'],
  ['', {}, { username: 7 }, '无效的参数'],
  ['', {}, undefined, '无效的参数'],
  ['', VERIFIED, bad, '密码长度不得小于 8 位！'],
  ['', {}, { ...good, password2: 'something else' }, '两次输入的密码不一致'],
  ['', VERIFIED, { ...good, password: 'x'.repeat(21) }, tag('Password', 'max')],
  ['', {}, { ...good, email: `${'x'.repeat(50)}@example.com` }, tag('Email', 'max')],
  ['', VERIFIED, good, '管理员开启了邮箱验证，请输入邮箱地址和验证码'],
  [
    '',
    VERIFIED,
    { ...good, email: 'ann@example.com' },
    '管理员开启了邮箱验证，请输入邮箱地址和验证码',
  ],
  [
    '',
    VERIFIED,
    { ...good, email: 'ann@example.com', verification_code: '000000' },
    '验证码错误或已过期',
  ],
])(
  'given turnstile %j and options %j, when %j is sent, then %s',
  async (turnstile, options, body, message) => {
    settings = options
    expect(await send(body, turnstile)).toMatchObject({ success: false, message })
    expect(await users.byLogin('newcomer')).toBeNull()
  },
)

test('given a name or e-mail that a living or deleted user has, when sent, then it is taken', async () => {
  const name = fresh()
  await send({ username: name, password: PASSWORD })
  const user = await users.byLogin(name)
  const email = 'c@d.io'
  await users.update(user?.id ?? 0, { ownEmail: email })
  await setUserStatus(users, user?.id ?? 0, { deletedAt: new Date() })
  for (const body of [
    { username: name },
    { username: fresh(), email: email.toUpperCase() },
    // A user called like another's e-mail would sign in, or not, in their place.
    { username: email },
  ]) {
    expect(await send({ ...body, password: PASSWORD })).toMatchObject({
      success: false,
      message: '用户名已存在，或已注销',
    })
  }
})

test('given one verified e-mail, when ten sign up with it at once, then one has it, and its code stays', async () => {
  settings = VERIFIED
  const email = 'Ten@example.com'
  const code = await codes.issue('verification', email)
  const replies = await Promise.all(
    Array.from({ length: 10 }, () =>
      send({ username: fresh(), password: PASSWORD, email, verification_code: code }),
    ),
  )
  expect(replies.filter(({ success }) => success !== false)).toEqual([{}])
  expect(replies.filter(({ message }) => message === '用户名已存在，或已注销')).toHaveLength(9)
  expect((await users.byEmail(email, 10)).map((user) => user.email)).toEqual([email])
  expect(await codes.isRight('verification', email, code)).toBe(true)
})

test('given a sign-up that died before its event, when asked again by its key, then they are signed up', async () => {
  const form = { username: fresh(), password: PASSWORD }
  const idempotency = { key: fresh(), requests: postedRequests(fixture) }
  const append = () => Promise.reject(new Error('died'))
  const dying = [registerRoute({ ...deps(false), store: { ...fixture.store, append } })]
  const ask = (routes: readonly ApiRoute[]) =>
    callRoute(routes, 'POST /api/user/register', {
      body: form,
      query: { turnstile: '' },
      idempotency,
    })
  await expect(ask(dying)).rejects.toThrow('died')
  expect(await users.byLogin(form.username)).toBeNull()
  expect(await ask(routesWith(false))).toEqual({})
  expect(await users.byLogin(form.username)).toMatchObject({ username: form.username })
})

test('given one name, when ten sign up with it at once, then one has it', async () => {
  const username = fresh()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => send({ username, password: PASSWORD })),
  )
  expect(replies.filter(({ success }) => success !== false)).toEqual([{}])
  expect(replies.filter(({ message }) => message === '用户名已存在，或已注销')).toHaveLength(9)
})

test('given a code of an inviter, when sent as aff_code, then both are rewarded', async () => {
  settings = { QuotaForInvitee: '30', QuotaForInviter: '20' }
  const [inviterName, username] = [fresh(), fresh()]
  await send({ username: inviterName, password: PASSWORD })
  const inviter = await users.byLogin(inviterName)
  await send({ username, password: PASSWORD, aff_code: inviter?.affCode })
  const user = await users.byLogin(username)
  expect(user?.inviterId).toBe(inviter?.id)
  const inspect = (id = 0) => fixture.ledger.inspect(userId(id), (account) => account)
  expect((await inspect(user?.id)).posted).toBe(30)
  expect((await inspect(inviter?.id)).affiliate).toBe(20)
})

test('given tokens for everybody, when somebody signs up without a balance, then theirs is unlimited', async () => {
  const username = fresh()
  expect(await send({ username, password: PASSWORD }, '', true)).toEqual({})
  const id = (await users.byLogin(username))?.id ?? 0
  const issued = (await fixture.eventsOf(accountStream(id))).find(
    ({ type }) => type === 'TokenIssued',
  )?.data as { readonly token: number } | undefined
  expect(issued).toMatchObject({ remain: 500_000, unlimited: true, expiresAt: null, group: '' })
  const secret = (await tokens.describe([issued?.token ?? 0])).get(issued?.token ?? 0)
  expect(secret).toMatchObject({ userId: id, name: `${username}的初始令牌` })
})
