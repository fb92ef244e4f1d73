import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { contentRoutes } from '../content/routes.ts'
import { logRoutes } from '../logs/routes.ts'
import { type AdjustmentNotes, adjustmentNotes } from '../identity/adjustment-notes.ts'
import { type OptionSecrets, optionSecrets } from '../secrets/option-secrets.ts'
import { changeOption } from './change-option.ts'
import { followOptions, type LiveOptions } from './live-options.ts'
import { optionHistoryRoute } from './history-route.ts'
import { optionRoutes } from './routes.ts'

let fixture: CommandApiFixture
let secrets: OptionSecrets
let options: LiveOptions
let notes: AdjustmentNotes
let routes: ReturnType<typeof optionRoutes>

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = optionSecrets(fixture.db, fixture.vault)
  options = await followOptions({ ...fixture, secrets })
  notes = adjustmentNotes(fixture.db)
  routes = optionRoutes({ ...fixture, secrets, options, notes })
})
afterAll(async () => {
  await fixture.close()
  await options.ended
})

const put = (body: unknown) =>
  callRoute(routes, 'PUT /api/option', { body, caller: callerWith(1, 100) })
const list = async () => {
  const reply = await callRoute(routes, 'GET /api/option', { caller: callerWith(1, 100) })
  return new Map(
    (reply.data as { key: string; value: string }[]).map((one) => [one.key, one.value]),
  )
}
const secretsSet = async () => {
  const { data } = await callRoute(routes, 'GET /api/option/secrets', {
    caller: callerWith(1, 100),
  })
  const listed = data as { key: string; is_set: boolean }[]
  return listed.filter((one) => one.is_set).map((one) => one.key)
}
const events = () => fixture.eventsOf(SETTINGS_STREAM)

test('given a fresh system, when listed, then every option stands at its default and no secret shows', async () => {
  const listed = await list()
  expect(listed.get('QuotaPerUnit')).toBe('500000')
  expect(listed.get('SystemName')).toBe('Tollgate')
  expect(JSON.parse(listed.get('ModelRatio') ?? '')).toHaveProperty('gpt-4o')
  for (const key of listed.keys()) expect(key).not.toMatch(/Token$|Secret$|Key$|client_secret/)
})

test('given a change, when put, then it is an event and in force at once, here and after a restart', async () => {
  const reply = await put({ key: 'RetryTimes', value: '3' })
  expect(reply.wrote).toBeGreaterThanOrEqual(0)
  expect(options.current().number('RetryTimes')).toBe(3)
  expect((await list()).get('RetryTimes')).toBe('3')
  expect((await events()).at(-1)).toMatchObject({
    type: 'OptionChanged',
    data: { at: TEST_START, key: 'RetryTimes', value: '3', previous: null },
    metadata: { actor: 'user:1' },
  })
  const restarted = await followOptions({ ...fixture, secrets })
  expect(restarted.current().number('RetryTimes')).toBe(3)
})

test('given the same value again, when put, then nothing is appended', async () => {
  await put({ key: 'RetryTimes', value: '3' })
  const before = (await events()).length
  expect((await put({ key: 'RetryTimes', value: ' 3 ' })).success).toBeUndefined()
  expect((await events()).length).toBe(before)
})

test('given a secret, when put, then its text is only sealed in its table, and an empty one keeps it', async () => {
  await put({ key: 'SMTPToken', value: 'hush-hush' })
  expect(await secrets.get('SMTPToken')).toBe('hush-hush')
  expect(options.secret('SMTPToken')).toBe('hush-hush')
  expect(await secretsSet()).toEqual(['SMTPToken'])
  expect((await events()).at(-1)?.data).toEqual({
    at: TEST_START,
    key: 'SMTPToken',
    value: null,
    previous: null,
    note: null,
  })
  const { rows } = await fixture.pool.query('select * from secrets.options')
  expect(JSON.stringify(rows)).not.toContain('hush')
  expect(JSON.stringify([...(await list())])).not.toContain('hush')
  for (const body of [{ key: 'SMTPToken' }, { key: 'SMTPToken', value: '' }]) {
    expect((await put(body)).success).toBeUndefined()
    expect(await secrets.get('SMTPToken')).toBe('hush-hush')
  }
})

test.each(['SystemName', 'TelegramBotToken'])(
  'given a change of %s and a newer one, when the first is repeated with its key, then the newer stays',
  async (key) => {
    const cause = { actor: 'user:1', correlationId: 'r', causationId: randomUUID() } as const
    const change = (value: string) =>
      changeOption({ ...fixture, secrets }, { key, text: value }, cause, { isOnce: true })
    expect(await change('first')).toMatchObject({ status: 'done' })
    await put({ key, value: 'newer' })
    const before = await events()
    expect(await change('first')).toMatchObject({ status: 'done' })
    expect(await events()).toEqual(before)
    expect(await secrets.get('TelegramBotToken')).toBe(key === 'SystemName' ? null : 'newer')
  },
)

test.each([
  [{ key: 'RetryTimes', value: 3 }, '无效的参数'],
  ['text', '无效的参数'],
  [{ key: 'GroupRatio', value: '{"vip":-1}' }, 'group ratio must be not less than 0: vip'],
  [
    { key: 'GitHubOAuthEnabled', value: 'true' },
    '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
  ],
  [{ key: 'EpayKey', value: 'x' }, '请先填写服务器地址'],
])('given %j, when put, then it is refused with %s and nothing changes', async (body, message) => {
  const before = (await events()).length
  expect(await put(body)).toMatchObject({ success: false, message })
  expect((await events()).length).toBe(before)
  expect(await secrets.get('EpayKey')).toBeNull()
})

test('given bad JSON, when put, then the stored map stays as it was', async () => {
  expect((await put({ key: 'ModelPrice', value: '{"a":' })).success).toBe(false)
  expect((await list()).get('ModelPrice')).toContain('{')
})

test('given changed model ratios, when reset, then the defaults are back', async () => {
  const before = (await list()).get('ModelRatio')
  await put({ key: 'ModelRatio', value: '{"x":1}' })
  expect((await list()).get('ModelRatio')).toBe('{"x":1}')
  const reply = await callRoute(routes, 'POST /api/option/rest_model_ratio', {
    caller: callerWith(1, 100),
  })
  expect(reply.message).toBe('重置模型倍率成功')
  expect((await list()).get('ModelRatio')).toBe(before)
})

test('given content options, when a visitor asks, then the texts and every status field are there', async () => {
  await put({ key: 'Notice', value: '# hello' })
  const content = contentRoutes({
    options,
    timeZone: 'UTC',
    version: '1.2.3',
    startedAt: 1_700_000_000_999,
    isSetUp: () => Promise.resolve(true),
    pingDatabase: () => fixture.pool.query('select 1'),
    clock: fixture.clock,
    isDemo: false,
  })
  expect((await callRoute(content, 'GET /api/notice')).data).toBe('# hello')
  expect((await callRoute(content, 'GET /api/about')).data).toBe('')
  expect((await callRoute(content, 'GET /api/home_page_content')).data).toBe('')
  // The address that a request names is not repeated to others.
  const asked = { origin: 'http://elsewhere.example' }
  const status = (await callRoute(content, 'GET /api/status', asked)).data
  expect(status).toMatchObject({
    version: '1.2.3',
    start_time: 1_700_000_000,
    setup: true,
    server_address: 'http://localhost:3000',
    quota_per_unit: 500_000,
    price: 7.3,
    enable_online_topup: false,
    docs_link: '',
  })
  expect(Object.keys(status as object).sort()).toEqual(STATUS_FIELDS)
})

test('given a moment, when logs are cleared, then an event says so and the count is answered', async () => {
  const logs = logRoutes({
    ...fixture,
    countLogRowsBefore: (before) => Promise.resolve(before / 1e9),
  })
  const clear = (target_timestamp: string) =>
    callRoute(logs, 'DELETE /api/log', { query: { target_timestamp }, caller: callerWith(2, 10) })
  expect(await clear('NaN')).toMatchObject({ message: '请选择日志记录时间' })
  expect(await clear('99999999999')).toMatchObject({ success: false })
  expect((await clear('1700000000')).data).toBe(1700)
  expect((await events()).at(-1)).toMatchObject({
    type: 'LogsCleared',
    data: { before: 1_700_000_000_000 },
    metadata: { actor: 'user:2' },
  })
})

const STATUS_FIELDS = [
  'chat_link',
  'chats',
  'contact_image_url',
  'data_export_default_time',
  'data_export_interval',
  'default_collapse_sidebar',
  'demo',
  'demo_site_enabled',
  'display_in_currency',
  'docs_link',
  'email_enabled',
  'email_verification',
  'enable_batch_update',
  'enable_data_export',
  'enable_drawing',
  'enable_online_topup',
  'enable_task',
  'footer_html',
  'github_client_id',
  'github_oauth',
  'linuxdo_client_id',
  'linuxdo_oauth',
  'logo',
  'min_topup',
  'mj_notify_enabled',
  'oidc_authorization_endpoint',
  'oidc_client_id',
  'oidc_enabled',
  'price',
  'quota_per_unit',
  'self_use_mode_enabled',
  'server_address',
  'setup',
  'start_time',
  'system_name',
  'telegram_bot_name',
  'telegram_oauth',
  'time_zone',
  'top_up_link',
  'turnstile_check',
  'turnstile_site_key',
  'version',
  'wechat_login',
  'wechat_qrcode',
]

test('given changes of options, when their history is read, then it says who, when and what, no secret', async () => {
  const read = historyReader()
  for (const value of ['11', '12', '13']) await put({ key: 'ChannelDisableThreshold', value })
  await put({ key: 'TurnstileSecretKey', value: 'never-to-be-seen' })
  await put({ key: 'NotOfOurs', value: 'kept' })

  const ofOne = await read({ key: 'ChannelDisableThreshold' })
  expect(ofOne.items.map((item) => [item['old'], item['new']])).toEqual([
    ['12', '13'],
    ['11', '12'],
    ['5', '11'],
  ])
  expect(ofOne.items[0]).toMatchObject({
    key: 'ChannelDisableThreshold',
    changed_at: TEST_START / 1000,
    user_id: 1,
    username: 'user1',
    is_secret: false,
  })
  const ofSecret = await read({ key: 'TurnstileSecretKey' })
  expect(ofSecret.items).toMatchObject([{ is_secret: true, old: null, new: null }])
  expect(JSON.stringify(await read({}))).not.toContain('never-to-be-seen')
  expect((await read({ key: 'NotOfOurs' })).items).toMatchObject([{ old: '', new: 'kept' }])

  const first = await read({ key: 'ChannelDisableThreshold', limit: '2' })
  expect(first.items.map((item) => item['new'])).toEqual(['13', '12'])
  const rest = await read({
    key: 'ChannelDisableThreshold',
    limit: '2',
    before: String(first.next_before),
  })
  expect(rest.items.map((item) => item['new'])).toEqual(['11'])
  expect((await read({ key: 'NobodyEverSetThis' })).items).toEqual([])

  // More changes of one option than a page has, and the others' newest are there all the same.
  for (let n = 0; n < 101; n += 1) await put({ key: 'Footer', value: `footer ${n}` })
  const newest = await read({ newest: 'true', limit: '1' })
  const told = newest.items.map((item) => [item['key'], item['new'], item['username']])
  expect(told.slice(0, 4)).toEqual([
    ['Footer', 'footer 100', 'user1'],
    ['NotOfOurs', 'kept', 'user1'],
    ['TurnstileSecretKey', null, 'user1'],
    ['ChannelDisableThreshold', '13', 'user1'],
  ])
  expect(newest.next_before).toBeNull()
  expect(new Set(told.map(([key]) => key)).size).toBe(told.length)
  // A change after a call is there in the next call.
  await put({ key: 'ChannelDisableThreshold', value: '14' })
  const later = [read({ newest: 'true' }), read({ newest: 'true' })]
  for (const { items } of await Promise.all(later)) {
    expect(items[0]).toMatchObject({ key: 'ChannelDisableThreshold', old: '13', new: '14' })
    expect(items).toHaveLength(told.length)
  }
  const ofKey = await read({ newest: 'true', key: 'Footer' })
  expect(ofKey.items).toMatchObject([{ key: 'Footer', new: 'footer 100' }])
})

test('given reasons, when options are put, then the history has them, and only of what changed', async () => {
  const read = historyReader()
  const words = async () =>
    (await fixture.pool.query('select words from identity.adjustment_notes order by words')).rows
  await put({ key: 'QuotaForNewUser', value: '7', note: '  spring campaign ' })
  await put({ key: 'WorkerValidKey', value: 'sealed-1', note: 'rotated' })
  await put({ key: 'GroupRatio', value: '{"default":1,"vip":0.7}', note: 'cheaper for vip' })
  // The same text again, a refused one, and one that is too long leave nothing behind.
  await put({ key: 'QuotaForNewUser', value: '7', note: 'again' })
  expect((await put({ key: 'QuotaForNewUser', value: 'x', note: 'wrong' })).success).toBe(false)
  expect(await put({ key: 'QuotaForNewUser', value: '9', note: 'n'.repeat(501) })).toEqual({
    success: false,
    message: '备注最多 500 个字符',
  })
  expect(await words()).toEqual(
    ['cheaper for vip', 'rotated', 'spring campaign'].map((one) => ({ words: one })),
  )
  for (const [key, note] of [
    ['QuotaForNewUser', 'spring campaign'],
    ['WorkerValidKey', 'rotated'],
    ['GroupRatio', 'cheaper for vip'],
  ] as const)
    expect((await read({ key })).items[0]).toMatchObject({ key, note })
  // Erased words are gone from the history, too.
  await notes.forget(1)
  expect((await read({ key: 'WorkerValidKey' })).items[0]).toMatchObject({ note: '' })
  await put({ key: 'QuotaForNewUser', value: '8' })
  expect((await read({ key: 'QuotaForNewUser' })).items[0]).toMatchObject({ note: '', new: '8' })
})

/** Reads the history of options. */
function historyReader() {
  const usernames = (ids: readonly number[]) =>
    Promise.resolve(new Map(ids.map((id) => [id, `user${id}`])))
  const history = [optionHistoryRoute({ ...fixture, usernames, notes: (ids) => notes.byIds(ids) })]
  return async (query: Readonly<Record<string, string>>) =>
    (await callRoute(history, 'GET /api/option/history', { query, caller: callerWith(1, 100) }))
      .data as { items: readonly Record<string, unknown>[]; next_before: number | null }
}

test('given the defaults, when read, then each option has its own, and a secret has none', async () => {
  const reply = await callRoute(routes, 'GET /api/option/defaults', {
    caller: callerWith(1, 100),
  })
  const defaults = new Map(
    (reply.data as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
  )
  await put({ key: 'ModelRatio', value: '{"gpt-4o":7}' })
  expect(JSON.parse(defaults.get('ModelRatio') ?? '')).toMatchObject({ 'gpt-4o': 1.25 })
  expect(defaults.get('RetryTimes')).toBe('0')
  expect(defaults.has('SMTPToken')).toBe(false)
})
