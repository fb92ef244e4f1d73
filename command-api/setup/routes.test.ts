import { sql } from 'slonik'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { openTypedQueries } from '@tollgate/infra/postgres/typed-queries.ts'
import type { ApiRoute } from '../http-contract/api-route.ts'
import { knownBrowsers } from '../identity/known-browsers.ts'
import { argon2Passwords } from '../identity/passwords.ts'
import {
  NAME_SIGN_IN_LIMIT,
  SIGN_IN_LIMIT,
  slidingWindowLimiter,
} from '../identity/rate-limiter.ts'
import { sessionRoutes } from '../identity/session-routes.ts'
import { sessionRows } from '../identity/sessions.ts'
import { userStore } from '../identity/user-store.ts'
import { followOptions, type LiveOptions } from '../options/live-options.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import { counted } from '../statements.ts'
import { setupRoutes } from './routes.ts'
import { setupState } from './setup-state.ts'

let fixture: CommandApiFixture
let options: LiveOptions
let routes: readonly ApiRoute[]
const form = {
  username: ' root ',
  password: 'correct horse',
  confirmPassword: 'correct horse',
  SelfUseModeEnabled: true,
  DemoSiteEnabled: false,
}

beforeEach(async () => {
  fixture = await openCommandApiFixture()
  const secrets = optionSecrets(fixture.db, fixture.vault)
  options = await followOptions({ ...fixture, secrets })
  routes = routesOn(fixture)
})
afterEach(() => fixture.close())

/** Another process on the same database. */
function routesOn(shared: CommandApiFixture): readonly ApiRoute[] {
  const deps = {
    ...shared,
    users: userStore(shared.db),
    sessions: sessionRows(shared),
    passwords: argon2Passwords(shared.entropy),
    secrets: optionSecrets(shared.db, shared.vault),
    setup: setupState(shared.db, shared.clock, '1.0.0'),
    options,
    failures: slidingWindowLimiter(SIGN_IN_LIMIT, shared.clock),
    nameLimit: slidingWindowLimiter(NAME_SIGN_IN_LIMIT, shared.clock),
    knownBrowsers: knownBrowsers(shared),
    humanCheck: () => Promise.resolve({ status: 'human' as const }),
  }
  return [...setupRoutes(deps), ...sessionRoutes(deps)]
}

const setUp = (body: unknown, on = routes) => callRoute(on, 'POST /api/setup', { body })
const status = async () => (await callRoute(routes, 'GET /api/setup')).data

test('given an empty database, when set up, then root, account, grant, modes and the mark are there', async () => {
  expect(await status()).toEqual({ status: false, root_init: false, database_type: 'postgres' })
  expect(await setUp(form)).toEqual({ message: '系统初始化成功' })
  expect(await status()).toEqual({ status: true, root_init: false, database_type: '' })
  const root = await userStore(fixture.db).byLogin('root')
  expect(root).toMatchObject({
    role: 100,
    displayName: 'Root User',
    affCode: null,
    isOpened: true,
  })
  const id = root?.id ?? 0
  expect(
    (await fixture.eventsOf(userStream(id))).map(({ type, data }) => ({ type, data })),
  ).toEqual([
    {
      type: 'UserRegistered',
      data: { at: TEST_START, role: 100, group: 'default', inviter: null, invitation: null },
    },
  ])
  expect(
    (await fixture.eventsOf(accountStream(id))).map(({ type, data }) => ({ type, data })),
  ).toEqual([
    { type: 'AccountOpened', data: { at: TEST_START } },
    {
      type: 'QuotaCredited',
      data: { at: TEST_START, amount: 100_000_000, source: 'grant', reason: '' },
    },
  ])
  expect(options.current().flag('SelfUseModeEnabled')).toBe(true)
  expect(options.current().flag('DemoSiteEnabled')).toBe(false)
  for (const body of [form, { ...form, password: 12345678 }]) {
    expect(await setUp(body)).toMatchObject({ message: '系统已经初始化完成', status: 400 })
  }
})

test('given two processes, when both are set up at once, then one does it and the others are told', async () => {
  const others = routesOn(fixture)
  const replies = await Promise.all([
    setUp(form),
    setUp({ ...form, username: 'second' }, others),
    setUp({ ...form, username: 'third' }),
  ])
  expect(replies.filter(({ message }) => message === '系统初始化成功').length).toBe(1)
  for (const { message, success } of replies) {
    if (success !== false) continue
    expect(['系统正在初始化中，请稍后重试', '系统已经初始化完成']).toContain(message)
  }
  const { rows } = await fixture.pool.query('select username from identity.users')
  expect(rows.length).toBe(1)
  expect(await setUp(form, others)).toMatchObject({ message: '系统已经初始化完成', status: 400 })
})

test('given a pool of two connections, when more setups come at once, then one ends and none waits', async () => {
  const url = String(fixture.pool.options.connectionString)
  const pool = openPool(url, { max: 2, applicationName: 'two' })
  try {
    const state = setupState(await openTypedQueries(pool), fixture.clock, '1.0.0')
    const task = async () => {
      await Promise.all([pool.query('select pg_sleep(0)'), state.markDone()])
      return 'set up'
    }
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => state.alone(task)))
    expect(outcomes.filter(({ status }) => status === 'ran')).toEqual([
      { status: 'ran', result: 'set up' },
    ])
    expect(outcomes.filter(({ status }) => status === 'busy').length).toBe(7)
    expect(await state.isDone()).toBe(true)
  } finally {
    await pool.end()
  }
})

test('given a setup whose lock breaks, when it ends, then its result is answered', async () => {
  const state = setupState(fixture.db, fixture.clock, '1.0.0')
  const outcome = await state.alone(async () => {
    const { rowCount } = await fixture.pool.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(rowCount).toBe(1)
    await expect.poll(locksHeld).toBe(0)
    return 'set up'
  })
  expect(outcome).toEqual({ status: 'ran', result: 'set up' })
  expect(await state.alone(() => Promise.resolve('again'))).toEqual({
    status: 'ran',
    result: 'again',
  })
  expect(await locksHeld()).toBe(0)
})

/** Advisory locks in the test's database. */
const locksHeld = () =>
  fixture.db.oneFirst(sql.type(counted)`
    select count(*) as count from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`)

test.each([
  [{ ...form, username: '  ' }, '请输入管理员用户名'],
  [{ ...form, username: 'a@b.io' }, '用户名不能是邮箱地址，除非是您自己已绑定的邮箱'],
  [{ ...form, confirmPassword: 'other' }, '两次输入的密码不一致'],
  [{ ...form, password: '1234567', confirmPassword: '1234567' }, '密码长度至少为8个字符'],
  [{ ...form, password: 12345678 }, '请求参数有误'],
  [undefined, '请求参数有误'],
])('given the form %j, when sent, then %s', async (body, message) => {
  expect(await setUp(body)).toMatchObject({ success: false, message })
  expect(await status()).toMatchObject({ status: false, root_init: false })
})

test.each([
  ['before any event', []],
  ['after registering', ['UserRegistered']],
  ['after opening the account', ['UserRegistered', 'AccountOpened']],
  ['after the grant', ['UserRegistered', 'AccountOpened', 'QuotaCredited']],
])(
  'given a setup that crashed %s, when done again, then everything is there once',
  async (_when, done) => {
    // A store that fails at the first event beyond `done`, as a process that dies there leaves it.
    const left = [...done]
    const dying = {
      ...fixture.store,
      append: (...call: Parameters<typeof fixture.store.append>) => {
        const [, events] = call
        for (const { type } of events)
          if (left.shift() !== type) return Promise.reject(new Error('died'))
        return fixture.store.append(...call)
      },
    }
    const { AccountLedger } = await import('../accounts/account-ledger.ts')
    const crashing = {
      ...fixture,
      store: dying,
      ledger: new AccountLedger({ ...fixture, store: dying }),
    }
    await expect(setUp(form, routesOn(crashing))).rejects.toThrow('died')
    expect(await status()).toMatchObject({ status: false, root_init: true })

    const root = await userStore(fixture.db).root()
    expect(root?.isOpened).toBe(done.length === 3)
    expect(await setUp({})).toEqual({ message: '系统初始化成功' })
    const id = root?.id ?? 0
    expect((await fixture.eventsOf(userStream(id))).map(({ type }) => type)).toEqual([
      'UserRegistered',
    ])
    expect((await fixture.eventsOf(accountStream(id))).map(({ type }) => type)).toEqual([
      'AccountOpened',
      'QuotaCredited',
    ])
  },
)

test('given a root, when signed in, then a session is set and the object holds who and which rights only', async () => {
  await setUp(form)
  const signIn = (body: object) => callRoute(routes, 'POST /api/user/login', { body })
  const reply = await signIn({ username: 'root', password: 'correct horse' })
  expect(reply.session).toMatchObject({ maxAgeSeconds: 2_592_000 })
  expect(reply.data).toEqual({
    id: 1,
    username: 'root',
    password: '',
    original_password: '',
    display_name: 'Root User',
    role: 100,
    status: 1,
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    verification_code: '',
    access_token: null,
    quota: 0,
    held: 0,
    used_quota: 0,
    request_count: 0,
    group: 'default',
    aff_code: '',
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    setting: '',
    DeletedAt: null,
  })
  const wrong = '用户名或密码错误，或用户已被封禁'
  expect(await signIn({ username: 'root', password: 'nope' })).toMatchObject({ message: wrong })
  expect(await signIn({ username: 'nobody', password: 'nope' })).toMatchObject({ message: wrong })
  expect(await signIn({ username: ' ', password: 'x' })).toMatchObject({
    message: '请输入用户名和密码！',
  })
})
