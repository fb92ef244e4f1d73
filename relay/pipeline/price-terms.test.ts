import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Terms that change the provider's price: tiers, speeds, regions, long prompts. */
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
  relay.directory.channels.clear()
})

const GPT = 'gpt-5-mini'
const CLAUDE = 'claude-opus-4-6'
const ALLOWED = JSON.stringify({ allow_price_terms: true })
const FACTORS = {
  [GPT]: { priority: 2, flex: 0.5, above: { tokens: 100, in: 2, out: 1.5 } },
  [CLAUDE]: { fast: 6, geo: 1.1 },
}
const HELLO = [{ role: 'user', content: 'hello' }]

function serve(type: number, setting = ALLOWED, factors: object = FACTORS, retries = 0): void {
  relay.directory.add(1, { type, models: [GPT, CLAUDE], baseUrl: upstream.url, setting })
  relay.directory.set({
    RetryTimes: String(retries),
    ModelRatio: JSON.stringify({ [GPT]: 1, [CLAUDE]: 1 }),
    CompletionRatio: JSON.stringify({ [GPT]: 2, [CLAUDE]: 2 }),
    PriceFactors: JSON.stringify(factors),
  })
}
/** 100 tokens in, 10 out: 120 without factors. */
const answers = (more: object = {}, usage: object = {}): void =>
  upstream.behave((response) => {
    const body = {
      id: 'x',
      model: GPT,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      content: [{ type: 'text', text: 'Hi' }],
      output: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 10,
        input_tokens: 100,
        output_tokens: 10,
        ...usage,
      },
      ...more,
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
const chat = (more: object) => ({ model: GPT, max_tokens: 10, messages: HELLO, ...more })
const messages = (more: object) => ({ model: CLAUDE, max_tokens: 10, messages: HELLO, ...more })

test.each([
  ['priority, served', { service_tier: 'priority' }, { service_tier: 'priority' }, 240],
  ['priority, served as default', { service_tier: 'priority' }, { service_tier: 'default' }, 120],
  ['flex, served', { service_tier: 'flex' }, { service_tier: 'flex' }, 60],
  ['flex, not told of', { service_tier: 'flex' }, {}, 120],
  ['no tier, served as priority', {}, { service_tier: 'priority' }, 240],
])(
  'given %s, when charged, then by what upstream says it served',
  async (_what, asked, told, amount) => {
    serve(1)
    answers(told)
    const response = await relay.post('/v1/chat/completions', chat(asked))
    expect(response.status).toBe(200)
    expect(JSON.parse(upstream.asked[0]?.text ?? '')).toMatchObject(asked)
    expect(relay.holds.settled).toMatchObject([{ amount }])
    expect(relay.holds.settled[0]?.request.price).not.toHaveProperty('factors')
    expect(relay.holds.draws[0]).toBeGreaterThanOrEqual(
      amount > 120 && 'service_tier' in asked ? 40 : 20,
    )
  },
)

test('given a stream of the tier priority, when its chunks tell the tier, then it is charged by it', async () => {
  serve(1)
  const chunk = (more: object): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', service_tier: 'priority', choices: [], ...more })}\n\n`
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      chunk({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }) +
        chunk({ usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }) +
        'data: [DONE]\n\n',
    )
  })
  await (
    await relay.post('/v1/chat/completions', chat({ stream: true, service_tier: 'priority' }))
  ).text()
  expect(relay.holds.settled).toMatchObject([
    { amount: 240, request: { price: { tierFactor: '2' }, upstream: { serviceTier: 'priority' } } },
  ])
})

test.each([
  ['fast, served', { speed: 'fast' }, { speed: 'fast' }, 720],
  ['fast, served as standard', { speed: 'fast' }, { speed: 'standard' }, 120],
  ['a region, served', { inference_geo: 'us' }, { inference_geo: 'us' }, 132],
  ['a region, served anywhere', { inference_geo: 'us' }, { inference_geo: 'global' }, 120],
])(
  'given messages with %s, when charged, then by what upstream served',
  async (_what, asked, usage, amount) => {
    serve(14)
    answers({}, usage)
    await relay.post('/v1/messages', messages(asked))
    expect(JSON.parse(upstream.asked[0]?.text ?? '')).toMatchObject(asked)
    expect(relay.holds.settled).toMatchObject([{ amount }])
  },
)

test('given a response of the tier priority, when charged, then by what upstream served', async () => {
  serve(1)
  answers({ object: 'response', service_tier: 'priority' })
  const asked = { model: GPT, max_output_tokens: 16, input: 'hello', service_tier: 'priority' }
  await relay.post('/v1/responses', asked)
  expect(relay.holds.settled).toMatchObject([{ amount: 240 }])
})

const GENERATE = `/v1beta/models/${GPT}:generateContent`
const contents = (more: object) => ({ contents: [{ parts: [{ text: 'hello' }] }], ...more })

test.each([
  ['priority, served', { serviceTier: 'priority' }, 'priority', 240],
  [
    'priority by its longer name, served',
    { service_tier: 'SERVICE_TIER_PRIORITY' },
    'priority',
    240,
  ],
  ['priority, served as standard', { serviceTier: 'priority' }, 'standard', 120],
  ['flex, served', { serviceTier: 'flex' }, 'flex', 60],
  ['flex, not told of', { serviceTier: 'flex' }, '', 120],
  ['the standard tier', { serviceTier: 'standard' }, 'standard', 120],
])(
  'given contents of Google with %s, when charged, then by what upstream served',
  async (_what, asked, served, amount) => {
    serve(24)
    upstream.behave((response) => {
      const body = {
        candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10 },
      }
      const tier = served === '' ? {} : { 'x-gemini-service-tier': served }
      response.writeHead(200, { 'content-type': 'application/json', ...tier })
      response.end(JSON.stringify(body))
    })
    expect((await relay.post(GENERATE, contents(asked))).status).toBe(200)
    expect(JSON.parse(upstream.asked[0]?.text ?? '')).toMatchObject(asked)
    expect(relay.holds.settled).toMatchObject([{ amount }])
  },
)

test.each([
  ['priority', 400, 'serviceTier has no counterpart'],
  ['standard', 200, 'candidates'],
])('given type 1 and contents of the tier %s, when asked, then %s', async (...row) => {
  const [serviceTier, status, says] = row
  serve(1)
  answers()
  const response = await relay.post(GENERATE, contents({ serviceTier }))
  expect(response.status).toBe(status)
  expect(await response.text()).toContain(says)
})

test('given a prompt beyond the threshold by upstream alone, when charged, then by its factors', async () => {
  serve(1, '')
  answers({}, { prompt_tokens: 101 })
  await relay.post('/v1/chat/completions', chat({}))
  // 101 × 2 + 10 × 2 × 1.5
  expect(relay.holds.settled).toMatchObject([
    { amount: 232, request: { price: { longInFactor: '2', longOutFactor: '1.5' } } },
  ])
})

/** 120 tokens and what frames them, in 240 bytes and more. */
const BEYOND = 'a '.repeat(120)
/** 40 tokens in more bytes than the threshold has tokens. */
const WITHIN = 'hello '.repeat(40)

test.each([
  ['/v1/chat/completions', 'messages', chat({ messages: [{ role: 'user', content: BEYOND }] })],
  ['/v1/completions', 'prompt', { model: GPT, max_tokens: 10, prompt: BEYOND }],
  ['/v1/responses', 'input', { model: GPT, max_output_tokens: 16, input: BEYOND }],
  [
    '/v1/messages',
    'messages',
    { ...messages({ messages: [{ role: 'user', content: BEYOND }] }), model: GPT },
  ],
  [GENERATE, 'contents', { contents: [{ parts: [{ text: BEYOND }] }] }],
])(
  'given a long prompt at %s, when no channel allows terms, then refused by name',
  async (...row) => {
    const [path, named, body] = row
    serve(1, '', FACTORS, 1)
    answers({ object: 'response' }, { prompt_tokens: 130 })
    const refused = await relay.post(path, body)
    expect(refused.status).toBe(400)
    const text = await refused.text()
    expect(text).toContain('a prompt of more than 100 tokens')
    if (path === '/v1/chat/completions') expect(text).toContain(`"param":"${named}"`)
    expect(upstream.asked).toEqual([])
    expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
    relay.directory.add(2, { models: [GPT], baseUrl: upstream.url, setting: ALLOWED })
    expect((await relay.post(path, body)).status).toBe(200)
    expect(relay.holds.settled).toMatchObject([
      { request: { channel: 2, price: { longInFactor: '2' } } },
    ])
  },
)

test.each([
  ['whose bytes alone are beyond it', WITHIN, FACTORS],
  ['of a model without a threshold', BEYOND, { [GPT]: { priority: 2 } }],
  ['of a model without factors', BEYOND, {}],
])('given a prompt %s, when no channel allows terms, then it is served', async (...row) => {
  const [, content, factors] = row
  serve(1, '', factors)
  answers({}, { prompt_tokens: 50 })
  const body = chat({ messages: [{ role: 'user', content }] })
  expect((await relay.post('/v1/chat/completions', body)).status).toBe(200)
  // 50 + 10 × 2
  expect(relay.holds.settled).toMatchObject([{ amount: 70 }])
})

test('given a price by the call, when the prompt is long, then nothing is counted or refused', async () => {
  serve(1, '')
  relay.directory.set({
    ModelPrice: JSON.stringify({ [GPT]: 0.01 }),
    PriceFactors: JSON.stringify(FACTORS),
  })
  answers()
  const body = chat({ messages: [{ role: 'user', content: BEYOND }] })
  expect((await relay.post('/v1/chat/completions', body)).status).toBe(200)
  expect(relay.holds.settled).toMatchObject([{ amount: 5_000 }])
})

/** 3,000 tokens whose bytes are six times as many, so that they are counted where quota is scarce. */
const LONG = 'hello '.repeat(3_000)
const marked = (ttl: string): object => ({ type: 'ephemeral', ttl })
const longBlock = (more: object) => [
  { role: 'user', content: [{ type: 'text', text: LONG, ...more }] },
]

test.each([
  ['/v1/messages', 'no cache', messages({ messages: longBlock({}) }), 3_100],
  [
    '/v1/messages',
    'five minutes',
    messages({ messages: longBlock({ cache_control: marked('5m') }) }),
    3_800,
  ],
  [
    '/v1/messages',
    'an hour',
    messages({ messages: longBlock({ cache_control: marked('1h') }) }),
    6_100,
  ],
  [
    '/v1/messages',
    'an hour, by the system prompt',
    messages({
      system: [{ type: 'text', text: 'x', cache_control: marked('1h') }],
      messages: longBlock({}),
    }),
    6_100,
  ],
  [
    '/v1/messages',
    'an hour, by the request',
    messages({ cache_control: marked('1h'), messages: longBlock({}) }),
    6_100,
  ],
  [
    '/v1/chat/completions',
    'an hour',
    { ...messages({ messages: longBlock({ cache_control: marked('1h') }) }) },
    6_100,
  ],
])(
  'given %s that may be cached for %s, when quota is scarce, then the write is covered',
  async (path, _time, body, enough) => {
    serve(14)
    answers()
    relay.holds.available = enough - 200
    expect((await relay.post(path, body)).status).toBe(403)
    expect(upstream.asked).toEqual([])
    relay.holds.available = enough
    expect((await relay.post(path, body)).status).toBe(200)
  },
)

test.each([
  ['/v1/chat/completions', { messages: longBlock({}), max_tokens: 10 }],
  ['/v1/responses', { input: LONG, max_output_tokens: 16 }],
])(
  'given a model that caches unasked at %s, when quota is scarce, then the write is covered',
  async (...row) => {
    const [path, body] = row
    const model = 'gpt-5.6-sol'
    const other = `own-name-of${path}`
    relay.directory.add(1, { models: [model, other], baseUrl: upstream.url })
    const ratios = (ratio: number) => JSON.stringify({ [model]: ratio, [other]: ratio })
    relay.directory.set({ ModelRatio: ratios(1), CompletionRatio: ratios(2) })
    const written = { cache_write_tokens: 2_990 }
    const usage = { prompt_tokens_details: written, input_tokens_details: written }
    answers({ object: 'response' }, { ...usage, prompt_tokens: 3_000, input_tokens: 3_000 })
    // 3,000 of text and what frames them, at 1.25.
    relay.holds.available = 3_700
    expect((await relay.post(path, { ...body, model })).status).toBe(403)
    expect(upstream.asked).toEqual([])
    relay.holds.available = 3_850
    expect((await relay.post(path, { ...body, model })).status).toBe(200)
    // 10 × 1 + 2,990 × 1.25 + 10 × 2
    expect(relay.holds.settled).toMatchObject([{ amount: 3_768 }])
    expect(relay.holds.available).toBeGreaterThanOrEqual(0)
    // Under a name that tells nothing the first report does.
    relay.holds.available = 3_700
    expect((await relay.post(path, { ...body, model: other })).status).toBe(200)
    relay.holds.available = 3_700
    expect((await relay.post(path, { ...body, model: other })).status).toBe(403)
  },
)

test.each([
  [
    '/v1/chat/completions',
    chat({ service_tier: 'priority' }),
    'service_tier',
    'is not priced here',
  ],
  ['/v1/messages', messages({ speed: 'fast' }), 'speed', 'is not priced here'],
  ['/v1/messages', messages({ inference_geo: 'us' }), 'inference_geo', 'is not priced here'],
])(
  'given terms at %s without a factor, when asked, then refused by name',
  async (path, body, _param, says) => {
    serve(1, ALLOWED, {})
    const response = await relay.post(path, body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(says)
    expect(upstream.asked).toEqual([])
    expect(relay.holds).toMatchObject({ draws: [], settled: [] })
  },
)

test('given a channel that does not allow terms, when asked, then another is, else refused by name', async () => {
  serve(1, '')
  answers({ service_tier: 'flex' })
  const refused = await relay.post('/v1/chat/completions', chat({ service_tier: 'flex' }))
  expect(refused.status).toBe(400)
  expect(JSON.parse(await refused.text())).toMatchObject({
    error: { code: 'unsupported_by_channel', param: 'service_tier' },
  })
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  relay.directory.add(2, { models: [GPT], baseUrl: upstream.url, setting: ALLOWED })
  await relay.post('/v1/chat/completions', chat({ service_tier: 'flex' }))
  expect(relay.holds.settled).toMatchObject([{ amount: 60, request: { channel: 2 } }])
})

test('given a channel that refused, when the other one fails at first, then only that is tried again', async () => {
  serve(1, '', FACTORS, 1)
  relay.directory.add(2, { models: [GPT], baseUrl: upstream.url, setting: ALLOWED })
  upstream.behave((response) => {
    response.writeHead(500).end()
    answers({ service_tier: 'flex' })
  })
  const response = await relay.post('/v1/chat/completions', chat({ service_tier: 'flex' }))
  expect(response.status).toBe(200)
  expect(upstream.asked).toHaveLength(2)
  expect(relay.holds.settled).toMatchObject([{ amount: 60, request: { channel: 2 } }])
})

test('given terms that the provider has no word for, when translated, then refused by name', async () => {
  serve(1)
  const response = await relay.post('/v1/messages', messages({ speed: 'fast' }))
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('speed has no counterpart')
  expect(upstream.asked).toEqual([])
})
