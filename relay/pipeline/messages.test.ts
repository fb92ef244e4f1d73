import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import {
  eventually,
  KEY,
  textUntilBreak,
  TOKEN,
  USER,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Anthropic's messages to channels of type 14, through the whole pipeline. */
const { relay, upstream, answers, streams } = await openRelayFixture()
beforeEach(() => {
  relay.directory.channels.clear()
  relay.directory.add(1, { type: 14, models: [MODEL], baseUrl: upstream.url })
})

const PATH = '/v1/messages'
const MODEL = 'claude-3-5-sonnet-20241022'
const ASKED = { model: MODEL, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
const VERSION = { 'anthropic-version': '2023-06-01' }
const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 200,
  cache_read_input_tokens: 1_000,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 0 },
  output_tokens: 50,
}
const ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: USAGE,
}
const STREAM = readFileSync(
  new URL('../../tests/support/fixtures/claude/text-with-cache.sse', import.meta.url),
  'utf8',
)

test('given a message, when answered, then it passes as it came and cache tokens have their price', async () => {
  answers(200, ANSWER, { 'request-id': 'req_up' })
  const response = await relay.post(PATH, ASKED, { ...VERSION, 'anthropic-beta': 'a-1,b-2' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual(ANSWER)
  expect(response.headers.get('request-id')).toBe('req_up')
  const [asked] = upstream.asked
  expect(asked?.path).toBe(PATH)
  expect(JSON.parse(asked?.text ?? '')).toEqual(ASKED)
  expect(asked?.headers).toMatchObject({
    'x-api-key': 'upstream-key-1',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'a-1,b-2',
  })
  expect(asked?.headers.authorization).toBeUndefined()
  // Vector 8 of relay-and-billing.md: 100 + 1000 x 0.1 + 200 x 1.25 + 50 x 5, at 1.5.
  expect(relay.holds.settled).toMatchObject([
    {
      amount: 1_050,
      request: {
        endpoint: PATH,
        usage: { textIn: 100, cachedIn: 1_000, cacheWriteIn: 200, textOut: 50 },
        upstream: { responseId: 'msg_1', requestId: 'req_up' },
        estimated: false,
      },
    },
  ])
  expect(relay.holds.reserved).toBe(0)
})

test('given a chat that may be compacted, when asked, then both readings are held and charged', async () => {
  const more = { context_management: { edits: [{ type: 'compact_20260112' }] } }
  const summary = { type: 'compaction', input_tokens: 1_000, output_tokens: 10 }
  let reserved = 0
  upstream.behave((response) => {
    ;({ reserved } = relay.holds)
    const usage = { ...USAGE, iterations: [summary, { ...USAGE, type: 'message' }] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...ANSWER, usage }))
  })
  const long = [{ role: 'user', content: 'hello '.repeat(2_000) }]
  await relay.post(PATH, { ...ASKED, messages: long }, VERSION)
  const once = reserved
  await relay.post(PATH, { ...ASKED, messages: long, ...more }, VERSION)
  expect(reserved).toBeGreaterThan(1.8 * once)
  // (1,100 + 1,000 × 0.1 + 200 × 1.25 + 60 × 5) × 1.5
  expect(relay.holds.settled.at(-1)).toMatchObject({
    amount: 2_625,
    request: { usage: { textIn: 1_100, cachedIn: 1_000, cacheWriteIn: 200, textOut: 60 } },
  })
  expect(relay.holds.reserved).toBe(0)
})

test.each([
  ['two other models', [{ model: 'claude-opus-4-8' }, { model: 'claude-opus-4-6' }], 2.5],
  ['the default one', 'default', 1.7],
])('given a chat that %s may answer, when asked, then each is held for', async (...given) => {
  const [, fallbacks, times] = given
  relay.directory.channels.clear()
  const terms = { type: 14, models: [MODEL], baseUrl: upstream.url }
  relay.directory.add(1, { ...terms, setting: '{"allow_provider_objects":true}' })
  let reserved = 0
  upstream.behave((response) => {
    ;({ reserved } = relay.holds)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(ANSWER))
  })
  const asked = { ...ASKED, messages: [{ role: 'user', content: 'hello '.repeat(200) }] }
  await relay.post(PATH, asked, VERSION)
  const once = reserved
  await relay.post(PATH, { ...asked, fallbacks }, VERSION)
  expect(reserved).toBeGreaterThan(times * once)
  expect(relay.holds.reserved).toBe(0)
})

test('given a picture in a chat that may be compacted, when asked, then its bytes are not held as tokens', async () => {
  let reserved = 0
  upstream.behave((response) => {
    ;({ reserved } = relay.holds)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...ANSWER, usage: USAGE }))
  })
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) }
  const messages = [{ role: 'user', content: [{ type: 'image', source }] }]
  await relay.post(PATH, { ...ASKED, messages }, VERSION)
  const once = reserved
  const more = { context_management: { edits: [{ type: 'compact_20260112' }] } }
  await relay.post(PATH, { ...ASKED, messages, ...more }, VERSION)
  expect(reserved).toBeLessThan(2 * once + 1_000)
})

test('given a client that leaves after a summary, when charged, then the summary is estimated', async () => {
  upstream.behave((response) => {
    const say = (type: string, more: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    say('message_start', { message: { ...ANSWER, content: [], usage: USAGE } })
    say('content_block_start', { index: 0, content_block: { type: 'compaction', content: null } })
    const content = 'one word '.repeat(200)
    say('content_block_delta', { index: 0, delta: { type: 'compaction_delta', content } })
  })
  const leaving = new AbortController()
  const response = await fetch(relay.url + PATH, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer sk-${KEY}`, 'content-type': 'application/json', ...VERSION },
    body: JSON.stringify({ ...ASKED, stream: true }),
  })
  const reader = response.body?.getReader()
  for (let text = ''; !text.includes('compaction_delta');) {
    const read = await reader?.read()
    text += new TextDecoder().decode(read?.value)
  }
  leaving.abort()
  await eventually(() => relay.holds.settled.length === 1)
  const { usage, cancelled } = relay.holds.settled[0]?.request ?? {}
  expect(cancelled).toBe(true)
  expect(usage?.textOut).toBeGreaterThan(300)
})

const OLDER = '2023-06-01'
const NEWER = '2026-10-21'
test.each<[what: string, more: object, override: object | null, named: string, said: string]>([
  ['nothing that ended', {}, null, '', NEWER],
  ['a temperature', { temperature: 1 }, null, '', OLDER],
  ['top_k', { top_k: 5 }, null, '', OLDER],
  [
    'citations',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', citations: [] }] }] },
    null,
    '',
    OLDER,
  ],
  ['a temperature and a version', { temperature: 1 }, null, NEWER, NEWER],
  ['an older version', {}, null, OLDER, OLDER],
  ['what is no version', {}, null, 'latest', NEWER],
  ['a temperature that the channel adds', {}, { temperature: 0.5 }, NEWER, OLDER],
  ['a limit that the channel adds', {}, { max_tokens: 50 }, NEWER, NEWER],
])('given %s, when sent, then the version fits', async (_what, more, override, named, said) => {
  const paramOverride = JSON.stringify(override)
  const terms = { type: 14, models: [MODEL], baseUrl: upstream.url }
  relay.directory.add(1, { ...terms, ...(override !== null && { paramOverride }) })
  answers(200, ANSWER)
  const headers: Record<string, string> = named === '' ? {} : { 'anthropic-version': named }
  expect((await relay.post(PATH, { ...ASKED, ...more }, headers)).status).toBe(200)
  expect(upstream.asked[0]?.headers['anthropic-version']).toBe(said)
})

test('given a version in the options of a model, when sent, then it stands over the others', async () => {
  relay.directory.set({
    'claude.model_headers_settings': `{"${MODEL}":{"Anthropic-Version":["2023-06-01"]}}`,
  })
  answers(200, ANSWER)
  await relay.post(PATH, ASKED, { 'anthropic-version': NEWER })
  expect(upstream.asked[0]?.headers['anthropic-version']).toBe(OLDER)
})

test('given searches of the web, when charged, then each has its price', async () => {
  answers(200, { ...ANSWER, usage: { ...USAGE, server_tool_use: { web_search_requests: 3 } } })
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]
  expect((await relay.post(PATH, { ...ASKED, tools }, VERSION)).status).toBe(200)
  // 10 USD for 1,000 searches, at 500,000 quota for a dollar, beside the tokens of the first test.
  expect(relay.holds.settled).toMatchObject([
    {
      amount: 1_050 + 15_000,
      request: { usage: { webSearchCalls: 3 }, price: { webSearchPrice: '10' } },
    },
  ])
  // Five are reserved for, as the client allows them.
  expect(relay.holds.draws[0]).toBeGreaterThan(25_000)
})

test('given a price of searches in the options, when searched, then it is reserved and charged', async () => {
  relay.directory.set({ ToolPrices: '{"web_search_claude":100}' })
  answers(200, { ...ANSWER, usage: { ...USAGE, server_tool_use: { web_search_requests: 3 } } })
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]
  expect((await relay.post(PATH, { ...ASKED, tools }, VERSION)).status).toBe(200)
  expect(relay.holds.settled).toMatchObject([
    { amount: 1_050 + 150_000, request: { price: { webSearchPrice: '100' } } },
  ])
  expect(relay.holds.draws[0]).toBeGreaterThan(250_000)
})

test('given a stream, when answered, then its end follows the charge and nothing is changed', async () => {
  streams(STREAM)
  const response = await relay.post(PATH, { ...ASKED, stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('request-id')).toMatch(/^request-/)
  expect(await response.text()).toBe(STREAM)
  expect(upstream.asked[0]?.headers['anthropic-version']).toBe('2026-10-21')
  expect(relay.holds.settled).toMatchObject([
    { request: { stream: true, usage: { textIn: 101, cacheWrite1hIn: 50, textOut: 50 } } },
  ])
})

test('given a charge that is late, when streamed, then an error stands in place of the stop', async () => {
  streams(STREAM)
  relay.holds.journal = new Promise(() => undefined)
  const response = await relay.post(PATH, { ...ASKED, stream: true })
  const text = await textUntilBreak(response)
  relay.holds.journal = Promise.resolve()
  expect(text).not.toMatch(/message_delta|message_stop/)
  expect(text.split('\n\n').at(-2)).toMatch(/^event: error\ndata: \{"type":"error","error":/)
})

const refused = (category: string | null, content: readonly object[] = []): object => ({
  ...ANSWER,
  content,
  stop_reason: 'refusal',
  stop_details: { type: 'refusal', category, explanation: null },
  usage: { input_tokens: 412, output_tokens: content.length },
})
const event = (data: { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const refusedStream = (category: string | null, ...blocks: readonly { type: string }[]): string => {
  const {
    content: _,
    stop_reason,
    stop_details,
    usage,
    ...head
  } = refused(category) as Record<string, unknown>
  return [
    { type: 'message_start', message: { ...head, content: [], usage } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_details }, usage },
    { type: 'message_stop' },
  ]
    .map(event)
    .join('')
}
const BLOCK_END = { type: 'content_block_stop', index: 0 }
const BLOCK = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } }

test.each([
  ['cyber', 0],
  [null, 0],
  ['bio', 618],
] as const)(
  'given a refusal of category %s before any output, when charged, then it costs %s',
  async (category, amount) => {
    answers(200, refused(category))
    expect(await (await relay.post(PATH, ASKED)).json()).toEqual(refused(category))
    await relay.post('/v1/chat/completions', { model: MODEL, messages: ASKED.messages })
    streams(refusedStream(category))
    const text = await (await relay.post(PATH, { ...ASKED, stream: true })).text()
    expect(text).toBe(refusedStream(category))
    expect(relay.holds.settled.map((charge) => charge.amount)).toEqual([amount, amount, amount])
    // The tokens stay readable beside the charge, as Anthropic told them.
    for (const { request } of relay.holds.settled) {
      expect(request.upstream?.usage).toContain('"input_tokens":412')
      expect(request.estimated).toBe(false)
    }
    expect(relay.failures).toEqual([])
  },
)

test('given a refusal amid an answer, when charged, then all of it is billed', async () => {
  answers(200, refused('cyber', [{ type: 'text', text: 'Hi' }]))
  await (await relay.post(PATH, ASKED)).json()
  streams(refusedStream('cyber', BLOCK, BLOCK_END))
  await (await relay.post(PATH, { ...ASKED, stream: true })).text()
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { textIn: 412, textOut: 1 } } },
    { request: { usage: { textIn: 412 } } },
  ])
})

test('given a stream that breaks off, when charged, then what was delivered is counted', async () => {
  streams(STREAM.slice(0, STREAM.indexOf('event: message_delta')))
  const response = await relay.post(PATH, { ...ASKED, stream: true })
  expect(await textUntilBreak(response)).toContain('event: error\n')
  await eventually(() => relay.holds.settled.length === 1)
  const [settled] = relay.holds.settled
  expect(settled?.request).toMatchObject({ estimated: true, usage: { textIn: 100 } })
  expect(settled?.request.usage.textOut).toBeGreaterThan(1)
})

test('given a search and a stream that breaks off, when charged, then the search is counted', async () => {
  const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const failed = { ...result, content: { type: 'web_search_tool_result_error' } }
  const blocks = [result, failed].map((content_block, index) => {
    const event = { type: 'content_block_start', index, content_block }
    return `event: content_block_start\ndata: ${JSON.stringify(event)}\n\n`
  })
  streams(STREAM.slice(0, STREAM.indexOf('event: content_block_start')) + blocks.join(''))
  await textUntilBreak(await relay.post(PATH, { ...ASKED, stream: true }))
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([{ request: { usage: { webSearchCalls: 1 } } }])
})

test('given a channel overloaded as a message begins, when streamed, then another answers', async () => {
  relay.directory.set({ RetryTimes: '1' })
  relay.directory.add(2, { type: 14, models: [MODEL], baseUrl: upstream.url })
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const begun = STREAM.slice(0, STREAM.indexOf('event: content_block_start'))
  upstream.behave((response, { headers }) => {
    const failing = `${begun}event: error\ndata: ${JSON.stringify(overloaded)}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(headers['x-api-key'] === 'upstream-key-1' ? failing : STREAM)
  })
  const response = await relay.post(PATH, { ...ASKED, stream: true })
  expect(await response.text()).toBe(STREAM)
  expect(relay.holds.settled).toMatchObject([
    { request: { attempts: [{ channel: 1, code: 'bad_response_status_code' }, { channel: 2 }] } },
  ])
})

test.each([
  ['upstream refuses', 400, 'invalid_request_error', 'max_tokens: too large'],
  ['upstream is full', 429, 'rate_limit_error', 'slow down'],
  ['upstream is overloaded', 529, 'overloaded_error', 'Overloaded'],
])(
  'given that %s, when asked, then status and type are its own',
  async (_what, status, type, message) => {
    answers(status, { type: 'error', error: { type, message } })
    const response = await relay.post(PATH, ASKED)
    expect(response.status).toBe(status)
    const body = (await response.json()) as { request_id: string }
    expect(body).toEqual({
      type: 'error',
      error: { type, message: `${message} (request id: ${body.request_id})` },
      request_id: expect.stringMatching(/^request-/),
    })
    expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
    expect(relay.failures).toHaveLength(1)
  },
)

const ERROR = { type: 'error', error: { type: 'new_api_error' } }

test.each([
  ['a wrong key', PATH, ASKED, { authorization: 'Bearer sk-no' }, 401],
  ['no key', PATH, ASKED, { authorization: '' }, 401],
  ['no messages', PATH, { ...ASKED, messages: [] }, {}, 400],
  ['a fast model', PATH, { ...ASKED, speed: 'fast' }, {}, 400],
  ['an unknown model', PATH, { ...ASKED, model: 'gpt-4o' }, {}, 404],
  ['a batch', `${PATH}/batches`, {}, {}, 501],
])(
  'given %s, when asked, then it is refused in shape',
  async (_what, path, body, headers, status) => {
    const response = await relay.post(path, body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject(ERROR)
    expect(upstream.asked).toHaveLength(0)
  },
)

test.each([
  ['x-api-key', { authorization: '', 'x-api-key': `sk-${KEY}` }],
  ['both, of which the bearer is wrong', { authorization: 'Bearer x', 'x-api-key': KEY }],
])('given the key in %s, when asked, then it is known', async (_where, headers) => {
  answers(200, ANSWER)
  expect((await relay.post(PATH, ASKED, headers)).status).toBe(200)
})

test('given a channel of embeddings alone, when asked for messages, then it is not tried', async () => {
  relay.directory.add(1, { type: 44, models: [MODEL], baseUrl: upstream.url })
  expect((await relay.post(PATH, ASKED)).status).toBe(503)
  const admin = { ...TOKEN, user: { ...USER, role: 10 as const } }
  relay.directory.tokens.set(KEY, admin)
  const pinned = await relay.post(PATH, ASKED, { authorization: `Bearer sk-${KEY}-1` })
  relay.directory.tokens.set(KEY, TOKEN)
  expect(pinned.status).toBe(501)
  expect(upstream.asked).toHaveLength(0)
})

test('given a mapped model and overridden members, when sent, then only those are changed', async () => {
  relay.directory.add(1, {
    type: 14,
    models: [MODEL],
    baseUrl: upstream.url,
    modelMapping: JSON.stringify({ [MODEL]: 'claude-new' }),
    paramOverride: '{"max_tokens":7}',
  })
  answers(200, ANSWER)
  await relay.post(
    PATH,
    `{"model":"${MODEL}","max_tokens":100,"messages":[{"role":"user","content":"hi"}],"x":1.50}`,
  )
  expect(upstream.asked[0]?.text).toBe(
    '{"model":"claude-new","max_tokens":7,"messages":[{"role":"user","content":"hi"}],"x":1.50}',
  )
})

test('given a client of Anthropic, when it lists models, then they are in its shape', async () => {
  const headers = { 'x-api-key': `sk-${KEY}`, ...VERSION }
  const list = await fetch(`${relay.url}/v1/models`, { headers })
  const card = {
    type: 'model',
    id: MODEL,
    display_name: MODEL,
    created_at: '2021-07-20T10:40:00.000Z',
  }
  expect(await list.json()).toEqual({
    data: [card],
    has_more: false,
    first_id: MODEL,
    last_id: MODEL,
  })
  const one = await fetch(`${relay.url}/v1/models/${MODEL}`, { headers })
  expect(await one.json()).toEqual(card)
  const none = await fetch(`${relay.url}/v1/models/none`, { headers })
  expect(none.status).toBe(404)
  expect(await none.json()).toMatchObject(ERROR)
})

const COUNT = `${PATH}/count_tokens`
const PROMPT = { model: MODEL, messages: ASKED.messages }

test('given a prompt to count, when its channel counts, then its count is told and not charged', async () => {
  relay.directory.add(1, {
    type: 14,
    models: [MODEL],
    baseUrl: upstream.url,
    modelMapping: JSON.stringify({ [MODEL]: 'claude-new' }),
    paramOverride: '{"max_tokens":7}',
  })
  answers(200, { input_tokens: 2_095 })
  const response = await relay.post(COUNT, PROMPT, VERSION)
  expect(await response.json()).toEqual({ input_tokens: 2_095 })
  const [asked] = upstream.asked
  expect(asked?.path).toBe(COUNT)
  expect(JSON.parse(asked?.text ?? '')).toEqual({ ...PROMPT, model: 'claude-new' })
  expect(relay.holds).toMatchObject({ draws: [], settled: [], reserved: 0 })
})

test.each([
  ['refuses', () => answers(404, { type: 'error', error: { type: 'not_found_error' } })],
  ['answers otherwise', () => answers(200, { input_tokens: -1 })],
])('given a channel that %s, when tokens are counted, then by us', async (_how, prepare) => {
  prepare()
  relay.holds.available = 0
  const response = await relay.post(COUNT, PROMPT)
  expect(await response.json()).toEqual({ input_tokens: 4 })
  expect(relay.failures).toHaveLength(0)
  expect(relay.reports).toHaveLength(0)
})

test('given requests a minute, when prompts are counted, then they are among them', async () => {
  answers(200, { input_tokens: 1 })
  relay.directory.set({
    ModelRequestRateLimitEnabled: 'true',
    ModelRequestRateLimitCount: '1',
    ModelRequestRateLimitDurationMinutes: '1',
  })
  expect((await relay.post(COUNT, PROMPT)).status).toBe(200)
  const second = await relay.post(COUNT, PROMPT)
  expect(second.status).toBe(429)
  expect(await second.json()).toMatchObject(ERROR)
})

test('given a model named -thinking, when asked, then its budget is a share of its output', async () => {
  const modelMapping = JSON.stringify({ [MODEL]: `claude-x-thinking` })
  relay.directory.add(1, { type: 14, models: [MODEL], baseUrl: upstream.url, modelMapping })
  relay.directory.set({ 'claude.thinking_adapter_budget_tokens_percentage': '0.5' })
  answers(200, ANSWER)
  await relay.post(PATH, { ...ASKED, max_tokens: 4_000, temperature: 0.3, top_p: 0.5 })
  expect(sent()).toEqual({
    ...ASKED,
    model: 'claude-x',
    max_tokens: 4_000,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
  })
  await relay.post(PATH, { ...ASKED, thinking: { type: 'disabled' } })
  expect(sent()).toEqual({ ...ASKED, model: 'claude-x', thinking: { type: 'disabled' } })
  relay.directory.set({ 'claude.thinking_adapter_enabled': 'false' })
  await relay.post(PATH, ASKED)
  expect(sent()).toEqual({ ...ASKED, model: 'claude-x-thinking' })
})

test('given a model that takes no budget, when its name asks for thinking, then it decides itself', async () => {
  const modelMapping = JSON.stringify({ [MODEL]: 'claude-opus-4-7-thinking' })
  relay.directory.add(1, { type: 14, models: [MODEL], baseUrl: upstream.url, modelMapping })
  answers(200, ANSWER)
  await relay.post(PATH, { ...ASKED, max_tokens: 4_000, temperature: 1, top_p: 1, top_k: 5 })
  expect(sent()).toEqual({
    ...ASKED,
    model: 'claude-opus-4-7',
    max_tokens: 4_000,
    thinking: { type: 'adaptive' },
  })
})

test("given the operator's limit and headers for a model, when asked, then both are sent", async () => {
  relay.directory.set({
    'claude.default_max_tokens': `{"default":99,"${MODEL}":77}`,
    'claude.model_headers_settings': `{"${MODEL}":{"Anthropic-Beta":["a-1","b-2"]}}`,
  })
  answers(200, ANSWER)
  await relay.post(PATH, PROMPT, { 'anthropic-beta': 'c-3' })
  expect(sent()).toEqual({ ...PROMPT, max_tokens: 77 })
  expect(upstream.asked[0]?.headers['anthropic-beta']).toBe('a-1,b-2')
})

const sent = (): unknown => JSON.parse(upstream.asked.at(-1)?.text ?? '') as unknown
