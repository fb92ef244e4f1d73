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

/** Anthropic's clients and channels that speak OpenAI's protocol, through the whole pipeline. */
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
beforeEach(() => startAfresh(relay, upstream))

const PATH = '/v1/messages'
const ASKED = {
  model: 'gpt-4o-mini',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hello' }],
}
const STREAM = readFileSync(
  new URL('../../tests/support/fixtures/openai/plain-with-usage.sse', import.meta.url),
  'utf8',
)
const answers = (status: number, body: object): void =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
const streams = (text: string): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  })
const sent = (): unknown => JSON.parse(upstream.asked.at(-1)?.text ?? '') as unknown

test('given a message, when a channel of OpenAI answers, then it is one, charged by its usage', async () => {
  answers(200, {
    id: 'c',
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  })
  const response = await relay.post(PATH, ASKED)
  expect(await response.json()).toMatchObject({
    type: 'message',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5 },
  })
  expect(upstream.asked[0]?.path).toBe('/v1/chat/completions')
  expect(sent()).toEqual({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hello' }],
    max_completion_tokens: 100,
  })
  expect(relay.holds.settled).toMatchObject([
    { request: { endpoint: PATH, usage: { textIn: 10, textOut: 5 }, estimated: false } },
  ])
  expect(relay.holds.reserved).toBe(0)
})

test.each([
  [25, 'kimi-k2.5', true],
  [43, 'deepseek-chat', true],
  [43, 'deepseek-v3.2', true],
  [43, 'deepseek-v3.1', false],
  [43, 'deepseek-r1', false],
  [1, 'gpt-5', false],
  [42, 'magistral', false],
  [47, 'qwen3', false],
])(
  'given a thought before a call, when sent to type %i as %s, then it goes back: %s',
  async (type, model, goesBack) => {
    const modelMapping = JSON.stringify({ 'gpt-4o-mini': model })
    relay.directory.add(1, { type, baseUrl: upstream.url, modelMapping })
    answers(200, { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] })
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'tool_use', id: 't', name: 'look', input: {} },
    ]
    const result = [{ type: 'tool_result', tool_use_id: 't', content: 'seen' }]
    const messages = [
      ...ASKED.messages,
      { role: 'assistant', content },
      { role: 'user', content: result },
    ]
    expect((await relay.post(PATH, { ...ASKED, messages })).status).toBe(200)
    expect(upstream.asked.at(-1)?.text.includes('"reasoning_content":"Hm"')).toBe(goesBack)
  },
)

test('given a stream, when a channel of OpenAI answers, then usage is told at its end', async () => {
  streams(STREAM)
  const response = await relay.post(PATH, { ...ASKED, stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const text = await response.text()
  expect(text).toMatch(/^event: message_start\n/)
  expect(text).toMatch(/"output_tokens":10\}\}\n\nevent: message_stop\n.*\n\n$/)
  expect(text).not.toContain('[DONE]')
  expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  expect(relay.holds.settled).toMatchObject([{ request: { usage: { textIn: 19, textOut: 10 } } }])
})

test('given a charge that is late, when streamed, then an error stands in place of the stop', async () => {
  streams(STREAM)
  relay.holds.journal = new Promise(() => undefined)
  const text = await textUntilBreak(await relay.post(PATH, { ...ASKED, stream: true }))
  relay.holds.journal = Promise.resolve()
  expect(text).not.toMatch(/message_delta|message_stop/)
  expect(text.split('\n\n').at(-2)).toMatch(/^event: error\n/)
})

test('given the quirks of a channel, when translated, then they are heeded as for any chat', async () => {
  relay.directory.add(1, {
    type: 42,
    baseUrl: upstream.url,
    modelMapping: '{"gpt-4o-mini":"mistral-small"}',
    paramOverride: '{"random_seed":1}',
  })
  answers(200, { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] })
  await relay.post(PATH, { ...ASKED, metadata: { user_id: 'u' } })
  expect(sent()).toEqual({
    model: 'mistral-small',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 100,
    random_seed: 1,
  })
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: true, upstreamModel: 'mistral-small' } },
  ])
})

test.each([
  ['an error of upstream', ASKED, 429, 'rate_limit'],
  ['a word that it has not', { ...ASKED, top_k: 5 }, 400, 'new_api_error'],
])('given %s, when told, then it has the shape of Anthropic', async (_what, body, status, type) => {
  answers(429, { error: { message: 'slow down', type: 'rate_limit', code: 'r' } })
  const response = await relay.post(PATH, body)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ type: 'error', error: { type } })
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
})

test('given a body of megabytes, when asked, then it is translated in the thread', async () => {
  answers(200, {
    choices: [{ index: 0, message: { content: 'y'.repeat(100_000) }, finish_reason: 'stop' }],
  })
  const messages = [{ role: 'user', content: 'x'.repeat(2_000_000) }]
  const response = await relay.post(PATH, { ...ASKED, messages })
  const answer = (await response.json()) as { content: [{ text: string }] }
  expect(answer.content[0].text).toHaveLength(100_000)
  expect(sent()).toMatchObject({ messages })
  const refused = await relay.post(PATH, { ...ASKED, messages, top_k: 5 })
  expect(refused.status).toBe(400)
})

test('given a prompt to count, when its channel does not count, then it is counted here', async () => {
  const response = await relay.post(`${PATH}/count_tokens`, ASKED)
  expect(await response.json()).toEqual({ input_tokens: 4 })
  expect(upstream.asked).toHaveLength(0)
})
