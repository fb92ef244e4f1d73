import type { ServerResponse } from 'node:http'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Asked,
  eventually,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
  TOKEN,
  USER,
} from '@tollgate/tests/support/relay/relay-under-test.ts'
import { untilQuiet } from '@tollgate/tests/support/until-quiet.ts'

let relay: RelayUnderTest
let upstream: FakeUpstream
let second: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  second = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
  await second.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.set({ RetryTimes: '3' })
  second.asked.length = 0
  second.behave(json(ANSWER))
})

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1000,"completion_tokens":500}}'

const json =
  (text: string, status = 200, headers = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
const events =
  (parts: readonly string[], end: 'end' | 'break' | 'stay' = 'end') =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) response.write(part)
    if (end === 'end') response.end()
    // Once what was written is on its way.
    if (end === 'break') setTimeout(() => response.destroy(), 20)
  }
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`
const DONE = 'data: [DONE]\n\n'
const errorOf = (text: string): unknown => JSON.parse(text.slice(text.lastIndexOf('{"error"')))

/** Admitted, then tried one after the other. */
function expectOneAfterTheOther(request: ChargedUsage | undefined): void {
  const { startedAt = 0, admittedAt, attempts = [] } = request ?? {}
  const times = [startedAt, admittedAt ?? 0, ...attempts.map((attempt) => attempt.startedAt ?? 0)]
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.every((time) => time > 0)).toBe(true)
  const [first, second] = attempts
  // Both were rounded, by two clocks.
  const between = (second?.startedAt ?? 0) - (first?.startedAt ?? 0)
  expect((first?.ms ?? Number.NaN) - between).toBeLessThanOrEqual(2)
}

describe('given another channel, when the first fails before anything was delivered', () => {
  const failing: ReadonlyArray<
    readonly [
      string,
      boolean,
      (response: ServerResponse, asked: Asked) => void,
      { readonly status: number | null; readonly code: string },
    ]
  > = [
    [
      'with 429',
      true,
      json('{"error":{"message":"slow down"}}', 429),
      { status: 429, code: 'bad_response_status_code' },
    ],
    ['with 500', true, json('oops', 500), { status: 500, code: 'bad_response_status_code' }],
    [
      'with 401 for its own key',
      true,
      json('{"error":{"message":"bad key"}}', 401),
      { status: 401, code: 'bad_response_status_code' },
    ],
    [
      'with a redirect',
      true,
      json('', 307, { location: 'http://127.0.0.1:1/' }),
      { status: 307, code: 'bad_response_status_code' },
    ],
    [
      'by breaking the connection',
      false,
      (response) => void response.destroy(),
      { status: null, code: 'upstream_broken' },
    ],
    ['with garbage', true, json('<html>'), { status: 200, code: 'bad_response_body' }],
    ['with an empty answer', true, json(''), { status: 200, code: 'bad_response_body' }],
    [
      'with an error in an answer of 200',
      true,
      json('{"error":{"message":"no","type":"server_error"}}'),
      { status: 200, code: 'bad_response_status_code' },
    ],
    [
      'with an error as first event',
      true,
      events(['data: {"error":{"message":"no"}}\n\n']),
      { status: 200, code: 'bad_response_status_code' },
    ],
    ['with an empty stream', true, events([DONE]), { status: 200, code: 'bad_response_body' }],
    [
      'by breaking off before the first event',
      false,
      events([': wait\n\n'], 'break'),
      { status: null, code: 'upstream_broken' },
    ],
    [
      'by not answering in time',
      false,
      () => undefined,
      { status: null, code: 'upstream_timeout' },
    ],
  ]
  test.each(failing)(
    '%s, then the second answers and is charged alone',
    async (_how, answered, behave, end) => {
      relay.directory.add(2, { baseUrl: second.url })
      upstream.behave(behave)
      const response = await relay.post(CHAT, HELLO)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(ANSWER)
      expect(relay.holds.settled).toMatchObject([
        {
          amount: 225,
          request: {
            channel: 2,
            attempts: [
              { channel: 1, ...end, why: expect.stringMatching(/./) },
              { channel: 2, status: 200, code: null, why: null },
            ],
          },
        },
      ])
      expectOneAfterTheOther(relay.holds.settled[0]?.request)
      expect(relay.holds.reserved).toBe(0)
      expect(relay.reports.map(({ channel }) => channel)).toEqual(answered ? [1] : [])
      expect(relay.failures).toEqual([])
    },
  )

  test.each([400, 404, 413, 422])(
    "with the client's own %i, then the second is not asked",
    async (status) => {
      relay.directory.add(2, { baseUrl: second.url })
      upstream.behave(
        json(
          '{"error":{"message":"bad field","type":"invalid_request_error","param":"x","code":"c"}}',
          status,
        ),
      )
      const response = await relay.post(CHAT, HELLO)
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({
        error: {
          message: expect.stringMatching(/^bad field \(request id: /),
          type: 'invalid_request_error',
          param: 'x',
          code: 'c',
        },
      })
      expect(second.asked).toHaveLength(0)
      expect(relay.holds).toMatchObject({ reserved: 0, available: 1_000_000 })
      expect(relay.failures).toMatchObject([
        {
          status,
          channel: 1,
          channelType: 1,
          attempts: [{ channel: 1, status, code: 'c', why: 'bad field' }],
          errorCode: 'c',
          firstByteMs: null,
        },
      ])
    },
  )
})

test('given retries, when every channel fails, then upstream’s last error is shown, its key masked', async () => {
  relay.directory.set({ RetryTimes: '1' })
  relay.directory.add(2, { baseUrl: second.url }, { key: 'topsecretkey99' })
  upstream.behave(json('{"error":{"message":"first"}}', 500))
  second.behave(
    json('{"error":{"message":"second topsecretkey99 broke","type":"t"}}', 503, {
      'retry-after': '7',
    }),
  )
  const response = await relay.post(CHAT, HELLO)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(await response.text()).toMatch(/"second \*\*\* broke/)
  expect(upstream.asked.length + second.asked.length).toBe(2)
  expect(relay.failures).toHaveLength(1)
})

test('given a status mapping, when upstream answers 400, then it is retried and shown as mapped', async () => {
  relay.directory.add(1, { baseUrl: upstream.url, statusCodeMapping: '{"400":"503"}' })
  upstream.behave(json('{"error":{"message":"x"}}', 400))
  expect((await relay.post(CHAT, HELLO)).status).toBe(503)
  expect(upstream.asked).toHaveLength(4)
  expect(relay.reports[0]).toMatchObject({ upstreamStatus: 400 })
})

test('given an address where nobody listens, when asked, then 502 says so', async () => {
  relay.directory.set({})
  relay.directory.add(1, { baseUrl: 'http://127.0.0.1:1' })
  const response = await relay.post(CHAT, HELLO)
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } })
})

test.each([15, 34, 16])(
  'given a channel of type %i, when an admin pins it, then 501 says that it is not built',
  async (type) => {
    relay.directory.set({})
    relay.directory.add(1, { type, baseUrl: upstream.url })
    const admin = { ...TOKEN, user: { ...USER, role: 10 as const } }
    relay.directory.tokens.set(KEY, admin)
    const response = await relay.post(CHAT, HELLO, { authorization: `Bearer sk-${KEY}-1` })
    relay.directory.tokens.set(KEY, TOKEN)
    expect(response.status).toBe(501)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_type' } })
    expect(upstream.asked).toHaveLength(0)
  },
)

describe('given a stream that has begun', () => {
  test.each([
    ['breaks off', events([chunk('Half an'), chunk(' answer')], 'break'), 'upstream_broken'],
    ['stops without an end', events([chunk('Half an'), chunk(' answer')]), 'bad_response_body'],
    ['goes silent', events([chunk('Half an'), chunk(' answer')], 'stay'), 'upstream_timeout'],
    [
      'turns to garbage',
      events([chunk('Half an'), chunk(' answer'), 'data: <b>\n\n', chunk('x')]),
      'bad_response_body',
    ],
    [
      'sends an error',
      events([
        chunk('Half an'),
        chunk(' answer'),
        'data: {"error":{"message":"boo","code":"boo"}}\n\n',
      ]),
      'boo',
    ],
  ] as const)(
    'when it %s, then the part delivered is charged and an error ends it',
    async (_how, behave, code) => {
      relay.directory.add(2, { baseUrl: second.url })
      upstream.behave(behave)
      const text = await textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true }))
      expect(text.startsWith(chunk('Half an') + chunk(' answer'))).toBe(true)
      expect(errorOf(text)).toMatchObject({ error: { code } })
      expect(text).not.toContain('[DONE]')
      expect(second.asked).toHaveLength(0)
      // 9 prompt tokens and 3 of output × 4, at 0.075 = 1.575
      expect(relay.holds.settled).toMatchObject([
        { amount: 2, request: { estimated: true, cancelled: false } },
      ])
      expect(relay.failures).toMatchObject([
        { errorCode: code, stream: true, firstByteMs: expect.any(Number) },
      ])
    },
  )

  test('when upstream forgets [DONE] after its finish, then it is complete', async () => {
    upstream.behave(
      events([chunk('Hi'), 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n']),
    )
    const text = await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
    expect(text.endsWith(DONE)).toBe(true)
    expect(relay.failures).toEqual([])
  })

  test('when it outgrows what can be held, then it is cut short, charged, and upstream aborted', async () => {
    let isAborted = false
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.on('close', () => {
        isAborted = true
      })
      const more = (): void => {
        if (!response.destroyed && response.write(chunk('word '.repeat(20)))) setImmediate(more)
        else response.once('drain', more)
      }
      more()
    })
    relay.directory.add(1, { baseUrl: upstream.url, models: ['gpt-4'] })
    relay.holds.available = 60_000
    const response = await relay.post(CHAT, {
      ...HELLO,
      model: 'gpt-4',
      stream: true,
      max_tokens: 50,
    })
    const text = await textUntilBreak(response)
    expect(errorOf(text)).toMatchObject({ error: { code: 'insufficient_user_quota' } })
    await eventually(() => isAborted)
    expect(relay.holds.settled).toMatchObject([{ request: { cutShort: true, estimated: true } }])
    // Delivered text is charged: 20 words a chunk, and no chunk that was held back.
    const words = text.split('word ').length - 1
    expect(words).toBeGreaterThan(0)
    const charged = relay.holds.settled[0]?.request.usage.textOut ?? 0
    expect(charged).toBeGreaterThanOrEqual(words)
    expect(charged).toBeLessThan(words + 20)
    expect(relay.holds.available).toBeGreaterThanOrEqual(0)
    expect(relay.holds.reserved).toBe(0)
  })
})

test('given a slow client, when upstream is fast, then upstream is held back and nothing is lost', async () => {
  const piece = chunk('x'.repeat(8_000))
  const PIECES = 3_000
  let written = 0
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const more = (): void => {
      while (written < PIECES) {
        written += 1
        if (!response.write(piece)) {
          response.once('drain', more)
          return
        }
      }
      response.end(DONE)
    }
    more()
  })
  relay.directory.set({ StreamCacheQueueLength: '4' })
  relay.holds.available = 1_000_000_000
  const response = await relay.post(CHAT, { ...HELLO, stream: true })
  const reader = response.body?.getReader()
  await reader?.read()
  await untilQuiet(() => written)
  // Held by the sockets' buffers, not by memory without bound.
  expect(written).toBeLessThan(PIECES)
  let bytes = 0
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) break
    bytes += next.value.length
  }
  expect(written).toBe(PIECES)
  expect(bytes).toBeGreaterThan(piece.length * (PIECES - 100))
})

test('given pings, when a stream is silent, then comments keep it alive until it goes on', async () => {
  relay.directory.set({
    'general_setting.ping_interval_enabled': 'true',
    'general_setting.ping_interval_seconds': '1',
  })
  const { settings } = relay.directory
  relay.directory.settings = { ...settings, pingEveryMs: 50 }
  const isPinged = Promise.withResolvers<void>()
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk('one'))
    void isPinged.promise.then(() => response.end(chunk('two') + DONE))
  })
  const response = await relay.post(CHAT, { ...HELLO, stream: true })
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (/(: PING\n\n){2}/.test(text)) isPinged.resolve()
  }
  expect(text).toMatch(/one.*\n\n(: PING\n\n)+data: .*two/)
  expect(settings.pingEveryMs).toBe(1_000)
})

test('given a kept connection that upstream closed while idle, when used, then the client sees nothing', async () => {
  relay.directory.set({})
  upstream.behave(json(ANSWER))
  expect((await relay.post(CHAT, HELLO)).status).toBe(200)
  const [first] = upstream.asked
  // From now on the old connection breaks and a new one works.
  upstream.behave((response, { request }) => {
    if (request.socket === first?.request.socket) request.socket.destroy()
    else json(ANSWER)(response)
  })
  const responses = await Promise.all([relay.post(CHAT, HELLO), relay.post(CHAT, HELLO)])
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  expect(relay.holds.settled).toHaveLength(3)
})
