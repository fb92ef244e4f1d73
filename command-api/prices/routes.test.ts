import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { adjustmentNotes } from '../identity/adjustment-notes.ts'
import { followOptions, type LiveOptions } from '../options/live-options.ts'
import { optionRoutes } from '../options/routes.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import { priceRoutes } from './routes.ts'
import { takePricesInForce } from './take-effect.ts'

let fixture: CommandApiFixture
let options: LiveOptions
let routes: ReturnType<typeof priceRoutes>

beforeEach(async () => {
  fixture = await openCommandApiFixture()
  const secrets = optionSecrets(fixture.db, fixture.vault)
  options = await followOptions({ ...fixture, secrets })
  const notes = adjustmentNotes(fixture.db)
  routes = [
    ...priceRoutes({ ...fixture, options, notes }),
    ...optionRoutes({ ...fixture, secrets, options, notes }),
  ]
})
afterEach(async () => {
  await fixture.close()
  await options.ended
})

const root = callerWith(1, 100)
const save = (body: object) => callRoute(routes, 'POST /api/ledger/prices', { body, caller: root })
const withdraw = (number: number) =>
  callRoute(routes, 'POST /api/ledger/prices/:number/withdraw', {
    params: { number: String(number) },
    caller: root,
  })
const events = async () =>
  (await fixture.eventsOf(SETTINGS_STREAM)).map(({ type, data }) => ({ type, data }))
const notes = async () =>
  (await fixture.pool.query('select words from identity.adjustment_notes')).rows

test('given several prices and a note, when saved, then they are one event, in force before the answer', async () => {
  const reply = await save({
    options: { ModelRatio: '{"m":2}', GroupRatio: '{"vip":3}' },
    base: 0,
    note: ' new year ',
  })
  expect(reply.data).toEqual({ number: 1, status: 'in-force', effective_at: TEST_START })
  expect(options.current().text('GroupRatio')).toBe('{"vip":3}')
  const [event, ...more] = await events()
  expect(more).toEqual([])
  expect(event).toMatchObject({ type: 'PriceBookRevised', data: { number: 1 } })
  expect(JSON.stringify(event)).not.toContain('new year')
  expect(await notes()).toEqual([{ words: 'new year' }])
})

test('given two who save at once from the same prices, when both are heard, then one gets the conflict', async () => {
  const replies = await Promise.all([
    save({ options: { ModelRatio: '{"m":2}' }, base: 0, note: 'a' }),
    save({ options: { ModelRatio: '{"m":3}' }, base: 0, note: 'b' }),
  ])
  const refused = replies.filter(({ success }) => success === false)
  expect(refused).toMatchObject([{ status: 409 }])
  expect(refused[0]?.message).toBe(
    '价格已被他人修改：当前生效的是第 1 版，您的修改基于第 0 版，请刷新后重新修改',
  )
  expect(await events()).toHaveLength(1)
  expect(await notes()).toHaveLength(1)
})

test('given an answer that was lost, when the same is saved again, then it is done once', async () => {
  const asked = { options: { ModelRatio: '{"m":2}' }, base: 0, note: 'x' }
  await save(asked)
  expect(await save(asked)).toMatchObject({ data: { number: 1, status: 'in-force' } })
  const later = { ...asked, options: { ModelRatio: '{"m":9}' }, base: 1 }
  const planned = { ...later, effective_at: TEST_START + 3_600_000 }
  const first = await save(planned)
  expect(await save(planned)).toMatchObject({ data: first.data })
  expect(await events()).toHaveLength(2)
  expect(await notes()).toHaveLength(2)
})

test('given a planned revision, when its time comes, then the log says so once and options stand at it', async () => {
  const at = new Date(TEST_START + 3_600_000).toISOString()
  const reply = await save({ options: { ModelRatio: '{"m":2}' }, effective_at: at })
  expect(reply.data).toMatchObject({ number: 1, status: 'planned' })
  await takePricesInForce(fixture, options)
  expect(options.current().text('ModelRatio')).not.toBe('{"m":2}')
  fixture.pass(3_600_000)
  await Promise.all([takePricesInForce(fixture, options), takePricesInForce(fixture, options)])
  expect((await events()).map(({ type }) => type)).toEqual([
    'PriceBookRevised',
    'PriceRevisionTookEffect',
  ])
  await options.waitFor(await fixture.store.headPosition())
  expect(options.current().text('ModelRatio')).toBe('{"m":2}')
  expect(await withdraw(1)).toMatchObject({ success: false })
})

test('given a planned revision, when withdrawn, then it never comes; again changes nothing', async () => {
  await save({ options: { ModelRatio: '{"m":2}' }, effective_at: TEST_START + 3_600_000 })
  expect(await withdraw(1)).toHaveProperty('wrote')
  expect(await withdraw(1)).toHaveProperty('wrote')
  fixture.pass(7_200_000)
  await takePricesInForce(fixture, options)
  expect((await events()).map(({ type }) => type)).toEqual([
    'PriceBookRevised',
    'PriceRevisionWithdrawn',
  ])
})

test('given one option put by itself, when it is a price, then it is a revision with one change', async () => {
  const body = { key: 'QuotaPerUnit', value: '400000' }
  await callRoute(routes, 'PUT /api/option', { body, caller: root })
  expect(await events()).toMatchObject([
    {
      type: 'PriceBookRevised',
      data: { changes: [{ key: 'QuotaPerUnit', value: '400000', previous: null }] },
    },
  ])
})

test.each([
  [{}, 'options 应为'],
  [{ options: {} }, 'options 应为'],
  [{ options: { ModelRatio: 3 } }, ''],
  [{ options: { Notice: 'x' } }, 'Notice 不是价格设置项'],
  [{ options: { ModelRatio: '{"m":' } }, '不是合法的 JSON'],
  [{ options: { ModelRatio: '{"m":1}' }, effective_at: '2026-01-02' }, 'effective_at'],
  [{ options: { ModelRatio: '{"m":1}' }, effective_at: 5 }, '生效时间必须在当前时间之后'],
  [{ options: { ModelRatio: '{"m":1}' }, base: -1 }, 'base'],
  [{ options: { ModelRatio: '{"m":1}' }, note: 'x'.repeat(501) }, '备注'],
])('given %.60j, when saved, then it is refused with what is wrong', async (body, message) => {
  const reply = await save(body)
  expect(reply.success).toBe(false)
  expect(reply.message).toContain(message)
  expect(await events()).toEqual([])
  expect(await notes()).toEqual([])
})
