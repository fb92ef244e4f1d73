import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createZstdCompress } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Whole answers over 64 MiB. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay({ settleWaitMs: 5_000, idleMs: 20_000 })
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => startAfresh(relay, upstream))

const MIB = 1024 * 1024
const EMBED = { model: 'gpt-4o-mini', input: ['hello'] }
const HEAD = '{"object":"list","data":[{"index":0,"embedding":"'
const END = '"}],"usage":{"prompt_tokens":7,"total_tokens":7,"details":{"a":1}}}'

/** Sends `mib` MiB between the head and the end, and their hash. */
async function send(response: ServerResponse, mib: number, end: string): Promise<string> {
  const hash = createHash('sha256')
  const write = async (text: string | Buffer): Promise<void> => {
    hash.update(text)
    if (!response.write(text)) await once(response, 'drain')
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  await write(HEAD)
  for (let n = 0; n < mib; n += 1) await write(Buffer.alloc(MIB, 65 + (n % 26)))
  await write(end)
  return hash.digest('hex')
}

async function read(
  response: Response,
): Promise<{ readonly bytes: number; readonly hash: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of response.body ?? []) {
    hash.update(piece)
    bytes += piece.length
  }
  return { bytes, hash: hash.digest('hex') }
}

test('given an answer of 80 MiB, when it comes, then it passes unchanged and is charged by its usage', async () => {
  let sent = ''
  upstream.behave((response) => {
    const sending = async (): Promise<void> => {
      sent = await send(response, 80, END)
      response.end()
    }
    void sending()
  })
  const response = await relay.post('/v1/embeddings', EMBED)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('application/json')
  const got = await read(response)
  expect(got).toEqual({ bytes: HEAD.length + 80 * MIB + END.length, hash: sent })
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { textIn: 7, textOut: 0 }, estimated: false } },
  ])
})

test('given one of 70 MiB that is compressed, when it comes, then it is unpacked on its way and charged', async () => {
  const vectors = randomBytes((3 * MIB) / 4).toString('base64')
  const hash = createHash('sha256').update(HEAD)
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' })
    const packed = createZstdCompress()
    packed.pipe(response)
    const sending = async (): Promise<void> => {
      packed.write(HEAD)
      for (let n = 0; n < 70; n += 1) {
        hash.update(vectors)
        if (!packed.write(vectors)) await once(packed, 'drain')
      }
      packed.end(END)
    }
    void sending()
  })
  const response = await relay.post('/v1/embeddings', EMBED)
  expect(response.status).toBe(200)
  const got = await read(response)
  const bytes = HEAD.length + 70 * MIB + END.length
  expect(got).toEqual({ bytes, hash: hash.update(END).digest('hex') })
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { textIn: 7, textOut: 0 }, estimated: false } },
  ])
})

test('given a compressed one that breaks off, when read, then the client sees it broken', async () => {
  const vectors = randomBytes(MIB).toString('base64')
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' })
    const packed = createZstdCompress()
    packed.pipe(response, { end: false })
    packed.on('end', () => response.destroy())
    const sending = async (): Promise<void> => {
      for (let n = 0; n < 50; n += 1) {
        if (!packed.write(vectors)) await once(packed, 'drain')
      }
      packed.end()
    }
    void sending()
  })
  const response = await relay.post('/v1/embeddings', EMBED)
  await expect(read(response)).rejects.toThrow('terminated')
  await expect.poll(() => relay.holds.settled.length).toBe(1)
  expect(relay.failures).toHaveLength(1)
})

test('given a compressed one that cannot be unpacked to its end, when read, then the log says so', async () => {
  const vectors = randomBytes(MIB).toString('base64')
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' })
    const packed = createZstdCompress()
    packed.pipe(response, { end: false })
    packed.on('end', () => response.end('no zstd'))
    const sending = async (): Promise<void> => {
      for (let n = 0; n < 50; n += 1) {
        if (!packed.write(vectors)) await once(packed, 'drain')
      }
      packed.end()
    }
    void sending()
  })
  const response = await relay.post('/v1/embeddings', EMBED)
  await expect(read(response)).rejects.toThrow('terminated')
  await expect.poll(() => relay.failures.length).toBe(1)
  expect(relay.failures).toMatchObject([{ errorCode: 'bad_response_body' }])
})

test('given one that breaks off, when read, then the client sees it broken and the prompt is charged', async () => {
  upstream.behave((response) => {
    void send(response, 70, '').then(() => response.destroy())
  })
  const response = await relay.post('/v1/embeddings', EMBED)
  await expect(read(response)).rejects.toThrow('terminated')
  await expect.poll(() => relay.holds.settled.length).toBe(1)
  expect(relay.holds.settled).toMatchObject([{ request: { estimated: true } }])
  expect(relay.failures).toHaveLength(1)
})

test('given one for another protocol’s client, when it comes, then it is refused and free', async () => {
  upstream.behave((response) => {
    void send(response, 70, END).then(() => response.end())
    response.on('error', () => undefined)
  })
  const messages = [{ role: 'user', content: 'hello' }]
  const response = await relay.post('/v1/messages', {
    model: 'gpt-4o-mini',
    max_tokens: 9,
    messages,
  })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain('over 64 MiB')
  expect(relay.holds.settled).toEqual([])
})
