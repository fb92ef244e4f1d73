import { insertRegistered, setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  type RouteCall,
} from '@tollgate/tests/support/command-api.ts'
import type { ApiReply, ApiRoute } from '../http-contract/api-route.ts'
import { changeOption } from '../options/change-option.ts'
import { followOptions, type LiveOptions } from '../options/live-options.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import type { HumanCheck } from './human-check.ts'
import { knownBrowsers } from './known-browsers.ts'
import { argon2Passwords } from './passwords.ts'
import { NAME_SIGN_IN_LIMIT, SIGN_IN_LIMIT, slidingWindowLimiter } from './rate-limiter.ts'
import { sessionRoutes } from './session-routes.ts'
import { sessionRows, type Sessions } from './sessions.ts'
import { userStore } from './user-store.ts'
import type { UserStore } from './users.ts'

let fixture: CommandApiFixture
let users: UserStore
let sessions: Sessions
let options: LiveOptions
let routes: readonly ApiRoute[]
let id = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
  sessions = sessionRows(fixture)
  options = await followOptions({ ...fixture, secrets: optionSecrets(fixture.db, fixture.vault) })
  const passwords = argon2Passwords(fixture.entropy)
  const failures = slidingWindowLimiter(SIGN_IN_LIMIT, fixture.clock)
  const nameLimit = slidingWindowLimiter(NAME_SIGN_IN_LIMIT, fixture.clock)
  routes = sessionRoutes({
    users,
    sessions,
    passwords,
    options,
    humanCheck,
    failures,
    nameLimit,
    knownBrowsers: knownBrowsers(fixture),
  })
  const user = await insertRegistered(users, {
    username: 'ann',
    passwordHash: await passwords.hash('correct horse'),
    displayName: 'Ann',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
  })
  id = user.id
  await fixture.pool.query("update identity.users set email = 'ann@example.com' where id = $1", [
    id,
  ])
})
afterAll(() => fixture.close())

const humanCheck: HumanCheck = ({ turnstile }) =>
  Promise.resolve(
    turnstile === 'robot'
      ? { status: 'refused', message: 'no robots' }
      : { status: 'human', visitor: { token: 'passed', maxAgeSeconds: 60 } },
  )
const WRONG = '用户名或密码错误，或用户已被封禁'
const signIn = (body: unknown, sessionToken: string | null = null) =>
  callRoute(routes, 'POST /api/user/login', { body, sessionToken })
/** The same with passwords that cost nothing to check: the right one is "right". */
function quickSignIn(): (
  password: string,
  ip: string,
  knownBrowserToken?: string | null,
) => Promise<ApiReply> {
  const quick = sessionRoutes({
    users,
    sessions,
    options,
    humanCheck,
    passwords: {
      hash: () => Promise.reject(new Error('none is set')),
      verify: (password) => Promise.resolve(password === 'right'),
    },
    failures: slidingWindowLimiter(SIGN_IN_LIMIT, fixture.clock),
    nameLimit: slidingWindowLimiter(NAME_SIGN_IN_LIMIT, fixture.clock),
    knownBrowsers: knownBrowsers(fixture),
  })
  return (password, ip, knownBrowserToken = null) => {
    const body = { username: 'ann', password }
    return callRoute(quick, 'POST /api/user/login', { body, ip, knownBrowserToken })
  }
}
const tokenOf = ({ session }: ApiReply): string => session?.token ?? ''

test('given name or e-mail with the password, when signed in, then a session replaces the old one', async () => {
  const first = tokenOf(await signIn({ username: ' ann ', password: 'correct horse' }))
  expect(await sessions.find(first)).toMatchObject({ userId: id, username: 'ann' })
  const second = tokenOf(
    await signIn({ username: 'ann@example.com', password: 'correct horse' }, first),
  )
  expect(await sessions.find(second)).toMatchObject({ userId: id })
  expect(await sessions.find(first)).toBeNull()
  const { rows } = await fixture.pool.query('select token_hash::text from identity.sessions')
  expect(JSON.stringify(rows)).not.toContain(second)
})

test('given a sender who is no human, when signed in, then nothing else is looked at', async () => {
  const body = { username: 'ann', password: 'correct horse' }
  const reply = await callRoute(routes, 'POST /api/user/login', {
    body,
    query: { turnstile: 'robot' },
  })
  expect(reply).toEqual({ success: false, message: 'no robots', status: 200 })
})

test('given an e-mail that an older user has by a provider, when signed in with, then it is its owner’s', async () => {
  const email = 'bea@example.com'
  const user = { displayName: '', role: 1, openingQuota: 0, openingSource: 'sign-up' } as const
  const other = await insertRegistered(users, {
    ...user,
    username: 'bea-there',
    passwordHash: null,
  })
  const passwordHash = await argon2Passwords(fixture.entropy).hash('correct horse')
  const own = { ...user, username: 'bea', passwordHash, email, isEmailOwn: true }
  const { id } = await insertRegistered(users, own)
  await fixture.pool.query('update identity.users set email = $1 where id = $2', [email, other.id])
  const token = tokenOf(await signIn({ username: email, password: 'correct horse' }))
  expect(await sessions.find(token)).toMatchObject({ userId: id })
  await sessions.revokeAll(id)
})

test('given a human who has passed, when the password is wrong or right, then the browser is remembered', async () => {
  for (const password of ['wrong', 'correct horse']) {
    const reply = await signIn({ username: 'ann', password })
    expect(reply.visitor).toEqual({ token: 'passed', maxAgeSeconds: 60 })
  }
})

test('given a session, when signed out, then the cookie is cleared and the session revoked', async () => {
  const token = tokenOf(await signIn({ username: 'ann', password: 'correct horse' }))
  const signOut = (sessionToken: string | null) =>
    callRoute(routes, 'GET /api/user/logout', { sessionToken })
  expect(await signOut(token)).toEqual({ session: null })
  expect(await sessions.find(token)).toBeNull()
  expect(await signOut(null)).toEqual({ session: null })
})

test('given a session, when signed out without its user’s header, then 401 and it stays; with it, it ends', async () => {
  const token = tokenOf(await signIn({ username: 'ann', password: 'correct horse' }))
  const signOut = (call: RouteCall) => callRoute(routes, 'GET /api/user/logout', call)
  const asked = { sessionToken: token, sentFrom: 'unknown' } as const
  for (const newApiUser of ['', 'x', '-1', String(id + 1)]) {
    expect(await signOut({ ...asked, newApiUser })).toMatchObject({ success: false, status: 401 })
  }
  expect(await signOut(asked)).toMatchObject({ success: false, status: 401 })
  expect(await signOut({ ...asked, sentFrom: 'other-site' })).toEqual({})
  expect(await sessions.find(token)).not.toBeNull()
  expect(await signOut({ ...asked, sessionToken: 'of nobody' })).toEqual({ session: null })
  expect(await signOut({ ...asked, newApiUser: String(id) })).toEqual({ session: null })
  expect(await sessions.find(token)).toBeNull()
})

test.each([
  [{ username: '', password: 'x' }, '请输入用户名和密码！'],
  [{ username: 'ann' }, '请输入用户名和密码！'],
  [{ username: 'ann', password: 'Correct horse' }, WRONG],
  [{ username: 'nobody', password: 'correct horse' }, WRONG],
  [{ username: 'ann', password: 7 }, '无效的参数'],
  ['text', '无效的参数'],
])('given %j, when signed in, then %s', async (body, message) => {
  expect(await signIn(body)).toMatchObject({ success: false, message })
})

test('given a banned user, when signed in with the right password, then the text is that of a wrong one', async () => {
  await setUserStatus(users, id, { isBanned: true })
  expect(await signIn({ username: 'ann', password: 'correct horse' })).toMatchObject({
    message: WRONG,
  })
  await setUserStatus(users, id, { isBanned: false })
})

test('given a password replaced during its check, when signed in with the old one, then no session opens', async () => {
  const passwords = argon2Passwords(fixture.entropy)
  const replacing = {
    ...passwords,
    verify: async (password: string, hash: string | null) => {
      const isRight = await passwords.verify(password, hash)
      await users.update(id, { passwordHash: await passwords.hash('battery staple') })
      await sessions.revokeAll(id)
      return isRight
    },
  }
  const failures = slidingWindowLimiter(SIGN_IN_LIMIT, fixture.clock)
  const nameLimit = slidingWindowLimiter(NAME_SIGN_IN_LIMIT, fixture.clock)
  const deps = {
    users,
    sessions,
    passwords: replacing,
    options,
    humanCheck,
    failures,
    nameLimit,
    knownBrowsers: knownBrowsers(fixture),
  }
  const reply = await callRoute(sessionRoutes(deps), 'POST /api/user/login', {
    body: { username: 'ann', password: 'correct horse' },
  })
  expect(reply).toMatchObject({ success: false, message: WRONG })
  const open = await fixture.pool.query('select from identity.sessions where user_id = $1', [id])
  expect(open.rows).toEqual([])
  await users.update(id, { passwordHash: await passwords.hash('correct horse') })
})

test.each(['ann', 'Ann@Example.com', 'nobody'])(
  'given %s with too many wrong passwords, when more are tried, then all are refused for a while',
  async (username) => {
    fixture.pass(SIGN_IN_LIMIT.windowMs)
    for (let n = 0; n < SIGN_IN_LIMIT.attempts; n++) {
      expect(await signIn({ username, password: `wrong ${n}` })).toMatchObject({ message: WRONG })
    }
    const refused = { status: 429, success: false, message: '请求次数过多，请稍后再试！' }
    expect(await signIn({ username, password: 'correct horse' })).toMatchObject(refused)
    expect(
      await signIn({ username: ` ${username.toUpperCase()} `, password: 'correct horse' }),
    ).toMatchObject({
      ...refused,
      headers: { 'Retry-After': String(SIGN_IN_LIMIT.windowMs / 1000) },
    })
    fixture.pass(SIGN_IN_LIMIT.windowMs)
    const after = await signIn({ username, password: 'correct horse' })
    expect(after.message).toBe(username === 'nobody' ? WRONG : undefined)
  },
)

test('given an address with too many tries, when the owner signs in from another, then they are let in', async () => {
  const attempt = quickSignIn()
  let refused = 0
  for (let n = 0; n < NAME_SIGN_IN_LIMIT.attempts * 2; n++) {
    if ((await attempt('wrong', '203.0.113.1')).status === 429) refused++
  }
  expect(refused).toBe(NAME_SIGN_IN_LIMIT.attempts * 2 - SIGN_IN_LIMIT.attempts)
  expect((await attempt('right', '203.0.113.1')).status).toBe(429)
  expect((await attempt('right', '203.0.113.2')).session).toBeDefined()
})

test('given guesses from many addresses, when a name’s limit is reached, then all are refused for a while', async () => {
  const attempt = quickSignIn()
  for (let n = 0; n < NAME_SIGN_IN_LIMIT.attempts; n++) {
    expect(await attempt('wrong', `203.0.113.${n}`)).toMatchObject({ message: WRONG })
  }
  expect((await attempt('wrong', '198.51.100.1')).status).toBe(429)
  fixture.pass(NAME_SIGN_IN_LIMIT.windowMs)
  expect((await attempt('right', '198.51.100.1')).session).toBeDefined()
})

test('given a name kept closed by guesses, when it signs in from a known browser, then it is let in', async () => {
  const attempt = quickSignIn()
  const known = (await attempt('right', '192.0.2.1')).knownBrowser?.token ?? ''
  expect((await attempt('wrong', '192.0.2.1')).knownBrowser).toBeUndefined()
  for (let n = 0; n < NAME_SIGN_IN_LIMIT.attempts; n++) await attempt('wrong', `203.0.113.${n}`)
  expect((await attempt('right', '192.0.2.1')).status).toBe(429)
  expect((await attempt('right', '192.0.2.1', `${known}x`)).status).toBe(429)
  expect((await attempt('right', '192.0.2.1', known)).session).toBeDefined()
  for (let n = 0; n < SIGN_IN_LIMIT.attempts; n++) {
    expect(await attempt('wrong', `198.51.100.${n}`, known)).toMatchObject({ message: WRONG })
  }
  expect((await attempt('right', '192.0.2.2', known)).status).toBe(429)
})

test('given wrong passwords short of the limit, when the right one comes, then they no longer count', async () => {
  for (let round = 0; round < 3; round++) {
    for (let n = 1; n < SIGN_IN_LIMIT.attempts; n++) {
      expect(await signIn({ username: 'ann', password: 'wrong' })).toMatchObject({ message: WRONG })
    }
    expect((await signIn({ username: 'ann', password: 'correct horse' })).session).toBeDefined()
  }
})

test('given password sign-in switched off, when signed in, then refused', async () => {
  const changed = await changeOption(
    { ...fixture, secrets: optionSecrets(fixture.db, fixture.vault) },
    { key: 'PasswordLoginEnabled', text: 'false' },
    { actor: 'system', correlationId: 'test', causationId: null },
  )
  if (changed.status === 'done') await options.waitFor(changed.position)
  for (const body of [{ username: 'ann', password: 'correct horse' }, 'no object']) {
    expect(await signIn(body)).toMatchObject({ message: '管理员关闭了密码登录' })
  }
})
