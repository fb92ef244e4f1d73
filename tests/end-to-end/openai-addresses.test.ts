import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { once } from 'node:events'
import {
  createBrotliCompress,
  createDeflate,
  createGzip,
  createZstdCompress,
  gzipSync,
} from 'node:zlib'
import OpenAI, { APIError, AzureOpenAI } from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** Addresses, headers and framings that the official `openai` package meets, through the relay. */
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

const ASKED = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hello' }] }
const ANSWER =
  '{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'
const STREAM =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}\n\ndata: [DONE]\n\n'
const TOLD = {
  'x-request-id': 'req_1',
  'openai-processing-ms': '42',
  'openai-version': '2020-10-01',
  'x-should-retry': 'false',
  'retry-after-ms': '1500',
}

/** Upstream answers every question so. */
const answers = (status: number, headers: Record<string, string>, body: string | Buffer): void =>
  upstream.behave((response) => void response.writeHead(status, headers).end(body))
const told = (headers: Headers): object =>
  Object.fromEntries(Object.keys(TOLD).map((name) => [name, headers.get(name)]))

test.each([
  [200, false, ANSWER],
  [200, true, STREAM],
  [429, false, '{"error":{"message":"slow"}}'],
])(
  'given an answer of %i (stream: %s), when it has headers of OpenAI, then the SDK sees them',
  async (status, stream, body) => {
    const type = stream ? 'text/event-stream' : 'application/json'
    answers(status, { ...TOLD, 'content-type': type, 'set-cookie': 'a=b' }, body)
    const response = await openai.chat.completions
      .create({ ...ASKED, stream })
      .asResponse()
      .catch((error: unknown) => error)
    const headers = response instanceof APIError ? response.headers : (response as Response).headers
    expect(told(headers ?? new Headers())).toEqual(TOLD)
    expect(headers?.get('set-cookie')).toBeNull()
    expect(headers?.get('x-content-type-options')).toBe('nosniff')
  },
)

test('given an upstream without a request id, when it answers, then ours stands for it', async () => {
  answers(200, { 'content-type': 'application/json' }, ANSWER)
  const answer = await openai.chat.completions.create(ASKED)
  expect(answer._request_id).toMatch(/^request-/)
})

test('given headers of a client, when it asks, then those for tracing and repeats go upstream', async () => {
  answers(200, { 'content-type': 'application/json' }, ANSWER)
  const passed = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
    'x-client-request-id': 'mine',
    'idempotency-key': 'once',
    'openai-beta': 'assistants=v2',
  }
  const kept = { baggage: 'secret=1', 'openai-organization': 'org', cookie: 'a=b' }
  await openai.chat.completions.create(ASKED, { headers: { ...passed, ...kept } })
  const headers = upstream.asked[0]?.headers ?? {}
  expect(headers).toMatchObject({ ...passed, 'user-agent': 'Tollgate' })
  for (const name of Object.keys(kept)) expect(headers).not.toHaveProperty(name)
})

test.each([
  [200, {}],
  [200, { 'content-type': 'text/plain; charset=utf-8' }],
  [201, { 'content-type': 'application/octet-stream' }],
  [206, { 'content-type': 'text/event-stream' }],
])(
  'given a stream of status %i with %j, when it is read, then it is one',
  async (status, headers) => {
    upstream.behave((response) => {
      response.writeHead(status, headers)
      response.write('da')
      setTimeout(() => response.end(STREAM.slice(2)), 20)
    })
    const chunks = await Array.fromAsync(
      await openai.chat.completions.create({ ...ASKED, stream: true }),
    )
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['Hi'])
    expect(relay.holds.settled).toMatchObject([{ request: { estimated: false } }])
  },
)

test.each([
  ['gzip', createGzip],
  ['x-gzip', createGzip],
  ['br', createBrotliCompress],
  ['deflate', createDeflate],
  ['zstd', createZstdCompress],
] as const)(
  'given a stream in %s, when it is flushed, then its events come as they are',
  async (encoding, create) => {
    const encoder = create()
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding })
      encoder.pipe(response)
      encoder.write(STREAM.slice(0, STREAM.indexOf('data: [DONE]')))
      encoder.flush()
    })
    const stream = await openai.chat.completions.create({ ...ASKED, stream: true })
    const contents: unknown[] = []
    for await (const chunk of stream) {
      contents.push(chunk.choices[0]?.delta.content)
      // Upstream ends only once the first event has come.
      encoder.end('data: [DONE]\n\n')
      await once(encoder, 'finish')
    }
    expect(contents).toEqual(['Hi'])
    expect(relay.holds.settled).toMatchObject([{ request: { estimated: false } }])
  },
)

const UNREADABLE = 'upstream sent an unreadable encoding'
const GZIPPED = gzipSync(STREAM)
test.each([
  ['is cut off', GZIPPED.subarray(0, GZIPPED.length - 20), 'not a JSON object'],
  ['is no gzip', Buffer.from(STREAM), UNREADABLE],
  ['is a bomb', gzipSync(`: ${'x'.repeat(64 * 1024 * 1024)}`), UNREADABLE],
])(
  'given a stream in gzip that %s, when it is read, then the SDK sees it fail',
  async (_how, body, why) => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.end(body)
    })
    const read = async (): Promise<unknown> =>
      Array.fromAsync(await openai.chat.completions.create({ ...ASKED, stream: true }))
    await expect(read()).rejects.toThrow(why)
  },
)

test.each([
  ['is cut off', gzipSync(ANSWER).subarray(0, 30)],
  ['is no gzip', Buffer.from(ANSWER)],
  ['is a bomb', gzipSync(`"${'x'.repeat(64 * 1024 * 1024)}"`)],
])(
  'given a whole answer in gzip that %s, when it is read, then error and log name the reason',
  async (_how, body) => {
    answers(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body)
    await expect(openai.chat.completions.create(ASKED)).rejects.toThrow(UNREADABLE)
    expect(relay.failures).toMatchObject([{ errorCode: 'bad_response_body' }])
  },
)

test.each([{}, { 'content-type': 'text/plain' }])(
  'given a whole answer with %j, when it is read, then it is whole',
  async (headers) => {
    answers(201, headers, ANSWER)
    const answer = await openai.chat.completions.create(ASKED)
    expect(answer.choices[0]?.message.content).toBe('Hi')
  },
)

test("given Azure's SDK, when it asks a deployment with its key, then it is answered", async () => {
  answers(200, { 'content-type': 'application/json' }, ANSWER)
  const azure = new AzureOpenAI({
    apiKey: `sk-${KEY}`,
    endpoint: relay.url,
    apiVersion: '2025-01-01',
    deployment: 'gpt-4o-mini',
  })
  const answer = await azure.chat.completions.create({ ...ASKED, model: 'other' })
  expect(answer.choices[0]?.message.content).toBe('Hi')
  expect(upstream.asked[0]?.path).toBe('/v1/chat/completions')
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(ASKED)
})

test.each([
  ['chat/completions', { messages: ASKED.messages }],
  ['completions', { prompt: 'hello' }],
  ['embeddings', { input: 'hello' }],
])('given an engine in the address, when %s is asked, then it is the model', async (path, body) => {
  answers(200, { 'content-type': 'application/json' }, '{"data":[{}],"usage":{"prompt_tokens":1}}')
  const response = await relay.post(`/v1/engines/gpt-4o-mini/${path}`, body)
  expect(response.status).toBe(200)
  expect(upstream.asked.map((asked) => [asked.path, JSON.parse(asked.text)])).toEqual([
    [`/v1/${path}`, { ...body, model: 'gpt-4o-mini' }],
  ])
  expect((await relay.post(`/v1/engines/a/b/${path}`, body)).status).toBe(404)
})

test.each([
  ['POST', '/v1/edits'],
  ['GET', '/v1/chat/completions'],
  ['DELETE', '/v1/chat/completions/c1'],
  ['POST', '/v1/batches'],
  ['POST', '/v1/uploads/u/parts'],
  ['GET', '/v1/vector_stores/v/files'],
  ['POST', '/v1/assistants'],
  ['POST', '/v1/threads/t/runs'],
  ['POST', '/v1/conversations'],
  ['GET', '/v1/fine_tuning/jobs'],
])('given %s %s, when it is asked, then 501 in the shape of the protocol', async (method, path) => {
  const response = await fetch(relay.url + path, { method })
  expect(response.status).toBe(501)
  expect(await response.json()).toMatchObject({ error: { code: 'api_not_implemented' } })
})
