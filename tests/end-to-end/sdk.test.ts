import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks, logCaughtUp } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import type { Gateway } from '../support/gateway.ts'
import { startGateway, STEADY_KEY } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** Tests of the relay's answers to the official `openai` package, and of its charges. */
let gateway: Gateway
let user: ConsoleClient
let openai: OpenAI
let key: string

const MODELS = [
  'gpt-4o-mini',
  'gpt-4o',
  'o3-mini',
  'text-embedding-3-small',
  'gpt-3.5-turbo-instruct',
]
const LONG_ANSWER = 400
const OPENING = 50_000_000

beforeAll(async () => {
  gateway = await startGateway({
    models: MODELS,
    upstream: {
      // gpt-4o is the slow one that talks at length, so that a client has time to leave.
      answerTokens: (model) => (model === 'gpt-4o' ? LONG_ANSWER : 24),
      latency: ({ model }) => ({ firstByteMs: 0, perTokenMs: model === 'gpt-4o' ? 40 : 0 }),
    },
  })
  user = await gateway.root.addUser('sdk-user', 'long-enough-2', OPENING)
  key = (await user.createToken({ name: 'sdk' })).key
  openai = gateway.openai(key)
})
beforeEach(async () => {
  await logCaughtUp(gateway.product, user)
  gateway.upstream.forget()
})
afterAll(() => gateway.stop())

const ask = (model = 'gpt-4o-mini') => ({
  model,
  messages: [{ role: 'user' as const, content: 'Where did my quota go?' }],
})

/** gpt-4o-mini: ratio 0.075, output 4 times that, rounded half up. */
const miniCharge = (usage: OpenAI.CompletionUsage): number =>
  Math.round((usage.prompt_tokens + usage.completion_tokens * 4) * 0.075)

test('given a token, when a chat is answered, then log and balance show its price', async () => {
  const before = await user.self()
  const answer = await openai.chat.completions.create(ask())
  expect(answer.choices[0]?.message.content).toContain('ledger')
  const charge = miniCharge(usageOf(answer))
  await until('balance and log show the charge', async () => {
    const [self, [newest]] = await Promise.all([user.self(), user.logs({ type: '2' })])
    return self.quota === before.quota - charge && newest?.quota === charge
  })
  const [row] = await user.logs({ type: '2' })
  expect(row).toMatchObject({
    model_name: 'gpt-4o-mini',
    token_name: 'sdk',
    quota: charge,
    prompt_tokens: answer.usage?.prompt_tokens,
    completion_tokens: 24,
    is_stream: false,
  })
})

test('given a stream, when usage is asked for, then its last chunk has it at the unstreamed price', async () => {
  const unstreamed = await user.chargesOf(1, () => openai.chat.completions.create(ask()))
  const streamed = await user.chargesOf(1, async () =>
    Array.fromAsync(
      await openai.chat.completions.create({
        ...ask(),
        stream: true,
        stream_options: { include_usage: true },
      }),
    ),
  )
  const [whole, chunks] = [unstreamed.result, streamed.result]
  const usage = chunks.at(-1)?.usage
  expect(usage).toMatchObject(usageOf(whole))
  expect(text(chunks)).toBe(whole.choices[0]?.message.content)
  expect(streamed.rows[0]?.is_stream).toBe(true)
  expect(streamed.rows[0]?.quota).toBe(unstreamed.rows[0]?.quota)
})

test('given a stream, when usage is not asked for, then no chunk has it and yet the charge is exact', async () => {
  const { result: chunks, rows } = await user.chargesOf(1, async () =>
    Array.fromAsync(await openai.chat.completions.create({ ...ask(), stream: true })),
  )
  expect(chunks.filter((chunk) => chunk.usage || chunk.choices.length === 0)).toEqual([])
  const [row] = rows
  expect(row?.completion_tokens).toBe(24)
  expect(JSON.parse(row?.other ?? '{}')).not.toMatchObject({ estimated: true })
})

test.each([true, false])(
  'given usage at the finish, when include_usage is %s, then a client counts it at most once',
  async (include_usage) => {
    gateway.upstream.behave(STEADY_KEY, 'usage-at-finish')
    const { result: chunks, rows } = await user.chargesOf(1, async () =>
      Array.fromAsync(
        await openai.chat.completions.create({
          ...ask(),
          stream: true,
          stream_options: { include_usage },
        }),
      ),
    )
    const seen = chunks.flatMap(({ usage }) => usage ?? [])
    expect(seen.map(({ completion_tokens }) => completion_tokens)).toEqual(
      include_usage ? [24] : [],
    )
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(rows[0]?.completion_tokens).toBe(24)
  },
)

test.each(['truncated', 'error-mid-stream'] as const)(
  'given a reader without error events, when a stream is %s, then its connection breaks',
  async (behaviour) => {
    gateway.upstream.behave(STEADY_KEY, behaviour)
    const { result: read } = await user.chargesOf(1, () => readIgnoringErrors())
    expect(read.text.length).toBeGreaterThan(0)
    expect(read.isWhole).toBe(false)
  },
)

test('given a reader that knows no error events, when nothing fails, then the stream is whole', async () => {
  const { result: read } = await user.chargesOf(1, () => readIgnoringErrors())
  expect(read.isWhole).toBe(true)
})

test('given tools, when the model calls one, then the call arrives whole, streamed or not', async () => {
  const tools: OpenAI.ChatCompletionTool[] = [
    {
      type: 'function',
      function: {
        name: 'weather',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ]
  const expected = {
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Kyoto"}' },
  }
  const { result: answers } = await user.chargesOf(2, async () => [
    await openai.chat.completions.create({ ...ask(), tools }),
    await openai.chat.completions.stream({ ...ask(), tools }).finalChatCompletion(),
  ])
  for (const { choices } of answers) {
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject(expected)
  }
})

test('given a reasoning model, when it thinks, then its reasoning is output that costs once', async () => {
  const { result: answer, rows } = await user.chargesOf(1, () =>
    openai.chat.completions.create({ ...ask('o3-mini'), reasoning_effort: 'low' }),
  )
  expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(8)
  // o3-mini: ratio 0.55, output 4 times that.
  expect(rows[0]?.quota).toBe(Math.round((usageOf(answer).prompt_tokens + 24 * 4) * 0.55))
})

test('given fields that the gateway does not know, when sent, then upstream gets them untouched', async () => {
  const body = {
    ...ask(),
    x_vendor_field: { deep: [1, 2.5, null, '每'] },
    logit_bias: { 50256: -100 },
  }
  await openai.chat.completions.create(body)
  const received: unknown = JSON.parse(gateway.upstream.requests[0]?.body ?? '')
  expect(received).toMatchObject(body)
})

test('given embeddings and completions, when called, then they are answered and charged', async () => {
  const embedding = await user.chargesOf(1, () =>
    openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: ['one', 'two'],
      encoding_format: 'float',
    }),
  )
  expect(embedding.result.data).toHaveLength(2)
  const completion = await user.chargesOf(1, () =>
    openai.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'x' }),
  )
  expect(completion.result.choices[0]?.text).toContain('ledger')
  const [completed, embedded] = [completion.rows[0], embedding.rows[0]]
  expect(completed).toMatchObject({ model_name: 'gpt-3.5-turbo-instruct', completion_tokens: 24 })
  expect(embedded).toMatchObject({ model_name: 'text-embedding-3-small', completion_tokens: 0 })
  expect(embedded?.quota).toBeGreaterThanOrEqual(1)
})

test('given models, when listed, then the token sees those it may call and an unknown one is 404', async () => {
  const models = await openai.models.list()
  expect(models.data.map(({ id }) => id).toSorted()).toEqual(MODELS.toSorted())
  expect(await openai.models.retrieve('gpt-4o')).toMatchObject({ id: 'gpt-4o', object: 'model' })
  await expect(openai.models.retrieve('no-such-model')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
})

test('given a client that leaves mid-stream, when upstream is told, then the delivered part is charged', async () => {
  const { rows } = await user.chargesOf(1, async () => {
    const stream = await openai.chat.completions.create({ ...ask('gpt-4o'), stream: true })
    let seen = 0
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content && ++seen === 5) break
    }
    expect(seen).toBe(5)
  })
  await until(
    'upstream sees the client leave',
    () => gateway.upstream.requests[0]?.outcome === 'left',
  )
  const [row] = rows
  expect(row?.completion_tokens).toBeGreaterThanOrEqual(5)
  expect(row?.completion_tokens).toBeLessThan(LONG_ANSWER)
  expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ cancelled: true })
})

test('given a wrong key, when used, then the SDK names it and upstream hears nothing', async () => {
  const stranger = gateway.openai('x'.repeat(48))
  await expect(stranger.chat.completions.create(ask())).rejects.toBeInstanceOf(
    OpenAI.AuthenticationError,
  )
  expect(gateway.upstream.received()).toBe(0)
})

test('given a disabled token, when used, then it is refused from then on and again accepted once enabled', async () => {
  const token = await user.createToken({ name: 'switched' })
  const client = gateway.openai(token.key)
  const isServed = (): Promise<boolean> =>
    client.chat.completions.create(ask()).then(
      () => true,
      (error: unknown) => {
        if (error instanceof OpenAI.AuthenticationError) return false
        throw error
      },
    )
  const setStatus = (status: number) =>
    user.ask('PUT', '/api/token/?status_only=true', z.unknown(), { id: token.id, status })
  expect(await isServed()).toBe(true)
  // The relay follows the log: a change holds from the moment its event is seen there.
  await setStatus(2)
  await until('the token is refused', async () => !(await isServed()))
  await setStatus(1)
  await until('the token is accepted', isServed)
})

test('given a token limited to some models, when another is asked for, then it is forbidden', async () => {
  const token = await user.createToken({
    name: 'narrow',
    model_limits_enabled: true,
    model_limits: 'gpt-4o-mini',
  })
  const client = gateway.openai(token.key)
  await expect(client.chat.completions.create(ask('o3-mini'))).rejects.toBeInstanceOf(
    OpenAI.PermissionDeniedError,
  )
  await expect(client.chat.completions.create(ask())).resolves.toBeDefined()
})

test('after all of it, ledger, log and balances agree', () =>
  expectBalancedBooks(gateway.product, gateway.root, [user]))

/** Reads a stream as clients do that take every event for a chunk and whatever ends in order for complete. */
async function readIgnoringErrors(): Promise<{ text: string; isWhole: boolean }> {
  const response = await gateway.relay('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask(), stream: true }),
  })
  if (response.status !== 200) throw new Error(await response.text())
  let read = ''
  try {
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) read += decoder.decode(piece, { stream: true })
  } catch {
    return { text: read, isWhole: false }
  }
  return { text: read, isWhole: true }
}

const text = (chunks: readonly OpenAI.ChatCompletionChunk[]): string =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')

function usageOf(answer: OpenAI.ChatCompletion): OpenAI.CompletionUsage {
  if (answer.usage === undefined) throw new Error('the answer does not say what it used')
  return answer.usage
}
