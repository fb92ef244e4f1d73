import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Streams whose content comes later than their head is held. */
const HELD_MS = 60
let relay: RelayUnderTest
let upstream: FakeUpstream
let second: FakeUpstream
beforeAll(async () => {
  relay = await startRelay({ headHeldMs: HELD_MS })
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
  relay.directory.set({ RetryTimes: '1' })
  relay.directory.add(2, { baseUrl: second.url })
  second.asked.length = 0
  second.behave(stream([chunk('from the second') + END]))
})

const CHAT = '/v1/chat/completions'
const HELLO = {
  model: 'gpt-4o-mini',
  stream: true,
  messages: [{ role: 'user', content: 'hello' }],
}
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`
const END =
  'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const WAIT = ': working\n\n'

/** Writes pieces one after another, with `pauseMs` between them; the last ends or breaks the answer. */
const stream =
  (pieces: readonly string[], { pauseMs = 2 * HELD_MS, breaks = false } = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    const next = (at: number): void => {
      response.write(pieces[at] ?? '')
      if (at + 1 < pieces.length) setTimeout(() => next(at + 1), pauseMs)
      else if (breaks) setTimeout(() => response.destroy(), pauseMs)
      else response.end()
    }
    next(0)
  }

/** The time in which the head came, and the text. */
async function ask(path = CHAT, body: object = HELLO) {
  const startedMs = performance.now()
  const response = await relay.post(path, body)
  return { response, headMs: performance.now() - startedMs }
}

test('given a model that thinks for long, when its head was held long enough, then head and comments go', async () => {
  const SILENT_MS = 20 * HELD_MS
  upstream.behave(stream([WAIT, chunk('Hi') + END], { pauseMs: SILENT_MS }))
  const { response, headMs } = await ask()
  expect(headMs).toBeGreaterThan(HELD_MS / 2)
  expect(headMs).toBeLessThan(SILENT_MS / 2)
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(WAIT + chunk('Hi') + END)
  expect(relay.failures).toEqual([])
})

test('given a head that was sent, when its channel fails before content, then another goes on', async () => {
  upstream.behave(stream([WAIT, WAIT], { breaks: true }))
  const { response } = await ask()
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(WAIT + WAIT + chunk('from the second') + END)
  expect(relay.holds.settled).toMatchObject([
    {
      request: { channel: 2, attempts: [{ channel: 1, code: 'upstream_broken' }, { channel: 2 }] },
    },
  ])
})

test('given a head that was sent, when every channel fails, then the stream ends in the last error', async () => {
  upstream.behave(stream([WAIT, WAIT], { breaks: true }))
  second.behave((response) => void response.writeHead(503).end('{"error":{"message":"full"}}'))
  const { response } = await ask()
  expect(response.status).toBe(200)
  const text = await textUntilBreak(response)
  expect(text.startsWith(`${WAIT + WAIT}data: {"error":{"message":"full`)).toBe(true)
  expect(text).not.toContain('[DONE]')
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  const attempts = [{ channel: 1 }, { channel: 2 }]
  expect(relay.failures).toMatchObject([{ status: 503, attempts, firstByteMs: null }])
})

test('given a head that was sent, when the other answers at once, then its answer ends the stream', async () => {
  upstream.behave(stream([WAIT, WAIT], { breaks: true }))
  second.behave((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9}}')
  })
  const text = await (await ask()).response.text()
  expect(text.startsWith(WAIT + WAIT)).toBe(true)
  expect(text).toContain('"delta":{"content":"Hi"}')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [{ request: { stream: true } }] })
})

test('given a head that was sent, when the other answers what no stream says, then that is a failure', async () => {
  upstream.behave(stream([WAIT, WAIT], { breaks: true }))
  second.behave((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":9}}')
  })
  const { response } = await ask()
  expect(await textUntilBreak(response)).toContain('bad_response_body')
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
})

test('given comments without end, when they outgrow what is held, then the head goes out before its time', async () => {
  const patient = await startRelay({ headHeldMs: 60_000 })
  patient.directory.add(1, { baseUrl: upstream.url })
  upstream.behave(stream([`:${'x'.repeat(70_000)}\n\n`, chunk('Hi') + END], { pauseMs: 800 }))
  const startedMs = performance.now()
  const response = await patient.post(CHAT, HELLO)
  expect(performance.now() - startedMs).toBeLessThan(700)
  expect(await response.text()).toContain('[DONE]')
  await patient.close()
})

test('given pings, when nothing comes after the head, then they keep it alive, also between two channels', async () => {
  relay.directory.settings = { ...relay.directory.settings, pingEveryMs: 20 }
  upstream.behave(stream([WAIT, WAIT], { breaks: true }))
  second.behave(stream(['', chunk('Hi') + END], { pauseMs: 6 * HELD_MS }))
  const text = await (await ask()).response.text()
  const pings = text.split(': PING\n\n').length - 1
  expect(pings).toBeGreaterThan(5)
  expect(text.replaceAll(': PING\n\n', '')).toBe(WAIT + WAIT + chunk('Hi') + END)
})

test('given pings, when an event comes in two pieces, then none stands within it', async () => {
  relay.directory.settings = { ...relay.directory.settings, pingEveryMs: 20 }
  const rest = chunk('there')
  upstream.behave(stream([`${chunk('Hi')}id: 7\n`, rest.slice(0, 9), rest.slice(9) + END]))
  const text = await (await ask()).response.text()
  expect(text).toContain(': PING\n\n')
  expect(text).toContain(`id: 7\n${rest}`)
})

test('given Anthropic’s messages, when a channel fails after message_start, then only the other is seen', async () => {
  for (const [id, { url }] of [
    [1, upstream],
    [2, second],
  ] as const) {
    relay.directory.add(id, { type: 14, baseUrl: url, models: ['claude-3-5-sonnet-20241022'] })
  }
  const event = (type: string, members: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
  const start = (id: string): string =>
    event('message_start', { message: { id, usage: { input_tokens: 9, output_tokens: 1 } } })
  const rest = [
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
    event('message_stop', {}),
  ].join('')
  upstream.behave(stream([WAIT, start('first'), WAIT], { breaks: true }))
  second.behave(stream([start('second') + rest]))
  const { response } = await ask('/v1/messages', {
    model: 'claude-3-5-sonnet-20241022',
    stream: true,
    max_tokens: 50,
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(await response.text()).toBe(WAIT + WAIT + start('second') + rest)
})

test.each([
  ['streamGenerateContent', (text: string): unknown => JSON.parse(text)],
  [
    'streamGenerateContent?alt=sse',
    (text: string): unknown => [JSON.parse(text.slice(text.indexOf('data: ') + 6))],
  ],
])(
  'given %s and a sent head, when its only channel fails, then the error is framed alike',
  async (method, framesIn) => {
    const MODEL = 'gemini-2.5-flash'
    relay.directory.channels.clear()
    relay.directory.set({ RetryTimes: '0', ModelRatio: JSON.stringify({ [MODEL]: 1 }) })
    relay.directory.add(1, { type: 24, baseUrl: upstream.url, models: [MODEL] })
    upstream.behave(stream([WAIT, WAIT], { breaks: true }))
    const { response } = await ask(`/v1beta/models/${MODEL}:${method}`, {
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    })
    expect(response.status).toBe(200)
    const frames = framesIn((await textUntilBreak(response)).trim())
    expect(frames).toMatchObject([{ error: { details: [{ reason: 'upstream_broken' }] } }])
  },
)
