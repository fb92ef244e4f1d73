import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** OpenAI's clients and channels of type 14, through the whole pipeline. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay({ bodyBytesMax: 8_000_000 })
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.channels.clear()
  relay.directory.add(1, { type: 14, models: [MODEL], baseUrl: upstream.url })
})

const CHAT = '/v1/chat/completions'
const MODEL = 'claude-3-5-sonnet-20241022'
const ASKED = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
const STREAM = readFileSync(
  new URL('../../tests/support/fixtures/claude/text-with-cache.sse', import.meta.url),
  'utf8',
)
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  model: MODEL,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: 100,
    cache_creation_input_tokens: 200,
    cache_read_input_tokens: 1_000,
    output_tokens: 50,
  },
}
const answers = (status: number, body: object): void =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
const streams = (text: string): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  })

test('given a chat, when a channel of Anthropic answers, then it is a completion and priced alike', async () => {
  answers(200, MESSAGE)
  const response = await relay.post(CHAT, ASKED)
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    created: expect.closeTo(Date.now() / 1_000, -2),
    choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 1_300,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 200 },
    },
  })
  const [asked] = upstream.asked
  expect(asked?.path).toBe('/v1/messages')
  expect(asked?.headers).toMatchObject({ 'anthropic-version': '2026-10-21' })
  expect(JSON.parse(asked?.text ?? '')).toEqual({
    model: MODEL,
    max_tokens: 8_192,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  })
  // As vector 8: the same tokens cost the same, whichever protocol asked for them.
  expect(relay.holds.settled).toMatchObject([{ amount: 1_050, request: { endpoint: CHAT } }])
})

test.each([
  [{}, '2026-10-21'],
  [{ temperature: 0.5 }, '2023-06-01'],
  [{ top_p: 0.5 }, '2023-06-01'],
  // Thinking is what the newer version knows better; a tool's own word is none of the request's.
  [{ reasoning_effort: 'low', max_tokens: 4_000 }, '2026-10-21'],
  [
    {
      tools: [
        {
          type: 'function',
          function: {
            name: 'oven',
            parameters: { type: 'object', properties: { temperature: { type: 'number' } } },
          },
        },
      ],
    },
    '2026-10-21',
  ],
])('given a chat with %j, when translated, then the version is %s', async (more, version) => {
  answers(200, MESSAGE)
  expect((await relay.post(CHAT, { ...ASKED, ...more })).status).toBe(200)
  expect(upstream.asked[0]?.headers['anthropic-version']).toBe(version)
})

test('given a stream, when a channel of Anthropic answers, then chunks, usage and [DONE] follow', async () => {
  streams(STREAM)
  const body = { ...ASKED, stream: true, stream_options: { include_usage: true } }
  const text = await (await relay.post(CHAT, body)).text()
  expect(text).toContain('"content":"Grüezi, "')
  expect(text).toMatch(/"completion_tokens":50,.*\n\ndata: \[DONE\]\n\n$/)
  expect(text).not.toContain('event:')
  expect(relay.holds.settled).toMatchObject([
    { request: { stream: true, usage: { textIn: 101, cacheWrite1hIn: 50, textOut: 50 } } },
  ])
})

test('given a stream that breaks off, when translated, then an error ends it and it is charged', async () => {
  streams(STREAM.slice(0, STREAM.indexOf('event: message_delta')))
  const text = await textUntilBreak(await relay.post(CHAT, { ...ASKED, stream: true }))
  expect(text).toMatch(/\n\ndata: \{"error":\{[^\n]*\n\n$/)
  expect(relay.holds.settled).toMatchObject([{ request: { estimated: true } }])
})

test('given an error of Anthropic, when told, then it has the shape of OpenAI', async () => {
  answers(400, { type: 'error', error: { type: 'invalid_request_error', message: 'too long' } })
  const response = await relay.post(CHAT, ASKED)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { type: 'invalid_request_error', message: expect.stringContaining('too long') },
  })
})

test('given what Anthropic has no word for, when asked, then it is refused by name and costs nothing', async () => {
  const response = await relay.post(CHAT, { ...ASKED, seed: 7 })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { code: 'unsupported_by_channel', param: 'seed' },
  })
  expect(upstream.asked).toHaveLength(0)
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  expect(relay.reports).toHaveLength(0)
})

test('given another channel that has a word for it, when retries are left, then that one is asked', async () => {
  relay.directory.set({ RetryTimes: '1' })
  relay.directory.add(2, { type: 1, models: [MODEL], baseUrl: upstream.url })
  answers(200, { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] })
  expect((await relay.post(CHAT, { ...ASKED, seed: 7 })).status).toBe(200)
  expect(upstream.asked.map(({ path }) => path)).toEqual([CHAT])
})

test("given the operator's limit and a channel's own members, when asked, then both are sent", async () => {
  relay.directory.set({ 'claude.default_max_tokens': `{"default":99,"claude-new":77}` })
  relay.directory.add(1, {
    type: 14,
    models: [MODEL],
    baseUrl: upstream.url,
    modelMapping: JSON.stringify({ [MODEL]: 'claude-new' }),
    paramOverride: '{"top_k":3}',
  })
  answers(200, MESSAGE)
  await relay.post(CHAT, ASKED)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toMatchObject({
    model: 'claude-new',
    max_tokens: 77,
    top_k: 3,
  })
  expect(relay.holds.settled[0]?.request.upstreamModel).toBe('claude-new')
})

test('given a body of megabytes, when asked, then it is translated in the thread', async () => {
  answers(200, { ...MESSAGE, content: [{ type: 'text', text: 'y'.repeat(100_000) }] })
  relay.holds.available = ENOUGH_FOR_ITS_BYTES
  const content = 'x'.repeat(2_000_000)
  const response = await relay.post(CHAT, { ...ASKED, messages: [{ role: 'user', content }] })
  const answer = (await response.json()) as { choices: [{ message: { content: string } }] }
  expect(answer.choices[0].message.content).toHaveLength(100_000)
  expect(upstream.asked[0]?.text.length).toBeGreaterThan(2_000_000)
  const refused = await relay.post(CHAT, {
    ...ASKED,
    messages: [{ role: 'user', content }],
    seed: 1,
  })
  expect(await refused.json()).toMatchObject({ error: { param: 'seed' } })
})

/** So that the prompt need not be counted first, which is given up after two seconds. */
const ENOUGH_FOR_ITS_BYTES = 1_000_000_000
