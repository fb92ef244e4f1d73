import { userId } from '@tollgate/domain/ids.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { textUntilBreak, USER } from '@tollgate/tests/support/relay/relay-under-test.ts'

const { relay, upstream } = await openRelayFixture()

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const answer = (content: string, usage: object): string =>
  JSON.stringify({ choices: [{ message: { content } }], usage })
/** 5,000 quota for each answer. */
const BY_CALL = { ModelPrice: '{"gpt-4o-mini":0.01}' }
const json = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text)

test.each([
  ['no output for text', { prompt_tokens: 10, completion_tokens: 0 }, 10, 4],
  ['no prompt', { completion_tokens: 7 }, 8, 7],
  ['a prompt of none', { prompt_tokens: 0, completion_tokens: 7 }, 8, 7],
  ['a negative prompt', { prompt_tokens: -3, completion_tokens: 7 }, 8, 7],
  ['a prompt as text', { prompt_tokens: '10', completion_tokens: 7 }, 8, 7],
  ['half a token of output', { prompt_tokens: 10, completion_tokens: 0.5 }, 10, 4],
  ['a billion of prompt', { prompt_tokens: 1e9, completion_tokens: 4 }, 8, 4],
  ['a billion of output', { prompt_tokens: 10, completion_tokens: 1e9 }, 10, 4],
  ['garbage', { prompt_tokens: {}, completion_tokens: [] }, 8, 4],
  [
    'a billion of reasoning',
    {
      prompt_tokens: 10,
      completion_tokens: 1e9,
      completion_tokens_details: { reasoning_tokens: 1e9 },
    },
    10,
    4,
  ],
])(
  'given usage that reports %s, when charged, then that side is counted and marked',
  async (_what, usage, textIn, textOut) => {
    upstream.behave(json(answer('Hello there, friend', usage)))
    expect((await relay.post(CHAT, { ...HELLO, max_tokens: 50 })).status).toBe(200)
    expect(relay.holds.settled).toMatchObject([
      { request: { estimated: true, usage: { textIn, textOut, reasoningOut: 0 } } },
    ])
  },
)

test.each([
  ['contexts of its own (FastGPT)', { prompt_tokens: 24_000, completion_tokens: 12 }],
  ['hidden reasoning (o3-mini)', { prompt_tokens: 10, completion_tokens: 1_375 }],
  ['two million on each side', { prompt_tokens: 2_000_000, completion_tokens: 2_000_000 }],
])('given an upstream that adds %s, when charged, then it is believed', async (_, usage) => {
  upstream.behave(json(answer('Hi', usage)))
  relay.holds.available = 100_000_000
  await relay.post(CHAT, { ...HELLO, max_tokens: 50 })
  const { prompt_tokens: textIn, completion_tokens: textOut } = usage
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: false, usage: { textIn, textOut } } },
  ])
})

test('given one-hour cache writes told as Anthropic tells them, when charged, then at twice the input', async () => {
  const usage = {
    input_tokens: 100,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 400,
    cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 200 },
    output_tokens: 4,
  }
  upstream.behave(json(answer('Hello there, friend', usage)))
  await relay.post(CHAT, HELLO)
  expect(relay.holds.settled).toMatchObject([
    {
      // (100 + 1,000 × 0.5 + 200 × 1.25 + 200 × 2 + 4 × 4) × 0.075 = 94.95
      amount: 95,
      request: {
        estimated: false,
        usage: { textIn: 100, cachedIn: 1_000, cacheWriteIn: 200, cacheWrite1hIn: 200, textOut: 4 },
        price: { cacheWrite1hRatio: '2' },
      },
    },
  ])
})

test('given a charge without kinds that came later, when kept, then its usage and price do not name them', async () => {
  upstream.behave(json(answer('Hi', { prompt_tokens: 10, completion_tokens: 4 })))
  await relay.post(CHAT, HELLO)
  const [{ request } = { request: null }] = relay.holds.settled
  expect(Object.keys(request?.usage ?? {})).toEqual(Object.keys(NO_USAGE))
  expect(request?.price).not.toHaveProperty('cacheWrite1hRatio')
  expect(request?.price).toMatchObject({ webSearchPrice: null, fileSearchPrice: null })
})

test.each([
  ['a quarter', 'word '.repeat(1_200), 301, 301, false],
  ['less than a quarter', 'word '.repeat(1_200), 299, 1_201, true],
  ['less than a quarter of digits', '1 '.repeat(1_200), 299, 2_400, true],
  ['less than a quarter of Chinese', '汉字文本计数'.repeat(400), 200, 2_000, true],
  ['a little of a short answer', 'word '.repeat(900), 1, 1, false],
])(
  'given a completion of %s of our count, when charged, then the count decides only below it',
  async (_, text, completion_tokens, textOut, estimated) => {
    upstream.behave(json(answer(text, { prompt_tokens: 10, completion_tokens })))
    await relay.post(CHAT, HELLO)
    expect(relay.holds.settled).toMatchObject([
      { request: { estimated, usage: { textIn: 10, textOut } } },
    ])
  },
)

test.each([
  ['no usage', undefined, 0, {}, 0],
  ['usage of zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, 0, {}, 0],
  ['a prompt', { prompt_tokens: 10, completion_tokens: 0 }, 10, {}, 1],
  ['an unreadable prompt', { prompt_tokens: '10', completion_tokens: 0 }, 8, {}, 1],
  ['no usage and a price by call', undefined, 0, BY_CALL, 0],
  ['a prompt and a price by call', { prompt_tokens: 10, completion_tokens: 0 }, 10, BY_CALL, 5_000],
])(
  'given an empty answer with %s, when charged, then it has a row and one price whole and streamed',
  async (_, usage, textIn, options, amount) => {
    relay.directory.set(options)
    const settled = () =>
      relay.holds.settled.map(({ amount, request }) => [amount, request.usage.textIn])
    upstream.behave(json(JSON.stringify({ choices: [{ message: { content: '' } }], usage })))
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    const whole = settled()
    relay.holds.settled.length = 0
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ]
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      response.end('data: [DONE]\n\n')
    })
    expect(await (await relay.post(CHAT, { ...HELLO, stream: true })).text()).toContain('[DONE]')
    expect(whole).toEqual([[amount, textIn]])
    expect(settled()).toEqual(whole)
  },
)

test.each([
  ['no usage', undefined],
  ['zeros', { prompt_tokens: 0, total_tokens: 0 }],
  ['a completion only', { completion_tokens: 5 }],
])(
  'given an embedding with %s, when charged, then its input is counted and marked',
  async (_, usage) => {
    const reply = { object: 'list', data: [{ embedding: [0.1, 0.2], index: 0 }], usage }
    upstream.behave(json(JSON.stringify(reply)))
    const asked = { model: 'gpt-4o-mini', input: 'one two three' }
    expect((await relay.post('/v1/embeddings', asked)).status).toBe(200)
    expect(relay.holds.settled).toMatchObject([
      { request: { estimated: true, usage: { textIn: 3 } } },
    ])
  },
)

test('given much reasoning that nobody sees, when charged, then upstream is believed', async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 90_000,
    completion_tokens_details: { reasoning_tokens: 89_000 },
  }
  upstream.behave(json(answer('Hi', usage)))
  await relay.post(CHAT, { ...HELLO, max_tokens: 90_000 })
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: false, usage: { textOut: 90_000, reasoningOut: 89_000 } } },
  ])
})

test('given a channel that raises the limit, when quota does not reach, then upstream is never asked', async () => {
  relay.directory.add(1, { baseUrl: upstream.url, paramOverride: '{"max_tokens":100000}' })
  upstream.behave(json(answer('Hi', { prompt_tokens: 9, completion_tokens: 1 })))
  relay.holds.available = 1_000
  const refused = await relay.post(CHAT, { ...HELLO, max_tokens: 10 })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('insufficient_user_quota')
  expect(upstream.asked).toHaveLength(0)
  expect(relay.holds).toMatchObject({ available: 1_000, reserved: 0 })
  relay.holds.available = 1_000_000
  expect((await relay.post(CHAT, { ...HELLO, max_tokens: 10 })).status).toBe(200)
})

test('given a channel that raises the limit, when asking for more fails, then the client is to retry', async () => {
  relay.directory.add(1, { baseUrl: upstream.url, paramOverride: '{"max_tokens":100000}' })
  relay.holds.isUnavailableForMore = true
  const refused = await relay.post(CHAT, { ...HELLO, max_tokens: 10 })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.text()).toContain('quota_unavailable')
  expect(upstream.asked).toHaveLength(0)
  expect(relay.holds).toMatchObject({ available: 1_000_000, reserved: 0 })
})

test('given an amount that cannot be reckoned, when charged, then what was reserved goes back', async () => {
  relay.directory.set({ ModelRatio: '{"gpt-4o-mini":9000000000000}', GroupRatio: '{"default":1}' })
  upstream.behave(json(answer('Hi', { prompt_tokens: 5_000, completion_tokens: 1 })))
  relay.holds.available = Number.MAX_SAFE_INTEGER
  const response = await relay.post(CHAT, { ...HELLO, max_tokens: 1 })
  expect(response.status).toBe(500)
  expect(relay.holds).toMatchObject({ available: Number.MAX_SAFE_INTEGER, reserved: 0 })
  expect(relay.logged.splice(0)).toHaveLength(1)
})

test('given a charge that the journal never takes, when settled, then 500 without a promise, logged', async () => {
  upstream.behave(json(answer('Hi', { prompt_tokens: 10, completion_tokens: 5 })))
  const refusing = Promise.reject(new Error('no such stream'))
  // Awaited only once the request has come to its charge.
  refusing.catch(() => undefined)
  relay.holds.journal = refusing
  const response = await relay.post(CHAT, HELLO)
  relay.holds.journal = Promise.resolve()
  expect(response.status).toBe(500)
  expect(response.headers.get('x-should-retry')).toBe('false')
  const text = await response.text()
  expect(text).toContain('internal_error')
  expect(text).not.toContain('will be charged')
  expect(relay.logged.splice(0)).toMatchObject([{ message: 'no such stream' }])
})

test('given a stream that fails after its first chunk, when it ends, then the channel is reported', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n')
    response.end('data: {"error":{"message":"quota gone","code":"insufficient_quota"}}\n\n')
  })
  await textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true }))
  expect(relay.reports).toMatchObject([{ channel: 1, errorCode: 'insufficient_quota' }])
})

test('given a rate limit, when the playground is used too often, then 429', async () => {
  relay.directory.set({ ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '1' })
  relay.session = { status: 'signed-in', user: { ...USER, id: userId(80) } }
  upstream.behave(json(answer('Hi', { prompt_tokens: 10, completion_tokens: 5 })))
  const play = () => relay.post('/pg/chat/completions', HELLO, { authorization: '' })
  expect((await play()).status).toBe(200)
  expect((await play()).status).toBe(429)
})
