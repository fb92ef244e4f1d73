import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type FakeUpstream, startUpstream } from '../support/relay/relay-under-test.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expectBalancedBooks, ledgerOf, ledgerSums } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/**
 * Tests of costs that nobody can foresee: speech, reasoning that nobody sees, accounts that are overdrawn. And the
 * other way round: a stream that keeps to what was reserved for it is not cut.
 */
let gateway: Gateway
let upstream: FakeUpstream
const users: ConsoleClient[] = []
let overdrawn: ConsoleClient | undefined

const AUDIO = 'gpt-4o-audio-preview'
/** Ratio 0.55, output 4 times that. */
const REASONING = 'o3-mini'
/** Ratio 15, output 2 times that. */
const CHAT = 'gpt-4'
/** Ratio 0. */
const FREE = 'glm-4-flash'
const HIDDEN_TOKENS = 20_000
const HIDDEN_COST = HIDDEN_TOKENS * 0.55 * 4

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startSingleGateway({ models: ['gpt-3.5-turbo'] })
  const models = [AUDIO, REASONING, CHAT, FREE].join(',')
  await gateway.root.addChannel({ name: 'dear', key: 'sk-dear', base_url: upstream.url, models })
})
beforeEach(() => void (upstream.asked.length = 0))
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

test('given an account of 5,000, when a model speaks for minutes, then the stream ends with the balance', async () => {
  const { user, ask } = await newUser('speech', 5_000)
  const second = Buffer.alloc(48_000).toString('base64')
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void speak(response, second)
  })
  const body = { model: AUDIO, modalities: ['text', 'audio'], stream: true }
  const heard = await ask({ ...body, audio: { voice: 'alloy', format: 'pcm16' } }).then(
    async (answer) => answer.text().catch(() => 'broken off'),
  )
  expect(heard).not.toContain('[DONE]')
  await until('it is charged', async () => (await balanceOf(user)) < 5_000)
  expect(await balanceOf(user)).toBeGreaterThanOrEqual(0)
})

test('given an account of 5,000, when it asks for whole speech, then it is refused, unlike a rich one', async () => {
  const poor = await newUser('mute', 5_000)
  const rich = await newUser('speaker', 5_000_000)
  upstream.behave((response) => {
    const usage = { prompt_tokens: 10, completion_tokens: 10 }
    const body = { choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }], usage }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const spoken = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }
  const heard = { role: 'user', content: [{ type: 'input_audio', input_audio: TELEPHONE }] }
  for (const body of [
    spoken,
    { ...spoken, max_tokens: 100 },
    { messages: [heard], max_tokens: 10 },
    { messages: [heard], max_tokens: 10, stream: true },
  ]) {
    expect((await poor.ask({ model: AUDIO, ...body })).status).toBe(403)
    expect(upstream.asked).toHaveLength(0)
    const served = await rich.ask({ model: AUDIO, ...body })
    expect(served.status).toBe(200)
    await served.text()
    expect(upstream.asked.splice(0)).toHaveLength(1)
  }
  // Two seconds are within the balance.
  const short = { data: TELEPHONE.data.slice(0, 4 * 10_000), format: 'wav' }
  const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio: short }] }]
  expect((await poor.ask({ model: AUDIO, messages, max_tokens: 10 })).status).toBe(200)
})

test('given a small account, when twelve reasoning requests come at once, then four exceed its balance', async () => {
  const { user, ask } = await newUser('thinker', 10_000)
  const askOtherwise = await tokenOf(user)
  overdrawn = user
  let answer: () => void = () => undefined
  const others = new Promise<void>((resolve) => (answer = resolve))
  let endFree: () => void = () => undefined
  const free = new Promise<void>((resolve) => (endFree = resolve))
  upstream.behave((response, { text }) => void think(response, text.includes(FREE) ? free : others))
  // As long as it runs, its token has an open hold.
  const running = askOtherwise({ model: FREE })
  await until('what is free runs', () => Promise.resolve(upstream.asked.splice(0).length === 1))
  const statuses: number[] = []
  const asking = Array.from({ length: 12 }, async () => {
    const { status } = await ask({ model: REASONING })
    statuses.push(status)
    return status
  })
  await until('eight are refused', () => Promise.resolve(statuses.length === 8), 20_000)
  expect(new Set(statuses)).toEqual(new Set([403]))
  expect(upstream.asked).toHaveLength(4)
  answer()
  expect((await Promise.all(asking)).filter((status) => status === 200)).toHaveLength(4)
  await until('all is charged', async () => (await balanceOf(user)) < 10_000 - 4 * HIDDEN_COST)
  expect(await balanceOf(user)).toBeGreaterThan(10_000 - 4 * HIDDEN_COST - 100)
  for (const model of [REASONING, CHAT])
    expect((await ask({ model, max_tokens: 1 })).status).toBe(403)
  // Nor what is free, also with a token that the relay has an open hold for.
  expect((await askOtherwise({ model: FREE })).status).toBe(403)
  expect(upstream.asked).toHaveLength(4)
  endFree()
  expect((await running).status).toBe(200)
})

test('given just the quota that a limit needs, when a stream keeps to the limit, then it is not cut', async () => {
  const words = 'international understanding notwithstanding administration responsibilities '
  // Five or six tokens in each chunk, which its 75 bytes pass for 25.
  const chunks = 10
  const { ask } = await newUser('exact', 15 * (20 + 2 * 60))
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let i = 0; i < chunks; i++) response.write(chunkOf({ content: words }))
    response.write('data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n')
    response.end('data: [DONE]\n\n')
  })
  const text = await ask({ model: CHAT, max_tokens: 60, stream: true }).then((answer) =>
    answer.text(),
  )
  expect(text.split('international')).toHaveLength(chunks + 1)
  expect(text).toContain('[DONE]')
  expect(text).not.toContain('insufficient')
})

test('after all of it, ledger, log and balances agree', async () => {
  await until(
    'every hold has ended',
    async () => (await ledgerSums(gateway.product)).every(({ held }) => held === 0),
    45_000,
  )
  // The debt of the thinker is the cost of its four requests beyond its balance.
  const others = users.filter((user) => user !== overdrawn)
  await expectBalancedBooks(gateway.product, gateway.root, others)
})

/** Twelve seconds of WAV as of a telephone: few bytes, and 6,000 quota. */
const TELEPHONE = {
  data: Buffer.concat([
    wavHead({ samplesPerSecond: 8_000, bits: 16 }),
    Buffer.alloc(12 * 16_000),
  ]).toString('base64'),
  format: 'wav',
}

function wavHead({ samplesPerSecond, bits }: { samplesPerSecond: number; bits: number }): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.write('WAVEfmt ', 8)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(samplesPerSecond, 24)
  head.writeUInt16LE(bits, 34)
  return head
}

const chunkOf = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`

/** Answers with a word after much reasoning, once `until` has come. */
async function think(response: ServerResponse, until: Promise<void>): Promise<void> {
  await until
  const usage = {
    prompt_tokens: 10,
    completion_tokens: HIDDEN_TOKENS,
    completion_tokens_details: { reasoning_tokens: HIDDEN_TOKENS - 10 },
  }
  const body = { choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }], usage }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Five minutes, as fast as they are taken. */
async function speak(response: ServerResponse, second: string): Promise<void> {
  const closed = once(response, 'close')
  for (let i = 0; i < 300 && !response.destroyed; i++) {
    if (response.write(chunkOf({ audio: { data: second } }))) continue
    await Promise.race([once(response, 'drain'), closed])
  }
  if (!response.destroyed) response.end('data: [DONE]\n\n')
}

async function newUser(name: string, quota: number) {
  const user = await gateway.root.addUser(name, 'long-enough-2', quota)
  users.push(user)
  return { user, ask: await tokenOf(user) }
}

/** A function that asks with a new token of a user. */
async function tokenOf(user: ConsoleClient) {
  const { key } = await user.createToken({ name: 'main' })
  return (body: object): Promise<Response> =>
    gateway.relay('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Go on.' }], ...body }),
    })
}

async function balanceOf(user: ConsoleClient): Promise<number> {
  const { opening, charged } = await ledgerOf(gateway.product, user)
  return opening - charged
}
