import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  eventually,
  KEY,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

test('given a client that stops reading, when its patience is over, then it is treated as one that left', async () => {
  const relay = await startRelay({ clientStallMs: 300, idleMs: 30_000 })
  const upstream = await startUpstream()
  relay.directory.add(1, { baseUrl: upstream.url })
  relay.directory.set({ StreamCacheQueueLength: '4' })
  relay.holds.available = 1_000_000_000
  let isAborted = false
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.on('close', () => {
      isAborted = true
    })
    const padding = 'x'.repeat(60_000)
    const piece = `data: ${JSON.stringify({ choices: [{ delta: { content: 'hi' } }], padding })}\n\n`
    const more = (): void => {
      if (response.destroyed) return
      if (response.write(piece)) setImmediate(more)
      else response.once('drain', more)
    }
    more()
  })
  const body = JSON.stringify({
    model: 'gpt-4o-mini',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  })
  const socket = connect(Number(new URL(relay.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'readable')
  await eventually(() => relay.holds.settled.length === 1 && isAborted)
  expect(relay.holds.settled).toMatchObject([{ request: { cancelled: true } }])
  socket.destroy()
  await upstream.close()
  await relay.close()
})

test('given a client that reads slowly, when a big answer outlasts its patience, then it gets all', async () => {
  const relay = await startRelay({ clientStallMs: 1_500, idleMs: 30_000, settleWaitMs: 5_000 })
  const upstream = await startUpstream()
  relay.directory.add(1, { baseUrl: upstream.url })
  relay.holds.available = 1_000_000_000
  const head = '{"data":[{"embedding":"'
  const end = '"}],"usage":{"prompt_tokens":7,"total_tokens":7}}'
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(head)
    response.write(Buffer.alloc(70 * MIB, 65))
    response.end(end)
  })
  const startedMs = performance.now()
  const response = await relay.post('/v1/embeddings', { model: 'gpt-4o-mini', input: 'hello' })
  let bytes = 0
  let nextPause = MIB
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes < nextPause) continue
    nextPause += MIB
    // The pauses are what is tested: a client that reads on, but slowly.
    await setTimeout(PAUSE_MS)
  }
  expect(bytes).toBe(head.length + 70 * MIB + end.length)
  expect(performance.now() - startedMs).toBeGreaterThan(70 * PAUSE_MS)
  expect(relay.holds.settled).toMatchObject([{ request: { estimated: false } }])
  await upstream.close()
  await relay.close()
})

const MIB = 1024 * 1024
/** The whole answer takes several times the patience with such pauses between its mebibytes. */
const PAUSE_MS = 100
