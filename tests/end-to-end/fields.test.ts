import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** The fields that channels and tokens have in the API, and what a channel is when little is said of it. */
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
})
afterAll(() => gateway.stop())

const row = z.record(z.string(), z.unknown())
const made = z.object({ id: z.number() })
/** Numbers of no provider, and one whose provider has no usable protocol. */
const NOT_OFFERED = [21, 28, 29, 30, 32]
const REGION = '{"default":"us-central1"}'

test('given the numbers 0 to 50, when channels are added, then just the assigned ones are types', async () => {
  const { root } = gateway
  for (let type = 1; type <= 49; type += 1) {
    if (NOT_OFFERED.includes(type)) continue
    const channel = {
      type,
      name: `type ${type}`,
      key: `sk-${type}`,
      models: 'm',
      other: REGION,
      base_url: gateway.upstream.url,
    }
    const { id } = await root.ask('POST', '/api/channel/', made, channel)
    expect(await root.ask('GET', `/api/channel/${id}`, row)).toMatchObject({ type })
  }
  for (const type of [0, ...NOT_OFFERED, 50]) {
    const body = { type, name: 'none', key: 'sk-none', models: 'm', base_url: gateway.upstream.url }
    expect(await root.send('POST', '/api/channel/', body)).toMatchObject({ success: false })
  }
})

test('given a channel of little more than name and key, when read, then it has the seeds’ defaults', async () => {
  const { root } = gateway
  const body = { type: 1, name: 'short', key: 'sk-short', models: 'm', max_input_tokens: 4096 }
  const { id } = await root.ask('POST', '/api/channel/', made, body)
  const channel = await root.ask('GET', `/api/channel/${id}`, row)
  expect(Object.keys(channel)).toEqual(expect.arrayContaining(CHANNEL_FIELDS))
  expect(channel).toMatchObject({ auto_ban: 1, group: 'default', max_input_tokens: 4096, key: '' })
})

test('given groups of a channel, when read, then they are one list by commas', async () => {
  const { root } = gateway
  const body = { type: 1, name: 'grouped', key: 'sk-grouped', models: 'm', group: 'default,vip' }
  const { id } = await root.ask('POST', '/api/channel/', made, body)
  expect(await root.ask('GET', `/api/channel/${id}`, row)).toMatchObject({ group: 'default,vip' })
})

test('given a token with everything, when read, then it has the seeds’ fields', async () => {
  const { root } = gateway
  const { id } = await root.createToken({
    name: 'whole',
    unlimited_quota: false,
    remain_quota: 500,
    model_limits_enabled: true,
    model_limits: 'gpt-4o-mini,gpt-4o',
    allow_ips: '192.0.2.1\n10.0.0.0/8',
    group: 'default',
  })
  const token = await root.ask('GET', `/api/token/${id}`, row)
  expect(Object.keys(token)).toEqual(expect.arrayContaining(TOKEN_FIELDS))
  expect(token).toMatchObject({
    status: 1,
    remain_quota: 500,
    used_quota: 0,
    unlimited_quota: false,
    expired_time: -1,
    model_limits_enabled: true,
    model_limits: 'gpt-4o-mini,gpt-4o',
    allow_ips: '192.0.2.1\n10.0.0.0/8',
    group: 'default',
  })
})

test('given a token in use, when its addresses change, then relays go by them', async () => {
  const { root } = gateway
  const { id, key } = await root.createToken({ name: 'bound' })
  const answers = (status: number) =>
    until(`the relays answer ${status}`, async () => {
      const headers = { authorization: `Bearer sk-${key}` }
      return (await gateway.relay('/v1/models', { headers })).status === status
    })
  const bindTo = (allow_ips: string) =>
    root.ask('PUT', '/api/token/', row, { id, name: 'bound', unlimited_quota: true, allow_ips })
  await answers(200)
  await bindTo('198.51.100.7')
  await answers(403)
  await bindTo('198.51.100.7\n127.0.0.0/8\n::1')
  await answers(200)
})

const CHANNEL_FIELDS = [
  'id',
  'name',
  'type',
  'key',
  'openai_organization',
  'max_input_tokens',
  'base_url',
  'other',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'models',
  'group',
  'auto_ban',
  'test_model',
  'priority',
  'weight',
  'tag',
  'status',
  'response_time',
  'balance',
  'used_quota',
  'other_info',
  'test_time',
]

const TOKEN_FIELDS = [
  'id',
  'name',
  'key',
  'status',
  'remain_quota',
  'used_quota',
  'unlimited_quota',
  'expired_time',
  'model_limits_enabled',
  'model_limits',
  'allow_ips',
  'group',
  'created_time',
]
