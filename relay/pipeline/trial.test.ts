import type { ServerResponse } from 'node:http'
import { channelId } from '@tollgate/domain/ids.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Asked,
  eventually,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

let relay: RelayUnderTest
/** The upstream of channel 1, which is half-open. */
let tried: FakeUpstream
/** The upstream of channel 2, which is in service where a test adds it. */
let other: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  tried = await startUpstream()
  other = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await tried.close()
  await other.close()
})
beforeEach(() => {
  const { directory } = relay
  directory.channels.clear()
  directory.halfOpen.clear()
  directory.trials.statusChanged(ONE)
  directory.set({ RetryTimes: '0' })
  directory.addHalfOpen(1, { baseUrl: tried.url })
  relay.trialStored = Promise.resolve()
  relay.holds.available = 1_000_000
  for (const list of [
    relay.holds.settled,
    relay.failures,
    relay.reports,
    relay.trials,
    tried.asked,
    other.asked,
  ]) {
    list.length = 0
  }
  tried.behave(json(ANSWER))
  other.behave(json(ANSWER))
})

const ONE = channelId(1)
const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1000,"completion_tokens":500}}'

const json =
  (text: string, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }
const events =
  (...parts: readonly string[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(parts.join(''))
  }
const CHUNK = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
const isFree = (): boolean => relay.directory.trials.isFree(ONE)

test('given half-open and working channels, when asked, then the half-open one is tried first', async () => {
  relay.directory.add(2, { baseUrl: other.url, priority: 9 })
  const response = await relay.post(CHAT, HELLO)
  expect(response.status).toBe(200)
  expect(relay.trials).toEqual([{ channel: 1, succeeded: true }])
  expect(relay.holds.settled).toMatchObject([
    { request: { channel: 1, attempts: [{ channel: 1 }] } },
  ])
  // Its place is kept until its new status is known here: the next request goes where it always went.
  expect(isFree()).toBe(false)
  await relay.post(CHAT, HELLO)
  expect(other.asked.length).toBe(1)
  expect(tried.asked.length).toBe(1)
})

test('given many requests at once, when a channel is half-open, then only one of them goes to it', async () => {
  relay.directory.add(2, { baseUrl: other.url })
  let answer = (): void => undefined
  tried.behave((response) => {
    answer = () => json(ANSWER)(response)
  })
  const first = relay.post(CHAT, HELLO)
  await eventually(() => tried.asked.length === 1)
  const others = await Promise.all(Array.from({ length: 9 }, () => relay.post(CHAT, HELLO)))
  expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200))
  expect([tried.asked.length, other.asked.length]).toEqual([1, 9])
  answer()
  expect((await first).status).toBe(200)
  expect(relay.trials.length).toBe(1)
})

test('given no other channel, when a trial is going on, then other requests find none', async () => {
  let answer = (): void => undefined
  tried.behave((response) => {
    answer = () => json(ANSWER)(response)
  })
  const first = relay.post(CHAT, HELLO)
  await eventually(() => tried.asked.length === 1)
  expect((await relay.post(CHAT, HELLO)).status).toBe(503)
  answer()
  expect((await first).status).toBe(200)
})

const failing: ReadonlyArray<
  readonly [string, number | null, (response: ServerResponse, asked: Asked) => void]
> = [
  ['refuses the key', 401, json('{"error":{"message":"bad key upstream-key-1"}}', 401)],
  ['has a full queue', 429, json('{"error":{"message":"busy"}}', 429)],
  ['breaks', 500, json('oops', 500)],
  ['answers rubbish', 200, json('<html>')],
  ['breaks the connection', null, (response) => void response.destroy()],
  ['stays silent', null, () => undefined],
  ['streams an error', 200, events('data: {"error":{"message":"no"}}\n\n')],
]
test.each(failing)(
  'given a half-open channel that %s, when tried, then another answers without a retry being spent',
  async (_how, upstreamStatus, behave) => {
    relay.directory.add(2, { baseUrl: other.url })
    tried.behave(behave)
    const response = await relay.post(CHAT, HELLO)
    expect(response.status).toBe(200)
    expect(relay.holds.settled).toMatchObject([
      { request: { channel: 2, attempts: [{ channel: 1 }, { channel: 2 }] } },
    ])
    expect(relay.trials).toMatchObject([{ channel: 1, succeeded: false, upstreamStatus }])
    expect(JSON.stringify(relay.trials)).not.toContain('upstream-key-1')
    expect(relay.failures).toEqual([])
  },
)

test('given a stream, when it breaks off, then the trial failed; when it is whole, it passed', async () => {
  tried.behave(events(CHUNK))
  await textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true }))
  expect(relay.trials).toMatchObject([{ succeeded: false }])
  relay.directory.trials.statusChanged(ONE)
  tried.behave(events(CHUNK, 'data: [DONE]\n\n'))
  await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
  expect(relay.trials).toMatchObject([{ succeeded: false }, { succeeded: true }])
})

test.each([400, 404, 413, 422])(
  "given the client's own mistake, when it was the trial, then %i shows nothing and the next one tries",
  async (status) => {
    tried.behave(json('{"error":{"message":"bad field"}}', status))
    expect((await relay.post(CHAT, HELLO)).status).toBe(status)
    expect(relay.trials).toEqual([])
    expect(isFree()).toBe(true)
  },
)

test('given a client that leaves, when its request was the trial, then nothing is shown', async () => {
  tried.behave(() => undefined)
  const leaving = new AbortController()
  const left = fetch(`${relay.url}${CHAT}`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(HELLO),
    signal: leaving.signal,
  }).catch(() => null)
  await eventually(() => tried.asked.length === 1)
  leaving.abort()
  await left
  await eventually(isFree)
  expect(relay.trials).toEqual([])
})

test('given a client without quota, when it would be the trial, then it is refused and the place is free', async () => {
  relay.holds.available = 0
  expect((await relay.post(CHAT, HELLO)).status).toBe(403)
  expect(tried.asked).toEqual([])
  expect(isFree()).toBe(true)
})

test('given a trial that cannot be stored, when concluded, then the next request tries again', async () => {
  relay.trialStored = Promise.reject(new Error('the store is away'))
  // Refused before anybody asks, which must not count as unhandled.
  relay.trialStored.catch(() => undefined)
  await relay.post(CHAT, HELLO)
  await eventually(isFree)
  relay.trialStored = Promise.resolve()
  await relay.post(CHAT, HELLO)
  expect(tried.asked.length).toBe(2)
})

test('given several half-open channels that fail, when asked, then one request tries one of them', async () => {
  relay.directory.addHalfOpen(3, { baseUrl: tried.url })
  relay.directory.add(2, { baseUrl: other.url })
  tried.behave(json('oops', 500))
  expect((await relay.post(CHAT, HELLO)).status).toBe(200)
  expect([tried.asked.length, other.asked.length]).toEqual([1, 1])
  relay.directory.trials.statusChanged(channelId(3))
})
