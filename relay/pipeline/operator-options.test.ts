import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { relaySettings } from '../directory/relay-settings.ts'
import {
  eventually,
  type FakeUpstream,
  type RelayUnderTest,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4', messages: [{ role: 'user', content: 'Hello' }] }
const USAGE = { prompt_tokens: 9, completion_tokens: 700, total_tokens: 709 }

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeEach(async () => {
  ;[relay, upstream] = await Promise.all([startRelay(), startUpstream()])
  relay.directory.add(1, { baseUrl: upstream.url, models: ['gpt-4'] })
})
afterEach(async () => {
  await relay.close()
  await upstream.close()
})

/** Resolves when the relay's end of the client's connection has closed. */
async function clientGone(): Promise<void> {
  let open = -1
  await eventually(() => {
    relay.app.server.getConnections((_, count) => (open = count))
    return open === 0
  })
}

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const LAST = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`

test('given streams that may be finished, when no quota is left, then the answer is charged whole', async () => {
  relay.directory.set({ 'relay_setting.finish_overdrawn_streams': 'true' })
  relay.holds.available = 20_000
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let i = 0; i < 35; i += 1) response.write(chunk('word '.repeat(20)))
    response.end(LAST)
  })
  const body = { ...HELLO, stream: true, max_tokens: 50 }
  const text = await (await relay.post(CHAT, body)).text()
  expect(text.split('word ').length - 1).toBe(700)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { textOut: 700 }, cutShort: false, estimated: false } },
  ])
  expect(relay.holds.available).toBeLessThan(0)
  expect(relay.failures).toEqual([])
})

test('given drained requests, when a client leaves a stream, then upstream’s own usage is charged', async () => {
  relay.directory.set({ 'relay_setting.drain_cancelled_requests': 'true' })
  let finish = (): void => undefined
  let isAborted = false
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk('one two three'))
    response.on('close', () => {
      isAborted = !response.writableFinished
    })
    finish = () => response.end(LAST)
  })
  const leaving = new AbortController()
  const response = await fetch(relay.url + CHAT, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer sk-${'k'.repeat(48)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...HELLO, stream: true }),
  })
  await response.body?.getReader().read()
  leaving.abort()
  await clientGone()
  finish()
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([
    { request: { cancelled: true, estimated: false, usage: { textOut: 700 } } },
  ])
  expect(isAborted).toBe(false)
})

test('given drained requests, when the client leaves a whole answer, then it is read and charged', async () => {
  relay.directory.set({ 'relay_setting.drain_cancelled_requests': 'true' })
  let finish: () => void = () => undefined
  upstream.behave((response) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' } }]
    finish = () => response.end(JSON.stringify({ choices, usage: USAGE }))
  })
  const leaving = new AbortController()
  const asked = fetch(relay.url + CHAT, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer sk-${'k'.repeat(48)}`, 'content-type': 'application/json' },
    body: JSON.stringify(HELLO),
  })
  await eventually(() => upstream.asked.length === 1)
  leaving.abort()
  await expect(asked).rejects.toThrow('abort')
  await clientGone()
  finish()
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([{ request: { cancelled: true, estimated: false } }])
})

test('given a deadline for the first byte as an option, when settings are read, then it is theirs', () => {
  const options = optionsFrom([['relay_setting.first_byte_timeout_seconds', '7']])
  expect(relaySettings(options, -1).firstByteMs).toBe(7_000)
})
