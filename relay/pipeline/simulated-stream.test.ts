import { afterEach, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../json.ts'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { eventually } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Whole answers to requests for streams, through the pipeline: what one protocol has beside texts and calls. */
const { relay, upstream, answers, streams } = await openRelayFixture()
afterEach(() => {
  if (relay.failures.length > 0) throw new Error(JSON.stringify(relay.failures))
})

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hello' }] }
const USAGE = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const ANSWER = {
  id: 'chat_1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: USAGE,
}
const CLAUDE = 'claude-sonnet-4-5'
const GEMINI = 'gemini-3-pro'
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]

const eventsIn = (text: string): readonly JsonObject[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject)

const choicesIn = (text: string): readonly JsonObject[] =>
  eventsIn(text).flatMap(({ choices }) => (choices as readonly unknown[]).filter(isObject))

test('given a whole answer, when a stream was asked for, then its head and its end are those of a stream', async () => {
  answers(200, ANSWER, { 'x-request-id': 'req_1' })
  const response = await relay.post(CHAT, { ...HELLO, stream_options: { include_usage: true } })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('x-request-id')).toBe('req_1')
  const text = await response.text()
  expect(eventsIn(text)).toEqual([
    {
      id: 'chat_1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt-4o-mini',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    },
    expect.objectContaining({
      choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
    }),
    expect.objectContaining({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    expect.objectContaining({ choices: [], usage: USAGE }),
  ])
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('given two choices with log probabilities and vendor members, when streamed, then each comes once', async () => {
  const token = (index: number): object => ({ token: `t${index}`, logprob: -1, top_logprobs: [] })
  const tokens = Array.from({ length: 120 }, (_, index) => token(index))
  const message = {
    role: 'assistant',
    content: 'Hi',
    refusal: null,
    reasoning: 'hm',
    reasoning_details: [{ type: 'reasoning.text', text: 'hm' }],
    annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } }],
    audio: { id: 'a', data: 'AA==', transcript: 'Hi' },
  }
  answers(200, {
    ...ANSWER,
    citations: ['https://a.test'],
    choices: [
      { index: 0, message, logprobs: { content: tokens, refusal: null }, finish_reason: 'stop' },
      { index: 1, message: { role: 'assistant', content: 'Ho' }, finish_reason: 'length' },
    ],
  })
  const text = await (await relay.post(CHAT, { ...HELLO, n: 2 })).text()
  const [first, second] = [0, 1].map((one) => choicesIn(text).filter(({ index }) => index === one))
  const joined = (choices: readonly JsonObject[] | undefined, name: string): string =>
    (choices ?? [])
      .map(({ delta }) => (delta as Record<string, string | undefined>)[name] ?? '')
      .join('')
  expect([joined(first, 'content'), joined(second, 'content')]).toEqual(['Hi', 'Ho'])
  expect(joined(first, 'reasoning')).toBe('hm')
  const others = first?.flatMap(({ delta }) => Object.keys(delta as JsonObject)) ?? []
  for (const name of ['reasoning_details', 'annotations', 'audio']) {
    expect(others.filter((one) => one === name)).toHaveLength(1)
  }
  const probabilities = first?.flatMap(({ logprobs }) =>
    isObject(logprobs) ? logprobs['content'] : [],
  )
  expect(probabilities).toEqual(tokens)
  expect(first?.at(-1)).toMatchObject({ finish_reason: 'stop' })
  expect(second?.at(-1)).toMatchObject({ finish_reason: 'length' })
  expect(eventsIn(text).filter((chunk) => 'citations' in chunk)).toHaveLength(1)
})

test('given a whole text completion without usage, when streamed, then its text is a chunk and is counted', async () => {
  answers(200, { id: 'c', object: 'text_completion', choices: [{ text: 'Hello there', index: 0 }] })
  const body = { model: 'gpt-4o-mini', prompt: 'hello', stream: true }
  const text = await (await relay.post('/v1/completions', body)).text()
  expect(eventsIn(text)).toEqual([
    {
      id: 'c',
      object: 'text_completion',
      choices: [{ text: 'Hello there', index: 0, finish_reason: 'stop' }],
    },
  ])
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: true, usage: { textOut: 2 } } },
  ])
})

test('given a message with search and citations, when streamed natively, then its blocks are its own', async () => {
  relay.directory.add(1, { type: 14, models: [CLAUDE], baseUrl: upstream.url })
  relay.directory.set({ ModelRatio: JSON.stringify({ [CLAUDE]: 1 }) })
  const citation = { type: 'web_search_result_location', url: 'https://a.test', title: 'A' }
  const content = [
    { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ url: 'https://a.test' }] },
    { type: 'text', text: 'It is so.', citations: [citation] },
    { type: 'redacted_thinking', data: 'AA==' },
  ]
  answers(200, {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: CLAUDE,
    content,
    stop_reason: 'refusal',
    stop_sequence: null,
    stop_details: { type: 'refusal', category: 'bio' },
    container: { id: 'ctr_1' },
    context_management: { applied_edits: [] },
    usage: { input_tokens: 10, output_tokens: 20, server_tool_use: { web_search_requests: 1 } },
  })
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const messages = [{ role: 'user', content: 'hello' }]
  const body = { model: CLAUDE, max_tokens: 100, stream: true, messages, tools }
  const events = eventsIn(await (await relay.post('/v1/messages', body)).text())
  const begun = events.flatMap((event) =>
    event['type'] === 'content_block_start' ? [event['content_block']] : [],
  )
  expect(begun).toEqual([
    { ...content[0], input: {} },
    content[1],
    { type: 'text', text: '', citations: [] },
    content[3],
  ])
  const deltas = events.flatMap((event) =>
    event['type'] === 'content_block_delta' ? [event['delta']] : [],
  )
  expect(deltas).toEqual([
    { type: 'input_json_delta', partial_json: '{"query":"x"}' },
    { type: 'text_delta', text: 'It is so.' },
    { type: 'citations_delta', citation },
  ])
  expect(events.at(-2)).toMatchObject({
    type: 'message_delta',
    delta: {
      stop_reason: 'refusal',
      stop_details: { category: 'bio' },
      container: { id: 'ctr_1' },
    },
    context_management: { applied_edits: [] },
    usage: { output_tokens: 20 },
  })
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: false, usage: { textIn: 10, textOut: 20, webSearchCalls: 1 } } },
  ])
})

test.each(['one answer', 'a list of frames'])(
  'given Google answers with %s, when events or a list are asked for, then frames are read from each',
  async (shape) => {
    relay.directory.add(1, { type: 24, models: [GEMINI], baseUrl: upstream.url })
    relay.directory.set({ ModelRatio: JSON.stringify({ [GEMINI]: 1 }) })
    const frame = (text: string): JsonObject => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
    })
    const frames = shape === 'one answer' ? [frame('Hi there')] : [frame('Hi'), frame(' there')]
    answers(200, shape === 'one answer' ? frame('Hi there') : frames)
    const path = `/v1beta/models/${GEMINI}:streamGenerateContent`
    const asEvents = await relay.post(`${path}?alt=sse`, { contents })
    const asList = await relay.post(path, { contents })
    expect(asList.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const ended = frames.map((one, place) =>
      place < frames.length - 1
        ? one
        : {
            ...one,
            candidates: [{ ...(one['candidates'] as JsonObject[])[0], finishReason: 'STOP' }],
          },
    )
    expect(eventsIn(await asEvents.text())).toEqual(ended)
    expect(await asList.json()).toEqual(ended)
    await eventually(() => relay.holds.settled.length === 2)
    for (const { request } of relay.holds.settled) {
      expect(request).toMatchObject({ stream: true, usage: { textIn: 10, textOut: 20 } })
    }
  },
)

test('given an account short of a whole answer’s price, when streamed, then it gets it and owes the rest', async () => {
  relay.holds.available = 400
  const content = 'word '.repeat(4_000)
  const usage = { prompt_tokens: 10, completion_tokens: 4_000, total_tokens: 4_010 }
  const message = { role: 'assistant', content }
  answers(200, { ...ANSWER, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
  const text = await (await relay.post(CHAT, HELLO)).text()
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(relay.holds.settled).toMatchObject([
    { request: { cutShort: false, usage: { textOut: 4_000 } } },
  ])
})

test('given a client that leaves a whole answer, when nobody drains, then it is charged by its usage', async () => {
  // More than waits in sockets: the answer stands still until the client is gone.
  const content = 'x'.repeat(8_000_000)
  const usage = { prompt_tokens: 10, completion_tokens: 1_900_000, total_tokens: 1_900_010 }
  const message = { role: 'assistant', content }
  answers(200, { ...ANSWER, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
  const reader = (await relay.post(CHAT, HELLO)).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([
    { request: { cancelled: true, estimated: false, usage: { textOut: 1_900_000 } } },
  ])
  relay.failures.length = 0
})

const STREAMED = [
  { id: 'c', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }] },
  { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { id: 'c', choices: [], usage: USAGE },
].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)

test('given no stream was asked for, when upstream streams all the same, then the client gets one answer', async () => {
  streams([...STREAMED, 'data: [DONE]\n\n'].join(''))
  const response = await relay.post(CHAT, { ...HELLO, stream: false })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toMatchObject({
    id: 'c',
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: USAGE,
  })
  expect(relay.holds.settled).toMatchObject([
    { request: { stream: false, estimated: false, usage: { textIn: 10, textOut: 20 } } },
  ])
})

test('given such a stream that breaks off, when one answer is awaited, then it is a free error', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(STREAMED[0], () => response.destroy())
  })
  const response = await relay.post(CHAT, { ...HELLO, stream: false })
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_broken' } })
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  relay.failures.length = 0
})

test("given an answer of usage alone, when streamed to Anthropic's client, then its message is complete", async () => {
  streams(`data: ${JSON.stringify({ id: 'c', choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`)
  const body = { ...HELLO, max_tokens: 10 }
  const events = eventsIn(await (await relay.post('/v1/messages', body)).text())
  expect(events.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop'])
})
