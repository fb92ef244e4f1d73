import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expectBalancedBooks, ledgerOf, ledgerSums } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/**
 * Small balances are served, and those who wait for quota stop nobody: neither other requests of their account nor other
 * accounts.
 */
let gateway: Gateway
const users: ConsoleClient[] = []

/** gpt-4: ratio 15, output 2 times that. */
const MODEL = 'gpt-4'
const LIMIT = 50
const OUTPUT_QUOTA = LIMIT * 15 * 2
/** An ordinary prompt of 900 bytes, about a quarter as many tokens. */
const PROMPT = 'Please say in a few plain words what is to be done about it, and why. '.repeat(13)
/** The excess that our count of the prompt may have above the stand-in's: the framing of a message. */
const FRAMING_QUOTA = 20 * 15
/** Answers take this long where the test says so. */
let latencyMs = 0

beforeAll(async () => {
  gateway = await startGateway({
    models: [MODEL],
    upstream: {
      answerTokens: LIMIT,
      latency: () => ({ firstByteMs: latencyMs, perTokenMs: 0 }),
    },
  })
})
beforeEach(() => {
  latencyMs = 0
  gateway.upstream.forget()
})
afterAll(() => gateway.stop())

const ask = (key: string, init: { maxTokens?: number; signal?: AbortSignal } = {}) =>
  gateway.relay('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: init.maxTokens ?? LIMIT,
      messages: [{ role: 'user', content: PROMPT }],
    }),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  })

const statusOf = async (response: Promise<Response>): Promise<number> => {
  const { status, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  }))
  if (status !== 200 && status !== 403) throw new Error(JSON.stringify({ status, ...rest }))
  return status
}

test('given a balance for ten, when 200 ask at once, then ten are served, the others refused in time', async () => {
  const cost = await costOfOne()
  const opening = cost * 10 + FRAMING_QUOTA
  const user = await newUser('ten', opening)
  const key = await keyOf(user)
  latencyMs = 100
  const statuses = await Promise.all(Array.from({ length: 200 }, () => statusOf(ask(key))))
  const served = statuses.filter((status) => status === 200).length
  expect(served).toBe(10)
  expect(gateway.upstream.received()).toBe(10)
  await untilBalance(user, opening - served * cost)
})

test('given a balance that a request has, when another asks, then it waits unless it asks for too much', async () => {
  const cost = await costOfOne()
  const user = await newUser('two', cost * 2 + FRAMING_QUOTA)
  const key = await keyOf(user)
  latencyMs = 700
  // It may write three times as much as it is going to.
  const first = statusOf(ask(key, { maxTokens: 130 }))
  await until('it is under way', () => Promise.resolve(gateway.upstream.received() === 1))
  const second = statusOf(ask(key))
  const started = performance.now()
  expect(await statusOf(ask(key, { maxTokens: 10_000 }))).toBe(403)
  expect(performance.now() - started).toBeLessThan(1_900)
  expect(await first).toBe(200)
  expect(await second).toBe(200)
})

test('given 250 clients that wait for quota, when they leave, then nothing is kept for them', async () => {
  const cost = await costOfOne()
  const user = await newUser('leavers', cost + FRAMING_QUOTA)
  const key = await keyOf(user)
  latencyMs = 800
  const first = statusOf(ask(key))
  await until('it is under way', () => Promise.resolve(gateway.upstream.received() === 1))
  const leaving = new AbortController()
  const left = Array.from({ length: 250 }, () =>
    ask(key, { signal: leaving.signal }).then(
      ({ status }) => status,
      () => 'left' as const,
    ),
  )
  const other = await newUser('other', cost * 20)
  const otherKey = await keyOf(other)
  latencyMs = 0
  // Meanwhile another account is served as ever.
  const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(ask(otherKey))))
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
  leaving.abort()
  expect((await Promise.all(left)).filter((end) => end !== 'left' && end !== 403)).toEqual([])
  expect(await first).toBe(200)
  expect(gateway.upstream.received()).toBe(11)
  await untilBalance(user, FRAMING_QUOTA)
})

test('after all of it, ledger, log and balances agree', async () => {
  await until(
    'every hold has ended',
    async () => (await ledgerSums(gateway.product)).every(({ held }) => held === 0),
    45_000,
  )
  await expectBalancedBooks(gateway.product, gateway.root, users)
})

async function newUser(name: string, quota: number): Promise<ConsoleClient> {
  const user = await gateway.root.addUser(name, 'long-enough-2', quota)
  users.push(user)
  return user
}

const keyOf = async (user: ConsoleClient): Promise<string> =>
  (await user.createToken({ name: 'main' })).key

const untilBalance = (user: ConsoleClient, expected: number): Promise<void> =>
  until(`${expected} are left`, async () => {
    const { opening, charged } = await ledgerOf(gateway.product, user)
    return opening - charged === expected
  })

/** The cost of one request, by its answer's usage. */
async function costOfOne(): Promise<number> {
  const user = await newUser(`one-${users.length}`, 10_000_000)
  const answer = await ask(await keyOf(user))
  const { usage } = (await answer.json()) as { usage: { prompt_tokens: number } }
  gateway.upstream.forget()
  return usage.prompt_tokens * 15 + OUTPUT_QUOTA
}
