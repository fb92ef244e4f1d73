import { redemptionStream } from '@tollgate/domain/event.ts'
import { redemptionId, userId } from '@tollgate/domain/ids.ts'
import type { ApiRoute } from '../http-contract/api-route.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { TEST_CAUSE } from '@tollgate/tests/support/users-under-test.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executeOn } from '../aggregates/aggregate.ts'
import { runSteps } from '../workflows/manager/run-steps.ts'
import { ORPHAN_AGE_SECONDS } from '../workflows/orphan-recovery.ts'
import { type RedemptionSecrets, redemptionSecrets } from '../secrets/redemption-secrets.ts'
import { redeemCode } from '../wallet/redeem-code.ts'
import { redemptionWorkflows } from '../workflows/redemption-credit.ts'
import { redemptionRoutes } from './routes.ts'

let fixture: CommandApiFixture
let secrets: RedemptionSecrets
let routes: readonly ApiRoute[]
const warnings: object[] = []
const caller = callerWith(1, 10)

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = redemptionSecrets(fixture.db, fixture.vault, fixture.clock)
  const log = { warn: (facts: object) => void warnings.push(facts) }
  routes = redemptionRoutes({ ...fixture, secrets, log })
})
afterAll(() => fixture.close())

const post = (body: object) => callRoute(routes, 'POST /api/redemption', { body, caller })
const put = (body: object, query = {}) =>
  callRoute(routes, 'PUT /api/redemption', { body, query, caller })
const switched = (id: number, status: number) => put({ id, status }, { status_only: 'true' })
const remove = (id: number | string) =>
  callRoute(routes, 'DELETE /api/redemption/:id', { params: { id: String(id) }, caller })

async function made(fields: object = {}): Promise<{ readonly id: number; readonly code: string }> {
  const answer = await post({ name: 'spring', quota: 100_000, count: 1, ...fields })
  const [code = ''] = answer.data as readonly string[]
  return { id: (await secrets.findByCode(code)) ?? 0, code }
}

const typesOf = async (id: number) =>
  (await fixture.eventsOf(redemptionStream(id))).map(({ type }) => type)

describe('making codes', () => {
  test('given a batch, when made, then each code is encrypted at rest, and the ledger hears no code', async () => {
    const answer = await post({ name: '春季活动', quota: 5, count: 100 })
    const codes = answer.data as readonly string[]
    expect(new Set(codes).size).toBe(100)
    for (const code of codes) expect(code).toMatch(/^[0-9a-f]{32}$/)
    const ids = await Promise.all(codes.map((code) => secrets.findByCode(code)))
    // In the order in which they are answered.
    expect(ids).toEqual(ids.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
    const [first = 0] = ids.map(Number)
    const [issued] = await fixture.eventsOf(redemptionStream(first))
    expect(issued).toMatchObject({
      type: 'CodeIssued',
      data: { at: TEST_START, quota: 5, creator: 1 },
      metadata: { actor: 'user:1', causationId: `secrets.redemptions/${first}` },
    })
    const { rows } = await fixture.pool.query(
      `select 1 from secrets.redemptions where code_ciphertext::text like '%' || $1 || '%'
       union all select 1 from ledger.events where data like '%' || $1 || '%'`,
      [codes[0]],
    )
    expect(rows).toEqual([])
  })

  test.each([
    [{ name: '' }, '兑换码名称长度必须在1-20之间'],
    [{ name: 'spring\n' }, '兑换码名称不能包含换行、控制字符或不可见字符'],
    [{ name: '  ' }, '兑换码名称长度必须在1-20之间'],
    [{ name: '一'.repeat(21) }, '兑换码名称长度必须在1-20之间'],
    [{ count: 0 }, '兑换码个数必须大于0'],
    [{ count: -1 }, '兑换码个数必须大于0'],
    [{ count: 101 }, '一次兑换码批量生成的个数不能大于 100'],
    [{ quota: -1 }, '兑换码额度必须大于0'],
    [{ quota: 1_000_000_000_000_001 }, '兑换码额度不能超过 1000000000000000'],
    [{ quota: 0.5 }, '无效的参数'],
  ])('given %j, when made, then it is refused and nothing is left', async (fields, message) => {
    const countRows = async () =>
      (await fixture.pool.query('select count(*) from secrets.redemptions')).rows
    const before = await countRows()
    const body = { name: 'spring', quota: 1, count: 1, ...fields }
    expect(await post(body)).toMatchObject({ success: false, message })
    expect(await countRows()).toEqual(before)
  })

  test('given no quota, when made, then the code is worth 100; a name may have 20 characters', async () => {
    const { id } = await made({ name: '一'.repeat(20), quota: 0 })
    const [issued] = await fixture.eventsOf(redemptionStream(id))
    expect(issued?.data).toMatchObject({ quota: 100 })
  })

  test('given a log that fails midway, when made, then issued codes are answered and the rest forgotten', async () => {
    let appends = 0
    const store = Object.create(fixture.store, {
      append: {
        value: (...call: Parameters<typeof fixture.store.append>) => {
          appends += 1
          if (appends === 2) return Promise.reject(new Error('the disk is full'))
          return fixture.store.append(...call)
        },
      },
    }) as typeof fixture.store
    const log = { warn: (facts: object) => void warnings.push(facts) }
    const failing = redemptionRoutes({ ...fixture, store, secrets, log })
    const body = { name: 'partial', quota: 1, count: 3 }
    const answer = await callRoute(failing, 'POST /api/redemption', { body, caller })
    expect(answer).toMatchObject({
      success: false,
      message: '只生成了 2 个兑换码，请检查后补充生成',
    })
    expect(answer.data).toHaveLength(2)
    expect(warnings).toHaveLength(1)
    const ids = await secrets.searchByName('partial')
    expect(ids).toHaveLength(3)
    await removeOrphans(0)
    expect(await secrets.searchByName('partial')).toHaveLength(2)
    expect(await removeOrphans(0)).toBe(0)
  })

  test('given a process that died before the event, when the row ages, then it is forgotten unused', async () => {
    const [id = redemptionId(0)] = await secrets.insert('orphan', ['lost'])
    expect(await redeemed('lost')).toMatchObject({ status: 'refused', message: '无效的兑换码' })
    expect(await switched(id, 2)).toMatchObject({ message: 'record not found' })
    await age(id, ORPHAN_AGE_SECONDS - 60)
    await removeOrphans()
    expect((await secrets.describe([id])).get(id)).toEqual({ name: 'orphan', code: 'lost' })
    await age(id, 120)
    await removeOrphans()
    expect((await secrets.describe([id])).get(id)).toEqual({ name: 'orphan', code: '' })
    expect(await secrets.findByCode('lost')).toBeNull()
  })

  test('given a process that died after the event, when the code is redeemed, then it works at once', async () => {
    const dying = { ...secrets, describe: () => Promise.reject(new Error('dead')) }
    const dead = redemptionRoutes({ ...fixture, secrets: dying, log: { warn() {} } })
    const body = { name: 'unheard', quota: 9, count: 1 }
    const call = callRoute(dead, 'POST /api/redemption', { body, caller })
    await expect(call).rejects.toThrow('dead')
    const [id = 0] = await secrets.searchByName('unheard')
    await age(id, ORPHAN_AGE_SECONDS + 60)
    await removeOrphans()
    const code = (await secrets.describe([id])).get(id)?.code ?? ''
    expect(await redeemed(code)).toMatchObject({ status: 'credited', quota: 9 })
  })

  test('given an event whose row is missing, when touched, then it can only be deleted', async () => {
    const { id, code } = await made()
    await fixture.pool.query('delete from secrets.redemptions where id = $1', [id])
    expect(await redeemed(code)).toMatchObject({ status: 'refused' })
    expect(await put({ id, name: 'x' })).toMatchObject({ message: 'record not found' })
    expect((await remove(id)).success).not.toBe(false)
    expect(await typesOf(id)).toEqual(['CodeIssued', 'CodeDeleted'])
  })

  test('given a log that is away, when made, then it fails as such', async () => {
    const unavailable = new StoreUnavailable('away', 'none')
    const clock = { ...fixture.clock, monotonicMs: () => Date.now() * 1e6 }
    const store = Object.create(fixture.store, {
      append: { value: () => Promise.reject(unavailable) },
    }) as typeof fixture.store
    const failing = redemptionRoutes({ ...fixture, clock, store, secrets, log: { warn() {} } })
    const body = { name: 'away', quota: 1, count: 2 }
    await expect(callRoute(failing, 'POST /api/redemption', { body, caller })).rejects.toBe(
      unavailable,
    )
  })
})

describe('changing a code', () => {
  test('given an unused code, when renamed and revised, then it comes back whole, its worth as an event', async () => {
    const { id, code } = await made()
    const object = {
      id,
      user_id: 1,
      key: code,
      status: 1,
      name: 'summer',
      quota: 7,
      created_time: TEST_START / 1000,
      redeemed_time: 0,
      count: 0,
      used_user_id: 0,
      DeletedAt: null,
    }
    expect((await put({ id, name: 'summer', quota: 7 })).data).toEqual(object)
    expect((await put({ id, name: 'autumn' })).data).toEqual({ ...object, name: 'autumn' })
    expect(await typesOf(id)).toEqual(['CodeIssued', 'CodeRevised'])
  })

  test('given a code, when its worth and its name change at once, then it has both new ones', async () => {
    const { id } = await made()
    const meanwhile: RedemptionSecrets = {
      ...secrets,
      // Asked once the worth that stood is read, and before anything is decided.
      async describe(ids) {
        await put({ id, name: 'spring', quota: 7 })
        return secrets.describe(ids)
      },
    }
    const renaming = redemptionRoutes({ ...fixture, secrets: meanwhile, log: { warn: () => {} } })
    const body = { id, name: 'summer' }
    const { data } = await callRoute(renaming, 'PUT /api/redemption', { body, caller })
    expect(data).toMatchObject({ id, name: 'summer', quota: 7 })
    expect(await typesOf(id)).toEqual(['CodeIssued', 'CodeRevised'])
  })

  test('given a code, when switched off and on, then each is an event once', async () => {
    const { id } = await made()
    for (const status of [2, 2, 1, 1]) {
      expect((await switched(id, status)).data).toMatchObject({ id, status })
    }
    expect(await typesOf(id)).toEqual(['CodeIssued', 'CodeDisabled', 'CodeEnabled'])
    expect(await switched(id, 3)).toMatchObject({ success: false, message: '无效的参数' })
  })

  test('given a disabled or used code, when edited, then it is refused; a used one is not switched either', async () => {
    const disabled = await made()
    await switched(disabled.id, 2)
    const onlyUnused = { success: false, message: '只有未使用的兑换码可以编辑' }
    expect(await put({ id: disabled.id, name: 'x', quota: 1 })).toMatchObject(onlyUnused)
    expect(await put({ id: disabled.id, name: 'x' })).toMatchObject(onlyUnused)
    const used = await made()
    await redeem(used.id)
    expect(await put({ id: used.id, name: 'x', quota: 1 })).toMatchObject(onlyUnused)
    for (const status of [1, 2]) {
      const answer = await switched(used.id, status)
      expect(answer).toMatchObject({ success: false, message: '该兑换码已被使用' })
    }
  })

  test.each([
    [{ id: 0, name: 'x' }, 'record not found'],
    [{ id: 987_654, name: 'x' }, 'record not found'],
    [{ id: 1, name: '' }, '兑换码名称长度必须在1-20之间'],
    [{ id: 1, name: 'x', quota: 0 }, '兑换码额度必须大于0'],
    [{ id: '1' }, '无效的参数'],
  ])('given %j, when changed, then it is refused', async (body, message) => {
    expect(await put(body)).toMatchObject({ success: false, message })
  })
})

describe('deleting a code', () => {
  test('given a code, when deleted, then nobody finds it, and only its name stays for lists', async () => {
    const { id, code } = await made()
    expect((await remove(id)).success).not.toBe(false)
    expect(await secrets.findByCode(code)).toBeNull()
    expect((await secrets.describe([id])).get(id)).toEqual({ name: 'spring', code: '' })
    expect(await typesOf(id)).toEqual(['CodeIssued', 'CodeDeleted'])
    expect(await remove(id)).toMatchObject({ message: 'record not found' })
    expect(await put({ id, name: 'x' })).toMatchObject({ message: 'record not found' })
  })

  test('given none of this id, when deleted, then it says so', async () => {
    expect(await remove(0)).toMatchObject({ message: 'id 为空！' })
    expect(await remove(987_654)).toMatchObject({ message: 'record not found' })
    expect(await remove('x')).toMatchObject({ message: 'id 不是有效的数字: "x"' })
  })

  test('given a deletion that died before forgetting the code, when its event is driven, then it is done', async () => {
    const { id, code } = await made()
    const crashable = { ...secrets, erase: () => Promise.reject(new Error('dead')) }
    const dying = redemptionRoutes({ ...fixture, secrets: crashable, log: { warn() {} } })
    const params = { id: String(id) }
    const call = callRoute(dying, 'DELETE /api/redemption/:id', { params, caller })
    await expect(call).rejects.toThrow('dead')
    expect(await redeemed(code)).toMatchObject({ status: 'refused', message: '无效的兑换码' })
    const [, deletion] = await fixture.eventsOf(redemptionStream(id))
    const kind = redemptionWorkflows({ ...fixture, secrets }).find(
      (one) => one.kind === 'code-deletion',
    )
    if (kind?.from !== 'event' || deletion === undefined) throw new Error('nothing to runSteps')
    await runSteps(kind.steps(deletion), '', { clock: fixture.clock, signal: fixture.signal })
    expect((await secrets.describe([id])).get(id)?.code).toBe('')
  })
})

const age = (id: number, seconds: number) =>
  fixture.pool.query(
    'update secrets.redemptions set touched_at = touched_at - make_interval(secs => $2) where id = $1',
    [id, seconds],
  )

const removeOrphans = (ageSeconds?: number): Promise<number> =>
  recoverRows(fixture, redemptionWorkflows({ ...fixture, secrets }, ageSeconds))

const redeemed = async (code: string) => {
  await fixture.ledger.execute(userId(7), { type: 'OpenAccount' }, TEST_CAUSE)
  return redeemCode({ ...fixture, redemptions: secrets }, userId(7), code, TEST_CAUSE)
}

/** The event alone: what redeeming does to an account is tested beside it. */
const redeem = (id: number) =>
  executeOn(
    fixture,
    {
      stream: redemptionStream(id),
      decider: redemptionDecider,
      command: { type: 'RedeemCode', user: userId(7) },
    },
    TEST_CAUSE,
  )
