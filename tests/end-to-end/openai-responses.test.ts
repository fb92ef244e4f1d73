import {
  eventually,
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
import { zodTextFormat } from 'openai/helpers/zod'
import type {
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

/** The official `openai` package asking for responses: of a channel that has them, and of others, which chat. */
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
beforeEach(() => startAfresh(relay, upstream))

const CLAUDE = 'claude-3-5-sonnet-20241022'
const MODEL = 'gpt-4o-mini'
const ASKED = { model: MODEL, input: 'hello' }
const tool = (name: string) => ({
  type: 'function' as const,
  name,
  strict: false,
  parameters: { type: 'object', properties: {} },
})
const TOOLS = [tool('get_weather'), tool('get_time')]

const fixture = (protocol: string, name: string): string =>
  readFileSync(
    createRequire(import.meta.url).resolve(
      `@tollgate/tests/support/fixtures/${protocol}/${name}.sse`,
    ),
    'utf8',
  )
const streams = (text: string): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  })
const answers = (status: number, body: object): void =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
/** Another channel type in place of the one that has responses. */
const useType = (type: number, model = MODEL): void => {
  relay.directory.channels.clear()
  relay.directory.add(1, { type, models: [model], baseUrl: upstream.url })
}

function sent(): JsonObject {
  const body: unknown = JSON.parse(upstream.asked.at(-1)?.text ?? '')
  return isObject(body) ? body : {}
}

/** All of a stream's events, which must be numbered in order, and the response that the SDK puts together. */
async function streamed(asked: Parameters<typeof openai.responses.stream>[0]) {
  const stream = openai.responses.stream(asked)
  const events: ResponseStreamEvent[] = []
  stream.on('event', (event) => events.push(event))
  const response = await stream.finalResponse()
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
  return { response, events }
}

/** The items that clients send back of an answer, as they are. */
const sentBack = (item: ResponseOutputItem): readonly ResponseInputItem[] =>
  item.type === 'reasoning' || item.type === 'function_call' || item.type === 'message'
    ? [item]
    : []

/** The books: nothing is left in reserve, and what is gone was charged. */
function expectBalanced(charges: number): void {
  expect(relay.holds.settled).toHaveLength(charges)
  expect(relay.holds.reserved).toBe(0)
  const charged = relay.holds.settled.reduce((sum, { amount }) => sum + amount, 0)
  expect(relay.holds.available).toBe(1_000_000 - charged)
}

test('given a channel that has responses, when streamed, then the SDK reads the answer', async () => {
  streams(fixture('responses', 'text'))
  const { response } = await streamed(ASKED)
  expect(response).toMatchObject({ status: 'completed', output_text: 'Hi there' })
  expect(response.usage).toMatchObject({ input_tokens: 30, output_tokens: 12 })
  expectBalanced(1)
})

test('given a stored response, when asked for by id, then its channel shows, lists and deletes it', async () => {
  const stored = {
    id: 'resp_up1',
    object: 'response',
    status: 'completed',
    output: [],
    previous_response_id: 'resp_up0',
    usage: { input_tokens: 7, output_tokens: 1 },
  }
  answers(200, stored)
  const { id } = await openai.responses.create(ASKED)
  expect(id).not.toContain('resp_up1')
  const shown = await openai.responses.retrieve(id, { include: ['reasoning.encrypted_content'] })
  expect(shown.id).toBe(id)
  expect(shown.previous_response_id).toMatch(/^resp_/)
  expect(shown.previous_response_id).not.toContain('resp_up0')
  await openai.responses.cancel(id)
  answers(200, { object: 'list', data: [], has_more: false })
  expect((await openai.responses.inputItems.list(id, { limit: 5 })).data).toEqual([])
  answers(200, { id: 'resp_up1', object: 'response', deleted: true })
  await openai.responses.delete(id)
  expect(upstream.asked.slice(1).map(({ request, path }) => `${request.method} ${path}`)).toEqual([
    'GET /v1/responses/resp_up1?include%5B%5D=reasoning.encrypted_content',
    'POST /v1/responses/resp_up1/cancel',
    'GET /v1/responses/resp_up1/input_items?limit=5',
    'DELETE /v1/responses/resp_up1',
  ])
  expectBalanced(1)
  answers(404, { error: { message: "Response with id 'resp_up1' not found.", code: null } })
  const gone = await openai.responses.retrieve(id).catch((error: unknown) => error)
  expect(gone).toMatchObject({ status: 404, code: 'previous_response_not_found' })
  expect(String(gone)).not.toContain('resp_up1')
  const foreign = await openai.responses.retrieve('resp_up1').catch((error: unknown) => error)
  expect(foreign).toMatchObject({ status: 404 })
  expect(upstream.asked).toHaveLength(6)
})

test.each([
  [43, MODEL, 'openai', 'tools', 'call', 113],
  [14, CLAUDE, 'claude', 'thinking-and-tools', 'toolu', 60],
] as const)(
  'given a channel of type %i that chats, when tools go round twenty turns, then nothing is lost',
  async (type, model, protocol, recording, prefix, total) => {
    useType(type, model)
    streams(fixture(protocol, recording))
    const input: ResponseInputItem[] = [{ role: 'user', content: 'Weather?' }]
    for (let turn = 0; turn < 20; turn += 1) {
      const { response } = await streamed({ model, input, tools: TOOLS })
      const calls = response.output.filter((item) => item.type === 'function_call')
      expect(calls).toMatchObject([
        { call_id: `${prefix}_1`, name: 'get_weather', arguments: '{"city":"Zürich"}' },
        { call_id: `${prefix}_2`, name: 'get_time', arguments: '{}' },
      ])
      expect(response.usage?.total_tokens).toBe(total)
      input.push(...response.output.flatMap((item) => sentBack(item)))
      for (const { call_id } of calls) {
        input.push({ type: 'function_call_output', call_id, output: `result ${turn}` })
      }
    }
    const { messages } = sent()
    expect(messages).toHaveLength(protocol === 'claude' ? 1 + 2 * 19 : 1 + 3 * 19)
    if (protocol === 'claude') {
      expect(Array.isArray(messages) && messages.at(-2)).toMatchObject({
        content: [
          { type: 'thinking', thinking: 'Two tools.', signature: 'EqoBCkgIAR' },
          { type: 'redacted_thinking', data: 'EmwKAhgB' },
          { type: 'tool_use', id: 'toolu_1' },
          { type: 'tool_use', id: 'toolu_2' },
        ],
      })
    }
    expectBalanced(20)
  },
)

test('given a channel that chats, when text and thoughts are streamed, then all events come in order', async () => {
  useType(43)
  streams(fixture('openai', 'reasoning'))
  const { response, events } = await streamed({ ...ASKED, instructions: 'Be short.' })
  expect(response.output_text).toBe('Answer 42')
  expect(response.output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'First, think.' }] },
    { type: 'message', status: 'completed', content: [{ type: 'output_text' }] },
  ])
  expect([...new Set(events.map(({ type }) => type))]).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.completed',
  ])
  expect(sent()['messages']).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'hello' },
  ])
  expectBalanced(1)
})

test('given a schema and a whole answer, when parsed by the SDK, then it has its shape', async () => {
  useType(14, CLAUDE)
  answers(200, {
    id: 'msg_9',
    type: 'message',
    role: 'assistant',
    model: CLAUDE,
    content: [{ type: 'text', text: '{"city":"Paris"}' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 60, output_tokens: 6 },
  })
  const format = zodTextFormat(z.object({ city: z.string() }), 'place')
  const response = await openai.responses.parse({
    model: CLAUDE,
    input: 'Where?',
    text: { format },
  })
  expect(response.output_parsed).toEqual({ city: 'Paris' })
  expect(response.usage?.total_tokens).toBe(66)
  expect(sent()['output_config']).toMatchObject({ format: { type: 'json_schema' } })
  expectBalanced(1)
})

test('given pictures and documents, when sent to a channel that chats, then they go along', async () => {
  useType(14, CLAUDE)
  answers(429, { type: 'error', error: { type: 'rate_limit_error', message: 'slow' } })
  const content = [
    { type: 'input_text' as const, text: 'See' },
    {
      type: 'input_image' as const,
      detail: 'auto' as const,
      image_url: 'data:image/png;base64,AA',
    },
    { type: 'input_file' as const, file_data: 'data:application/pdf;base64,BB', filename: 'a.pdf' },
  ]
  const refused = await openai.responses
    .create({ model: CLAUDE, input: [{ role: 'user', content }] })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 429, type: 'rate_limit_error' })
  expect(sent()['messages']).toMatchObject([
    { content: [{ text: 'See' }, { type: 'image' }, { type: 'document' }] },
  ])
  expectBalanced(0)
})

test.each([
  ['tools', { tools: [{ type: 'web_search' as const }] }],
  ['truncation', { truncation: 'auto' as const }],
  ['input', { input: [{ type: 'item_reference' as const, id: 'msg_1' }] }],
])(
  'given %s that a channel cannot say, when asked, then it is refused by name',
  async (param, more) => {
    useType(43)
    const refused = await openai.responses
      .create({ ...ASKED, ...more })
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 400, param })
    expect(upstream.asked).toHaveLength(0)
  },
)

test('given a channel without words for a tool, when another has them, then it is asked', async () => {
  useType(43)
  relay.directory.add(2, { baseUrl: upstream.url })
  streams(fixture('responses', 'text'))
  const { response } = await streamed({ ...ASKED, tools: [{ type: 'web_search' }] })
  expect(response.output_text).toBe('Hi there')
  expect(upstream.asked.map(({ path }) => path)).toEqual(['/v1/responses'])
})

test('given a chat that breaks off, when streamed, then the SDK raises it and what came is charged', async () => {
  useType(43)
  streams(fixture('openai', 'truncated'))
  const broken = await streamed(ASKED).catch((error: unknown) => error)
  expect(broken).toBeInstanceOf(Error)
  expect(relay.holds.settled).toMatchObject([{ request: { estimated: true } }])
  expectBalanced(1)
})

test('given a chat that ends at its limit, when streamed, then the response is incomplete', async () => {
  useType(43)
  const text = fixture('openai', 'plain-with-usage')
  streams(text.replace('"finish_reason":"stop"', '"finish_reason":"length"'))
  const { response } = await streamed({ ...ASKED, max_output_tokens: 16 })
  expect(response).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  })
  expect(sent()['max_tokens']).toBe(16)
})

test('given a client that leaves, when a response is streamed, then what came is charged', async () => {
  const text = fixture('responses', 'text')
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(text.slice(0, text.indexOf('event: response.output_text.done')))
  })
  for await (const event of await openai.responses.create({ ...ASKED, stream: true })) {
    if (event.type === 'response.output_text.delta') break
  }
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([{ request: { cancelled: true, estimated: true } }])
  expectBalanced(1)
})

test.each([
  ['a channel that has responses', 1, 11],
  // Our own count: a word, the role, and what frames them.
  ['a channel that chats', 43, 8],
])(
  'given %s, when the SDK counts a prompt, then it gets the count and nothing is charged',
  async (...row) => {
    const [, type, tokens] = row
    useType(type)
    answers(200, { object: 'response.input_tokens', input_tokens: 11 })
    const count = () => openai.responses.inputTokens.count(ASKED)
    await expect
      .poll(count, { timeout: 20_000 })
      .toEqual({ object: 'response.input_tokens', input_tokens: tokens })
    expect(relay.holds).toMatchObject({ draws: [], settled: [] })
  },
)

test('given a conversation, when the SDK makes it shorter, then it goes on from what came', async () => {
  const item = { id: 'cmp_2', type: 'compaction' as const, encrypted_content: 'gAAAAABp' }
  const kept = {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    role: 'user',
    content: [{ type: 'input_text', text: 'hello' }],
  }
  answers(200, {
    id: 'resp_up9',
    object: 'response.compaction',
    created_at: 1_764_967_971,
    output: [kept, item],
    usage: { input_tokens: 40, output_tokens: 30, total_tokens: 70 },
  })
  const compacted = await openai.responses.compact({
    model: MODEL,
    input: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hi' },
    ],
  })
  expect(compacted).toMatchObject({ object: 'response.compaction', output: [kept, item] })
  expect(compacted.id).not.toBe('resp_up9')
  const input: ResponseInputItem[] = [
    ...compacted.output,
    { role: 'user', content: 'and now?' },
  ] as ResponseInputItem[]
  answers(200, {
    id: 'resp_up10',
    object: 'response',
    output: [],
    usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
  })
  await openai.responses.create({ model: MODEL, input })
  expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject({ input })
  expect(relay.holds.settled.map(({ request }) => request.usage)).toMatchObject([
    { textIn: 40, textOut: 30 },
    { textIn: 20, textOut: 5 },
  ])
  useType(43)
  await expect(openai.responses.compact({ model: MODEL, input: 'hello' })).rejects.toMatchObject({
    status: 400,
    code: 'unsupported_by_channel',
  })
  await expect(openai.responses.create({ model: MODEL, input })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('compaction'),
  })
})
