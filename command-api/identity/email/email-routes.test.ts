import { insertRegistered, setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import type { ApiRoute } from '../../http-contract/api-route.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  type RouteCall,
} from '@tollgate/tests/support/command-api.ts'
import { type Mail, MailFailed } from '../../mail/mailer.ts'
import { emailCodeRows } from './email-codes.ts'
import { emailRoutes } from './email-routes.ts'
import { argon2Passwords, type Passwords } from '../passwords.ts'
import { CODE_MAIL_LIMIT, OWN_PASSWORD_LIMIT, slidingWindowLimiter } from '../rate-limiter.ts'
import { sessionRows, type Sessions } from '../sessions.ts'
import { userStore } from '../user-store.ts'
import type { User, UserStore } from '../users.ts'

let fixture: CommandApiFixture
let users: UserStore
let sessions: Sessions
let passwords: Passwords
let routes: readonly ApiRoute[]
let settings: Readonly<Record<string, string>> = {}
let mails: Mail[] = []
let mailing: () => Promise<void> = () => Promise.resolve()
let logged: object[] = []
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
  sessions = sessionRows(fixture)
  passwords = argon2Passwords(fixture.entropy)
  routes = emailRoutes({
    ...fixture,
    users,
    passwords,
    ownPasswordFailures: slidingWindowLimiter(OWN_PASSWORD_LIMIT, fixture.clock),
    codes: emailCodeRows(fixture),
    options: { current: () => optionsFrom(Object.entries(settings)) },
    mailer: {
      send: async (mail) => {
        await mailing()
        mails.push(mail)
      },
    },
    mailLimit: slidingWindowLimiter(CODE_MAIL_LIMIT, fixture.clock),
    humanCheck: ({ turnstile }) =>
      Promise.resolve(
        turnstile === 'robot' ? { status: 'refused', message: 'no robots' } : { status: 'human' },
      ),
    log: { warn: (details) => void logged.push(details) },
  })
})
afterAll(() => fixture.close())
beforeEach(() => {
  settings = { ServerAddress: 'https://gate.example.com' }
  mails = []
  mailing = () => Promise.resolve()
  logged = []
})

async function userWith(email: string, isEmailOwn = false): Promise<User> {
  return insertRegistered(users, {
    username: `user${++made}`,
    passwordHash: await passwords.hash('the old one'),
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
    email,
    isEmailOwn,
  })
}
const get = (
  name: `GET ${string}`,
  query: Readonly<Record<string, string>>,
  call: RouteCall = {},
) => callRoute(routes, name, { query, ...call })
const reset = (body: unknown) => callRoute(routes, 'POST /api/user/reset', { body })
const lastCode = (): string =>
  /<strong[^>]*>([0-9a-f]{6})</.exec(mails.at(-1)?.html ?? '')?.[1] ?? ''
const lastToken = (): string => /token=([0-9a-f]{32})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
const fresh = () => `fresh${++made}@example.com`

test.each(['GET /api/verification', 'GET /api/reset_password'] as const)(
  'given a sender who is no human, when they ask %s, then nothing is sent',
  async (path) => {
    const { email } = await userWith(fresh())
    expect(await get(path, { email, turnstile: 'robot' })).toMatchObject({ message: 'no robots' })
    expect(await get(path, { email: 'ann' })).toMatchObject({ message: '无效的参数' })
    expect(mails).toEqual([])
  },
)

test('given a whitelist, when a code is asked for, then it is mailed to a listed domain only', async () => {
  settings = { EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'example.com' }
  expect(await get('GET /api/verification', { email: 'ann@example.org' })).toMatchObject({
    message: expect.stringContaining('whitelist') as string,
  })
  const email = fresh()
  expect(await get('GET /api/verification', { email })).toEqual({})
  expect(mails.map(({ to }) => to)).toEqual([email])
})

test('given an e-mail that a living or deleted user has, when a code is asked for, then it is taken', async () => {
  const living = await userWith(fresh())
  const gone = await userWith(fresh())
  await setUserStatus(users, gone.id, { deletedAt: new Date() })
  for (const { email } of [living, gone, { email: living.email.toUpperCase() }]) {
    expect(await get('GET /api/verification', { email })).toMatchObject({
      message: '邮箱地址已被占用',
    })
  }
  expect(mails).toEqual([])
})

test('given a signed-in user, when they bind an e-mail with its code, then it is theirs alone', async () => {
  const [ann, bea] = [await userWith(''), await userWith('')]
  const email = fresh()
  const bind = (user: User, code: string, call: RouteCall = {}) =>
    get('GET /api/oauth/email/bind', { email, code }, { caller: callerWith(user.id), ...call })
  await get('GET /api/verification', { email }, { language: 'en' })
  expect(mails[0]?.subject).toBe('Tollgate e-mail verification')
  const code = lastCode()
  expect(await bind(ann, code, { caller: null })).toMatchObject({ status: 401 })
  expect(await bind(ann, code, { sentFrom: 'other-site' })).toMatchObject({ status: 403 })
  expect(await bind(ann, code, { isNavigation: true })).toMatchObject({ status: 403 })
  for (const newApiUser of ['', '-1', String(bea.id)]) {
    const unproven = { sentFrom: 'unknown', newApiUser } as const
    expect(await bind(ann, code, unproven)).toMatchObject({ status: 401 })
  }
  expect(await bind(ann, ' ')).toMatchObject({ message: '请输入邮箱验证码！' })
  expect(await bind(ann, '000000')).toMatchObject({ message: '验证码错误或已过期' })
  expect((await users.byId(ann.id))?.email).toBe('')
  const both = await Promise.all([bind(ann, code), bind(bea, code)])
  expect(both.filter(({ success }) => success !== false)).toEqual([{}])
  expect(both).toContainEqual(expect.objectContaining({ message: '邮箱地址已被占用' }))
  const [owner] = await users.byEmail(email, 10)
  expect(owner?.email).toBe(email)
  if (owner !== undefined) expect(await bind(owner, code)).toEqual({})
})

test('given a user with an e-mail, when they bind another, then the password is checked, the old one told', async () => {
  const [former, email] = [fresh(), fresh()]
  const ann = await userWith(former, true)
  await get('GET /api/verification', { email })
  const code = lastCode()
  const bind = (password: string) =>
    get('GET /api/oauth/email/bind', { email, code, password }, { caller: callerWith(ann.id) })
  expect(await bind('a wrong one')).toMatchObject({ success: false, message: '原密码错误' })
  expect((await users.byId(ann.id))?.email).toBe(former)
  mails = []
  expect(await bind('the old one')).toEqual({})
  expect((await users.byId(ann.id))?.email).toBe(email)
  expect(mails).toMatchObject([{ to: former, subject: 'Tollgate邮箱已更换' }])
  expect(mails[0]?.text).toContain(ann.username)
  expect(mails[0]?.text).not.toContain(email)
  expect(await get('GET /api/verification', { email: former })).toEqual({})
  const query = { email: former, code: lastCode() }
  const { id } = ann
  expect(await get('GET /api/oauth/email/bind', query, { caller: callerWith(id) })).toEqual({})
  expect((await users.byId(id))?.email).toBe(former)
})

test('given a mail server that refuses, when an e-mail is replaced, then it is bound all the same', async () => {
  const ann = await userWith(fresh(), true)
  const email = fresh()
  await get('GET /api/verification', { email })
  const query = { email, code: lastCode(), password: 'the old one' }
  mailing = () => Promise.reject(new MailFailed('MAIL_REFUSED', 'no', false))
  expect(await get('GET /api/oauth/email/bind', query, { caller: callerWith(ann.id) })).toEqual({})
  expect(logged).toEqual([{ code: 'MAIL_REFUSED', reason: 'no' }])
})

test('given users of one e-mail, when the link is followed, then all have the new password and no session', async () => {
  const email = fresh()
  const [ann, bea] = [await userWith(email), await userWith(email.toUpperCase())]
  const gone = await userWith(email)
  await setUserStatus(users, gone.id, { deletedAt: new Date() })
  const other = await userWith(fresh())
  const open = [await sessions.open(ann.id), await sessions.open(bea.id)]
  const others = await sessions.open(other.id)

  expect(await get('GET /api/reset_password', { email: ` ${email}` })).toEqual({})
  expect(mails).toHaveLength(1)
  expect(mails[0]).toMatchObject({ to: email, subject: 'Tollgate密码重置' })
  const token = lastToken()
  expect(mails[0]?.text).toContain(
    `https://gate.example.com/user/reset?email=${encodeURIComponent(email)}&token=${token}\n`,
  )
  const many = await Promise.all(Array.from({ length: 5 }, () => reset({ email, token })))
  const [done] = many.filter(({ success }) => success !== false)
  const password = String(done?.data)
  expect(password).toMatch(/^[0-9a-f]{12}$/)
  expect(many.filter(({ message }) => message === '重置链接非法或已过期')).toHaveLength(4)

  for (const { id, isNew } of [
    { id: ann.id, isNew: true },
    { id: bea.id, isNew: true },
    { id: gone.id, isNew: false },
    { id: other.id, isNew: false },
  ]) {
    const user = await users.byId(id, { isDeletedWanted: true })
    expect(await passwords.verify(password, user?.passwordHash ?? null)).toBe(isNew)
  }
  for (const { token: session } of open) expect(await sessions.find(session)).toBeNull()
  expect(await sessions.find(others.token)).not.toBeNull()
})

test('given a link that was mailed, when its e-mail is nobody’s any more, then no password is given out', async () => {
  const user = await userWith(fresh())
  await get('GET /api/reset_password', { email: user.email })
  const token = lastToken()
  await users.update(user.id, { ownEmail: fresh() })
  expect(await reset({ email: user.email, token })).toMatchObject({
    success: false,
    message: '重置链接非法或已过期',
  })
  expect(
    await passwords.verify('the old one', (await users.byId(user.id))?.passwordHash ?? null),
  ).toBe(true)
})

test.each([
  [{ email: '', token: 'x' }, '无效的参数'],
  [{ email: 'ann@example.com', token: '' }, '无效的参数'],
  [{ email: 'ann@example.com' }, '无效的参数'],
  [{ email: 7, token: 'x' }, '无效的参数'],
  [{ email: 'ann@example.com', token: '0'.repeat(32) }, '重置链接非法或已过期'],
])('given the body %j, when a password is reset, then %s', async (body, message) => {
  expect(await reset(body)).toMatchObject({ success: false, message })
})

test('given an e-mail of nobody or of a deleted user, when a link is asked for, then it is not registered', async () => {
  const gone = await userWith(fresh())
  await setUserStatus(users, gone.id, { deletedAt: new Date() })
  for (const email of [fresh(), gone.email]) {
    expect(await get('GET /api/reset_password', { email })).toMatchObject({
      success: false,
      message: '该邮箱地址未注册',
    })
  }
})

test('given a request that names another host, when a link is mailed, then it leads to the set server', async () => {
  settings = {}
  const { email } = await userWith(fresh())
  await get('GET /api/reset_password', { email })
  expect(mails[0]?.text).toContain('\nhttp://localhost:3000/user/reset?')
})

test('given a mail server that refuses, when a code is asked for, then its text is shown, unlogged', async () => {
  const email = fresh()
  const words = `550 <${email}>: no such mailbox`
  mailing = () => Promise.reject(new MailFailed('MAIL_REFUSED', words, false))
  expect(await get('GET /api/verification', { email })).toMatchObject({
    success: false,
    message: words,
  })
  expect(logged).toEqual([{ code: 'MAIL_REFUSED', reason: '550 <…>: no such mailbox' }])
})

test('given one address, when too many mails are asked for, then the rest is refused in any spelling', async () => {
  const email = fresh()
  for (let n = 0; n < CODE_MAIL_LIMIT.attempts; n++) {
    const written = n % 2 === 0 ? email : email.toUpperCase()
    expect(await get('GET /api/verification', { email: written })).toEqual({})
  }
  expect(await get('GET /api/verification', { email })).toMatchObject({
    status: 429,
    success: false,
    headers: { 'Retry-After': String(CODE_MAIL_LIMIT.windowMs / 1000) },
  })
  expect(mails).toHaveLength(CODE_MAIL_LIMIT.attempts)
  expect(await get('GET /api/verification', { email: fresh() })).toEqual({})
})
