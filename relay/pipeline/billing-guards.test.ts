import { userId } from '@tollgate/domain/ids.ts'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
  USER,
} from './relay-under-test.ts'

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => startAfresh(relay, upstream))

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const answer = (content: string, usage: object): string =>
  JSON.stringify({ choices: [{ message: { content } }], usage })
const json = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text)

test.each([
  ['no output for text', { prompt_tokens: 10, completion_tokens: 0 }, 10, 4],
  ['a billion of prompt', { prompt_tokens: 1e9, completion_tokens: 4 }, 8, 4],
  ['a billion of output', { prompt_tokens: 10, completion_tokens: 1e9 }, 10, 4],
  [
    'a billion of reasoning',
    {
      prompt_tokens: 10,
      completion_tokens: 1e9,
      completion_tokens_details: { reasoning_tokens: 1e9 },
    },
    10,
    4,
  ],
])(
  'given usage that reports %s, when charged, then that side is counted and marked',
  async (_what, usage, textIn, textOut) => {
    upstream.behave(json(answer('Hello there, friend', usage)))
    expect((await relay.post(CHAT, { ...HELLO, max_tokens: 50 })).status).toBe(200)
    expect(relay.purse.settled).toMatchObject([
      { request: { estimated: true, usage: { textIn, textOut, reasoningOut: 0 } } },
    ])
  },
)

test('given much reasoning that nobody sees, when charged, then upstream is believed', async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 90_000,
    completion_tokens_details: { reasoning_tokens: 89_000 },
  }
  upstream.behave(json(answer('Hi', usage)))
  await relay.post(CHAT, { ...HELLO, max_tokens: 90_000 })
  expect(relay.purse.settled).toMatchObject([
    { request: { estimated: false, usage: { textOut: 90_000, reasoningOut: 89_000 } } },
  ])
})

test('given a channel that raises the limit, when quota does not reach, then it is refused before upstream hears of it', async () => {
  relay.directory.add(1, { baseUrl: upstream.url, paramOverride: '{"max_tokens":100000}' })
  upstream.behave(json(answer('Hi', { prompt_tokens: 9, completion_tokens: 1 })))
  relay.purse.available = 1_000
  const refused = await relay.post(CHAT, { ...HELLO, max_tokens: 10 })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('insufficient_user_quota')
  expect(upstream.asked).toHaveLength(0)
  expect(relay.purse).toMatchObject({ available: 1_000, reserved: 0 })
  relay.purse.available = 1_000_000
  expect((await relay.post(CHAT, { ...HELLO, max_tokens: 10 })).status).toBe(200)
})

test('given a channel that raises the limit, when more cannot be asked for, then the client is to try again', async () => {
  relay.directory.add(1, { baseUrl: upstream.url, paramOverride: '{"max_tokens":100000}' })
  relay.purse.isAwayForMore = true
  const refused = await relay.post(CHAT, { ...HELLO, max_tokens: 10 })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.text()).toContain('quota_unavailable')
  expect(upstream.asked).toHaveLength(0)
  expect(relay.purse).toMatchObject({ available: 1_000_000, reserved: 0 })
})

test('given an amount that cannot be reckoned, when charged, then what was reserved goes back', async () => {
  relay.directory.set({ ModelRatio: '{"gpt-4o-mini":9000000000000}', GroupRatio: '{"default":1}' })
  upstream.behave(json(answer('Hi', { prompt_tokens: 5_000, completion_tokens: 1 })))
  relay.purse.available = Number.MAX_SAFE_INTEGER
  const response = await relay.post(CHAT, { ...HELLO, max_tokens: 1 })
  expect(response.status).toBe(500)
  expect(relay.purse).toMatchObject({ available: Number.MAX_SAFE_INTEGER, reserved: 0 })
  expect(relay.logged.splice(0)).toHaveLength(1)
})

test('given a charge that the journal will never take, when settled, then 500 without a promise, and logged', async () => {
  upstream.behave(json(answer('Hi', { prompt_tokens: 10, completion_tokens: 5 })))
  const refusing = Promise.reject(new Error('no such stream'))
  // Awaited only once the request has come to its charge.
  refusing.catch(() => undefined)
  relay.purse.journal = refusing
  const response = await relay.post(CHAT, HELLO)
  relay.purse.journal = Promise.resolve()
  expect(response.status).toBe(500)
  expect(response.headers.get('x-should-retry')).toBe('false')
  const text = await response.text()
  expect(text).toContain('internal_error')
  expect(text).not.toContain('will be charged')
  expect(relay.logged.splice(0)).toMatchObject([{ message: 'no such stream' }])
})

test('given a stream that fails with an error after its first chunk, when it ends, then the channel is reported', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n')
    response.end('data: {"error":{"message":"quota gone","code":"insufficient_quota"}}\n\n')
  })
  await textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true }))
  expect(relay.reports).toMatchObject([{ channel: 1, errorCode: 'insufficient_quota' }])
})

test('given a rate limit, when the playground is used too often, then 429', async () => {
  relay.directory.set({ ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '1' })
  relay.session = { status: 'signed-in', user: { ...USER, id: userId(80) } }
  upstream.behave(json(answer('Hi', { prompt_tokens: 10, completion_tokens: 5 })))
  const play = () => relay.post('/pg/chat/completions', HELLO, { authorization: '' })
  expect((await play()).status).toBe(200)
  expect((await play()).status).toBe(429)
})
