import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { isObject, type JsonObject } from '@tollgate/relay/json.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** The official `openai` package against a channel that speaks Anthropic's protocol. */
let relay: RelayUnderTest
let upstream: FakeUpstream
let openai: OpenAI

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  openai = new OpenAI({ apiKey: `sk-${KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 })
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
const STREAM = readFileSync(
  createRequire(import.meta.url).resolve(
    '@tollgate/tests/support/fixtures/claude/thinking-and-tools.sse',
  ),
  'utf8',
)
const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: {} } },
})
const LAST = {
  id: 'msg_9',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [{ type: 'text', text: 'Sunny at noon.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 60, output_tokens: 6 },
}

/** The last turns that upstream was sent. */
function turnsSent(): readonly unknown[] {
  const body: unknown = JSON.parse(upstream.asked.at(-1)?.text ?? '')
  return isObject(body) && Array.isArray(body['messages']) ? body['messages'] : []
}

test('given tools over twenty turns, when the SDK streams, then thoughts, calls and results go round', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM)
  })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }]
  const tools = [tool('get_weather'), tool('get_time')]
  for (let turn = 0; turn < 20; turn += 1) {
    const { message, details } = await streamed({ model: MODEL, messages, tools })
    expect(message.tool_calls).toMatchObject([
      { id: 'toolu_1', function: { name: 'get_weather', arguments: '{"city":"Zürich"}' } },
      { id: 'toolu_2', function: { name: 'get_time', arguments: '{}' } },
    ])
    messages.push(Object.assign({}, message, { reasoning_details: details }))
    for (const { id } of message.tool_calls ?? []) {
      messages.push({ role: 'tool', tool_call_id: id, content: `result ${turn}` })
    }
  }
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(LAST))
  })
  const last = await openai.chat.completions.create({ model: MODEL, messages, tools })
  expect(last.choices[0]?.message.content).toBe('Sunny at noon.')
  const turns = turnsSent()
  expect(turns).toHaveLength(1 + 2 * 20)
  expect(turns.slice(-2)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two tools.', signature: 'EqoBCkgIAR' },
        { type: 'redacted_thinking', data: 'EmwKAhgB' },
        { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Zürich' } },
        { type: 'tool_use', id: 'toolu_2', name: 'get_time', input: {} },
      ],
    },
    {
      role: 'user',
      content: ['toolu_1', 'toolu_2'].map((id) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text: 'result 19' }],
      })),
    },
  ])
  // The books: 20 streams of 20 and 40 tokens, and the last answer; nothing is left in reserve.
  const used = relay.holds.settled.map(({ request }) => request.usage)
  expect(used.reduce((sum, { textIn, textOut }) => sum + textIn + textOut, 0)).toBe(20 * 60 + 66)
  expect(relay.holds.reserved).toBe(0)
  expect(relay.holds.available).toBe(
    1_000_000 - relay.holds.settled.reduce((sum, { amount }) => sum + amount, 0),
  )
})

/** One streamed answer as the SDK puts it together, with the members that it does not know. */
async function streamed(body: Omit<OpenAI.ChatCompletionCreateParamsStreaming, 'stream'>) {
  const details: unknown[] = []
  const stream = openai.chat.completions.stream({ ...body, stream: true })
  stream.on('chunk', (chunk) => {
    const delta: JsonObject = { ...chunk.choices[0]?.delta }
    if (Array.isArray(delta['reasoning_details'])) details.push(...delta['reasoning_details'])
  })
  const { choices } = await stream.finalChatCompletion()
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no message')
  return {
    message: { role: message.role, content: message.content, tool_calls: message.tool_calls ?? [] },
    details,
  }
}
