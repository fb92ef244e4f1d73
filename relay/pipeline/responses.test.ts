import { readFileSync } from 'node:fs'
import { userId } from '@tollgate/domain/ids.ts'
import { expect, test, vi } from 'vitest'
import { isObject } from '../json.ts'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { KEY, textUntilBreak, TOKEN, USER } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** OpenAI's responses to channels that have them, through the whole pipeline. */
const { relay, upstream, answers, streams } = await openRelayFixture()

const PATH = '/v1/responses'
const MODEL = 'gpt-4o-mini'
const ASKED = { model: MODEL, input: 'hello', max_output_tokens: 50 }
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120,
}
const TEXT = { type: 'output_text', text: 'Hi', annotations: [] }
const ANSWER = {
  id: 'resp_up1',
  object: 'response',
  created_at: 1_741_290_958.12,
  status: 'completed',
  error: null,
  model: 'gpt-4o-mini-2024-07-18',
  output: [
    { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [TEXT] },
  ],
  previous_response_id: null,
  usage: USAGE,
}
const STREAM = readFileSync(
  new URL('../../tests/support/fixtures/responses/text.sse', import.meta.url),
  'utf8',
)

async function idOf(response: Response): Promise<string> {
  const body: unknown = await response.json()
  return isObject(body) ? String(body['id']) : ''
}

const errorOf = async (response: Response): Promise<unknown> => {
  const body: unknown = await response.json()
  return isObject(body) ? body['error'] : body
}

test('given a response, when answered, then it passes but for its id and is charged by its usage', async () => {
  answers(200, ANSWER)
  const response = await relay.post(PATH, ASKED)
  expect(response.status).toBe(200)
  const body: unknown = await response.json()
  expect(body).toEqual({ ...ANSWER, id: expect.stringMatching(/^resp_/) })
  expect(JSON.stringify(body)).not.toContain('resp_up1')
  expect(upstream.asked[0]?.path).toBe(PATH)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(ASKED)
  expect(relay.holds.settled).toMatchObject([
    {
      request: {
        endpoint: PATH,
        usage: { textIn: 60, cachedIn: 40, textOut: 20, reasoningOut: 5 },
        upstream: { responseId: 'resp_up1' },
        estimated: false,
      },
    },
  ])
  expect(relay.holds.reserved).toBe(0)
})

test('given a stream, when answered, then its last event follows the charge', async () => {
  streams(STREAM)
  const response = await relay.post(PATH, { ...ASKED, stream: true })
  const text = await response.text()
  expect(text.replaceAll(/"id":"resp_[\w-]+"/g, '"id":"resp_up1"')).toBe(STREAM)
  expect(text).not.toContain('resp_up1')
  expect(relay.holds.settled).toMatchObject([
    { request: { stream: true, usage: { textIn: 20, cachedIn: 10, textOut: 12 } } },
  ])
})

test('given a charge that is late, when streamed, then an error stands in place of the end', async () => {
  streams(STREAM)
  relay.holds.journal = new Promise(() => undefined)
  const text = await textUntilBreak(await relay.post(PATH, { ...ASKED, stream: true }))
  relay.holds.journal = Promise.resolve()
  expect(text).not.toContain('response.completed')
  expect(text.split('\n\n').at(-2)).toMatch(
    /^event: error\ndata: \{"type":"error","sequence_number":10/,
  )
})

test('given a stream that breaks off, when charged, then what was delivered is counted', async () => {
  streams(STREAM.slice(0, STREAM.indexOf('event: response.output_text.done')))
  await textUntilBreak(await relay.post(PATH, { ...ASKED, stream: true }))
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: true, usage: { textOut: 2 } } },
  ])
})

/** A search as an event of a stream, and 25 USD for 1,000 of them. */
const SEARCH_COST = 12_500
const searched = (index: number): string =>
  `event: response.output_item.done\ndata: ${JSON.stringify({
    type: 'response.output_item.done',
    output_index: index,
    item: { id: `ws_${index}`, type: 'web_search_call', action: { type: 'search', query: 'q' } },
  })}\n\n`
const SEARCHING = {
  ...ASKED,
  stream: true,
  tools: [{ type: 'web_search', search_context_size: 'low' }],
}

test('given a search and then nothing, when charged, then the search and the prompt are', async () => {
  streams(STREAM.slice(0, STREAM.indexOf('event: response.output_item.added')) + searched(0))
  await textUntilBreak(await relay.post(PATH, SEARCHING))
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: true, usage: { webSearchCalls: 1, textOut: 0 } } },
  ])
  expect(relay.holds.settled[0]?.amount).toBeGreaterThan(SEARCH_COST)
})

test.each([false, true])(
  'given searches that xAI tells of, when stream is %s, then those are charged at its price',
  async (stream) => {
    const model = 'grok-4.3'
    relay.directory.set({ ModelRatio: JSON.stringify({ [model]: 1 }) })
    relay.directory.channels.clear()
    relay.directory.add(1, { type: 48, models: [model], baseUrl: upstream.url })
    const opened = {
      type: 'web_search_call',
      action: { type: 'open_page', url: 'https://a.example' },
    }
    const done = {
      ...ANSWER,
      output: [opened, ...ANSWER.output],
      usage: { ...ANSWER.usage, server_side_tool_usage_details: { web_search_calls: 3 } },
    }
    if (stream)
      streams(`data: ${JSON.stringify({ type: 'response.completed', response: done })}\n\n`)
    else answers(200, done)
    const asked = { ...ASKED, model, stream, tools: [{ type: 'web_search' }] }
    await (await relay.post(PATH, asked)).text()
    expect(relay.holds.settled).toMatchObject([{ request: { usage: { webSearchCalls: 3 } } }])
    // 5 USD for 1,000, and the tokens.
    const tokens = Number(relay.holds.settled[0]?.amount) - 3 * 2_500
    expect(tokens).toBeGreaterThan(0)
    expect(tokens).toBeLessThan(2_500)
  },
)

test('given quota for three searches, when a model makes ten, then the stream ends unpaid', async () => {
  relay.holds.available = 4 * SEARCH_COST - 1
  const begin = STREAM.slice(0, STREAM.indexOf('event: response.output_item.added'))
  streams(begin + Array.from({ length: 10 }, (_, index) => searched(index)).join(''))
  const text = await (await relay.post(PATH, SEARCHING)).text()
  expect(text).toContain('insufficient_user_quota')
  expect(relay.holds.available).toBeGreaterThanOrEqual(0)
})

test('given the id of a response, when gone on from, then its channel is asked by its own id', async () => {
  answers(200, ANSWER)
  relay.directory.add(2, { baseUrl: upstream.url, models: [MODEL] })
  const id = await idOf(await relay.post(PATH, ASKED))
  const [first] = relay.holds.draws
  relay.directory.channels.delete(1)
  const gone = await relay.post(PATH, { ...ASKED, previous_response_id: id })
  expect(gone.status).toBe(404)
  relay.directory.add(1, { baseUrl: upstream.url })
  answers(200, { ...ANSWER, id: 'resp_up2', previous_response_id: 'resp_up1' })
  const next = await relay.post(PATH, { ...ASKED, previous_response_id: id })
  expect(await next.json()).toMatchObject({ previous_response_id: id })
  expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject({
    previous_response_id: 'resp_up1',
  })
  expect(upstream.asked.at(-1)?.headers.authorization).toBe('Bearer upstream-key-1')
  // The history is input: a longer body alone does not explain the larger reserve.
  expect(relay.holds.draws.at(-1)).toBeGreaterThan((first ?? 0) + 1)
})

test('given an id of another account, when gone on from, then there is no such response', async () => {
  answers(200, ANSWER)
  const id = await idOf(await relay.post(PATH, ASKED))
  const other = 'o'.repeat(48)
  relay.directory.tokens.set(other, { ...TOKEN, user: { ...USER, id: userId(8) } })
  const asked = { ...ASKED, previous_response_id: id }
  const foreign = await relay.post(PATH, asked, { authorization: `Bearer sk-${other}` })
  expect(foreign.status).toBe(404)
  expect(await errorOf(foreign)).toMatchObject({
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  })
  const unknown = await relay.post(PATH, { ...ASKED, previous_response_id: 'resp_up1' })
  expect(unknown.status).toBe(404)
  expect(upstream.asked).toHaveLength(1)
  expect(KEY).not.toBe(other)
})

/** A conversation within which the model is given a tool. */
function givenAmid(type: string, tool: object): { readonly input: readonly object[] } {
  const item = { type, role: 'developer', tools: [tool] }
  return { input: [item, { role: 'user', content: 'hello' }] }
}

test.each([
  ['background', { background: true }],
  ['conversation', { conversation: 'conv_1' }],
  ['prompt', { prompt: { id: 'pmpt_1' } }],
  ['file_id', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }],
  ['item_reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ['tools', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
  ['tools', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
  ['tools', { tools: [{ type: 'image_generation' }] }],
  ['tools', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'image_generation' }] }] }],
  ['tools', givenAmid('additional_tools', { type: 'file_search', vector_store_ids: ['vs_1'] })],
  ['tools', givenAmid('additional_tools', { type: 'code_interpreter', container: 'cntr_1' })],
  ['tools', givenAmid('tool_search_output', { type: 'image_generation' })],
  ['service_tier', { service_tier: 'priority' }],
  ['max_output_tokens', { max_output_tokens: 0 }],
  ['input', { input: ['hello'] }],
])(
  'given %s in a form that is not served, when asked, then it is refused by name',
  async (param, more) => {
    const response = await relay.post(PATH, { ...ASKED, ...more })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ param })
    expect(upstream.asked).toHaveLength(0)
    expect(relay.holds.settled).toHaveLength(0)
  },
)

test('given a search amid the conversation, when reserved, then it is for one at its context', async () => {
  answers(200, ANSWER)
  const search = { type: 'web_search', search_context_size: 'low' }
  const asked = { ...ASKED, ...givenAmid('additional_tools', search) }
  expect((await relay.post(PATH, asked)).status).toBe(200)
  const draw = Number(relay.holds.draws[0])
  expect(draw).toBeGreaterThanOrEqual(SEARCH_COST)
  expect(draw).toBeLessThan(2 * SEARCH_COST)
})

test('given tools that the client runs, when in a namespace or found by a search, then they are sent', async () => {
  answers(200, ANSWER)
  const look = { type: 'function', name: 'look', parameters: {}, defer_loading: true }
  const say = { type: 'custom', name: 'say' }
  const tools = [
    { type: 'namespace', name: 'crm', description: 'Customers', tools: [look, say] },
    { type: 'tool_search' },
  ]
  const asked = { ...ASKED, ...givenAmid('tool_search_output', look), tools }
  expect((await relay.post(PATH, asked)).status).toBe(200)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(asked)
})

test("given a channel that allows it, when a provider's files are named, then they are sent", async () => {
  answers(200, ANSWER)
  relay.directory.add(1, { baseUrl: upstream.url, setting: '{"allow_provider_objects":true}' })
  const asked = { ...ASKED, tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }
  expect((await relay.post(PATH, asked)).status).toBe(200)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(asked)
})

test('given an error of upstream, when told, then it keeps its shape', async () => {
  const error = { message: 'bad input', type: 'invalid_request_error', param: 'input', code: null }
  answers(400, { error })
  const response = await relay.post(PATH, ASKED)
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ type: error.type, param: 'input', code: null })
  expect(relay.holds.settled).toHaveLength(0)
})

test('given a response that failed before content, when another channel is there, then it answers', async () => {
  relay.directory.set({ RetryTimes: '1' })
  relay.directory.add(2, { baseUrl: upstream.url })
  const failed = { ...ANSWER, status: 'failed', error: { code: 'server_error', message: 'oops' } }
  upstream.behave((response, { headers }) => {
    const isFirst = headers.authorization === 'Bearer upstream-key-1'
    const event = `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', sequence_number: 2, response: failed })}\n\n`
    const begun = STREAM.slice(0, STREAM.indexOf('event: response.output_item.added'))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(isFirst ? begun + event : STREAM)
  })
  const text = await (await relay.post(PATH, { ...ASKED, stream: true })).text()
  expect(text.replaceAll(/"id":"resp_[\w-]+"/g, '"id":"resp_up1"')).toBe(STREAM)
  expect(upstream.asked).toHaveLength(2)
  expect(relay.holds.settled).toHaveLength(1)
})

test('given a response that fails after its first content, when streamed, then its last event ends it', async () => {
  const failed = { ...ANSWER, status: 'failed', error: { code: 'server_error', message: 'oops' } }
  const event = { type: 'response.failed', sequence_number: 9, response: failed }
  const begun = STREAM.slice(0, STREAM.indexOf('event: response.output_text.done'))
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${begun}event: response.failed\ndata: ${JSON.stringify(event)}\n\n`)
  })
  const text = await (await relay.post(PATH, { ...ASKED, stream: true })).text()
  expect(text).toMatch(/\nevent: response\.failed\ndata: \{[^\n]*"message":"oops"[^\n]*\}\n\n$/u)
  await vi.waitFor(() => expect(relay.failures).toHaveLength(1))
})

test('given Azure, when asked, then the path names no deployment', async () => {
  answers(200, ANSWER)
  relay.directory.add(1, { type: 3, baseUrl: upstream.url })
  expect((await relay.post('/openai/responses?api-version=2025-03-01', ASKED)).status).toBe(200)
  expect(upstream.asked[0]?.path).toBe('/openai/v1/responses')
  expect(upstream.asked[0]?.headers['api-key']).toBe('upstream-key-1')
})
