import { channelId } from '@tollgate/domain/ids.ts'
import {
  eventually,
  type FakeUpstream,
  PLAIN_TERMS,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '../support/relay/relay-under-test.ts'
import { makeAnswerReader } from '@tollgate/relay/protocols/answer-reader.ts'
import { makeChannelProbe } from '@tollgate/relay/probe/channel-probe.ts'
import { makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/**
 * An upstream that repeats its key in whatever field of an error it likes: nothing of the key reaches the client, the
 * failures and channel reports that become events, or what an admin is told of a test.
 */
let relay: RelayUnderTest
let upstream: FakeUpstream

/** A key of two parts, as AWS and iFlytek have it, with characters that JSON and addresses write in another way. */
const FIRST = 'AKsecret/first+part==0123'
const SECOND = 'second"part\\of the key'
const KEY = `${FIRST}|${SECOND}`
/** No field may show any of these. */
const FRAGMENTS = [
  'secret/first',
  'secret%2Ffirst',
  'part\\of',
  'part\\\\of',
  'second"part',
  'part%5Cof',
]

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
  relay.trials.length = 0
  relay.directory.halfOpen.clear()
  relay.directory.add(1, { baseUrl: upstream.url }, { key: KEY })
})

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }

/** The key as an upstream might write it. */
const SPELLINGS: ReadonlyArray<readonly [string, string]> = [
  ['as it is', KEY],
  ['its first part', FIRST],
  ['its second part', SECOND],
  ['in an address', encodeURIComponent(FIRST)],
  ['with a control character inside', `${FIRST.slice(0, 9)}\u0000${FIRST.slice(9)}`],
  ['where the text is cut', 'x'.repeat(990) + FIRST],
  ['as the beginning of a longer word', `${FIRST}${'x'.repeat(5_000)}`],
]

const FIELDS = ['message', 'type', 'code', 'param'] as const

const errorWith = (field: string, text: string): { readonly error: object } => ({
  error: { message: 'bad key', type: 't', code: 'c', param: 'p', [field]: text },
})

/** The id of the channel that was tried last. */
let tried = 100

interface Said {
  readonly message: string
  readonly type: string
  readonly code: string
  readonly param: string
}

function expectNothingOfTheKey(text: string): void {
  const seen = [text, JSON.stringify([relay.failures, relay.reports, relay.trials])]
  for (const fragment of FRAGMENTS) {
    for (const one of seen) expect(one).not.toContain(fragment)
  }
}

function expectBounded({ type, code, param, message }: Said): void {
  for (const name of [type, code, param]) expect(name.length).toBeLessThanOrEqual(200)
  expect(message.length).toBeLessThanOrEqual(1_100)
  expect([type, code, param, message].join('')).not.toMatch(/[^\P{Cc}\t\n]/u)
}

describe.each(SPELLINGS)('given upstream’s key %s', (_how, text) => {
  test.each(FIELDS)('in %s of an error, when it is shown, then masked', async (field) => {
    for (const status of [400, 401, 500]) {
      upstream.behave((response) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(errorWith(field, text)))
      })
      const answer = await (await relay.post(CHAT, HELLO)).text()
      expectNothingOfTheKey(answer)
      expectBounded(JSON.parse(answer).error)
    }
    expect(relay.failures).toHaveLength(3)
    expect(relay.reports).toHaveLength(3)
  })

  test('in an error of status 200, when it is shown, then masked', async () => {
    for (const field of FIELDS) {
      upstream.behave((response) => {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(errorWith(field, text)))
      })
      const answer = await (await relay.post(CHAT, HELLO)).text()
      expectNothingOfTheKey(answer)
      expectBounded(JSON.parse(answer).error)
    }
  })

  test('in an event of a stream, when it is shown, then masked', async () => {
    const begun = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] })}\n\n`
    for (const before of ['', begun]) {
      for (const field of FIELDS) {
        upstream.behave((response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.end(`${before}data: ${JSON.stringify(errorWith(field, text))}\n\n`)
        })
        const response = await relay.post(CHAT, { ...HELLO, stream: true })
        const answer = await (before === '' ? response.text() : textUntilBreak(response))
        expect(answer).toContain('"error"')
        expectNothingOfTheKey(answer)
      }
    }
    expect(relay.failures).toHaveLength(8)
  })

  test('in an event of a response, when it is shown, then masked', async () => {
    for (const field of FIELDS) {
      const { error } = errorWith(field, text)
      const failed = { type: 'response.failed', response: { id: 'resp_1', error } }
      for (const event of [failed, { ...error, type: 'error' }]) {
        const begun = { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' }
        upstream.behave((response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.end([begun, event].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
        })
        const asked = { model: 'gpt-4o-mini', input: 'hello', stream: true }
        const response = await relay.post('/v1/responses', asked)
        // Failed is an end of its own, an error is none.
        const answer = await (event === failed ? response.text() : textUntilBreak(response))
        expect(answer).toContain(event.type)
        expectNothingOfTheKey(answer)
      }
    }
  })

  test('in an answer that is no JSON, when a trial fails with it, then masked', async () => {
    relay.directory.channels.clear()
    // A trial keeps its place: each test has a channel of its own.
    relay.directory.addHalfOpen((tried += 1), { baseUrl: upstream.url }, { key: KEY })
    upstream.behave((response) => void response.writeHead(500).end(`no: ${text}`))
    const answer = await (await relay.post(CHAT, HELLO)).text()
    await eventually(() => relay.trials.length === 1)
    expectNothingOfTheKey(answer)
  })

  test('in any field, when an admin tests the channel, then masked', async () => {
    const dispatchers = makeDispatchers(2_000)
    const probe = makeChannelProbe({
      answers: makeAnswerReader(),
      dispatchers,
      publicDispatchers: dispatchers,
      clock: { now: Date.now, monotonicMs: () => performance.now(), sleep: async () => undefined },
      limits: { firstByteMs: 2_000, idleMs: 2_000 },
      keywords: () => [],
      yuanPerDollar: () => 7,
    })
    const terms = { ...PLAIN_TERMS, baseUrl: upstream.url }
    const channel = { id: channelId(1), terms, key: KEY, proxy: '', reach: 'public' } as const
    for (const field of FIELDS) {
      upstream.behave((response) => {
        response.writeHead(400).end(JSON.stringify(errorWith(field, text)))
      })
      expectNothingOfTheKey(JSON.stringify(await probe.test(channel, 'gpt-4o-mini')))
    }
    await dispatchers.close()
  })
})
