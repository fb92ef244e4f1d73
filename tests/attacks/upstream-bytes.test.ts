import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '../support/relay/relay-under-test.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { withLongestTurn } from '../support/longest-turn.ts'

/** Upstreams whose answers are made to hold the process: everybody else's requests must go on. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => startAfresh(relay, upstream))

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
/** Ten times what is allowed (20 ms of processor time), for the upstream and the client run in this thread as well. */
const TURN_MS_MAX = 200
const MEGABYTE = 1024 * 1024

const whole =
  (body: Buffer, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)

const deep = (bytes: number): string => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)

test('given an answer of four megabytes of nested lists, when it is read, then nobody else waits', async () => {
  const body = Buffer.from(
    `{"choices":[{"message":{"content":"Hi"}}],"x":${deep(4 * MEGABYTE)},"usage":{"prompt_tokens":9,"completion_tokens":1}}`,
  )
  upstream.behave(whole(body))
  const { result, longestTurnMs } = await withLongestTurn(() => relay.post(CHAT, HELLO))
  expect(longestTurnMs).toBeLessThan(TURN_MS_MAX)
  // An answer that was delivered is charged, and an error is not.
  expect(relay.holds.settled).toHaveLength(result.status === 200 ? 1 : 0)
  await result.arrayBuffer()
})

test('given an answer that unpacks beyond 64 MiB, when read, then it is refused and nobody waits', async () => {
  const body = gzipSync(Buffer.alloc(100 * MEGABYTE, ' '))
  upstream.behave(whole(body, { 'content-encoding': 'gzip' }))
  const { result, longestTurnMs } = await withLongestTurn(() => relay.post(CHAT, HELLO))
  expect(result.status).toBe(502)
  expect(longestTurnMs).toBeLessThan(TURN_MS_MAX)
  expect(relay.holds.settled).toEqual([])
})

test('given an answer that shrinks as text does, when it is packed, then it is read', async () => {
  const content = Array.from({ length: 20_000 }, (_word, at) => `word${at}`).join(' ')
  const usage = { prompt_tokens: 9, completion_tokens: 60_000 }
  const body = JSON.stringify({ choices: [{ message: { content } }], usage })
  upstream.behave(whole(gzipSync(body), { 'content-encoding': 'gzip' }))
  const answer = await relay.post(CHAT, HELLO)
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content } }] })
  expect(relay.holds.settled).toMatchObject([{ request: { usage: { textOut: 60_000 } } }])
})

test('given a chunk of 4 MB of nested lists, when read, then the stream ends and nobody waits', async () => {
  const chunk = `data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n`
  const nested = `data: {"choices":[],"x":${deep(4 * MEGABYTE)}}\n\n`
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(chunk + nested)
  })
  const { result, longestTurnMs } = await withLongestTurn(async () =>
    textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true })),
  )
  expect(result).toContain('objects, lists and members')
  expect(longestTurnMs).toBeLessThan(TURN_MS_MAX)
  expect(relay.holds.settled).toHaveLength(1)
})

test('given endless comments before the first chunk, when they come, then they are passed on, not kept', async () => {
  const comments = Buffer.from(`: ${'x'.repeat(1_000)}\n\n`.repeat(100))
  let goOn: () => void = () => undefined
  const clientHasSome = new Promise<void>((resolve) => {
    goOn = resolve
  })
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(comments)
    // A relay that kept them would wait for the first chunk, and upstream for the client.
    void clientHasSome.then(() =>
      response.end('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'),
    )
  })
  const answer = await relay.post(CHAT, { ...HELLO, stream: true })
  let text = ''
  for await (const piece of answer.body ?? []) {
    text += Buffer.from(piece).toString()
    goOn()
  }
  expect(text.startsWith(comments.toString())).toBe(true)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})
