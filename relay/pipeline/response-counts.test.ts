import { isObject } from '../json.ts'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { expect, test } from 'vitest'

/** Tokens of a prompt of responses, and conversations made shorter. */
const { relay, upstream, answers } = await openRelayFixture()

const COUNT = '/v1/responses/input_tokens'
const COMPACT = '/v1/responses/compact'
const MODEL = 'gpt-4o-mini'
const HELLO = { model: MODEL, input: 'hello there' }
const COUNTED = { object: 'response.input_tokens', input_tokens: 11 }
const idOf = async (response: Response): Promise<string> => {
  const body: unknown = await response.json()
  return isObject(body) ? String(body['id']) : ''
}
const serve = (type: number, more: object = {}): void => {
  relay.directory.channels.clear()
  relay.directory.add(1, { type, models: [MODEL], baseUrl: upstream.url, ...more })
}
const said = (role: string, text: string, type: string): object => ({
  type: 'message',
  role,
  content: [{ type, text }],
})
/** A client's own message, which comes back, and an item for the rest of the conversation. */
const compacted = (kept: string, usage: object = USAGE): object => ({
  id: 'cmp_up1',
  object: 'response.compaction',
  created_at: 1_764_967_971,
  output: [
    said('user', kept, 'input_text'),
    { id: 'cmp_2', type: 'compaction', encrypted_content: 'gAAAAABp'.repeat(20) },
  ],
  usage,
})
const USAGE = {
  input_tokens: 4_000,
  input_tokens_details: { cached_tokens: 1_000 },
  output_tokens: 300,
  output_tokens_details: { reasoning_tokens: 64 },
  total_tokens: 4_300,
}

test.each([COUNT, '/openai/responses/input_tokens', '/openai/v1/responses/input_tokens'])(
  'given %s at a channel that has responses, when counted, then it counts and nothing is charged',
  async (path) => {
    answers(200, COUNTED)
    const response = await relay.post(path, HELLO)
    expect([response.status, await response.json()]).toEqual([200, COUNTED])
    expect(upstream.asked.map(({ path: asked, text }) => [asked, JSON.parse(text)])).toEqual([
      [COUNT, HELLO],
    ])
    expect(relay.holds).toMatchObject({ draws: [], settled: [] })
    expect(relay.failures).toEqual([])
  },
)

test.each([
  ['a channel that chats', 43, 200, {}],
  ['a channel of Anthropic', 14, 200, {}],
  ['a provider that counts nothing', 1, 404, { error: { message: 'no such address' } }],
  ['a provider that is out of order', 1, 500, {}],
  ['a count that is none', 1, 200, { input_tokens: '11' }],
  ['a count below nothing', 1, 200, { input_tokens: -3 }],
  ['an answer that is no JSON object', 1, 200, []],
])('given %s, when counted, then our own count is answered', async (_what, type, status, body) => {
  serve(type)
  answers(status, body)
  const counted = async (): Promise<unknown> => (await relay.post(COUNT, HELLO)).json()
  // Two words, and what frames them; the thread that counts takes its time to begin.
  await expect
    .poll(counted, { timeout: 20_000 })
    .toEqual({ ...COUNTED, input_tokens: 2 + 1 + 3 + 3 })
  upstream.asked.splice(0)
  await counted()
  expect(upstream.asked).toHaveLength(type === 1 ? 1 : 0)
  expect(relay.holds).toMatchObject({ draws: [], settled: [] })
})

test.each([
  ['no model', { input: 'hello' }, 'model'],
  ['no input', { model: MODEL }, 'input'],
  ['an input of numbers', { model: MODEL, input: [1, 2] }, 'input'],
  ['an input that is a number', { model: MODEL, input: 3 }, 'input'],
  ['a stream asked for', { ...HELLO, stream: true }, 'stream'],
  [
    'a previous response that is no id',
    { ...HELLO, previous_response_id: 7 },
    'previous_response_id',
  ],
])('given %s, when counted or made shorter, then refused by name', async (_what, body, param) => {
  for (const path of [COUNT, COMPACT]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const response = await relay.post(path, body)
    expect(response.status).toBe(400)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await response.json()).toMatchObject({ error: { param } })
  }
  expect(upstream.asked).toEqual([])
})

test('given members that a count refuses, when the channel adds them, then they stay away', async () => {
  serve(1, {
    paramOverride: '{"max_output_tokens":5,"temperature":0}',
    modelMapping: `{"${MODEL}":"up"}`,
  })
  answers(200, COUNTED)
  await relay.post(COUNT, HELLO)
  answers(200, compacted('hi'))
  await relay.post(COMPACT, HELLO)
  expect(upstream.asked.map(({ text }) => JSON.parse(text))).toEqual([
    { ...HELLO, model: 'up' },
    { ...HELLO, model: 'up' },
  ])
})

test('given a stored response alone, when counted, then its channel counts, else its history is ours', async () => {
  const answer = { id: 'resp_up1', object: 'response', output: [], usage: USAGE }
  answers(200, { ...answer, output: [said('assistant', 'Hi', 'output_text')] })
  const previous = await idOf(await relay.post('/v1/responses', HELLO))
  const body = { model: MODEL, previous_response_id: previous }
  answers(200, COUNTED)
  expect(await (await relay.post(COUNT, body)).json()).toEqual(COUNTED)
  expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject({
    previous_response_id: 'resp_up1',
  })
  answers(404, {})
  const own: unknown = await (await relay.post(COUNT, body)).json()
  expect(isObject(own) && Number(own['input_tokens'])).toBeGreaterThan(4)
  const foreign = { ...body, previous_response_id: 'resp_another' }
  for (const path of [COUNT, COMPACT]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect((await relay.post(path, foreign)).status).toBe(404)
  }
})

test('given a conversation of the provider, when no channel may count it, then refused by name', async () => {
  const body = { model: MODEL, conversation: 'conv_1' }
  const refused = await relay.post(COUNT, body)
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { code: 'unsupported_by_channel', param: 'conversation' } },
  ])
  expect(upstream.asked).toEqual([])
  serve(1, { setting: '{"allow_provider_objects":true}' })
  answers(200, COUNTED)
  expect((await relay.post(COUNT, body)).status).toBe(200)
})

test('given an account without quota, when counted, then the count is answered', async () => {
  relay.holds.available = 0
  answers(200, COUNTED)
  expect((await relay.post(COUNT, HELLO)).status).toBe(200)
})

test('given counts up to the model rate limit, when asked again, then 429', async () => {
  relay.directory.set({
    ModelRequestRateLimitEnabled: 'true',
    ModelRequestRateLimitSuccessCount: '2',
  })
  answers(200, COUNTED)
  const statuses: number[] = []
  for (let n = 0; n < 3; n += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    statuses.push((await relay.post(COUNT, HELLO)).status)
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('given a conversation, when made shorter, then it passes but for its id and is charged by its usage', async () => {
  answers(200, compacted('What I said'))
  const response = await relay.post(COMPACT, HELLO)
  const body: unknown = await response.json()
  expect(response.status).toBe(200)
  expect(body).toEqual({ ...compacted('What I said'), id: expect.stringMatching(/^(?!cmp_up1)/) })
  expect(upstream.asked[0]?.path).toBe(COMPACT)
  // 3,000 + 1,000 × 0.5 + 300 × 4, at 0.075.
  expect(relay.holds.settled).toMatchObject([
    {
      amount: 353,
      request: {
        endpoint: COMPACT,
        estimated: false,
        usage: { textIn: 3_000, cachedIn: 1_000, textOut: 300, reasoningOut: 64 },
      },
    },
  ])
  expect(relay.holds.reserved).toBe(0)
})

test('given long words of the client’s own in it, when charged, then they are no output', async () => {
  const { output_tokens: _, ...input } = USAGE
  for (const usage of [USAGE, { ...input, total_tokens: 4_000 }]) {
    answers(200, compacted('word '.repeat(5_000), usage))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await relay.post(COMPACT, HELLO)
  }
  const [told, counted] = relay.holds.settled.map(({ request }) => request)
  expect(told).toMatchObject({ estimated: false, usage: { textOut: 300 } })
  // 160 characters that nobody reads.
  expect(counted).toMatchObject({ estimated: true, usage: { textOut: 40 } })
})

test.each([
  ['chats', 43],
  ['is Anthropic’s', 14],
  ['is Google’s', 24],
])(
  'given a channel that %s, when asked to make it shorter, then refused in its shape',
  async (...row) => {
    const [, type] = row
    serve(type)
    const response = await relay.post(COMPACT, HELLO)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'unsupported_by_channel', message: expect.stringContaining(COMPACT) } },
    ])
    expect(upstream.asked).toEqual([])
    expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
    relay.directory.add(2, { type: 1, models: [MODEL], baseUrl: upstream.url })
    answers(200, compacted('hi'))
    expect((await relay.post(COMPACT, HELLO)).status).toBe(200)
    expect(relay.holds.settled).toMatchObject([{ request: { channel: 2 } }])
  },
)

test('given a tier without a factor, when made shorter, then refused; with one it is charged by it', async () => {
  const body = { ...HELLO, service_tier: 'priority' }
  expect((await relay.post(COMPACT, body)).status).toBe(400)
  relay.directory.set({ PriceFactors: JSON.stringify({ [MODEL]: { priority: 2 } }) })
  serve(1, { setting: '{"allow_price_terms":true}' })
  answers(200, { ...compacted('hi'), service_tier: 'priority' })
  await relay.post(COMPACT, body)
  expect(relay.holds.settled).toMatchObject([{ amount: 705 }])
})

test('given too little quota, when made shorter, then upstream is never asked', async () => {
  relay.holds.available = 30
  answers(200, compacted('hi'))
  const response = await relay.post(COMPACT, HELLO)
  expect(response.status).toBe(403)
  expect(upstream.asked).toEqual([])
})

test('given a token of another account, when it goes on from a compaction, then there is none', async () => {
  answers(200, compacted('hi'))
  const id = await idOf(await relay.post(COMPACT, HELLO))
  const { tokens } = relay.directory
  const [[key, token]] = [...tokens] as [[string, NonNullable<ReturnType<typeof tokens.get>>]]
  tokens.set(key, { ...token, user: { ...token.user, id: userId(8) } })
  const response = await relay.post('/v1/responses', { ...HELLO, previous_response_id: id })
  tokens.set(key, token)
  expect(response.status).toBe(404)
})
