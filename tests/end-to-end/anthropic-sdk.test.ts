import Anthropic, { APIError } from '@anthropic-ai/sdk'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** Anthropic's own SDK through the relay, with the key as today's and as older versions send it. */
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
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.add(1, { type: 14, models: [MODEL], baseUrl: upstream.url })
})

const MODEL = 'claude-3-5-sonnet-20241022'
const ASKED = {
  model: MODEL,
  max_tokens: 1_000,
  messages: [{ role: 'user' as const, content: 'What is the weather in Zürich?' }],
}
const FIXTURES = createRequire(import.meta.url).resolve(
  '@tollgate/tests/support/fixtures/claude/thinking-and-tools.sse',
)
const STREAM = readFileSync(FIXTURES, 'utf8')

const clients = (): ReadonlyArray<readonly [string, Anthropic]> => {
  const common = { baseURL: relay.url, maxRetries: 0 }
  return [
    ['a bearer', new Anthropic({ ...common, apiKey: null, authToken: `sk-${KEY}` })],
    ['x-api-key', new Anthropic({ ...common, apiKey: `sk-${KEY}`, authToken: null })],
  ]
}

test('given either way to show a key, when tools are streamed, then the SDK puts them together', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' })
    response.end(STREAM)
  })
  for (const [how, client] of clients()) {
    const message = await client.messages.stream(ASKED).finalMessage()
    expect([how, message.stop_reason]).toEqual([how, 'tool_use'])
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'Two tools.', signature: 'EqoBCkgIAR' },
      { type: 'redacted_thinking', data: 'EmwKAhgB' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Zürich' } },
      { type: 'tool_use', id: 'toolu_2', name: 'get_time', input: {} },
    ])
    expect(message.usage).toMatchObject({ input_tokens: 20, output_tokens: 40 })
  }
  expect(relay.holds.settled.map(({ request }) => request.usage)).toMatchObject([
    { textIn: 20, textOut: 40, reasoningOut: 12 },
    { textIn: 20, textOut: 40, reasoningOut: 12 },
  ])
})

test('given a message, when created, then text, usage and the id of the request arrive', async () => {
  const body = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text: 'Sunny.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5 },
  }
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_1' })
    response.end(JSON.stringify(body))
  })
  for (const [, client] of clients()) {
    const message = await client.messages.create(ASKED)
    expect(message).toMatchObject(body)
    expect(message._request_id).toBe('req_1')
  }
  expect(relay.holds.settled).toHaveLength(2)
})

test('given errors of upstream and of ours, when raised, then the SDK knows status and type', async () => {
  upstream.behave((response) => {
    response.writeHead(529, { 'content-type': 'application/json', 'request-id': 'req_2' })
    response.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')
  })
  for (const [, client] of clients()) {
    const theirs = await client.messages.create(ASKED).catch((error: unknown) => error)
    expect(theirs).toBeInstanceOf(APIError)
    expect(theirs).toMatchObject({
      status: 529,
      requestID: 'req_2',
      error: { type: 'error', error: { type: 'overloaded_error' } },
    })
    const ours = await client.messages
      .create({ ...ASKED, model: 'none' })
      .catch((error: unknown) => error)
    expect(ours).toMatchObject({ status: 404, error: { error: { type: 'new_api_error' } } })
  }
})

test('given an error event within a stream, when streamed, then the SDK raises it', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `${STREAM.slice(0, STREAM.indexOf('event: message_delta'))}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`,
    )
  })
  for (const [, client] of clients()) {
    const raised = await client.messages
      .stream(ASKED)
      .finalMessage()
      .catch((error: unknown) => error)
    expect(raised).toBeInstanceOf(APIError)
    expect(String(raised)).toContain('Overloaded')
  }
})

test('given models, when listed, then the SDK pages through them', async () => {
  for (const [, client] of clients()) {
    const ids: string[] = []
    for await (const model of client.models.list()) ids.push(model.id)
    expect(ids).toEqual([MODEL])
  }
})

test('given a prompt, when its tokens are counted, then the SDK is told and nothing is charged', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":14}')
  })
  const { model, messages } = ASKED
  for (const [, client] of clients()) {
    expect(await client.messages.countTokens({ model, messages })).toMatchObject({
      input_tokens: 14,
    })
  }
  expect(relay.holds.settled).toHaveLength(0)
})
