import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callerWith,
  callRoute,
  type CommandApiGround,
  openCommandApiGround,
} from '@tollgate/tests/support/command-api.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { relayId, type UserId, userId } from '@tollgate/domain/ids.ts'
import type { ApiReply, ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import { accessTokens } from '../identity/access-tokens.ts'
import { argon2Passwords } from '../identity/passwords.ts'
import { OWN_PASSWORD_LIMIT, slidingWindowLimiter } from '../identity/rate-limiter.ts'
import { sessionRows, type Sessions } from '../identity/sessions.ts'
import { type User, userStore } from '../identity/users.ts'
import { postedRequests, SECOND_CLICK_MS } from '../ledger/posted-requests.ts'
import { followOptions } from '../options/live-options.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import { isPublicAddress } from '@tollgate/infra/http/public-address.ts'
import { alignUser } from './align.ts'
import { userRoutes } from './routes.ts'
import type { UserRouteDeps } from './self-routes.ts'

let ground: CommandApiGround
let deps: UserRouteDeps
let sessions: Sessions
let routes: readonly ApiRoute[]
let made = 0
/** What relays do when idle quota is called back. */
let recall: (account: UserId) => Promise<void> = () => Promise.resolve()
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

beforeAll(async () => {
  ground = await openCommandApiGround()
  const secrets = optionSecrets(ground.pool, ground.vault)
  sessions = sessionRows(ground)
  deps = {
    ...ground,
    users: userStore(ground.pool),
    sessions,
    postedRequests: postedRequests(ground),
    passwords: argon2Passwords(ground.entropy),
    ownPasswordFailures: slidingWindowLimiter(OWN_PASSWORD_LIMIT, ground.clock),
    mayReach: isPublicAddress,
    accessTokens: accessTokens(ground.pool, ground.vault, ground.entropy),
    options: await followOptions({ ...ground, secrets }),
    // The read model is another package's: here the ledger itself is asked.
    figures: async (ids) =>
      new Map(
        await Promise.all(
          ids.map(async (id) => {
            const figures = await ground.ledger.inspect(userId(id), (state) => ({
              posted: state.posted,
              held: state.held,
              usedQuota: state.usedQuota,
              requestCount: state.requestCount,
              affiliate: state.affiliate,
              affiliateEarned: state.affiliate,
              affiliateCount: 0,
            }))
            return [id, figures] as const
          }),
        ),
      ),
    recallIdleQuota: (account) => recall(account),
    usersWithAtLeast: ({ posted = 0 }) => Promise.resolve(posted > 100 ? [] : [1]),
  }
  routes = userRoutes(deps)
})
afterAll(() => ground.close())

const PASSWORD = 'correct horse'

async function register(role: Role = 1, openingQuota = 0): Promise<User> {
  const user = await deps.users.insert({
    username: `user${++made}`,
    passwordHash: await deps.passwords.hash(PASSWORD),
    displayName: '',
    role,
    openingQuota,
    openingSource: 'sign-up',
  })
  await alignUser(deps, user, cause)
  return (await deps.users.byId(user.id)) ?? user
}
const as = (user: User) => callerWith(user.id, user.role)
const messageOf = (reply: ApiReply) => ({ success: reply.success ?? true, message: reply.message })
const typesOf = async (stream: string) => (await ground.eventsOf(stream)).map(({ type }) => type)

describe('the own account', () => {
  const put = (user: User, body: object, sessionId: string | null = null) =>
    callRoute(routes, 'PUT /api/user/self', { body, caller: { ...as(user), sessionId } })

  test('given a user, when they look at themselves, then balance, counters and their own access token are there', async () => {
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
    ground.pass(OWN_PASSWORD_LIMIT.windowMs)
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

  test('given a server that dies as soon as the new password is written, when asked, then the old sessions are gone, too', async () => {
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
    'given another’s e-mail, when one renames oneself or is renamed to %s, then refused, and the owner still signs in with it',
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
    await ground.pool.query('update identity.users set password_hash = null where id = $1', [
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

  test('given earned affiliate quota, when moved, then the balance grows; too little and too much are refused', async () => {
    const user = await register()
    await ground.ledger.execute(
      user.id,
      { type: 'EarnAffiliateReward', amount: quota(600_000), invitee: userId(999) },
      cause,
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
    expect(await ground.ledger.inspect(user.id, (s) => [s.posted, s.affiliate])).toEqual([
      600_000, 0,
    ])
  })
})

describe('adding users', () => {
  const add = (body: object, role: Role = 10) =>
    callRoute(routes, 'POST /api/user', { body, caller: callerWith(1, role) })

  test('given a form, when sent, then the user has role 1, an open account and their name for display', async () => {
    const reply = await add({ username: ' bob ', password: 'password', role: 0 })
    expect(reply.wrote).toBeGreaterThan(0)
    const bob = await deps.users.byLogin('bob')
    expect(bob).toMatchObject({ role: 1, displayName: 'bob', isPending: false })
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

describe('changing users', () => {
  const put = (who: User, body: object) =>
    callRoute(routes, 'PUT /api/user', { body, caller: as(who) })
  const balance = (user: User) => ground.ledger.inspect(user.id, (state) => state.posted)

  test('given a balance, when its field is changed, then the difference to what was loaded is an adjustment with actor and reason', async () => {
    const admin = await register(10)
    const user = await register(1, 1_000_000)
    await put(admin, { id: user.id, quota: 1_500_000 })
    expect(await balance(user)).toBe(1_500_000)
    // The form had loaded 1,600,000; 100,000 were spent meanwhile: taking 600,000 away leaves 900,000.
    await put(admin, { id: user.id, quota: 1_000_000, quota_before: 1_600_000 })
    expect(await balance(user)).toBe(900_000)
    const [credited, debited] = (await ground.eventsOf(accountStream(user.id))).slice(-2)
    expect(credited).toMatchObject({
      type: 'QuotaCredited',
      metadata: { actor: `user:${admin.id}` },
      data: {
        amount: 500_000,
        source: 'grant',
        reason: '管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度',
      },
    })
    expect(debited).toMatchObject({
      type: 'QuotaDebited',
      data: { amount: 600_000, source: 'adjustment' },
    })
    const before = (await ground.eventsOf(accountStream(user.id))).length
    await put(admin, { id: user.id, quota: 900_000 })
    expect((await ground.eventsOf(accountStream(user.id))).length).toBe(before)
  })

  test('given an edit of a balance that is posted again, at once or with its key, then the difference is made once', async () => {
    const admin = await register(10)
    const edit = async (form: object, idempotencyKey?: string, by = admin) => {
      const call = { body: form, caller: as(by), ...(idempotencyKey && { idempotencyKey }) }
      return callRoute(routes, 'PUT /api/user', call)
    }
    const user = await register()
    const form = { id: user.id, quota: 1_000_000, quota_before: 0 }
    const answers = await Promise.all(Array.from({ length: 50 }, () => edit(form)))
    expect(answers.filter(({ success }) => success === false)).toEqual([])
    expect(await balance(user)).toBe(1_000_000)
    // Another form of the same admin, and the same form of another, are edits of their own (decision 9).
    await edit({ ...form, quota: 1_000_001 })
    await edit(form, undefined, await register(10))
    expect(await balance(user)).toBe(3_000_001)
    ground.pass(SECOND_CLICK_MS)
    await edit(form)
    expect(await balance(user)).toBe(4_000_001)

    const keyed = await register(1, 500)
    const down = { id: keyed.id, quota: 100, quota_before: 500 }
    expect((await edit(down, 'k1')).success).toBeUndefined()
    ground.pass(60_000)
    const again = await edit({ ...down, display_name: 'late' }, 'k1')
    expect(again.success).toBeUndefined()
    expect(await balance(keyed)).toBe(100)
    expect((await deps.users.byId(keyed.id))?.displayName).toBe('late')
    expect(await edit({ ...down, quota: 50 }, 'k1')).toMatchObject({
      success: false,
      message: '该 Idempotency-Key 已用于内容不同的请求，请更换后重试',
    })
    expect(await balance(keyed)).toBe(100)
  })

  test('given an edit with a key and no loaded balance, when it is posted again after a change, then that change stays', async () => {
    const admin = await register(10)
    const user = await register(1, 10)
    const call = { body: { id: user.id, quota: 50 }, caller: as(admin), idempotencyKey: 'k2' }
    await callRoute(routes, 'PUT /api/user', call)
    const gift = { type: 'CreditQuota', amount: quota(7), source: 'grant', reason: 'x' } as const
    await ground.ledger.execute(user.id, gift, cause)
    await callRoute(routes, 'PUT /api/user', call)
    expect(await balance(user)).toBe(57)
  })

  test('given quota that a relay holds idle, when a debit needs it, then it is called back; what is in use stays', async () => {
    const admin = await register(10)
    const user = await register(1, 1000)
    const placed = await ground.ledger.execute(
      user.id,
      {
        type: 'PlaceHold',
        token: null,
        relay: relayId('r'),
        nonce: 'n',
        need: quota(800),
        want: quota(800),
      },
      cause,
    )
    const [held] = placed.status === 'done' ? placed.events : []
    if (held?.type !== 'QuotaHeld') throw new Error('not held')
    const { hold } = held.data
    expect(await put(admin, { id: user.id, quota: 0, display_name: 'x' })).toMatchObject({
      message: '可用额度不足，当前可用额度为 200',
    })
    expect((await deps.users.byId(user.id))?.displayName).toBe('')
    recall = async (account) => {
      const amount = quota(700)
      await ground.ledger.execute(
        account,
        { type: 'ReturnHeldQuota', hold, sequence: 1, amount },
        cause,
      )
    }
    expect(await put(admin, { id: user.id, quota: 50 })).toMatchObject({
      message: '可用额度不足，当前可用额度为 900',
    })
    expect((await put(admin, { id: user.id, quota: 100 })).wrote).toBeGreaterThan(0)
    expect(await balance(user)).toBe(100)
  })

  test('given a hold that is placed while a form is put, when its debit is refused by it, then nothing else is written', async () => {
    const admin = await register(10)
    const user = await register(1, 100)
    const session = await sessions.open(user.id)
    let isHeld = false
    const overtaken: UserRouteDeps = {
      ...deps,
      ledger: {
        inspect: (account, look) => ground.ledger.inspect(account, look),
        execute: async (account, command, by) => {
          if (command.type === 'DebitQuota' && !isHeld) {
            isHeld = true
            const [need, want] = [quota(60), quota(60)]
            const hold = { token: null, relay: relayId('r'), nonce: 'n', need, want }
            await ground.ledger.execute(account, { type: 'PlaceHold', ...hold }, cause)
          }
          return ground.ledger.execute(account, command, by)
        },
      },
    }
    const body = { id: user.id, quota: 0, display_name: 'x', group: 'vip', password: 'fresh horse' }
    const reply = await callRoute(userRoutes(overtaken), 'PUT /api/user', {
      body,
      caller: as(admin),
    })
    expect(reply).toMatchObject({
      success: false,
      message: '可用额度不足，当前可用额度为 40',
    })
    expect(await balance(user)).toBe(100)
    expect(await deps.users.byId(user.id)).toMatchObject({
      group: 'default',
      displayName: '',
      passwordHash: user.passwordHash,
    })
    expect(await sessions.find(session.token)).not.toBeNull()
  })

  test('given a form with one refused field, when put, then none of the others is written', async () => {
    const admin = await register(10)
    const user = await register(1, 10)
    for (const unfit of [{ group: '' }, { username: admin.username }]) {
      const body = { id: user.id, quota: 20, display_name: 'x', group: 'vip', ...unfit }
      expect((await put(admin, body)).success).toBe(false)
      expect(await balance(user)).toBe(10)
      expect(await deps.users.byId(user.id)).toMatchObject({ group: 'default', displayName: '' })
    }
  })

  test('given an edit of all fields, when put, then row and events follow and what is missing stays', async () => {
    const admin = await register(10)
    const user = await register(1, 5)
    const session = await sessions.open(user.id)
    const reply = await put(admin, {
      id: user.id,
      username: `n${user.id}`,
      display_name: 'N',
      group: 'vip',
      password: 'fresh horse',
    })
    expect(reply.wrote).toBeGreaterThan(0)
    expect(await deps.users.byId(user.id)).toMatchObject({
      username: `n${user.id}`,
      displayName: 'N',
      group: 'vip',
      isPending: false,
    })
    expect((await typesOf(userStream(user.id))).at(-1)).toBe('UserGroupChanged')
    expect(await sessions.find(session.token)).toBeNull()
    await put(admin, { id: user.id, display_name: 'M' })
    expect(await balance(user)).toBe(5)
    expect((await deps.users.byId(user.id))?.group).toBe('vip')
  })

  test.each([
    [{ id: 0 }, '无效的参数'],
    [{ id: 999_999 }, 'record not found'],
    [{ quota: -1 }, '用户额度不能为负数'],
    [{ quota: 1.5 }, '无效的参数'],
    [{ quota: 10 ** 15 + 1 }, '用户额度不能超过 1000000000000000'],
    [
      { quota: 1, quota_before: -(10 ** 15) - 1 },
      '修改前的用户额度须在 ±1000000000000000 之内，请刷新页面后重试',
    ],
    [{ group: '' }, '分组名称不能为空，且不能超过 64 字节'],
    [{ role: 10 }, '无权将其他用户权限等级提升到大于等于自己的权限等级'],
    [{ quota: 0, quota_before: 1000 }, '可用额度不足，当前可用额度为 10'],
    [{ username: '' }, '无效的参数'],
  ])('given the edit %j by an admin, when put, then %s', async (body, message) => {
    const admin = await register(10)
    const user = await register(1, 10)
    expect(await put(admin, { id: user.id, ...body })).toMatchObject({ success: false, message })
    expect(await balance(user)).toBe(10)
  })

  test('given a user of the same level, when changed or looked at, then refused; root may', async () => {
    const admin = await register(10)
    const other = await register(10)
    const root = await register(100)
    expect(await put(admin, { id: other.id, display_name: 'x' })).toMatchObject({
      message: '无权更新同权限等级或更高权限等级的用户信息',
    })
    const get = (who: User) =>
      callRoute(routes, 'GET /api/user/:id', { params: { id: String(other.id) }, caller: as(who) })
    expect(await get(admin)).toMatchObject({ message: '无权获取同级或更高等级用户的信息' })
    expect((await get(root)).data).toMatchObject({ id: other.id, access_token: null })
    expect((await put(root, { id: other.id, display_name: 'x' })).success).toBeUndefined()
  })
})

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
    expect(await ground.ledger.inspect(user.id, ({ status }) => status)).toBe('suspended')
    expect((await manage(admin, user.id, 'enable')).data).toMatchObject({ role: 1, status: 1 })
    expect(await ground.ledger.inspect(user.id, ({ status }) => status)).toBe('active')
    expect(await typesOf(userStream(user.id))).toEqual([
      'UserRegistered',
      'UserBanned',
      'UserReinstated',
    ])
  })

  test('given a row that another changes while its events are written, when confirmed, then the events follow it there', async () => {
    const user = await register()
    const banned = await deps.users.update(user.id, { isBanned: true })
    let changes = 0
    const users = {
      ...deps.users,
      confirm: async (row: User) => {
        if (changes++ === 0) await deps.users.update(user.id, { isBanned: false, group: 'vip' })
        return deps.users.confirm(row)
      },
    }
    await alignUser({ ...deps, users }, banned ?? user, cause)
    expect(await typesOf(userStream(user.id))).toEqual([
      'UserRegistered',
      'UserBanned',
      'UserGroupChanged',
      'UserReinstated',
    ])
    expect(await ground.ledger.inspect(user.id, ({ status }) => status)).toBe('active')
    expect(await deps.users.byId(user.id)).toMatchObject({ isPending: false, isBanned: false })
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
})

test('given many users, when paged, then newest first with the total, and numbers narrow the search', async () => {
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
