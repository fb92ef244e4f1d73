import { insertRegistered } from '@tollgate/tests/support/user-status.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { tokenId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { tokenAddresses } from '../identity/token-addresses.ts'
import { userStore } from '../identity/user-store.ts'
import { tokenSecrets, type TokenSecrets } from '../secrets/token-secrets.ts'
import { tokenRoutes } from './routes.ts'
import { z } from 'zod'

let fixture: CommandApiFixture
let secrets: TokenSecrets
let routes: ReturnType<typeof tokenRoutes>
let account = userId(1)
let groupRatio = '{"default":1,"vip":1,"svip":1}'
/** The form in which events name the addresses of a token. */
const RULE = /^rule:[0-9a-f-]{36}$/
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
  routes = tokenRoutes({
    ...fixture,
    secrets,
    addresses: tokenAddresses(fixture.db),
    users: userStore(fixture.db),
    options: { current: () => optionsFrom([['GroupRatio', groupRatio]]) },
  })
})
afterAll(() => fixture.close())

beforeEach(async () => {
  account = userId(account + 1)
  await fixture.ledger.execute(account, { type: 'OpenAccount' }, cause)
  await credit(1000)
})

const credit = (amount: number) =>
  fixture.ledger.execute(
    account,
    { type: 'CreditQuota', amount: quota(amount), source: 'grant', reason: '' },
    cause,
  )
const create = (body: object) =>
  callRoute(routes, 'POST /api/token', { body, caller: callerWith(account) })
const update = (body: object, query = {}) =>
  callRoute(routes, 'PUT /api/token', { body, query, caller: callerWith(account) })
const remove = (id: string, caller = account) =>
  callRoute(routes, 'DELETE /api/token/:id', { params: { id }, caller: callerWith(caller) })
const newest = async () => (await secrets.search(account, { name: '', key: '' }))[0] ?? tokenId(1e9)
const stateOf = (id: number) => fixture.ledger.inspect(account, (s) => s.tokens.get(tokenId(id)))

describe('creating', () => {
  test('given a credited account, when a token is made, then row and event carry it and no key leaves', async () => {
    const reply = await create({
      Name: 'laptop',
      remain_quota: 500,
      expired_time: 1_900_000_000,
      model_limits_enabled: true,
      model_limits: 'gpt-4o, gpt-4o-mini',
      allow_ips: '192.0.2.1\r\n10.0.0.0/8\n2001:db8::/32\n',
      group: 'vip',
      created_time: null,
    })
    const id = await newest()
    expect(reply).toEqual({ data: { id }, wrote: expect.any(Number) })
    const secret = (await secrets.describe([id])).get(id)
    expect(secret).toMatchObject({ userId: account, name: 'laptop' })
    expect(secret?.key).toMatch(/^[0-9a-zA-Z]{48}$/)
    expect(await secrets.findByKey(secret?.key ?? '')).toEqual({ id, userId: account })
    const issued = (await fixture.eventsOf(accountStream(account))).at(-1)
    expect(issued?.type).toBe('TokenIssued')
    expect(issued?.data).toEqual({
      at: TEST_START,
      token: id,
      remain: 500,
      unlimited: false,
      expiresAt: 1_900_000_000_000,
      group: 'vip',
      models: ['gpt-4o', 'gpt-4o-mini'],
      allowedIps: [expect.stringMatching(RULE)],
    })
    expect(issued?.metadata).toMatchObject({
      actor: `user:${account}`,
      causationId: `secrets.tokens/${id}`,
    })
  })

  test('given a user below, when an administrator makes a token for them, then it is theirs', async () => {
    const users = userStore(fixture.db)
    const insert = (username: string, role: 1 | 10) =>
      insertRegistered(users, {
        username,
        passwordHash: null,
        displayName: username,
        role,
        openingQuota: 0,
        openingSource: 'sign-up',
      })
    const ann = await insert('ann', 1)
    const other = await insert('other', 10)
    await fixture.ledger.execute(ann.id, { type: 'OpenAccount' }, cause)
    await fixture.ledger.execute(
      ann.id,
      { type: 'CreditQuota', amount: quota(1000), source: 'grant', reason: '' },
      cause,
    )
    const createFor = (user_id: number, by: number, role: 1 | 10 | 100) =>
      callRoute(routes, 'POST /api/token', {
        body: { name: 'for', unlimited_quota: true, user_id },
        caller: callerWith(by, role),
      })
    const made = await createFor(ann.id, 9_999, 10)
    const { id } = z.object({ id: z.number() }).parse(made.data)
    expect((await secrets.describe([id])).get(id)).toMatchObject({ userId: ann.id, name: 'for' })
    expect(await createFor(ann.id, ann.id, 1)).toMatchObject({ data: { id: expect.any(Number) } })
    const own = z.object({ id: z.number() }).parse((await createFor(ann.id, account, 1)).data).id
    expect((await secrets.describe([own])).get(own)).toMatchObject({ userId: account })
    expect(await createFor(other.id, 9_999, 10)).toMatchObject({
      message: '无权更新同权限等级或更高权限等级的用户信息',
    })
    expect(await createFor(1e9, 9_999, 100)).toMatchObject({ message: '用户不存在' })
    expect(await createFor(-1, 9_999, 100)).toMatchObject({ message: '用户不存在' })
  })

  test('given no expiry, when a token is made, then it never expires', async () => {
    await create({ name: 'a', unlimited_quota: true })
    expect((await stateOf(await newest()))?.terms).toEqual({
      unlimited: true,
      expiresAt: null,
      group: '',
      models: null,
      allowedIps: [],
    })
  })

  /** Different addresses, which may be names of models as well. */
  const listOf = (count: number, separator: string) =>
    Array.from({ length: count }, (_, index) => `10.0.0.${index}`).join(separator)

  test.each([
    [{ name: 'x'.repeat(31) }, '令牌名称过长'],
    [{ name: '' }, '令牌名称不能为空'],
    [{ name: 'a\u200bb' }, '令牌名称不能包含换行、控制字符或不可见字符'],
    [{ name: 'a', group: 'vip\n' }, '分组名称不能包含换行、控制字符或不可见字符'],
    [{ name: 'a', remain_quota: -1 }, '令牌额度不能为负数'],
    [{ name: 'a', remain_quota: 0.5 }, '无效的参数'],
    [{ name: 'a', remain_quota: 10 ** 15 + 1 }, '令牌额度不能超过 1000000000000000'],
    [{ name: 'a', model_limits: listOf(201, ',') }, '模型限制最多 200 个模型'],
    [{ name: 'a', model_limits: '模'.repeat(5462) }, '模型限制列表过长'],
    [
      { name: 'a', model_limits: '模'.repeat(86) },
      `模型限制中的模型名称过长（最多 255 字节）：${'模'.repeat(30)}…`,
    ],
    [{ name: 'a', allow_ips: listOf(201, '\n') }, 'IP 白名单最多 200 条'],
    [{ name: 'a', expired_time: 253_402_300_800 }, '过期时间格式错误！'],
    [
      { name: 'a', allow_ips: '10.0.0.1\nlocalhost' },
      'IP 白名单中有无效的地址或网段：localhost（每行一个，例如 192.0.2.1 或 10.0.0.0/8）',
    ],
    [
      { name: 'a', allow_ips: `fe80::1%${'x'.repeat(9_900)}` },
      `IP 白名单中有无效的地址或网段：fe80::1%${'x'.repeat(41)}（每行一个，例如 192.0.2.1 或 10.0.0.0/8）`,
    ],
    [
      { name: 'a', allow_ips: 'fe80::1%x/64' },
      'IP 白名单中有无效的地址或网段：fe80::1%x/64（每行一个，例如 192.0.2.1 或 10.0.0.0/8）',
    ],
    [
      { name: 'a', allow_ips: '10.0.0.0/33' },
      'IP 白名单中有无效的地址或网段：10.0.0.0/33（每行一个，例如 192.0.2.1 或 10.0.0.0/8）',
    ],
  ])('given the form %j, when sent, then it is refused with %s', async (body, message) => {
    expect(await create(body)).toMatchObject({ success: false, message })
    expect(await secrets.search(account, { name: '', key: '' })).toEqual([])
  })

  test('given a name of 30 characters in many bytes, when sent, then it is accepted', async () => {
    expect((await create({ name: '名'.repeat(30) })).success).toBeUndefined()
  })

  test('given a balance of zero, when a token is made, then 余额不足 and no row is left', async () => {
    account = userId(account + 1)
    await fixture.ledger.execute(account, { type: 'OpenAccount' }, cause)
    expect(await create({ name: 'a' })).toEqual({
      success: false,
      message: '余额不足',
      status: 200,
    })
    expect(
      (await fixture.pool.query('select 1 from secrets.tokens where user_id = $1', [account]))
        .rowCount,
    ).toBe(0)
    expect(await create({ name: 'a', allow_ips: '192.0.2.1' })).toMatchObject({ success: false })
    expect(
      (
        await fixture.pool.query('select 1 from identity.token_addresses where user_id = $1', [
          account,
        ])
      ).rowCount,
    ).toBe(0)
  })
})

describe('changing', () => {
  beforeEach(async () => {
    await create({ name: 'a', remain_quota: 500 })
  })

  test('given a token, when its form comes back changed, then the limit moves by the difference', async () => {
    const id = await newest()
    const first = await update({ id, name: 'b', remain_quota: 700, group: 'svip' })
    expect(first.data).toEqual({
      id,
      user_id: account,
      key: (await secrets.describe([id])).get(id)?.key,
      status: 1,
      name: 'b',
      created_time: TEST_START / 1000,
      accessed_time: TEST_START / 1000,
      expired_time: -1,
      remain_quota: 700,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      used_quota: 0,
      group: 'svip',
      DeletedAt: null,
    })
    // The form had loaded 650, of which 50 came in between: 800 means 150 more.
    const second = await update({ id, name: 'b', remain_quota: 800, remain_quota_before: 650 })
    expect(second.data).toMatchObject({ remain_quota: 850, group: '' })
  })

  test('given a token’s group, when another is unknown, then it is refused; one that is gone stays', async () => {
    const unknown = { success: false, message: '分组 gone 不存在，请重新选择' }
    expect(await create({ name: 'c', group: 'gone' })).toMatchObject(unknown)
    const id = await newest()
    expect(await update({ id, name: 'a', group: 'gone' })).toMatchObject(unknown)
    await update({ id, name: 'a', group: 'vip' })
    groupRatio = '{"default":1}'
    expect((await update({ id, name: 'b', group: 'vip' })).data).toMatchObject({ group: 'vip' })
    expect((await update({ id, name: 'b', group: '' })).data).toMatchObject({ group: '' })
    expect(await update({ id, name: 'b', group: 'vip' })).toMatchObject({ success: false })
    groupRatio = '{"default":1,"vip":1,"svip":1}'
  })

  test('given addresses, when a form changes them, then the event names a rule and the answer has them', async () => {
    const id = await newest()
    const addresses = '192.0.2.1\n10.0.0.0/8'
    const changed = await update({ id, name: 'a', allow_ips: addresses })
    expect(changed.data).toMatchObject({ allow_ips: addresses })
    expect((await stateOf(id))?.terms.allowedIps).toEqual([expect.stringMatching(RULE)])
    const switched = await update({ id, status: 2 }, { status_only: 'true' })
    expect(switched.data).toMatchObject({ allow_ips: addresses })
    expect((await update({ id, name: 'a', allow_ips: '' })).data).toMatchObject({ allow_ips: '' })
    expect((await stateOf(id))?.terms.allowedIps).toEqual([])
  })

  test('given a token whose events hold addresses, when it is saved, then its events name a rule', async () => {
    const id = await newest()
    const present = await stateOf(id)
    if (present === undefined) throw new Error('no token')
    const terms = { ...present.terms, allowedIps: ['192.0.2.1'] }
    const remainChange = quota(0)
    await fixture.ledger.execute(
      account,
      { type: 'ReviseToken', token: id, remainChange, ...terms },
      cause,
    )
    const switched = await update({ id, status: 2 }, { status_only: 'true' })
    expect(switched.data).toMatchObject({ allow_ips: '192.0.2.1' })
    await update({ id, name: 'a', allow_ips: '192.0.2.1' })
    expect((await stateOf(id))?.terms.allowedIps).toEqual([expect.stringMatching(RULE)])
  })

  test('given a list of models that does not limit, when forms are put, then it limits once it is on', async () => {
    const list = { model_limits: 'gpt-4o-mini, x' }
    const limited = { name: 'a', model_limits_enabled: true, ...list }
    const free = { ...limited, model_limits_enabled: false }
    await create(free)
    const id = await newest()
    const modelsOf = async () => (await stateOf(id))?.terms.models
    const shown = (isLimited: boolean, models = 'gpt-4o-mini,x') => ({
      model_limits_enabled: isLimited,
      model_limits: models,
    })
    const status = () => update({ id, status: 1 }, { status_only: 'true' })
    expect((await status()).data).toMatchObject(shown(false))
    expect(await modelsOf()).toBeNull()
    expect((await update({ id, ...limited })).data).toMatchObject(shown(true))
    expect(await modelsOf()).toEqual(['gpt-4o-mini', 'x'])
    expect((await update({ id, ...free })).data).toMatchObject(shown(false))
    expect((await status()).data).toMatchObject(shown(false))

    const beyond = { remain_quota: 10 ** 15, remain_quota_before: -1 }
    expect(await update({ id, ...free, ...beyond, model_limits: 'y' })).toMatchObject({
      success: false,
    })
    expect((await status()).data).toMatchObject(shown(false))
    expect((await update({ id, name: 'a' })).data).toMatchObject(shown(false, ''))
  })

  test('given a limit alone, when it is put many times at once, then the token has just that', async () => {
    const id = await newest()
    const form = { id, name: 'a', remain_quota: 2000 }
    const replies = await Promise.all(Array.from({ length: 8 }, () => update(form)))
    expect(replies.filter(({ success }) => success === false)).toEqual([])
    expect((await stateOf(id))?.remain).toBe(2000)
  })

  test('given a token, when switched with status_only, then only the status changes', async () => {
    const id = await newest()
    expect((await update({ id, status: 2 }, { status_only: 'true' })).data).toMatchObject({
      status: 2,
      name: 'a',
      remain_quota: 500,
    })
    expect((await update({ id, status: 1 }, { status_only: '1' })).data).toMatchObject({
      status: 1,
    })
    expect(await update({ id, status: 3 }, { status_only: '1' })).toMatchObject({
      success: false,
      message: '无效的参数',
    })
  })

  test('given an expired token, when switched on, then the text says to extend it, and extending revives it', async () => {
    const id = await newest()
    const past = TEST_START / 1000 - 60
    await update({ id, name: 'a', remain_quota: 500, expired_time: past })
    await fixture.ledger.execute(account, { type: 'ExpireToken', token: id }, cause)
    const message = '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期'
    expect(await update({ id, status: 1 }, { status_only: 'true' })).toMatchObject({ message })
    expect(
      await update({ id, name: 'a', status: 1, remain_quota: 500, expired_time: past }),
    ).toMatchObject({ message })
    expect(
      (await update({ id, name: 'a', remain_quota: 500, expired_time: -1 })).data,
    ).toMatchObject({ status: 1, expired_time: -1 })
  })

  test("given somebody else's token, when changed or deleted, then it is not found", async () => {
    const id = await newest()
    account = userId(account + 1)
    await fixture.ledger.execute(account, { type: 'OpenAccount' }, cause)
    await credit(10)
    expect(await update({ id, name: 'mine' })).toMatchObject({ message: 'record not found' })
    expect(await remove(String(id))).toMatchObject({ message: 'record not found' })
    expect((await secrets.describe([id])).get(id)?.name).toBe('a')
  })
})

describe('deleting', () => {
  test('given a token, when deleted, then its key is found no more and its name stays for the log', async () => {
    await create({ name: 'old' })
    const id = await newest()
    const key = (await secrets.describe([id])).get(id)?.key ?? ''
    expect((await remove(String(id))).wrote).toBeGreaterThan(0)
    expect(await secrets.findByKey(key)).toBeNull()
    expect((await secrets.describe([id])).get(id)).toMatchObject({ name: 'old', key: '' })
    expect(await remove(String(id))).toMatchObject({ success: false, message: 'record not found' })
  })

  test.each([
    ['0', 'id 或 userId 为空！'],
    ['-1', 'record not found'],
    ['x', 'id 不是有效的数字: "x"'],
  ])('given the id %s, when deleted, then %s', async (id, message) => {
    expect(await remove(id)).toMatchObject({ success: false, message })
  })
})

test('given keys and names, when searched, then parts of both match and only the own ones', async () => {
  await create({ name: 'alpha' })
  const alpha = await newest()
  await create({ name: 'beta' })
  const beta = await newest()
  const key = (await secrets.describe([beta])).get(beta)?.key ?? ''
  expect(await secrets.search(account, { name: 'a', key: '' })).toEqual([beta, alpha])
  expect(await secrets.search(account, { name: '', key: key.slice(10, 30) })).toEqual([beta])
  expect(await secrets.search(userId(account + 1), { name: '', key: '' })).toEqual([])
  expect(await secrets.idsByName('alpha', account)).toEqual([alpha])
})
