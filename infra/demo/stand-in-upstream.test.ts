import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StandInUpstream } from './stand-in-upstream.ts'
import { startStandInUpstream } from './stand-in-upstream.ts'

let upstream: StandInUpstream
let openai: OpenAI

beforeAll(async () => {
  upstream = await startStandInUpstream({ slowFirstByteMs: 50, hugeAnswerTokens: 5_000 })
  openai = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'sk-a', maxRetries: 0 })
})
beforeEach(() => upstream.forget())
afterAll(() => upstream.stop())

const ask = (model = 'gpt-4o') => ({
  model,
  messages: [{ role: 'user' as const, content: 'What is a ledger?' }],
})

test('given a chat, when answered whole, then it has words and says what it used', async () => {
  const answer = await openai.chat.completions.create(ask())
  expect(answer.choices[0]?.message.content).toContain('ledger')
  expect(answer.usage?.completion_tokens).toBe(24)
  expect(answer.usage?.prompt_tokens).toBe(upstream.requests[0]?.call.promptTokens)
  expect(upstream.requests.map(({ id, key, outcome }) => ({ id, key, outcome }))).toEqual([
    { id: answer.id, key: 'sk-a', outcome: 'answered' },
  ])
})

test('given a limit, when below the usual answer, then the answer ends by length', async () => {
  const answer = await openai.chat.completions.create({ ...ask(), max_tokens: 5 })
  expect(answer.usage?.completion_tokens).toBe(5)
  expect(answer.choices[0]?.finish_reason).toBe('length')
})

test('given a stream, when usage is asked for, then the last chunk has it and otherwise none', async () => {
  const withUsage = await Array.fromAsync(
    await openai.chat.completions.create({
      ...ask(),
      stream: true,
      stream_options: { include_usage: true },
    }),
  )
  expect(withUsage.at(-1)?.usage?.completion_tokens).toBe(24)
  const without = await Array.fromAsync(
    await openai.chat.completions.create({ ...ask(), stream: true }),
  )
  expect(without.some((chunk) => chunk.usage)).toBe(false)
  expect(without.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toContain(
    '每笔费用',
  )
})

test('given tools, when asked, then the first is called with its arguments and a tool answer ends it', async () => {
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'weather',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
        },
      },
    },
  ]
  const call = await openai.chat.completions.create({ ...ask(), tools })
  expect(call.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: 'weather', arguments: '{"city":"Kyoto","days":7}' },
  })
  const stream = openai.chat.completions.stream({ ...ask(), tools })
  const streamed = await stream.finalChatCompletion()
  expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: 'weather', arguments: '{"city":"Kyoto","days":7}' },
  })
})

test('given other endpoints, when called, then they answer in their shapes', async () => {
  const embeddings = await openai.embeddings.create({
    model: 'text-embedding-3-small',
    input: ['a', 'b'],
    encoding_format: 'float',
  })
  expect(embeddings.data.map(({ index }) => index)).toEqual([0, 1])
  const completion = await openai.completions.create({
    model: 'gpt-3.5-turbo-instruct',
    prompt: 'x',
  })
  expect(completion.choices[0]?.text).toContain('ledger')
  const models = await openai.models.list()
  expect(models.data.map(({ id }) => id)).toContain('gpt-4o')
  const subscription = await fetch(`${upstream.url}/v1/dashboard/billing/subscription`)
  expect(await subscription.json()).toMatchObject({ hard_limit_usd: 120 })
})

test.each([
  ['rate-limited', 429],
  ['server-error', 500],
  ['bad-gateway', 502],
  ['invalid-key', 401],
  ['bad-request', 400],
] as const)('given %s, when asked, then status %i', async (behaviour, status) => {
  await expect(openai.chat.completions.create(ask(`stand-in-${behaviour}`))).rejects.toMatchObject({
    status,
  })
})

test.each([
  ['garbage', '<<<'],
  ['error-in-ok', 'overloaded'],
  ['empty', ''],
] as const)('given %s, when asked, then 200 with no answer in it', async (behaviour, text) => {
  const answer = await post(ask(`stand-in-${behaviour}`))
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain(text)
})

test('given a truncated answer, when read, then the connection breaks in the middle', async () => {
  await expect(post(ask('stand-in-truncated')).then((answer) => answer.text())).rejects.toThrow(
    'terminated',
  )
  const stream = await openai.chat.completions.create({
    ...ask('stand-in-truncated'),
    stream: true,
  })
  const read = Array.fromAsync(stream)
  await expect(read).rejects.toThrow('terminated')
})

test.each(['stalled', 'silent'] as const)(
  'given %s, when the client gives up, then upstream sees it leave',
  async (behaviour) => {
    const patience = AbortSignal.timeout(150)
    await expect(
      post({ ...ask(`stand-in-${behaviour}`), stream: true }, patience).then((it) => it.text()),
    ).rejects.toThrow('aborted')
    await expect.poll(() => upstream.requests[0]?.outcome).toBe('left')
  },
)

test('given an order for one key, when it is used up, then that channel answers again, others throughout', async () => {
  upstream.behave('sk-a', 'server-error', 1)
  const other = openai.withOptions({ apiKey: 'sk-b' })
  await expect(other.chat.completions.create(ask())).resolves.toBeDefined()
  await expect(openai.chat.completions.create(ask())).rejects.toMatchObject({ status: 500 })
  await expect(openai.chat.completions.create(ask())).resolves.toBeDefined()
})

test('given a huge answer, when streamed, then every chunk arrives', async () => {
  const stream = await openai.chat.completions.create({ ...ask('stand-in-huge'), stream: true })
  expect(await Array.fromAsync(stream)).toHaveLength(5_002)
})

test('given latencies, when waiting is injected, then no real time passes', async () => {
  const waited: number[] = []
  const patient = await startStandInUpstream({
    latency: () => ({ firstByteMs: 400, perTokenMs: 20 }),
    wait: async (durationMs) => {
      waited.push(durationMs)
    },
  })
  try {
    await openai.withOptions({ baseURL: `${patient.url}/v1` }).chat.completions.create(ask())
    expect(waited).toEqual([400, 480])
  } finally {
    await patient.stop()
  }
})

const post = (body: unknown, signal?: AbortSignal) =>
  fetch(`${upstream.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-a', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
