import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Behaviour } from '@tollgate/infra/demo/stand-in/behaviour.ts'
import { expectBalancedBooks, ledgerOf, logCaughtUp } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import type { Gateway } from '../support/gateway.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** Upstreams that fail and clients that err: a clear error in OpenAI's shape, nothing lost, nothing charged unearned. */
let gateway: Gateway
let user: ConsoleClient
let openai: OpenAI
let key: string
let brokenChannel: number

/** Served by the channel `flaky` alone. */
const FLAKY_MODEL = 'gpt-3.5-turbo'
const FLAKY_KEY = 'sk-flaky'
/** Served by `broken` first, then by `steady`. */
const SHARED_MODEL = 'gpt-4o-mini'
const BROKEN_KEY = 'sk-broken'

beforeAll(async () => {
  gateway = await startGateway({
    models: [SHARED_MODEL],
    upstream: { slowFirstByteMs: 300, hugeAnswerTokens: 50_000 },
  })
  const base_url = gateway.upstream.url
  await gateway.root.addChannel({ name: 'flaky', key: FLAKY_KEY, base_url, models: FLAKY_MODEL })
  brokenChannel = await gateway.root.addChannel({
    name: 'broken',
    key: BROKEN_KEY,
    base_url,
    models: SHARED_MODEL,
    priority: 10,
  })
  await gateway.root.setOption('RetryTimes', '2')
  user = await gateway.root.addUser('failing', 'long-enough-2', 50_000_000)
  key = (await user.createToken({ name: 'failing' })).key
  openai = gateway.openai(key)
})
beforeEach(async () => {
  await logCaughtUp(gateway.product, user)
  gateway.upstream.forget()
})
afterAll(() => gateway.stop())

const ask = (model = FLAKY_MODEL) => ({
  model,
  messages: [{ role: 'user' as const, content: 'Is anybody there?' }],
})

describe('retry', () => {
  test('given a channel that fails, when another serves the model, then the client only sees the answer', async () => {
    gateway.upstream.behave(BROKEN_KEY, 'server-error')
    const answer = await openai.chat.completions.create(ask(SHARED_MODEL))
    expect(answer.choices[0]?.message.content).toContain('ledger')
    expect(keysAsked()).toEqual([BROKEN_KEY, 'sk-steady'])
  })

  test('given a stream that fails before its first byte, when another serves, then the stream is whole', async () => {
    gateway.upstream.behave(BROKEN_KEY, 'rate-limited')
    const stream = openai.chat.completions.stream(ask(SHARED_MODEL))
    expect((await stream.finalChatCompletion()).choices[0]?.finish_reason).toBe('stop')
    expect(keysAsked()).toEqual([BROKEN_KEY, 'sk-steady'])
  })

  test('given a mistake of the client, when upstream refuses it, then no other channel is troubled', async () => {
    gateway.upstream.behave(BROKEN_KEY, 'bad-request')
    await expect(openai.chat.completions.create(ask(SHARED_MODEL))).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    )
    expect(keysAsked()).toEqual([BROKEN_KEY])
  })

  test('given a disabled channel, when requests come, then it gets none of them', async () => {
    await gateway.root.reviseChannel(brokenChannel, { status: 2 })
    // The relay follows the log: the change holds from the moment its event is seen there.
    await until('a request passes the disabled channel by', async () => {
      gateway.upstream.forget()
      await openai.chat.completions.create(ask(SHARED_MODEL))
      return keysAsked().every((key) => key !== BROKEN_KEY)
    })
    gateway.upstream.forget()
    for (let count = 0; count < 5; count++) await openai.chat.completions.create(ask(SHARED_MODEL))
    expect(new Set(keysAsked())).toEqual(new Set(['sk-steady']))
    await gateway.root.reviseChannel(brokenChannel, { status: 1 })
  })
})

describe('an upstream that misbehaves', () => {
  test.each([
    ['rate-limited', 429],
    ['server-error', 500],
    ['bad-gateway', 502],
    ['bad-request', 400],
  ] as const)(
    'given %s, when asked, then the client gets %i with a request id and no charge',
    async (behaviour, status) => {
      const error = await failureOf(behaviour)
      expect(error.status).toBe(status)
      expect(error.message).toMatch(/request id: \S+/u)
    },
  )

  test.each(['invalid-key', 'garbage', 'error-in-ok', 'empty', 'truncated'] as const)(
    'given %s, when asked, then the client gets an error that leaks no key, and no charge',
    async (behaviour) => {
      const error = await failureOf(behaviour)
      expect(error.status).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(error.error)).not.toContain('sk-stand-in-secret')
    },
  )

  test.each(['truncated', 'error-mid-stream'] as const)(
    'given a stream that is %s, when it breaks, then the client hears and the delivered part is charged',
    async (behaviour) => {
      gateway.upstream.behave(FLAKY_KEY, behaviour)
      const { rows } = await user.chargesOf(1, async () => {
        const reading = openai.chat.completions
          .create({ ...ask(), stream: true })
          .then((stream) => Array.fromAsync(stream))
        await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError)
      })
      const [row] = rows
      expect(row?.completion_tokens).toBeGreaterThan(0)
      expect(row?.completion_tokens).toBeLessThan(24)
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ estimated: true })
    },
  )

  test('given an upstream that never answers, when the client gives up, then nothing is charged', async () => {
    gateway.upstream.behave(FLAKY_KEY, 'silent')
    const before = await ledgerOf(gateway.product, user)
    const patience = { signal: AbortSignal.timeout(400) }
    await expect(openai.chat.completions.create(ask(), patience)).rejects.toBeInstanceOf(
      OpenAI.APIUserAbortError,
    )
    await upstreamIsLeft()
    expect((await ledgerOf(gateway.product, user)).charges).toBe(before.charges)
  })

  test('given an upstream that stalls, when the client gives up, then what came is charged', async () => {
    gateway.upstream.behave(FLAKY_KEY, 'stalled')
    const { rows } = await user.chargesOf(1, async () => {
      const patience = { signal: AbortSignal.timeout(400) }
      // The SDK ends an aborted iteration without an error.
      await Array.fromAsync(
        await openai.chat.completions.create({ ...ask(), stream: true }, patience),
      )
    })
    await upstreamIsLeft()
    expect(JSON.parse(rows[0]?.other ?? '{}')).toMatchObject({ cancelled: true })
  })

  test('given a slow first byte, when it comes, then the answer is whole', async () => {
    gateway.upstream.behave(FLAKY_KEY, 'slow-first-byte')
    const answer = await openai.chat.completions.create(ask())
    expect(answer.usage?.completion_tokens).toBe(24)
  })

  test('given a huge answer, when streamed, then all of it arrives and is charged', async () => {
    gateway.upstream.behave(FLAKY_KEY, 'huge')
    const { result: chunks, rows } = await user.chargesOf(1, async () =>
      Array.fromAsync(await openai.chat.completions.create({ ...ask(), stream: true })),
    )
    expect(chunks.filter((chunk) => chunk.choices[0]?.delta.content)).toHaveLength(50_000)
    const [row] = rows
    expect(row?.completion_tokens).toBe(50_000)
  })

  test.each([true, false])(
    'given an answer without usage, when streamed is %s, then tokens are counted here and marked so',
    async (stream) => {
      gateway.upstream.behave(FLAKY_KEY, 'no-usage')
      const { rows } = await user.chargesOf(1, () =>
        stream
          ? openai.chat.completions.stream(ask()).finalChatCompletion()
          : openai.chat.completions.create(ask()),
      )
      const [row] = rows
      expect(row?.completion_tokens).toBeGreaterThan(10)
      expect(row?.prompt_tokens).toBeGreaterThan(2)
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ estimated: true })
    },
  )

  test('given an unreachable upstream, when asked, then an error says so without its address', async () => {
    await gateway.root.addChannel({
      name: 'nowhere',
      key: 'sk-nowhere',
      base_url: 'http://127.0.0.1:1',
      models: 'gpt-4',
    })
    // A relay of its own hears of the channel a moment later; until then the model is unknown (404).
    let error: Awaited<ReturnType<typeof rejection>> | undefined
    await until('the channel is asked', async () => {
      error = await rejection(openai.chat.completions.create(ask('gpt-4')))
      return error.status !== 404
    })
    expect(error?.status).toBeGreaterThanOrEqual(500)
    expect(error?.message).not.toContain('127.0.0.1')
  })

  test('given failed requests, when the log is read, then each is a row of type 5 without quota', async () => {
    await failureOf('server-error')
    await until('the failure is logged', async () => (await user.logs({ type: '5' })).length > 0)
    const rows = await user.logs({ type: '5' })
    expect(rows.every(({ quota }) => quota === 0)).toBe(true)
  })
})

describe('a client that errs', () => {
  test.each([
    ['malformed JSON', '{"model":"gpt-3.5-turbo","messages":[', 400],
    ['a body that is no object', '[1,2]', 400],
    ['no model', '{"messages":[{"role":"user","content":"x"}]}', 400],
    ['a model that is no text', '{"model":7,"messages":[{"role":"user","content":"x"}]}', 400],
    ['no messages', '{"model":"gpt-3.5-turbo"}', 400],
    ['messages that are no list', '{"model":"gpt-3.5-turbo","messages":"x"}', 400],
    ['a negative limit', withLimit('-1'), 400],
    ['a limit beyond all sense', withLimit('99999999999'), 400],
    ['a limit that is no number', withLimit('"many"'), 400],
    [
      'an unknown model',
      '{"model":"no-such-model","messages":[{"role":"user","content":"x"}]}',
      404,
    ],
  ])(
    'given %s, when posted, then it is refused in OpenAI’s shape and upstream hears nothing',
    async (_, body, status) => {
      const answer = await post(body)
      expect({ status: answer.status, ...errorShape.parse(await answer.json()) }).toMatchObject({
        status,
      })
      expect(gateway.upstream.received()).toBe(0)
    },
  )

  test('given a body beyond the limit, when posted, then 413 in OpenAI’s shape', async () => {
    const answer = await post(
      `{"model":"${FLAKY_MODEL}","messages":[{"role":"user","content":"${'x'.repeat(33 * 1024 * 1024)}"}]}`,
    )
    expect(answer.status).toBe(413)
    errorShape.parse(await answer.json())
    expect(gateway.upstream.received()).toBe(0)
  })

  test('given paths that are not served, when called, then 404 and 501 in OpenAI’s shape', async () => {
    const unknown = await get('/v1/no-such-path')
    expect(unknown.status).toBe(404)
    errorShape.parse(await unknown.json())
    const notBuilt = await get('/v1/files')
    expect(notBuilt.status).toBe(501)
    errorShape.parse(await notBuilt.json())
  })

  test('given no key at all, when called, then 401', async () => {
    const answer = await gateway.relay('/v1/models')
    expect(answer.status).toBe(401)
    errorShape.parse(await answer.json())
  })
})

test('after all of it, ledger, log and balances agree', () =>
  expectBalancedBooks(gateway.product, gateway.root, [user]))

const errorShape = z.object({
  error: z.looseObject({ message: z.string().min(1), type: z.string() }),
})

const upstreamIsLeft = (): Promise<void> =>
  until('upstream sees the gateway leave', () => gateway.upstream.requests[0]?.outcome === 'left')

const keysAsked = (): string[] => gateway.upstream.requests.map(({ key }) => key)

/** Makes the flaky channel misbehave, asks it, and sees to it that nothing was charged. */
async function failureOf(behaviour: Behaviour) {
  gateway.upstream.behave(FLAKY_KEY, behaviour)
  const before = await ledgerOf(gateway.product, user)
  const error = await rejection(openai.chat.completions.create(ask()))
  expect((await ledgerOf(gateway.product, user)).charges).toBe(before.charges)
  return error
}

async function rejection(promise: Promise<unknown>) {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof OpenAI.APIError))
    throw new Error('expected an API error', { cause: error })
  return error
}

function withLimit(limit: string): string {
  return `{"model":"gpt-3.5-turbo","max_tokens":${limit},"messages":[{"role":"user","content":"x"}]}`
}

const post = (body: string) =>
  gateway.relay('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body,
  })

const get = (path: string) =>
  gateway.relay(path, { headers: { authorization: `Bearer sk-${key}` } })
