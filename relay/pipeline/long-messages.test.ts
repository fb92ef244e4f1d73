import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Chats too long to be edited on the serving thread, to vendors that take messages in a form of their own. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay({ bodyBytesMax: 16_000_000 })
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  // So that the prompt need not be counted first, which is given up after two seconds.
  relay.holds.available = 1_000_000_000
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER))
  })
})

const CHAT = '/v1/chat/completions'
const MODEL = 'gpt-4o-mini'
const MISTRAL = 42
const DEEPSEEK = 43
const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
}
/** Above 4 MiB. */
const LONG = 'x'.repeat(5_000_000)
const sent = (): unknown => JSON.parse(upstream.asked.at(-1)?.text ?? '')

test('given a long chat to Mistral, when sent, then its messages have what its schema knows', async () => {
  relay.directory.add(1, { type: MISTRAL, baseUrl: upstream.url })
  const messages = [
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: LONG, name: 'ada' },
    { role: 'assistant', content: null, refusal: null, tool_calls: [] },
  ]
  expect((await relay.post(CHAT, { model: MODEL, messages, seed: 7 })).status).toBe(200)
  expect(sent()).toEqual({
    model: MODEL,
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: LONG },
      { role: 'assistant', content: '', tool_calls: [] },
    ],
    random_seed: 7,
  })
  expect(relay.holds.settled).toMatchObject([{ request: { usage: { textIn: 10, textOut: 5 } } }])
})

test('given a long chat with a developer, when the vendor knows none, then it is a system', async () => {
  relay.directory.add(1, { type: DEEPSEEK, baseUrl: upstream.url })
  const of = (role: string): object => ({
    model: MODEL,
    messages: [
      { role, content: 'be brief' },
      { role: 'user', content: LONG },
    ],
  })
  expect((await relay.post(CHAT, of('developer'))).status).toBe(200)
  expect(sent()).toEqual(of('system'))
})

test('given a long chat that only speaks of a developer, when sent, then its bytes are as they came', async () => {
  relay.directory.add(1, { type: DEEPSEEK, baseUrl: upstream.url })
  const body = { messages: [{ content: `${LONG} developer`, role: 'user' }], model: MODEL }
  expect((await relay.post(CHAT, body)).status).toBe(200)
  expect(upstream.asked[0]?.text === JSON.stringify(body)).toBe(true)
})

test("given a long chat of Anthropic's client to Mistral, when sent, then it is one of Mistral's", async () => {
  relay.directory.add(1, { type: MISTRAL, baseUrl: upstream.url })
  const messages = [{ role: 'user', content: LONG }]
  const body = { model: MODEL, max_tokens: 9, system: 'be brief', messages }
  expect((await relay.post('/v1/messages', body)).status).toBe(200)
  expect(upstream.asked[0]?.path).toBe(CHAT)
  expect(sent()).toMatchObject({
    max_tokens: 9,
    messages: [{ role: 'system', content: 'be brief' }, { role: 'user' }],
  })
})
