import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  eventually,
  type FakeUpstream,
  type RelayUnderTest,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeEach(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  relay.directory.set({ RetryTimes: '3' })
  relay.directory.add(1, { baseUrl: upstream.url })
})
afterEach(async () => {
  await relay.close()
  await upstream.close()
})

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const FIRST = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }] })}\n\n`

test('given a relay that turns requests away, when one comes, then it gets 503 with Retry-After', async () => {
  relay.stopping.refuse()
  const answer = await relay.post(CHAT, HELLO)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(await answer.json()).toMatchObject({ error: { code: 'server_stopping' } })
  expect(upstream.asked).toEqual([])
})

test('given a stream under way, when the relay ends it, then the delivered part is charged', async () => {
  let isAborted = false
  upstream.behave((response: ServerResponse) => {
    response.on('close', () => (isAborted = true))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(FIRST)
  })
  const answer = await relay.post(CHAT, { ...HELLO, stream: true })
  expect(relay.stopping.running).toBe(1)
  relay.stopping.refuse()
  expect(await relay.stopping.idle(10)).toBe(false)
  relay.stopping.endRunning()
  const text = await textUntilBreak(answer)
  expect(text).toContain('Hi')
  expect(text).toContain('server_stopping')
  expect(text).not.toContain('[DONE]')
  expect(await relay.stopping.idle(1_000)).toBe(true)
  await eventually(() => isAborted)
  expect(relay.holds.settled).toMatchObject([
    { request: { cutShort: true, cancelled: false, estimated: true } },
  ])
  expect(relay.holds.settled[0]?.amount).toBeGreaterThan(0)
  expect(relay.holds.reserved).toBe(0)
})

test('given a request that waits for upstream, when the relay ends it, then it gets 503 and no charge', async () => {
  upstream.behave(() => undefined)
  const asking = relay.post(CHAT, HELLO)
  await eventually(() => upstream.asked.length === 1)
  relay.stopping.endRunning()
  const answer = await asking
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: { code: 'server_stopping' } })
  expect(upstream.asked).toHaveLength(1)
  expect(relay.holds.settled).toEqual([])
  expect(relay.holds.reserved).toBe(0)
})
