import Anthropic, { APIError } from '@anthropic-ai/sdk'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { isObject } from '@tollgate/relay/json.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** Anthropic's own SDK against a channel that speaks OpenAI's protocol. */
let relay: RelayUnderTest
let upstream: FakeUpstream
let anthropic: Anthropic

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  anthropic = new Anthropic({
    apiKey: null,
    authToken: `sk-${KEY}`,
    baseURL: relay.url,
    maxRetries: 0,
  })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => startAfresh(relay, upstream))

const fixture = (name: string): string =>
  readFileSync(
    createRequire(import.meta.url).resolve(`@tollgate/tests/support/fixtures/openai/${name}.sse`),
    'utf8',
  )
const tool = (name: string): Anthropic.Tool => ({
  name,
  input_schema: { type: 'object', properties: {} },
})
const ASKED = {
  model: 'gpt-4o-mini',
  max_tokens: 1_000,
  tools: [tool('get_weather'), tool('get_time')],
}
const streams = (text: string): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  })

test('given tools over twenty turns, when the SDK streams, then calls and results go round', async () => {
  streams(fixture('tools'))
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather?' }]
  for (let turn = 0; turn < 20; turn += 1) {
    const message = await anthropic.messages.stream({ ...ASKED, messages }).finalMessage()
    expect(message.stop_reason).toBe('tool_use')
    const calls = message.content.filter((block) => block.type === 'tool_use')
    expect(calls).toMatchObject([
      { name: 'get_weather', input: { city: 'Zürich' } },
      { name: 'get_time', input: {} },
    ])
    messages.push({ role: 'assistant', content: message.content })
    messages.push({
      role: 'user',
      content: calls.map(({ id }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: `result ${turn}`,
      })),
    })
  }
  streams(fixture('plain-with-usage'))
  const last = await anthropic.messages.stream({ ...ASKED, messages }).finalMessage()
  expect(last.content).toMatchObject([{ type: 'text', text: 'Hello there!' }])
  expect(last.usage).toMatchObject({ input_tokens: 19, output_tokens: 10 })
  const sent: unknown = JSON.parse(upstream.asked.at(-1)?.text ?? '')
  const turns: unknown = isObject(sent) ? sent['messages'] : null
  expect(turns).toHaveLength(1 + 20 * 3)
  expect(Array.isArray(turns) && turns.slice(-2)).toMatchObject([
    { role: 'tool', content: 'result 19' },
    { role: 'tool', content: 'result 19' },
  ])
  // The books: nothing is left in reserve, and what is gone was charged.
  expect(relay.holds.settled).toHaveLength(21)
  expect(relay.holds.reserved).toBe(0)
  expect(relay.holds.available).toBe(
    1_000_000 - relay.holds.settled.reduce((sum, { amount }) => sum + amount, 0),
  )
})

test('given thoughts, when streamed, then the SDK tells them from the answer', async () => {
  streams(fixture('reasoning'))
  const messages = [{ role: 'user' as const, content: 'What is it?' }]
  const message = await anthropic.messages.stream({ ...ASKED, messages }).finalMessage()
  expect(message.content).toMatchObject([
    { type: 'thinking', thinking: 'First, think.' },
    { type: 'text', text: 'Answer 42' },
  ])
})

test('given errors before and within a stream, when asked, then the SDK raises them', async () => {
  const messages = [{ role: 'user' as const, content: 'hi' }]
  upstream.behave((response) => {
    response.writeHead(429, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"slow","type":"rate_limit_error"}}')
  })
  const refused = await anthropic.messages
    .create({ ...ASKED, messages })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 429, error: { error: { type: 'rate_limit_error' } } })
  streams(fixture('error-mid-stream'))
  const broken = await anthropic.messages
    .stream({ ...ASKED, messages })
    .finalMessage()
    .catch((error: unknown) => error)
  expect(broken).toBeInstanceOf(APIError)
})
