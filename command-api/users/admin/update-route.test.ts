import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRoute, type CommandApiFixture } from '@tollgate/tests/support/command-api.ts'
import {
  as,
  openUsersUnderTest,
  TEST_CAUSE,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { balanceEditOf } from '@tollgate/domain/account/adjustment.ts'
import type { QuotaDebited } from '@tollgate/domain/account/events.ts'
import { accountStream, type RecordedEvent, userStream } from '@tollgate/domain/event.ts'
import { relayId } from '@tollgate/domain/ids.ts'
import type { ApiRoute } from '../../http-contract/api-route.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { Sessions } from '../../identity/sessions.ts'
import type { User } from '../../identity/users.ts'
import { type PostedRequests, postedRequests } from '../../idempotency/posted-requests.ts'
import { userRoutes } from '../routes.ts'
import type { UserRouteDeps } from '../self-routes.ts'

let under: UsersUnderTest
let fixture: CommandApiFixture
let deps: UserRouteDeps
let sessions: Sessions
let routes: readonly ApiRoute[]
let requests: PostedRequests

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ fixture, deps, sessions, routes } = under)
  requests = postedRequests(fixture)
})
afterAll(() => under.close())

const register: UsersUnderTest['register'] = (...terms) => under.register(...terms)
const typesOf = (stream: string) => under.typesOf(stream)

describe('changing users', () => {
  const put = (who: User, body: object) =>
    callRoute(routes, 'PUT /api/user', { body, caller: as(who) })
  const balance = (user: User) => fixture.ledger.inspect(user.id, (state) => state.posted)

  test('given a balance, when its field is changed, then an adjustment has difference, actor and reason', async () => {
    const admin = await register(10)
    const user = await register(1, 1_000_000)
    await put(admin, { id: user.id, quota: 1_500_000 })
    expect(await balance(user)).toBe(1_500_000)
    // The form had loaded 1,600,000; 100,000 were spent meanwhile: taking 600,000 away leaves 900,000.
    await put(admin, {
      id: user.id,
      quota: 1_000_000,
      quota_before: 1_600_000,
      reason: ' 误充\u0007 ',
    })
    expect(await balance(user)).toBe(900_000)
    const [credited, debited] = (await fixture.eventsOf(accountStream(user.id))).slice(-2)
    expect(credited).toMatchObject({
      type: 'QuotaCredited',
      metadata: { actor: `user:${admin.id}` },
      data: {
        amount: 500_000,
        source: 'grant',
        reason: '',
        adjustment: {
          from: 1_000_000,
          to: 1_500_000,
          reasonCode: 'balance_edited',
          note: null,
        },
      },
    })
    expect(debited).toMatchObject({
      type: 'QuotaDebited',
      data: {
        amount: 600_000,
        source: 'adjustment',
        adjustment: { from: 1_600_000, to: 1_000_000, reasonCode: 'balance_edited' },
      },
    })
    const { adjustment } = (debited as RecordedEvent & QuotaDebited).data
    const note = balanceEditOf(adjustment)?.note ?? ''
    expect(await deps.notes.byIds([note])).toEqual(new Map([[note, '误充']]))
    expect(JSON.stringify(debited)).not.toContain('误充')
    const refused = { id: user.id, quota: 0, quota_before: 9e9, reason: 'x' }
    expect(await put(admin, refused)).toMatchObject({ success: false })
    const { rows } = await fixture.pool.query(
      'select words from identity.adjustment_notes where user_id = $1',
      [user.id],
    )
    expect(rows).toEqual([{ words: '误充' }])
    const before = (await fixture.eventsOf(accountStream(user.id))).length
    await put(admin, { id: user.id, quota: 900_000 })
    expect((await fixture.eventsOf(accountStream(user.id))).length).toBe(before)
  })

  test('given an edit of a balance, when posted again, then it counts once with a key and each time without', async () => {
    const admin = await register(10)
    const edit = (form: object, key?: string) =>
      callRoute(routes, 'PUT /api/user', {
        body: form,
        caller: as(admin),
        ...(key !== undefined && { idempotency: { key, requests } }),
      })
    const user = await register(1, 500)
    const down = { id: user.id, quota: 400, quota_before: 500 }
    const answers = await Promise.all(Array.from({ length: 20 }, () => edit(down, 'k1')))
    expect(new Set(answers.map(({ status = 200 }) => status))).toEqual(new Set([200, 409]))
    expect(await balance(user)).toBe(400)
    fixture.pass(60_000)
    const again = await edit(down, 'k1')
    expect(again).toMatchObject({ headers: { 'Idempotency-Replayed': 'true' } })
    expect(await balance(user)).toBe(400)
    expect(await edit({ ...down, quota: 50 }, 'k1')).toMatchObject({
      success: false,
      status: 422,
      message: '该 Idempotency-Key 已用于内容不同的请求，请更换后重试',
    })
    expect(await balance(user)).toBe(400)
    await edit(down)
    await edit(down)
    expect(await balance(user)).toBe(200)
  })

  test('given a balance put without the loaded one, when others change it then, then it is just that', async () => {
    const admin = await register(10)
    const user = await register(1, 7)
    const gift = { type: 'CreditQuota', amount: quota(3), source: 'grant', reason: 'x' } as const
    const overtaken: UserRouteDeps = {
      ...deps,
      ledger: {
        inspect: (account, look) => fixture.ledger.inspect(account, look),
        execute: async (account, command, by) => {
          await fixture.ledger.execute(account, gift, TEST_CAUSE)
          return fixture.ledger.execute(account, command, by)
        },
      },
    }
    const call = { body: { id: user.id, quota: 1_500_010 }, caller: as(admin) }
    await callRoute(userRoutes(overtaken), 'PUT /api/user', call)
    expect(await balance(user)).toBe(1_500_010)
    expect((await fixture.eventsOf(accountStream(user.id))).at(-1)?.data).toMatchObject({
      adjustment: { from: 10, to: 1_500_010 },
    })
  })

  test('given an edit with a key and no loaded balance, when repeated after a change, then the change stays', async () => {
    const admin = await register(10)
    const user = await register(1, 10)
    const idempotency = { key: 'k2', requests }
    const call = { body: { id: user.id, quota: 50 }, caller: as(admin), idempotency }
    await callRoute(routes, 'PUT /api/user', call)
    const gift = { type: 'CreditQuota', amount: quota(7), source: 'grant', reason: 'x' } as const
    await fixture.ledger.execute(user.id, gift, TEST_CAUSE)
    await callRoute(routes, 'PUT /api/user', call)
    expect(await balance(user)).toBe(57)
  })

  test('given quota that a relay holds idle, when a debit needs it, then only the idle part is called back', async () => {
    const admin = await register(10)
    const user = await register(1, 1000)
    const placed = await fixture.ledger.execute(
      user.id,
      {
        type: 'PlaceHold',
        token: null,
        relay: relayId('r'),
        nonce: 'n',
        need: quota(800),
        want: quota(800),
      },
      TEST_CAUSE,
    )
    const [held] = placed.status === 'done' ? placed.events : []
    if (held?.type !== 'QuotaHeld') throw new Error('not held')
    const { hold } = held.data
    expect(await put(admin, { id: user.id, quota: 0, display_name: 'x' })).toMatchObject({
      message: '可用额度不足，当前可用额度为 200',
    })
    expect((await deps.users.byId(user.id))?.displayName).toBe('')
    under.recall = async (account) => {
      const amount = quota(700)
      await fixture.ledger.execute(
        account,
        { type: 'ReturnHeldQuota', hold, sequence: 1, amount },
        TEST_CAUSE,
      )
    }
    expect(await put(admin, { id: user.id, quota: 50 })).toMatchObject({
      message: '可用额度不足，当前可用额度为 900',
    })
    expect((await put(admin, { id: user.id, quota: 100 })).wrote).toBeGreaterThan(0)
    expect(await balance(user)).toBe(100)
  })

  test('given a hold placed while a form is put, when its debit is refused, then nothing else is written', async () => {
    const admin = await register(10)
    const user = await register(1, 100)
    const session = await sessions.open(user.id)
    let isHeld = false
    const overtaken: UserRouteDeps = {
      ...deps,
      ledger: {
        inspect: (account, look) => fixture.ledger.inspect(account, look),
        execute: async (account, command, by) => {
          if (command.type === 'AdjustQuota' && !isHeld) {
            isHeld = true
            const [need, want] = [quota(60), quota(60)]
            const hold = { token: null, relay: relayId('r'), nonce: 'n', need, want }
            await fixture.ledger.execute(account, { type: 'PlaceHold', ...hold }, TEST_CAUSE)
          }
          return fixture.ledger.execute(account, command, by)
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
    for (const invalid of [{ group: '' }, { username: admin.username }]) {
      const body = { id: user.id, quota: 20, display_name: 'x', group: 'vip', ...invalid }
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
      isOpened: true,
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
    [{ group: 'gone' }, '分组 gone 不存在，请重新选择'],
    [{ role: 10 }, '无权将其他用户权限等级提升到大于等于自己的权限等级'],
    [{ quota: 0, quota_before: 1000 }, '可用额度不足，当前可用额度为 10'],
    [{ username: '' }, '无效的参数'],
  ])('given the edit %j by an admin, when put, then %s', async (body, message) => {
    const admin = await register(10)
    const user = await register(1, 10)
    expect(await put(admin, { id: user.id, ...body })).toMatchObject({ success: false, message })
    expect(await balance(user)).toBe(10)
  })

  test('given a user of the same level, when changed, then refused; root may', async () => {
    const admin = await register(10)
    const other = await register(10)
    const form = { id: other.id, display_name: 'x' }
    expect(await put(admin, form)).toMatchObject({
      message: '无权更新同权限等级或更高权限等级的用户信息',
    })
    expect((await put(await register(100), form)).success).toBeUndefined()
  })
})
