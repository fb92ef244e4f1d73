import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { quota } from '@tollgate/domain/quota.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OpenAiStream } from '../protocols/openai/stream.ts'
import { callUpstream } from '../upstream/call.ts'
import { type Dispatchers, makeDispatchers } from '../upstream/dispatchers.ts'
import { ClientAnswer } from './client-answer.ts'
import { StreamCover } from './stream-cover.ts'
import { StreamDelivery } from './stream-delivery.ts'

/** A stream between a real upstream and a real client, over the real dispatcher; only the quota is the test's. */
interface Journey {
  /** The bytes that upstream writes, piece by piece. */
  readonly pieces: readonly Buffer[]
  /** Turns of the event loop that upstream lets pass before each piece; repeated. */
  readonly pauses: readonly number[]
  /** Turns before each answer to a question for quota; repeated; 0 = at once, without a promise. */
  readonly coverDelays: readonly number[]
  /** Turns between the head of upstream's answer and the reader. */
  readonly attachDelay: number
}

let server: Server
let dispatchers: Dispatchers
let origin: string
let journey: Journey

beforeAll(async () => {
  dispatchers = makeDispatchers(2_000)
  server = createServer((request, response) => {
    if (request.url === '/upstream') void speak(response)
    else void relayTo(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await dispatchers.close()
  server.closeAllConnections()
  server.close()
})

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

async function speak(response: ServerResponse): Promise<void> {
  const { pieces, pauses } = journey
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const [at, piece] of pieces.entries()) {
    await turns(pauses[at % pauses.length] ?? 0)
    if (!response.write(piece)) await once(response, 'drain')
  }
  response.end()
}

async function relayTo(response: ServerResponse): Promise<void> {
  const { coverDelays, attachDelay } = journey
  const call = callUpstream({
    dispatcher: dispatchers.through(''),
    address: { origin, path: '/upstream' },
    method: 'GET',
    headers: {},
    body: null,
    firstByteMs: 5_000,
    idleMs: 5_000,
  })
  const answer = await call.answer
  if (answer.kind !== 'stream') throw new Error(`upstream gave no stream: ${answer.kind}`)
  await turns(attachDelay)
  let covers = 0
  const passage = new OpenAiStream({
    showUsage: false,
    object: 'chat.completion.chunk',
    rewrite: null,
    answer: null,
    quirks: [],
    key: '',
  })
  const delivery = new StreamDelivery({
    headers: {},
    upstream: answer.stream,
    answer: new ClientAnswer(response, {}, 60_000),
    passage,
    cover: new StreamCover({
      output: passage.output,
      price: PRICE,
      coverage: {
        reservation: {
          reserved: quota(0),
          cover: () => {
            const delay = coverDelays[covers++ % coverDelays.length] ?? 0
            return delay === 0 || turns(delay).then(() => true)
          },
          settle: async () => undefined,
          release: () => undefined,
        },
        promptBound: 1,
        audioInput: 0,
        outputCovered: 1,
        searches: 0,
      },
      audioFormat: 'pcm16',
      finishesOverdrawn: false,
      countPrompt: async () => 1,
      countText: async (text) => text.length,
    }),
    queueChunks: 4,
    pingEveryMs: null,
    headHeldMs: 15_000,
    drainsCancelled: false,
    now: () => 0,
    abortUpstream: () => call.abort(),
  })
  const end = await delivery.ended
  response.end(`end: ${end}`)
}

const PRICE: Price = {
  by: 'tokens',
  bookRevision: -1,
  quotaPerUnit: '500000',
  groupRatio: '1',
  modelRatio: '1',
  completionRatio: '1',
  cacheRatio: '1',
  cacheWriteRatio: '1',
  audioRatio: '1',
  audioCompletionRatio: '1',
  webSearchPrice: null,
  fileSearchPrice: null,
}

const chunkOf = (words: string): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: words } }] })}\n\n`
const LAST = 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
const DONE = 'data: [DONE]\n\n'

/** Cuts bytes at the given places, each a share of the whole. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length]
  let from = 0
  return ends
    .toSorted((a, b) => a - b)
    .map((end) => bytes.subarray(from, (from = end)))
    .filter((piece) => piece.length > 0)
}

async function travelled(next: Journey): Promise<string> {
  journey = next
  return (await fetch(`${origin}/client`)).text()
}

test('given a long stream in big pieces, when quota is asked for midway, then all arrives in order', async () => {
  const words = Array.from({ length: 4_000 }, (_word, at) => `${at} `)
  const sent = words.map(chunkOf).join('') + LAST
  const received = await travelled({
    pieces: cut(Buffer.from(sent + DONE), [0.2, 0.4, 0.6, 0.8]),
    pauses: [0],
    coverDelays: [3, 1, 5],
    attachDelay: 0,
  })
  expect(received).toBe(`${sent}end: complete`)
})

test('given any cutting of a stream, delayed quota and a late reader, when delivered, then it is intact', async () => {
  const delays = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 6 })
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.nat({ max: 9_000 })), {
        minLength: 1,
        maxLength: 120,
      }),
      fc.array(share, { maxLength: 40 }),
      delays,
      delays,
      fc.nat({ max: 20 }),
      async (texts, places, pauses, coverDelays, attachDelay) => {
        const words = texts.map(([word, length], at) => `${at} ${word}`.padEnd(length, '好'))
        const sent = words.map(chunkOf).join('') + LAST
        const pieces = cut(Buffer.from(sent + DONE), places)
        const received = await travelled({ pieces, pauses, coverDelays, attachDelay })
        expect(received).toBe(`${sent}end: complete`)
      },
    ),
    { numRuns: 150 },
  )
})
