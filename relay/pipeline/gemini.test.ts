import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { eventually, KEY, textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Google's clients to channels of type 24, through the whole pipeline. */
const { relay, upstream, answers, streams } = await openRelayFixture()
beforeEach(() => {
  relay.directory.channels.clear()
  relay.directory.set(PRICED)
  relay.directory.add(1, { type: 24, models: [MODEL], baseUrl: upstream.url })
})

const MODEL = 'gemini-2.5-flash'
const PRICED = {
  ModelRatio: JSON.stringify({ [MODEL]: 1, [`${MODEL}-thinking`]: 1, [`${MODEL}-nothinking`]: 1 }),
}
const at = (method: string, version = 'v1beta', model = MODEL): string =>
  `/${version}/models/${model}:${method}`
const ASKED = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const USAGE = {
  promptTokenCount: 1_100,
  cachedContentTokenCount: 1_000,
  candidatesTokenCount: 40,
  thoughtsTokenCount: 10,
  totalTokenCount: 1_150,
}
const ANSWER = {
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 },
  ],
  usageMetadata: USAGE,
  modelVersion: MODEL,
  responseId: 'rsp-0',
}
const STREAM = readFileSync(
  new URL('../../tests/support/fixtures/gemini/thoughts-and-text.sse', import.meta.url),
  'utf8',
)
const said = (index = 0): Record<string, unknown> => JSON.parse(upstream.asked[index]?.text ?? '')

/** As Google's clients ask: with their key in a header of theirs. */
const ask = (
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(relay.url + path, {
    method: 'POST',
    headers: { 'x-goog-api-key': `sk-${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

test('given contents, when answered, then they pass and thoughts and cached tokens are charged', async () => {
  answers(200, ANSWER)
  const response = await ask(at('generateContent'), ASKED)
  expect([response.status, await response.json()]).toEqual([200, ANSWER])
  const [asked] = upstream.asked
  expect(asked?.path).toBe(`/v1beta/models/${MODEL}:generateContent`)
  expect(said()).toMatchObject(ASKED)
  expect(asked?.headers['x-goog-api-key']).toBe('upstream-key-1')
  expect(asked?.headers.authorization).toBeUndefined()
  expect(relay.holds.settled).toMatchObject([
    {
      request: {
        endpoint: at('generateContent'),
        usage: { textIn: 100, cachedIn: 1_000, textOut: 50, reasoningOut: 10 },
        upstream: { responseId: 'rsp-0', model: MODEL },
        estimated: false,
      },
    },
  ])
  expect(relay.holds.reserved).toBe(0)
})

test.each([
  ['v1', { 'x-goog-api-key': `sk-${KEY}` }, ''],
  ['v1beta', { 'x-goog-api-key': '' }, `?key=sk-${KEY}`],
  ['v1alpha', { 'x-goog-api-key': '', authorization: `Bearer sk-${KEY}` }, ''],
])(
  'given version %s and its key anywhere, when asked, then it is served',
  async (version, headers, query) => {
    answers(200, ANSWER)
    const response = await ask(at('generateContent', version) + query, ASKED, headers)
    expect(response.status).toBe(200)
    const [asked] = upstream.asked
    expect(asked?.path).toBe(at('generateContent', version === 'v1alpha' ? 'v1alpha' : 'v1beta'))
  },
)

test('given alt=sse, when streamed, then nothing is changed and the charge is upstreams own', async () => {
  streams(STREAM)
  const response = await ask(`${at('streamGenerateContent')}?alt=sse`, ASKED)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await response.text()).toBe(STREAM)
  expect(upstream.asked[0]?.path).toBe(`${at('streamGenerateContent')}?alt=sse`)
  expect(relay.holds.settled).toMatchObject([
    { request: { stream: true, usage: { textIn: 210, cachedIn: 1_000, textOut: 69 } } },
  ])
})

test('given no alt=sse, when streamed, then a JSON list comes', async () => {
  streams(STREAM)
  const response = await ask(at('streamGenerateContent'), ASKED)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toHaveLength(4)
})

test.each(['?alt=sse', ''])(
  'given a charge that is late, when streamed with "%s", then an error stands for the end',
  async (query) => {
    streams(STREAM)
    relay.holds.journal = new Promise(() => undefined)
    const text = await textUntilBreak(await ask(at('streamGenerateContent') + query, ASKED))
    relay.holds.journal = Promise.resolve()
    expect(text).not.toContain('finishReason')
    expect(text).toContain('"status":"UNAVAILABLE"')
  },
)

test('given a stream that breaks off, when charged, then what upstream counted so far is', async () => {
  streams(
    STREAM.slice(0, STREAM.indexOf('data: {"candidates": [{"content": {"parts": [{"text": "!"')),
  )
  const text = await textUntilBreak(await ask(`${at('streamGenerateContent')}?alt=sse`, ASKED))
  expect(text).toMatch(/data: \{"error":\{"code":502,.*"status":"INTERNAL"/)
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { textIn: 200, cachedIn: 1_000, textOut: 68 } } },
  ])
})

test('given a client that leaves, when streamed, then what it was given is charged', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(
      STREAM.slice(0, STREAM.indexOf('data: {"candidates": [{"content": {"parts": [{"text": "Z')),
    )
  })
  const left = new AbortController()
  const response = await fetch(`${relay.url}${at('streamGenerateContent')}?alt=sse&key=sk-${KEY}`, {
    method: 'POST',
    body: JSON.stringify(ASKED),
    signal: left.signal,
  })
  await response.body?.getReader().read()
  left.abort()
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled[0]?.request.usage.textOut).toBeGreaterThan(0)
})

/** An answer that three queries stand behind. */
const GROUNDED = {
  ...ANSWER.candidates[0],
  groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] },
}
const SEARCHING = { ...ASKED, tools: [{ google_search: {} }] }

test.each([
  // 500,000 quota are a dollar, and prices are those of 1,000.
  [MODEL, { webSearchCalls: 1 }, '35', 17_500],
  ['gemini-3-flash', { webSearchCalls: 3 }, '14', 21_000],
])(
  'given a search by %s, when answered, then it is charged by prompt or query',
  async (model, usage, webSearchPrice, cost) => {
    relay.directory.set({ ModelRatio: JSON.stringify({ [model]: 1 }) })
    relay.directory.add(1, { type: 24, models: [model], baseUrl: upstream.url })
    answers(200, ANSWER)
    await ask(at('generateContent', 'v1', model), ASKED)
    answers(200, { ...ANSWER, candidates: [GROUNDED] })
    await ask(at('generateContent', 'v1', model), SEARCHING)
    const frame = `data: ${JSON.stringify({ ...ANSWER, candidates: [GROUNDED] })}\n\n`
    const { finishReason: _, ...open } = GROUNDED
    streams(`data: ${JSON.stringify({ ...ANSWER, candidates: [open] })}\n\n${frame}`)
    await ask(`${at('streamGenerateContent', 'v1', model)}?alt=sse`, SEARCHING)
    const [plain, whole, streamed] = relay.holds.settled
    for (const charge of [whole, streamed]) {
      expect(charge).toMatchObject({ request: { usage, price: { webSearchPrice } } })
      expect((charge?.amount ?? 0) - (plain?.amount ?? 0)).toBe(cost)
    }
    // One search is reserved for.
    expect((relay.holds.draws[1] ?? 0) - (relay.holds.draws[0] ?? 0)).toBeGreaterThan(6_000)
  },
)

test('given a stream that searched and breaks off, when charged, then the search is, too', async () => {
  const { finishReason: _, ...open } = GROUNDED
  streams(`data: ${JSON.stringify({ ...ANSWER, candidates: [open] })}\n\n`)
  await textUntilBreak(await ask(`${at('streamGenerateContent')}?alt=sse`, SEARCHING))
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([{ request: { usage: { webSearchCalls: 1 } } }])
})

test('given errors of Google, when answered, then they keep code, status and details', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }]
  const message = 'You exceeded your current quota.'
  answers(429, { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details } })
  const response = await ask(at('generateContent'), ASKED)
  expect(response.status).toBe(429)
  const { error } = JSON.parse(await response.text())
  expect(error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED', details })
  expect(error.message).toContain(message)
  expect(relay.holds.settled).toEqual([])
})

test('given a bad key of the channel, when refused with 400, then the channel is reported by its code', async () => {
  const details = [{ '@type': 'x', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }]
  answers(400, {
    error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details },
  })
  await ask(at('generateContent'), ASKED)
  expect(relay.reports).toMatchObject([{ upstreamStatus: 400, errorCode: 'invalid_api_key' }])
})

test('given no key, when asked, then the refusal is in the shape of Google', async () => {
  const response = await ask(at('generateContent'), ASKED, { 'x-goog-api-key': '' })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({
    error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'missing_api_key' }] },
  })
})

test.each([
  [{ contents: [] }, 'contents'],
  [{ ...ASKED, cachedContent: 'cachedContents/1' }, 'cachedContent'],
  [{ ...ASKED, tools: [{ google_maps: {} }] }, 'tools'],
  [{ ...ASKED, service_tier: 'batch' }, 'serviceTier'],
  [{ ...ASKED, service_tier: 'priority' }, 'service_tier'],
  [{ ...ASKED, generationConfig: {}, generation_config: {} }, 'generationConfig'],
  [
    { ...ASKED, generationConfig: { maxOutputTokens: 1, max_output_tokens: 9 } },
    'generationConfig',
  ],
  [{ ...ASKED, model: 'models/gemini-3-pro' }, 'model'],
  [{ contents: [{ parts: [{ file_data: { file_uri: 'files/abc' } }] }] }, 'contents'],
])(
  'given a request that is not served (%j), when asked, then 400 names the member',
  async (body, field) => {
    answers(200, ANSWER)
    const response = await ask(at('generateContent'), body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { status: 'INVALID_ARGUMENT', details: [{ metadata: { field } }] },
    })
    expect(upstream.asked).toEqual([])
  },
)

test('given the options for Gemini, when asked, then safety, version, budget and pictures go along', async () => {
  relay.directory.set({
    ...PRICED,
    'gemini.safety_settings': '{"default":"OFF","HARM_CATEGORY_HARASSMENT":"BLOCK_NONE"}',
    'gemini.version_settings': `{"default":"v1beta","${MODEL}":"v1"}`,
    'gemini.supported_imagine_models': `["${MODEL}"]`,
    'gemini.thinking_adapter_enabled': 'true',
    'gemini.thinking_adapter_budget_tokens_percentage': '0.5',
  })
  answers(200, ANSWER)
  const thinking = `${MODEL}-thinking`
  relay.directory.add(1, {
    type: 24,
    models: [thinking, `${MODEL}-nothinking`],
    baseUrl: upstream.url,
  })
  const own = { category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_LOW_AND_ABOVE' }
  const body = { ...ASKED, safety_settings: [own], generation_config: { max_output_tokens: 1_000 } }
  await ask(at('generateContent', 'v1', thinking), body)
  expect(upstream.asked[0]?.path).toBe(`/v1/models/${MODEL}:generateContent`)
  const { safetySettings, generationConfig, ...more } = said()
  expect(safetySettings).toContainEqual(own)
  expect(safetySettings).toContainEqual({
    category: 'HARM_CATEGORY_HARASSMENT',
    threshold: 'BLOCK_NONE',
  })
  expect(safetySettings).toHaveLength(5)
  expect(generationConfig).toEqual({
    maxOutputTokens: 1_000,
    thinkingConfig: { thinkingBudget: 500, includeThoughts: true },
    responseModalities: ['TEXT', 'IMAGE'],
  })
  expect(Object.keys(more)).toEqual(['contents'])
  await ask(at('generateContent', 'v1', thinking), ASKED)
  expect(said(1)).toMatchObject({
    generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } },
  })
  await ask(at('generateContent', 'v1', `${MODEL}-nothinking`), ASKED)
  expect(said(2)).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } })
})

test('given a question for a count, when asked, then the channel counts and nothing is charged', async () => {
  answers(200, { totalTokens: 31 })
  const response = await ask(at('countTokens'), ASKED)
  expect(await response.json()).toEqual({ totalTokens: 31 })
  expect(upstream.asked[0]?.path).toBe(at('countTokens'))
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(ASKED)
  answers(500, {})
  const own = await ask(at('countTokens'), { generateContentRequest: ASKED })
  expect(await own.json()).toEqual({ totalTokens: expect.any(Number) })
  expect(relay.holds.settled).toEqual([])
})

test.each([
  ['embedContent', { content: ASKED.contents[0] }, { embedding: { values: [0.5] } }],
  [
    'batchEmbedContents',
    { requests: [{ model: `models/${MODEL}`, content: ASKED.contents[0] }] },
    { embeddings: [{ values: [0.5] }] },
  ],
])(
  'given %s, when answered, then it passes and the prompt is charged',
  async (method, body, answer) => {
    answers(200, answer)
    const response = await ask(at(method), body)
    expect(await response.json()).toEqual(answer)
    expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(body)
    expect(relay.holds.settled).toMatchObject([
      { request: { estimated: true, usage: { textIn: 1, textOut: 0 } } },
    ])
  },
)

test('given a mapped model, when a batch is embedded, then each of its requests names it', async () => {
  relay.directory.add(1, {
    type: 24,
    models: [MODEL],
    baseUrl: upstream.url,
    modelMapping: `{"${MODEL}":"gemini-embedding-001"}`,
  })
  answers(200, { embeddings: [{ values: [0.5] }] })
  const one = { model: `models/${MODEL}`, content: ASKED.contents[0] }
  await ask(at('batchEmbedContents'), { requests: [one] })
  expect(upstream.asked[0]?.path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents')
  expect(said()).toEqual({ requests: [{ ...one, model: 'models/gemini-embedding-001' }] })
})

test('given a key as Google takes it, when models are listed, then they are in its shape', async () => {
  for (const path of ['/v1/models', '/v1beta/models']) {
    const response = await fetch(`${relay.url}${path}?key=sk-${KEY}`)
    expect(await response.json()).toMatchObject({ models: [{ name: `models/${MODEL}` }] })
  }
  const one = await fetch(`${relay.url}/v1beta/models/${MODEL}?key=sk-${KEY}`)
  expect(await one.json()).toMatchObject({ name: `models/${MODEL}` })
})

test('given a method that is not served, when asked, then 404 is in the shape of Google', async () => {
  for (const path of [at('predict', 'v1'), '/v1beta/cachedContents']) {
    const response = await ask(path, ASKED)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  }
})
