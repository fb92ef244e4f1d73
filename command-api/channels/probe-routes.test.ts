import { channelStream } from '@tollgate/domain/event.ts'
import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import type { CommandApiFixture } from '@tollgate/tests/support/command-api.ts'
import {
  type ChannelsUnderTest,
  FINE,
  openChannelsUnderTest,
  type UpstreamUnderTest,
  USELESS,
} from '@tollgate/tests/support/channels-under-test.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadChannel } from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'

let under: ChannelsUnderTest
let fixture: CommandApiFixture
let deps: ChannelRouteDeps
let tests: ChannelsUnderTest['tests']
let upstream: UpstreamUnderTest

beforeAll(async () => {
  under = await openChannelsUnderTest()
  ;({ fixture, deps, tests, upstream } = under)
})
afterAll(() => under.close())
beforeEach(() => under.reset())

const call: ChannelsUnderTest['call'] = (name, rest) => under.call(name, rest)
const put = (body: object) => under.put(body)
const made = (body?: object) => under.made(body)
const statusOf = (id: number) => under.statusOf(id)
const option = (key: string, text: string) => under.option(key, text)

const testOne = (id: number, model = '') =>
  call('GET /api/channel/test/:id', { params: { id: String(id) }, query: { model } })

test('given a channel, when tested, then time and outcome are answered and recorded', async () => {
  const id = await made({ models: 'a,b', test_model: 'b' })
  let asked = ''
  upstream.outcome = (channel, model) => {
    asked = `${channel.key} ${model}`
    return FINE
  }
  expect(await testOne(id)).toMatchObject({ success: true, message: '', extra: { time: 1.234 } })
  expect(asked).toBe('sk-1 b')
  await testOne(id, 'z')
  expect(asked).toBe('sk-1 z')
  upstream.outcome = () => USELESS
  expect(await testOne(id)).toMatchObject({
    success: false,
    message: 'Incorrect API key provided',
    extra: { time: 1.234 },
  })
  const { tests } = under.recorded
  expect(tests.map(({ test: told }) => told)).toEqual([
    expect.objectContaining({ model: 'b', succeeded: true, durationMs: 1234, testedBy: 9 }),
    expect.objectContaining({ model: 'z' }),
    expect.objectContaining({ succeeded: false, error: 'Incorrect API key provided' }),
  ])
  expect(tests.map(({ isLogged }) => isLogged)).toEqual([true, true, false])
  expect(await under.typesOf(id)).toEqual(['ChannelAdded'])
  expect(await statusOf(id)).toBe('enabled')
})

test('given that consumption is not logged, when a channel is tested, then nor is the test', async () => {
  const id = await made()
  await option('LogConsumeEnabled', 'false')
  await testOne(id)
  await option('LogConsumeEnabled', 'true')
  expect(under.recorded.tests).toMatchObject([{ channel: id, isLogged: false }])
})

test('given a remark on a successful test, when answered, then it has a code for the reader’s language', async () => {
  const id = await made({ models: 'a' })
  const remark = '上游没有返回用量信息（usage），请求将按本地计数计费'
  upstream.outcome = () => ({ ...FINE, remark })
  expect(await testOne(id)).toMatchObject({
    success: true,
    message: remark,
    extra: { code: 'upstream_without_usage', params: {} },
  })
  upstream.outcome = () => FINE
  expect((await testOne(id)).extra).not.toHaveProperty('code')
})

test('given a drawing channel or none, when tested, then refused with a time', async () => {
  const id = await made({ type: 2 })
  expect(await testOne(id)).toMatchObject({
    message: 'midjourney channel test is not supported',
    extra: { time: 0 },
  })
  expect(await testOne(987_654)).toMatchObject({ message: 'record not found' })
})

test('given switches, when all are tested, then useless and slow go, recovered get a trial, exempt stay', async () => {
  await option('AutomaticDisableChannelEnabled', 'true')
  await option('AutomaticEnableChannelEnabled', 'true')
  const [bad, slow, exempt, off, good] = [
    await made({ key: 'bad' }),
    await made({ key: 'slow' }),
    await made({ key: 'bad', auto_ban: 0 }),
    await made({ status: 2 }),
    await made(),
  ]
  upstream.outcome = ({ key }) =>
    key === 'bad' ? USELESS : { ...FINE, durationMs: key === 'slow' ? 5001 : 10 }
  expect(await call('GET /api/channel/test')).toEqual({})
  expect(await call('GET /api/channel/test')).toMatchObject({ message: '测试已在运行中' })
  await tests.idle()
  const statuses = async () => Promise.all([bad, slow, exempt, off, good].map(statusOf))
  expect(await statuses()).toEqual([
    'auto-disabled',
    'auto-disabled',
    'enabled',
    'disabled',
    'enabled',
  ])
  expect((await fixture.eventsOf(channelStream(slow))).at(-1)?.data).toMatchObject({
    reason: '响应时间 5.00s 超过阈值 5.00s',
    upstreamStatus: 200,
  })
  expect((await fixture.eventsOf(channelStream(bad))).at(-1)?.data).toMatchObject({
    reason: 'Incorrect API key provided',
    upstreamStatus: 401,
    bodyExcerpt: '{"error":{}}',
  })
  upstream.outcome = () => FINE
  await call('GET /api/channel/test')
  await tests.idle()
  expect(await statuses()).toEqual(['half-open', 'half-open', 'enabled', 'disabled', 'enabled'])
  expect((await put({ id: bad, status: 3 })).data).toMatchObject({
    status: 3,
    other_info: expect.stringContaining('测试通过，等待一次请求成功后恢复'),
  })
  upstream.outcome = ({ key }) => (key === 'bad' ? { ...USELESS, banWorthy: false } : FINE)
  await call('GET /api/channel/test')
  await tests.idle()
  expect((await statuses()).slice(0, 2)).toEqual(['auto-disabled', 'half-open'])
  await option('AutomaticDisableChannelEnabled', 'false')
  upstream.outcome = () => USELESS
  await call('GET /api/channel/test')
  await tests.idle()
  expect(await statusOf(good)).toBe('enabled')
})

test('given model lists and balances, when read, then answered and recorded; upstream trouble is told', async () => {
  const id = await made()
  const params = { id: String(id) }
  expect((await call('GET /api/channel/fetch_models/:id', { params })).data).toEqual(['m1', 'sk-1'])
  const body = { base_url: '', type: 1, key: 'first\nsecond' }
  expect((await call('POST /api/channel/fetch_models', { body })).data).toEqual(['m1', 'first'])
  expect(await call('GET /api/channel/update_balance/:id', { params })).toMatchObject({
    extra: { balance: 12.5 },
  })
  expect(under.recorded.balances).toEqual([{ channel: id, balanceUsd: '12.5' }])
  upstream.balanceUsd = new ProbeFailed('尚未实现')
  expect(await call('GET /api/channel/update_balance/:id', { params })).toMatchObject({
    success: false,
    message: '尚未实现',
  })
  await put({ id, key: 'bad' })
  expect(await call('GET /api/channel/fetch_models/:id', { params })).toMatchObject({
    message: 'status code: 401',
  })
})

test('given empty balances, when all are read, then channels that may be are taken out', async () => {
  await option('AutomaticDisableChannelEnabled', 'true')
  const poor = await made()
  const exempt = await made({ auto_ban: 0 })
  upstream.balanceUsd = '0'
  await call('GET /api/channel/update_balance')
  expect([await statusOf(poor), await statusOf(exempt)]).toEqual(['auto-disabled', 'enabled'])
  expect((await loadChannel(deps, poor))?.reason).toBe('余额不足')
})
