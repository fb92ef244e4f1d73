import { expect, test } from 'vitest'
import { googleUnderTest } from '@tollgate/tests/support/relay/google-under-test.ts'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { type Asked } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Channels of type 41, through the whole pipeline. Each test has a service account of its own: tokens are kept. */
const { relay, upstream } = await openRelayFixture()

const CLAUDE = 'claude-sonnet-4-5-20250929'
const GEMINI = 'gemini-2.5-pro'
const MESSAGE = {
  id: 'msg_vrtx_1',
  type: 'message',
  role: 'assistant',
  model: CLAUDE,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 100, output_tokens: 50 },
}
const CONTENT = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  modelVersion: GEMINI,
}
const HELLO = [{ role: 'user', content: 'hello' }]
const AT = '/projects/my-project/locations'

function serve(
  answer: (asked: Asked) => { readonly status?: number; readonly body: string | object },
  { other = 'us-east5', key = '', setting = '' } = {},
) {
  const google = googleUnderTest()
  relay.directory.channels.clear()
  relay.directory.set({
    RetryTimes: '0',
    ModelRatio: JSON.stringify({ [CLAUDE]: 1.5, [GEMINI]: 1 }),
    CompletionRatio: JSON.stringify({ [CLAUDE]: 5, [GEMINI]: 4 }),
  })
  const terms = {
    type: 41,
    models: [CLAUDE, GEMINI, 'other'],
    baseUrl: upstream.url,
    other,
    setting,
  }
  relay.directory.add(1, terms, { key: key || google.key(upstream.url) })
  upstream.behave((response, asked) => {
    if (google.answersToken(response, asked)) return
    const { status = 200, body } = answer(asked)
    const type = typeof body === 'string' ? 'text/event-stream' : 'application/json'
    response.writeHead(status, { 'content-type': type })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return google
}
const askedOf = (path: RegExp): readonly Asked[] =>
  upstream.asked.filter((one) => path.test(one.path))
const bodyOf = (asked: Asked | undefined): unknown => JSON.parse(asked?.text ?? '{}')

test('given messages, when sent to Vertex, then rawPredict has the version in its body and one token', async () => {
  const google = serve(() => ({ body: MESSAGE }))
  const body = { model: CLAUDE, max_tokens: 100, messages: HELLO }
  const beta = { 'anthropic-beta': 'context-1m-2025-08-07' }
  const both = await Promise.all([
    relay.post('/v1/messages', body, beta),
    relay.post('/v1/messages', body),
  ])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(await both[0]?.json()).toEqual(MESSAGE)
  const [first] = askedOf(/rawPredict/).filter(({ headers }) => 'anthropic-beta' in headers)
  expect(first?.path).toBe(
    `/v1${AT}/us-east5/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict`,
  )
  expect(first?.headers).toMatchObject({ authorization: 'Bearer ya29.token-1', ...beta })
  expect(first?.headers).not.toHaveProperty('anthropic-version')
  const { model: _model, ...rest } = body
  expect(bodyOf(first)).toEqual({ ...rest, anthropic_version: 'vertex-2023-10-16' })
  const [claims, ...more] = google.asked
  expect(more).toEqual([])
  expect(claims).toMatchObject({
    iss: 'relay@my-project.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: `${upstream.url}/token`,
  })
  expect(Number(claims?.['exp']) - Number(claims?.['iat'])).toBe(3_600)
  // (100 + 50 × 5) × 1.5
  expect(relay.holds.settled).toMatchObject([{ amount: 525 }, { amount: 525 }])
})

test('given a chat of OpenAI’s client, when streamed from Claude on Vertex, then it is translated', async () => {
  const events = [
    { type: 'message_start', message: { ...MESSAGE, content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } },
    { type: 'message_stop' },
  ]
  serve(() => ({ body: events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') }))
  const response = await relay.post('/v1/chat/completions', {
    model: CLAUDE,
    stream: true,
    messages: HELLO,
  })
  expect(await response.text()).toMatch(/"content":"Hi"[\s\S]*data: \[DONE\]\n\n$/)
  const [asked] = askedOf(/:streamRawPredict$/)
  expect(bodyOf(asked)).toEqual({
    anthropic_version: 'vertex-2023-10-16',
    max_tokens: 8_192,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    stream: true,
  })
  expect(relay.holds.settled).toMatchObject([{ amount: 525 }])
})

test('given contents, when sent to Gemini on Vertex, then its region is that of the model', async () => {
  serve(
    ({ path }) => ({
      body: path.includes('stream') ? `data: ${JSON.stringify(CONTENT)}\n\n` : CONTENT,
    }),
    {
      other: JSON.stringify({ [GEMINI]: 'europe-west4', default: 'global' }),
    },
  )
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
  const whole = await relay.post(`/v1beta/models/${GEMINI}:generateContent`, { contents })
  expect(await whole.json()).toEqual(CONTENT)
  const stream = await relay.post(`/v1/models/${GEMINI}:streamGenerateContent?alt=sse`, {
    contents,
  })
  expect(await stream.text()).toContain('"text":"Hi"')
  const at = `/v1beta1${AT}/europe-west4/publishers/google/models/${GEMINI}`
  expect(askedOf(/Content/).map(({ path }) => path)).toEqual([
    `${at}:generateContent`,
    `${at}:streamGenerateContent?alt=sse`,
  ])
  expect(bodyOf(askedOf(/Content/)[0])).toMatchObject({ contents })
  // 7 + 3 × 4
  expect(relay.holds.settled).toMatchObject([{ amount: 19 }, { amount: 19 }])
})

test.each([
  ['priority', 'ON_DEMAND_PRIORITY', 38],
  ['priority', 'ON_DEMAND', 19],
  ['flex', 'ON_DEMAND_FLEX', 10],
  ['flex', 'PROVISIONED_THROUGHPUT', 19],
])('given the tier %s, when Vertex serves %s, then that is charged', async (...row) => {
  const [tier, trafficType, amount] = row
  const usageMetadata = { ...CONTENT.usageMetadata, trafficType }
  serve(() => ({ body: { ...CONTENT, usageMetadata } }), {
    other: 'global',
    setting: '{"allow_price_terms":true}',
  })
  relay.directory.set({
    ModelRatio: JSON.stringify({ [GEMINI]: 1 }),
    CompletionRatio: JSON.stringify({ [GEMINI]: 4 }),
    PriceFactors: JSON.stringify({ [GEMINI]: { priority: 2, flex: 0.5 } }),
  })
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
  const asked = { contents, service_tier: tier, safetySettings: [] }
  const response = await relay.post(`/v1beta/models/${GEMINI}:generateContent`, asked)
  expect(response.status).toBe(200)
  const [sent] = askedOf(/generateContent/)
  expect(sent?.headers['x-vertex-ai-llm-shared-request-type']).toBe(tier)
  expect(bodyOf(sent)).not.toHaveProperty('service_tier')
  expect(bodyOf(sent)).not.toHaveProperty('serviceTier')
  expect(bodyOf(sent)).toMatchObject({ contents })
  // (7 + 3 × 4) by the factor of the tier
  expect(relay.holds.settled).toMatchObject([{ amount }])
})

test('given a tier for vectors, when Vertex is the channel, then it is refused by name', async () => {
  serve(() => ({ body: CONTENT }))
  const key = googleUnderTest().key(upstream.url)
  const model = 'gemini-embedding-2'
  const terms = { type: 41, models: [model], baseUrl: upstream.url, other: 'global' }
  relay.directory.add(1, { ...terms, setting: '{"allow_price_terms":true}' }, { key })
  relay.directory.set({
    ModelRatio: JSON.stringify({ [model]: 1 }),
    PriceFactors: JSON.stringify({ [model]: { priority: 2 } }),
  })
  const content = { parts: [{ text: 'hello' }] }
  const response = await relay.post(`/v1beta/models/${model}:embedContent`, {
    content,
    serviceTier: 'priority',
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('no counterpart in the body')
  expect(askedOf(/mbed/)).toEqual([])
})

test('given a prompt to count, when Vertex counts, then its counts are told and nothing is charged', async () => {
  serve(({ path }) => ({
    body: path.includes('count-tokens') ? { input_tokens: 42 } : { totalTokens: 43 },
  }))
  const counted = await relay.post('/v1/messages/count_tokens', { model: CLAUDE, messages: HELLO })
  expect(await counted.json()).toEqual({ input_tokens: 42 })
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
  const total = await relay.post(`/v1beta/models/${GEMINI}:countTokens`, {
    contents,
    serviceTier: 'standard',
  })
  expect(await total.json()).toMatchObject({ totalTokens: 43 })
  const [claude, gemini] = askedOf(/ount/)
  expect(claude?.path).toBe(`/v1${AT}/us-east5/publishers/anthropic/models/count-tokens:rawPredict`)
  expect(bodyOf(claude)).toMatchObject({ model: 'claude-sonnet-4-5@20250929' })
  expect(gemini?.path).toBe(`/v1beta1${AT}/us-east5/publishers/google/models/${GEMINI}:countTokens`)
  expect(bodyOf(gemini)).toEqual({ contents })
  expect(relay.holds.settled).toEqual([])
})

test('given a model of neither, when asked for, then 501 says which models Vertex has', async () => {
  serve(() => ({ body: MESSAGE }))
  relay.directory.set({ ModelRatio: '{"other":1}', RetryTimes: '0' })
  const response = await relay.post('/v1/chat/completions', { model: 'other', messages: HELLO })
  expect(response.status).toBe(501)
  expect(await response.text()).toContain('named claude, gemini or with their publisher')
})

test.each([
  ['no JSON', 'not a key of any kind', 'us-east5', 'invalid service account'],
  ['JSON without a key', '{"project_id":"p","client_email":"e"}', 'us-east5', 'invalid service'],
  [
    'a key that signs nothing',
    '{"project_id":"p","client_email":"e","private_key":"not-a-pem-of-any-kind"}',
    'us-east5',
    'invalid service account',
  ],
  ['a region that is a host', '', 'evil.example/', 'invalid region'],
  ['regions without its own', '', '{"default":"a b"}', 'invalid region'],
])('given %s, when asked, then 503 says so and no key', async (_what, key, other, says) => {
  const google = serve(() => ({ body: MESSAGE }), { key, other })
  const response = await relay.post('/v1/messages', {
    model: CLAUDE,
    max_tokens: 9,
    messages: HELLO,
  })
  const text = await response.text()
  expect(response.status).toBe(503)
  expect(text).toContain(says)
  for (const secret of ['not a key', 'not-a-pem', google.pem.slice(40, 80)]) {
    expect(text).not.toContain(secret)
  }
  expect(askedOf(/rawPredict/)).toEqual([])
})

test('given a deleted account, when Google gives no token, then it is reported and no key is shown', async () => {
  const google = serve(() => ({ body: MESSAGE }))
  google.refuses = true
  const response = await relay.post('/v1/messages', {
    model: CLAUDE,
    max_tokens: 9,
    messages: HELLO,
  })
  const text = await response.text()
  expect(response.status).toBe(401)
  expect(text).toContain('Google gave no token')
  expect(relay.reports).toMatchObject([{ upstreamStatus: 400, errorCode: 'invalid_api_key' }])
  const told = text + JSON.stringify([relay.reports, relay.failures])
  expect(told).toContain('invalid_grant')
  for (const line of google.pem.split('\n').slice(1, 3)) expect(told).not.toContain(line)
})

test('given an error that quotes the key, when told, then the key is masked and Google’s words are not', async () => {
  const google = serve(() => ({
    status: 400,
    body: {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: `aiplatform.googleapis.com saw ${google.pem} and ${google.key(upstream.url)}`,
      },
    },
  }))
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
  const response = await relay.post(`/v1beta/models/${GEMINI}:generateContent`, { contents })
  const text = await response.text()
  expect(response.status).toBe(400)
  expect(text).toContain('aiplatform.googleapis.com saw ***')
  for (const line of google.pem.split('\n').slice(1, -2)) expect(text).not.toContain(line)
})
