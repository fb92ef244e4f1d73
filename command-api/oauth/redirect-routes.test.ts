import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { User } from '../identity/users.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { setUserStatus } from '@tollgate/tests/support/user-status.ts'
import {
  type OAuthFixture,
  openOAuthFixture,
  ORIGIN,
} from '@tollgate/tests/support/oauth-fixture.ts'
import { type RedirectRouteDeps, redirectRoutes } from './redirect-routes.ts'
import { callerWith, type RouteCall } from '@tollgate/tests/support/command-api.ts'
import {
  GITHUB_CLIENT,
  type GitHubStandIn,
  startGitHub,
} from '@tollgate/tests/support/providers/github.ts'
import {
  LINUX_DO_CLIENT,
  type LinuxDoStandIn,
  startLinuxDo,
} from '@tollgate/tests/support/providers/linux-do.ts'

let fixture: OAuthFixture
let github: GitHubStandIn
let linuxDo: LinuxDoStandIn

beforeAll(async () => {
  github = await startGitHub()
  linuxDo = await startLinuxDo(() => ORIGIN)
  fixture = await openOAuthFixture()
  await fixture.set({
    GitHubServerAddress: github.url,
    LinuxDOServerAddress: linuxDo.url,
    GitHubClientId: GITHUB_CLIENT.id,
    GitHubClientSecret: GITHUB_CLIENT.secret,
    LinuxDOClientId: LINUX_DO_CLIENT.id,
    LinuxDOClientSecret: LINUX_DO_CLIENT.secret,
  })
})
beforeEach(async () => {
  github.behave('well')
  linuxDo.behave('well')
  await fixture.set({
    GitHubOAuthEnabled: 'true',
    LinuxDOOAuthEnabled: 'true',
    RegisterEnabled: 'true',
    SelfUseModeEnabled: 'false',
    DemoSiteEnabled: 'false',
  })
})
afterAll(async () => {
  await fixture.close()
  await Promise.all([github.stop(), linuxDo.stop()])
})

const GITHUB_PATH = 'GET /api/oauth/github'
const LINUX_DO_PATH = 'GET /api/oauth/linuxdo'
const NOT_SAME = { success: false, message: 'state is empty or not same', status: 403 }
let people = 0
const somebody = () => ({ login: `octo-${++people}`, name: 'Octo Cat', email: 'octo@example.com' })

/** A provider's callback, with what its stand-in needs to vouch for the person with an id. */
const PROVIDERS = [
  {
    name: 'GitHub',
    path: GITHUB_PATH,
    option: 'GitHubOAuthEnabled',
    kind: 'githubId',
    off: '管理员未开启通过 GitHub 登录以及注册',
    taken: '该 GitHub 账户已被绑定',
    prefix: 'github',
    codeFor: (id: string) => github.codeFor({ login: id, name: 'Octo Cat' }),
    id: () => somebody().login,
  },
  {
    name: 'Linux DO',
    path: LINUX_DO_PATH,
    option: 'LinuxDOOAuthEnabled',
    kind: 'linuxDoId',
    off: '管理员未开启通过 Linux DO 登录以及注册',
    taken: '该 Linux DO 账户已被绑定',
    prefix: 'linuxdo',
    codeFor: (id: string) => linuxDo.codeFor({ id: Number(id), username: 'neo', name: 'Neo' }),
    id: () => String(++people),
  },
] as const

describe.each(PROVIDERS)('$name', ({ path, option, kind, off, taken, prefix, codeFor, id }) => {
  test('given somebody new, when they return, then they are signed up and in, and signed in the next time', async () => {
    const person = id()
    const first = await fixture.comeBack(path, () => codeFor(person))
    const user = await fixture.signedIn(first)
    expect(first.visitor).toBeNull()
    expect(user).toMatchObject({ [kind]: person, role: 1, group: 'default', passwordHash: null })
    expect(user?.username).toMatch(new RegExp(`^${prefix}_\\d+$`))
    expect(first.data).toMatchObject({ id: user?.id, username: user?.username, github_id: '' })
    const second = await fixture.comeBack(path, () => codeFor(person))
    expect((await fixture.signedIn(second))?.id).toBe(user?.id)
  })

  test('given one new person, when they return ten times at once, then they become one user, signed in', async () => {
    const person = id()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => fixture.comeBack(path, () => codeFor(person))),
    )
    const users = await Promise.all(replies.map((reply) => fixture.signedIn(reply)))
    expect(new Set(users.map((user) => user?.id)).size).toBe(1)
    expect(users[0]).not.toBeNull()
  })

  test('given ten new people, when they come back at once, then ten users come of it', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => fixture.comeBack(path, () => codeFor(id()))),
    )
    const users = await Promise.all(replies.map((reply) => fixture.signedIn(reply)))
    expect(new Set(users.map((user) => user?.id ?? -1)).size).toBe(10)
    expect(users).not.toContain(null)
  })

  test('given a signed-in user, when they come back, then the id is theirs, also a second time', async () => {
    const caller = await fixture.user()
    const person = id()
    for (let time = 0; time < 2; time++) {
      const reply = await fixture.comeBack(path, () => codeFor(person), { caller })
      expect(reply).toEqual({ message: 'bind', visitor: null })
    }
    expect(await fixture.deps.externalIds.find({ kind, id: person })).toMatchObject({
      id: caller.id,
    })
    const signedIn = await fixture.comeBack(path, () => codeFor(person))
    expect((await fixture.signedIn(signedIn))?.id).toBe(caller.id)
  })

  test('given an id of another user, living or deleted, when bound, then refused', async () => {
    const caller = await fixture.user()
    const person = id()
    const owner = await fixture.user({ [kind]: person })
    const bind = () => fixture.comeBack(path, () => codeFor(person), { caller })
    expect(await bind()).toMatchObject({ success: false, message: taken })
    await setUserStatus(fixture.users, owner.id, { deletedAt: new Date() })
    expect(await bind()).toMatchObject({ success: false, message: taken })
    expect((await fixture.users.byId(caller.id))?.[kind]).toBe('')
  })

  test('given one id and ten users, when all bind it at once, then one wins', async () => {
    const person = id()
    const callers = await Promise.all(Array.from({ length: 10 }, () => fixture.user()))
    const replies = await Promise.all(
      callers.map((caller) => fixture.comeBack(path, () => codeFor(person), { caller })),
    )
    expect(replies.filter(({ message }) => message === 'bind')).toHaveLength(1)
    expect(replies.filter(({ message }) => message === taken)).toHaveLength(9)
  })

  test('given users banned, deleted, or deleted while binding, when they return, then each is told so', async () => {
    const person = id()
    const user = await fixture.user({ [kind]: person })
    await setUserStatus(fixture.users, user.id, { isBanned: true })
    const signIn = () => fixture.comeBack(path, () => codeFor(person))
    expect(await signIn()).toMatchObject({ success: false, message: '用户已被封禁' })
    await setUserStatus(fixture.users, user.id, { deletedAt: new Date() })
    const refused = await signIn()
    expect(refused).toMatchObject({ success: false, message: '用户已注销' })
    expect(refused.session).toBeUndefined()
    const bind = await fixture.comeBack(path, () => codeFor(id()), { caller: user })
    expect(bind).toMatchObject({ success: false, message: '用户已注销' })
  })

  test('given it is switched off, when they come back, then refused, whether to sign in or to bind', async () => {
    await fixture.set({ [option]: 'false' })
    const caller = await fixture.user()
    for (const as of [{}, { caller }]) {
      const reply = await fixture.comeBack(path, () => codeFor(id()), as)
      expect(reply).toMatchObject({ success: false, message: off })
    }
  })

  test.each([
    [{ RegisterEnabled: 'false' }, '管理员关闭了新用户注册', 200],
    [{ SelfUseModeEnabled: 'true' }, '管理员关闭了新用户注册', 200],
    [{ DemoSiteEnabled: 'true' }, '本站仅作演示之用，无服务端！', 405],
  ])(
    'given %j, when somebody new comes, then refused; who is known signs in',
    async (changes, message, status) => {
      const person = id()
      const known = await fixture.user({ [kind]: person })
      await fixture.set(changes)
      expect(await fixture.comeBack(path, () => codeFor(id()))).toMatchObject({
        success: false,
        message,
        status,
      })
      const signedIn = await fixture.comeBack(path, () => codeFor(person))
      expect((await fixture.signedIn(signedIn))?.id).toBe(known.id)
    },
  )

  test('given a demo site, when a signed-in user comes back, then nothing is bound', async () => {
    const caller = await fixture.user()
    await fixture.set({ DemoSiteEnabled: 'true' })
    const reply = await fixture.comeBack(path, () => codeFor(id()), { caller })
    expect(reply).toMatchObject({ success: false, status: 405 })
  })

  test('given a missing, foreign or used state, when called, then 403 and no call to the provider', async () => {
    const begin = async (caller = callerWith(1)) => {
      const begun = await fixture.call('GET /api/oauth/state', { caller })
      return { state: String(begun.data), visitorToken: begun.visitor?.token ?? null, caller }
    }
    const back = ({ state, ...call }: RouteCall & { readonly state: string }) =>
      fixture.call(path, { ...call, query: { code: 'x', state } })
    const calls = new Map([...github.calls, ...linuxDo.calls])
    const begun = await begin()
    expect(await back({ ...begun, state: '' })).toEqual(NOT_SAME)
    expect(await back({ ...begun, visitorToken: null })).toEqual(NOT_SAME)
    expect(await back({ ...begun, visitorToken: (await begin()).visitorToken })).toEqual(NOT_SAME)
    expect(new Map([...github.calls, ...linuxDo.calls])).toEqual(calls)
    expect(await back({ ...begun, caller: null })).toEqual(NOT_SAME)
    // The last one has used it up: nobody may try who it was begun by.
    expect(await back(begun)).toEqual(NOT_SAME)
    expect(new Map([...github.calls, ...linuxDo.calls])).toEqual(calls)
  })
})

test.each(['before', 'after'] as const)(
  'given a sign-up killed %s any step, when the person returns, then they are one user with quota once',
  async (when) => {
    await fixture.set({ QuotaForNewUser: '100' })
    let steps = 0
    for (let isOver = false; !isOver; steps++) {
      const person = somebody()
      const code = () => github.codeFor(person)
      const routes = redirectRoutes(dyingDeps(steps, when))
      const outcome = await fixture.comeBack(GITHUB_PATH, code, { routes }).then(
        () => 'alive',
        (error: unknown) => (error as Error).message,
      )
      expect(['alive', 'killed']).toContain(outcome)
      isOver = outcome === 'alive'
      const replies = await Promise.all([1, 2].map(() => fixture.comeBack(GITHUB_PATH, code)))
      const users = await Promise.all(replies.map((reply) => fixture.signedIn(reply)))
      const id = users[0]?.id ?? -1
      expect(users.map((user) => user?.id)).toEqual([id, id])
      expect(users[0]).toMatchObject({ isOpened: true, githubId: person.login })
      const typesOf = async (stream: string) =>
        (await fixture.eventsOf(stream)).map(({ type }) => type)
      expect(await typesOf(userStream(id))).toEqual(['UserRegistered'])
      expect(await typesOf(accountStream(id))).toEqual(['AccountOpened', 'QuotaCredited'])
    }
    // Row, registration, opening, credit, confirmation, holder, session and its position, at least.
    expect(steps).toBeGreaterThan(7)
    await fixture.set({ QuotaForNewUser: '0' })
  },
)

/** Dependencies of the routes in a process that dies before or after a step and does nothing from then on. */
function dyingDeps(stepsBefore: number, when: 'before' | 'after'): RedirectRouteDeps {
  let taken = 0
  const dying = <Target extends object>(target: Target, steps: readonly (keyof Target)[]): Target =>
    new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        if (!(steps as readonly unknown[]).includes(name)) return value.bind(of) as unknown
        return async (...call: unknown[]) => {
          const isLast = taken++ >= stepsBefore
          if (isLast && (when === 'before' || taken > stepsBefore + 1)) throw new Error('killed')
          const done: unknown = await value.apply(of, call)
          if (isLast) throw new Error('killed')
          return done
        }
      },
    })
  const { deps } = fixture
  return {
    ...deps,
    store: dying(deps.store, ['append']),
    ledger: dying(deps.ledger, ['execute']),
    users: dying(deps.users, ['insert', 'project', 'settle']),
    externalIds: dying(deps.externalIds, ['isStillOf']),
    sessions: dying(deps.sessions, ['open', 'rememberPosition']),
  }
}

test('given a provider off and a wrong state, when called, then the state is looked at first', async () => {
  await fixture.set({ GitHubOAuthEnabled: 'false' })
  expect(await fixture.call(GITHUB_PATH, { query: { code: 'x', state: 'y' } })).toEqual(NOT_SAME)
})

test('given a state with an inviter’s code, when somebody signs up by GitHub, then the inviter is paid', async () => {
  await fixture.set({ QuotaForNewUser: '100', QuotaForInvitee: '20', QuotaForInviter: '30' })
  const inviter = await fixture.user()
  const aff = inviter.affCode ?? ''
  expect(aff).not.toBe('')
  const reply = await fixture.comeBack(GITHUB_PATH, () => github.codeFor(somebody()), { aff })
  const invited = await fixture.signedIn(reply)
  expect(invited?.inviterId).toBe(inviter.id)
  if (invited === null) throw new Error('nobody was signed in')
  const events = await fixture.eventsOf(accountStream(invited.id))
  const credited = events.filter(({ type }) => type === 'QuotaCredited')
  expect(credited.map(({ data }) => data)).toMatchObject([
    { source: 'sign-up', amount: 100 },
    { source: 'invitation', amount: 20 },
  ])
  await fixture.set({ QuotaForNewUser: '0', QuotaForInvitee: '0', QuotaForInviter: '0' })
})

test.each([
  [{ login: 'a', name: 'Ann', email: 'ann@example.com' }, 'Ann', 'ann@example.com'],
  [{ login: 'b', name: null, email: null }, 'GitHub User', ''],
  [{ login: 'c', name: '  ', email: `${'x'.repeat(50)}@example.com` }, 'GitHub User', ''],
  [{ login: 'd', name: 'An\u202en\nLee, of a very long house' }, 'Ann Lee, of a very l', ''],
])(
  'given %j at GitHub, when signed up, then name and e-mail are %s and %s',
  async (person, displayName, email) => {
    const reply = await fixture.comeBack(GITHUB_PATH, () => github.codeFor(person))
    expect(await fixture.signedIn(reply)).toMatchObject({ displayName, email })
  },
)

const PASSED_ON = { success: false, message: '该账户名在第三方平台上已换了主人，请联系管理员' }

test.each(['sign-up', 'bind', 'earlier row'])(
  'given a GitHub login known by %s, when it passes to another account, then only the first is let in',
  async (how) => {
    const { login } = somebody()
    const come = (id: number | null, caller?: User) =>
      fixture.comeBack(GITHUB_PATH, () => github.codeFor({ login, id }), caller && { caller })
    const owner =
      how === 'sign-up' ? null : await fixture.user(how === 'bind' ? {} : { githubId: login })
    const first = how === 'bind' ? await come(10, owner ?? undefined) : await come(10)
    expect(first.success).not.toBe(false)
    const user = await fixture.signedIn(await come(10))
    expect(user?.githubId).toBe(login)
    const refused = await come(11)
    expect(refused).toMatchObject(PASSED_ON)
    expect(refused.session).toBeUndefined()
    expect((await fixture.signedIn(await come(10)))?.id).toBe(user?.id)
    // As the contract has it, GitHub need not tell.
    expect((await fixture.signedIn(await come(null)))?.id).toBe(user?.id)
    if (user === null) throw new Error('nobody was signed in')
    expect(await come(11, user)).toMatchObject({ message: 'bind' })
    expect((await fixture.signedIn(await come(11)))?.id).toBe(user.id)
  },
)

const GITHUB_UNAVAILABLE = '无法连接至 GitHub 服务器，请稍后重试！'
const GITHUB_EMPTY = '返回值非法，用户字段为空，请稍后重试！'
test.each([
  ['POST /login/oauth/access_token', 'broken', GITHUB_UNAVAILABLE],
  ['POST /login/oauth/access_token', 'garbage', GITHUB_EMPTY],
  ['POST /login/oauth/access_token', 'empty', GITHUB_EMPTY],
  ['GET /api/v3/user', 'broken', GITHUB_UNAVAILABLE],
  ['GET /api/v3/user', 'garbage', GITHUB_EMPTY],
  ['GET /api/v3/user', 'empty', GITHUB_EMPTY],
] as const)(
  'given GitHub whose %s is %s, when somebody comes back, then %s',
  async (at, behaviour, message) => {
    github.behave(behaviour, at)
    const reply = await fixture.comeBack(GITHUB_PATH, () => github.codeFor(somebody()))
    expect(reply).toMatchObject({ success: false, message })
  },
)

test('given a code that GitHub does not know or none, when somebody comes back, then refused', async () => {
  expect(await fixture.comeBack(GITHUB_PATH, () => 'made-up')).toMatchObject({
    message: GITHUB_EMPTY,
  })
  expect(await fixture.comeBack(GITHUB_PATH, () => '')).toMatchObject({ message: '无效的参数' })
})

const TOKEN_FAILED = 'failed to get access token: '
const USER_FAILED = 'failed to get user info from Linux DO'
test.each([
  ['POST /oauth2/token', 'broken', 'failed to connect to Linux DO server'],
  ['POST /oauth2/token', 'garbage', TOKEN_FAILED],
  ['POST /oauth2/token', 'empty', TOKEN_FAILED],
  ['GET /api/user', 'broken', USER_FAILED],
  ['GET /api/user', 'garbage', USER_FAILED],
  ['GET /api/user', 'empty', 'invalid user info returned'],
] as const)(
  'given Linux DO whose %s is %s, when somebody comes back, then %s',
  async (at, behaviour, message) => {
    linuxDo.behave(behaviour, at)
    const code = () => linuxDo.codeFor({ id: 7, username: 'neo' })
    const reply = await fixture.comeBack(LINUX_DO_PATH, code)
    expect(reply).toMatchObject({ success: false, message })
  },
)

test('given Linux DO that says why, when somebody comes back, then they are told', async () => {
  expect(await fixture.comeBack(LINUX_DO_PATH, () => 'made-up')).toMatchObject({
    message: `${TOKEN_FAILED}code expired`,
  })
  expect(await fixture.comeBack(LINUX_DO_PATH, () => '')).toMatchObject({ message: 'invalid code' })
  const query = { error: 'access_denied', error_description: 'You said no', state: 'x' }
  expect(await fixture.call(LINUX_DO_PATH, { query })).toMatchObject({
    success: false,
    message: 'You said no',
  })
})

test('given all these calls, when looked at, then GitHub and Linux DO found nothing wrong with any', () => {
  expect([...github.refusals, ...linuxDo.refusals]).toEqual([])
})

test('given a server address, when somebody comes back from Linux DO, then redirect_uri is of it', async () => {
  await fixture.set({ ServerAddress: 'https://gate.example.com' })
  await fixture.comeBack(LINUX_DO_PATH, () => linuxDo.codeFor({ id: 8, username: 'trin' }))
  expect(linuxDo.refusals.join()).toContain(
    'redirect_uri is https://gate.example.com/api/oauth/linuxdo',
  )
  await fixture.set({ ServerAddress: '' })
})

test.each([
  [
    'github',
    () => `${github.url}/login/oauth/authorize`,
    { client_id: GITHUB_CLIENT.id, scope: 'user:email' },
  ],
  [
    'linuxdo',
    () => `${linuxDo.url}/oauth2/authorize`,
    { client_id: LINUX_DO_CLIENT.id, response_type: 'code' },
  ],
])(
  'given %s, when a sign-in begins, then the answer says where the browser goes, unless it is off',
  async (provider, address, query) => {
    const begun = await fixture.call('GET /api/oauth/state', { query: { provider } })
    const url = new URL(String(begun.extra?.['authorize_url']))
    expect(url.origin + url.pathname).toBe(address())
    expect(Object.fromEntries(url.searchParams)).toEqual({ ...query, state: begun.data })
    await fixture.set({ GitHubOAuthEnabled: 'false', LinuxDOOAuthEnabled: 'false' })
    const off = await fixture.call('GET /api/oauth/state', { query: { provider } })
    expect(off.extra).toBeUndefined()
  },
)

test('given the address that the options start with, when a sign-in begins, then it is at github.com', async () => {
  await fixture.set({ GitHubServerAddress: '' })
  const { extra } = await fixture.call('GET /api/oauth/state', { query: { provider: 'github' } })
  expect(String(extra?.['authorize_url'])).toMatch(
    /^https:\/\/github\.com\/login\/oauth\/authorize\?/,
  )
  await fixture.set({ GitHubServerAddress: github.url })
})
