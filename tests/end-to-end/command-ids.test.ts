import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** Which command wrote what, as the event browser tells it. */
const MODEL = 'gpt-4o-mini'
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
}, 120_000)
afterAll(() => gateway.stop(), 60_000)

const page = z.object({
  events: z.array(z.object({ id: z.string(), type: z.string(), metadata: z.string() })),
})
const metadata = z.object({ causationId: z.string().nullable(), commandId: z.string().optional() })

/** The log, or one stream of it, oldest first. */
async function events(stream = '') {
  const path = `/api/ledger/events?after=-1&limit=1000&stream=${stream}`
  const found = await gateway.root.ask('GET', path, page)
  return found.events.map(({ id, type, metadata: text }) => ({
    id,
    type,
    ...metadata.parse(JSON.parse(text)),
  }))
}

test('given a code and a paid chat, when the log is read, then every event names its command', async () => {
  const { root } = gateway
  const user = await root.addUser('ann', 'long-enough-1', 50_000)
  const codes = z.array(z.string())
  const issue = { name: 'spring', quota: 700, count: 1 }
  const [key] = await root.ask('POST', '/api/redemption/', codes, issue)
  await user.ask('POST', '/api/user/topup', z.number(), { key })
  const token = await user.createToken({ name: 'chat' })
  const messages = [{ role: 'user' as const, content: 'hello' }]
  await gateway.openai(token.key).chat.completions.create({ model: MODEL, messages })
  const account = `account-${user.userId}`
  await until('the hold has ended', async () =>
    (await events(account)).some(({ type }) => type === 'HoldReleased'),
  )

  const all = await events()
  const types = new Set(all.map(({ type }) => type))
  for (const type of ['TimelineOpened', 'ChannelAdded', 'CodeRedeemed', 'UsageCharged']) {
    expect(types).toContain(type)
  }
  expect(all.filter(({ commandId }) => commandId === undefined)).toEqual([])
})

test('given an adjustment, when sent again, then the first answer comes and one event has its id', async () => {
  const { root } = gateway
  const user = await root.addUser('bea', 'long-enough-1', 1_000)
  const { display_name, group } = await user.self()
  const body = { id: user.userId, username: 'bea', display_name, group, quota: 3_000 }
  const put = () => root.send('PUT', '/api/user/', body, { 'idempotency-key': 'adjust-bea' })
  const first = await put()
  expect(first).toMatchObject({ success: true })
  expect(await put()).toEqual(first)
  const credits = (await events(`account-${user.userId}`)).filter(
    ({ type }) => type === 'QuotaCredited',
  )
  expect(credits).toHaveLength(2)
  const [opening, adjustment] = credits
  expect(adjustment?.commandId).toMatch(/^[\da-f-]{36}$/)
  expect(adjustment?.commandId).toBe(adjustment?.causationId)
  expect(adjustment?.commandId).not.toBe(opening?.commandId)
})
