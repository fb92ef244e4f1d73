import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** A channel on its way out of service and back, and the rules for where channels may lead, in the real product. */
const MODEL = 'gpt-4o-mini'
const SHAKY_KEY = 'sk-shaky-key-of-its-own'
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'hi' }] } as const
let gateway: Gateway
let shaky: number
let ask: () => Promise<string>

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const { root, upstream } = gateway
  shaky = await root.addChannel({
    name: 'shaky',
    key: SHAKY_KEY,
    base_url: upstream.url,
    models: MODEL,
    priority: 5,
    tag: 'moody',
  })
  await root.setOption('AutomaticDisableChannelEnabled', 'true')
  await root.setOption('AutomaticEnableChannelEnabled', 'true')
  const { key } = await root.createToken({ name: 'one' })
  const openai = gateway.openai(key)
  ask = async () => {
    const { choices } = await openai.chat.completions.create({
      ...HELLO,
      messages: [...HELLO.messages],
    })
    return choices[0]?.message.content ?? ''
  }
})
afterAll(() => gateway.stop())

const channelEntity = z.object({
  status: z.number(),
  key: z.string(),
  other_info: z.string(),
  response_time: z.number(),
  balance: z.number(),
})
async function look() {
  const { data } = await gateway.root.send('GET', `/api/channel/${shaky}`)
  return channelEntity.parse(data)
}
const noticePage = z.object({ items: z.array(z.object({ type: z.string() })) })
async function told(): Promise<readonly string[]> {
  const { userId } = gateway.root
  const { data } = await gateway.root.send('GET', `/api/ledger/notices?user_id=${userId}`)
  return noticePage
    .parse(data)
    .items.map(({ type }) => type)
    .toReversed()
}
/** The keys that model requests came with since the last question; upstream behaves again. */
function keysAsked(): readonly string[] {
  const keys = gateway.upstream.requests.map(({ key }) => key)
  gateway.upstream.forget()
  return keys
}
async function testAll(): Promise<void> {
  const ended = (await told()).filter((type) => type === 'channel_test').length
  expect(await gateway.root.send('GET', '/api/channel/test')).toMatchObject({ success: true })
  await until(
    'the end of the test is told',
    async () => (await told()).filter((type) => type === 'channel_test').length > ended,
  )
}

test('given a channel with a refused key, when asked, then it is out, tried and at last back', async () => {
  gateway.upstream.behave(SHAKY_KEY, 'invalid-key')
  await expect(ask()).rejects.toMatchObject({ status: 401 })
  await until('it is out of service', async () => (await look()).status === 3)
  expect(JSON.parse((await look()).other_info)).toEqual({
    status_reason: expect.stringMatching(/./u),
    status_time: expect.closeTo(Date.now() / 1000, -2),
  })
  await until('root is told', async () => (await told()).includes(`channel_update_${shaky}_3`))
  keysAsked()

  // Back by half: the next request goes to it, and its failure costs the client nothing.
  await testAll()
  await until('it is half-open', async () => (await look()).other_info.includes('测试通过'))
  expect((await look()).status).toBe(3)
  await until('the relay tries it', async () => {
    gateway.upstream.behave(SHAKY_KEY, 'server-error')
    expect(await ask()).not.toBe('')
    return keysAsked().includes(SHAKY_KEY)
  })
  await until('its trial has failed', async () => !(await look()).other_info.includes('测试通过'))
  expect((await look()).status).toBe(3)

  await testAll()
  await until('it is half-open again', async () => (await look()).other_info.includes('测试通过'))
  await until('a request brings it back', async () => {
    expect(await ask()).not.toBe('')
    return (await look()).status === 1
  })
  expect(await look()).toMatchObject({ other_info: '', key: '' })
  await until('root is told', async () => (await told()).includes(`channel_update_${shaky}_1`))
  const ofChannel = (await told()).filter((type) => type.startsWith('channel_update'))
  expect(ofChannel).toEqual([`channel_update_${shaky}_3`, `channel_update_${shaky}_1`])
})

test('given a channel, when searched by its whole key, then it is found, by a part it is not', async () => {
  const { root } = gateway
  const found = async (query: string) => {
    const { data } = await root.send('GET', `/api/channel/search?${query}`)
    return z.array(z.object({ name: z.string(), key: z.literal('') })).parse(data)
  }
  expect(await found(`keyword=${SHAKY_KEY}&group=&model=`)).toEqual([{ name: 'shaky', key: '' }])
  expect(await found(`keyword=${SHAKY_KEY.slice(0, -1)}`)).toEqual([])
  expect(await found(`keyword=${SHAKY_KEY}&model=gpt-4o&group=default&tag_mode=true`)).toHaveLength(
    1,
  )
  expect(await found(`keyword=${SHAKY_KEY}&group=vip`)).toEqual([])
  const { data } = await root.send('GET', '/api/channel/?p=0&page_size=10&tag_mode=true')
  expect(z.array(z.object({ name: z.string(), key: z.string() })).parse(data)).toEqual([
    { name: 'shaky', key: '' },
  ])
})

test('given an account with money, when its balance is read, then it is shown and kept', async () => {
  const read = await gateway.root.send('GET', `/api/channel/update_balance/${shaky}/`)
  expect(read).toMatchObject({ success: true })
  await until('it is kept', async () => (await look()).balance === 96.55)
})

test('given channels that may not lead inside, when saved or asked, then refused until they may', async () => {
  const { root, upstream } = gateway
  await root.setOption('fetch_setting.allow_private_channel_addresses', 'false')
  const inside = { name: 'inside', type: 1, key: 'k', models: MODEL, base_url: upstream.url }
  expect(await root.send('POST', '/api/channel/', inside)).toMatchObject({
    success: false,
    message: expect.stringContaining('渠道 API 地址或代理地址位于内网'),
  })
  keysAsked()
  await until('the relays hold to it', async () => {
    const refused = await ask().then(
      () => null,
      (error: unknown) => error,
    )
    return (
      z.looseObject({ code: z.string() }).safeParse(refused).data?.code === 'upstream_forbidden'
    )
  })
  keysAsked()
  await expect(ask()).rejects.toMatchObject({ status: 502 })
  expect(keysAsked()).toEqual([])
  expect(await root.send('GET', `/api/channel/test/${shaky}`)).toMatchObject({
    success: false,
    message: expect.stringContaining('渠道 API 地址或代理地址不允许访问'),
  })
  await root.setOption('fetch_setting.allow_private_channel_addresses', 'true')
  await until('they may again', () =>
    ask().then(
      () => true,
      () => false,
    ),
  )
})
