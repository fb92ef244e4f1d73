import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { makeServer } from '@tollgate/infra/http/connections.ts'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startRelay,
  startUpstream,
  USER,
} from '../support/relay/relay-under-test.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withLongestTurn } from '../support/longest-turn.ts'

/**
 * Bodies made to hold the serving thread, fill its memory or get much for little. A stall is the thread's
 * own CPU in one turn of the event loop, which a busy machine does not change. Client and upstream share the thread, so
 * the bound is ten times the relay's own 20 ms.
 */
const MIB = 1024 * 1024
const BODY_BYTES_MAX = 32 * MIB
const STALL_CPU_MS_MAX = 200
const CHAT = '/v1/chat/completions'
const MESSAGES = '"messages":[{"role":"user","content":"hi"}]'
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay({ bodyBytesMax: BODY_BYTES_MAX }, { serverFactory: makeServer })
  upstream = await startUpstream()
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER)
  })
  // Words are looked for elsewhere.
  relay.directory.set({ CheckSensitiveEnabled: 'false' })
  relay.directory.add(1, { baseUrl: upstream.url, models: ['gpt-4o-mini', 'o3-mini'] })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  relay.holds.available = 1_000_000_000
  relay.holds.settled.length = 0
  relay.failures.length = 0
  upstream.asked.length = 0
})

interface Answered {
  readonly status: number
  readonly text: string
  readonly stallMs: number
}

/** Sends bytes and tells how long nothing else could be served meanwhile. */
async function attack(
  body: Buffer,
  headers: Record<string, string> = {},
  path = CHAT,
): Promise<Answered> {
  const { result, longestTurnMs } = await withLongestTurn(async () => {
    const response = await fetch(relay.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${KEY}`, ...headers },
      body: new Uint8Array(
        body.buffer,
        body.byteOffset,
        body.byteLength,
      ) as Uint8Array<ArrayBuffer>,
    })
    return { status: response.status, text: await response.text() }
  })
  return { ...result, stallMs: longestTurnMs }
}

async function noneLeft(): Promise<void> {
  const until = performance.now() + 5_000
  while (relay.uploads.bytesInFlight > 0 && performance.now() < until) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
  expect(relay.uploads.bytesInFlight).toBe(0)
}

const filled = (begin: string, piece: string, end: string, bytes: number): Buffer =>
  Buffer.concat([
    Buffer.from(begin),
    Buffer.alloc(Math.floor(bytes / piece.length) * piece.length, piece),
    Buffer.from(end),
  ])

const SHAPES: ReadonlyArray<readonly [string, () => Buffer, number]> = [
  ['30 MiB of [', () => filled('', '[', '', 30 * MIB), 400],
  [
    'lists in lists',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":`, '[', '', 30 * MIB),
    400,
  ],
  [
    'empty lists',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":[`, '[],', '1]}', 30 * MIB),
    400,
  ],
  [
    'objects',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":[`, '{"a":1},', '1]}', 30 * MIB),
    400,
  ],
  [
    'token ids',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":[`, '1,', '1]}', 30 * MIB),
    400,
  ],
  ['the same key', () => filled('{', '"model":"gpt-4o-mini",', `${MESSAGES}}`, 30 * MIB), 400],
  ['many small keys', () => manyKeys(30 * MIB), 400],
  [
    'escapes',
    () =>
      filled(
        '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"',
        '\\"',
        '"}]}',
        20 * MIB,
      ),
    200,
  ],
  ['spaces', () => filled(`{"model":"gpt-4o-mini",${MESSAGES}`, ' ', '}', 30 * MIB), 200],
  ['a name of a model', () => filled('{"model":"', 'm', `",${MESSAGES}}`, 30 * MIB), 400],
  [
    'a name of a member',
    () => filled('{"', 'k', `":1,"model":"gpt-4o-mini",${MESSAGES}}`, 30 * MIB),
    200,
  ],
  [
    'an option',
    () =>
      filled(`{"model":"gpt-4o-mini",${MESSAGES},"stream_options":{"x":"`, 'x', '"}}', 30 * MIB),
    400,
  ],
  [
    'places just within 1 MiB',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":[`, '{},', '1]}', 590_000),
    200,
  ],
  [
    'places just beyond the bound',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":[`, '{},', '1]}', 900_000),
    400,
  ],
  [
    'token ids within 1 MiB',
    () => filled(`{"model":"gpt-4o-mini",${MESSAGES},"x":[`, '1,', '1]}', MIB - 200),
    200,
  ],
  ['unclosed text', () => filled('{"model":"', '\\\\', '', 30 * MIB), 400],
  ['bytes that are no text', () => filled('{"model":"', '\u0000', '"}', 30 * MIB), 400],
]

function manyKeys(bytes: number): Buffer {
  const keys: string[] = []
  for (let at = 0, length = 0; length < bytes; at += 1) {
    const key = `"k${at}":0`
    keys.push(key)
    length += key.length + 1
  }
  return Buffer.from(`{${keys.join(',')}}`)
}

describe('shapes', () => {
  test.each(SHAPES)(
    'given a body of %s, when sent, then it is answered without stall, and nothing of it stays counted',
    async (_what, make, status) => {
      const answered = await attack(make())
      expect(answered.status).toBe(status)
      expect(answered.text.length).toBeLessThan(2_000)
      expect(answered.stallMs).toBeLessThan(STALL_CPU_MS_MAX)
      await noneLeft()
    },
    60_000,
  )

  test('given a huge system message, when a channel wants a developer, then only the role is changed', async () => {
    const long = filled(
      '{"model":"o3-mini","messages":[{"content":"',
      'a\\n',
      '","role":"system"}],"max_tokens":5}',
      20 * MIB,
    )
    const answered = await attack(long)
    expect(answered.status).toBe(200)
    expect(answered.stallMs).toBeLessThan(STALL_CPU_MS_MAX)
    expect(upstream.asked[0]?.text.slice(-80)).toContain('"role":"developer"}]')
    const deep = `${'['.repeat(400)}${']'.repeat(400)}`
    const nested = `{"model":"o3-mini","messages":[{"role":"system","content":${deep}}]}`
    expect((await attack(Buffer.from(nested))).status).toBe(200)
    expect(upstream.asked[1]?.text).toContain(`"role":"developer","content":${deep}`)
  }, 60_000)
})

describe('playground', () => {
  test('given a console’s message of 20 MiB, when played, then its own members go without stall', async () => {
    relay.session = { status: 'signed-in', user: USER }
    const body = filled(
      '{"model":"gpt-4o-mini","group":"default","messages":[{"id":"1","role":"user","content":"',
      '\\"',
      '"}]}',
      20 * MIB,
    )
    const answered = await attack(body, {}, '/pg/chat/completions')
    expect(answered.status).toBe(200)
    expect(answered.stallMs).toBeLessThan(STALL_CPU_MS_MAX)
    const sent = upstream.asked[0]?.text ?? ''
    expect(sent.slice(0, 80)).toContain('"messages":[{"role":"user","content":"')
    expect(sent.length).toBe(body.length - '"id":"1",'.length - '"group":"default",'.length)
    await noneLeft()
  }, 60_000)
})

const COMPRESSED = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  zstd: zstdCompressSync,
} as const

describe('bombs', () => {
  const within = (bytes: number): Buffer =>
    filled(`{"model":"gpt-4o-mini",${MESSAGES},"user":"`, ' ', '"}', bytes)

  test.each([
    ['gzip', 413],
    ['br', 413],
    ['deflate', 413],
    ['zstd', 413],
  ] as const)(
    'given a bomb of 31 MiB in %s, when sent, then %d and no stall',
    async (encoding, status) => {
      const bomb = COMPRESSED[encoding](within(31 * MIB))
      expect(bomb.length).toBeLessThan(40_000)
      const answered = await attack(bomb, { 'content-encoding': encoding })
      expect(answered.status).toBe(status)
      expect(answered.stallMs).toBeLessThan(STALL_CPU_MS_MAX)
      await noneLeft()
    },
    60_000,
  )

  test('given many bombs at once, when sent, then small requests are served meanwhile', async () => {
    const bomb = gzipSync(within(31 * MIB))
    const all = Promise.all(
      Array.from({ length: 50 }, () => attack(bomb, { 'content-encoding': 'gzip' })),
    )
    const small = await attack(Buffer.from(`{"model":"gpt-4o-mini",${MESSAGES}}`))
    expect(small.status).toBe(200)
    // Those beyond the account's budget are turned away for a while.
    expect((await all).filter(({ status }) => status !== 413 && status !== 503)).toEqual([])
    await noneLeft()
  }, 60_000)

  test('given a compressed body of ordinary text, when sent, then upstream gets it whole', async () => {
    const text = Array.from({ length: 200_000 }, (_, at) => `word${at}`).join(' ')
    const body = JSON.stringify({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: text }],
    })
    for (const encoding of ['gzip', 'br'] as const) {
      const answered = await attack(COMPRESSED[encoding](body), { 'content-encoding': encoding })
      expect(answered.status).toBe(200)
      expect(upstream.asked.at(-1)?.text).toBe(body)
    }
    await noneLeft()
  }, 60_000)
})

describe('without quota', () => {
  test.each([
    ['a declared length', 65_537, {}],
    ['little that may become much', 30_000, { 'content-encoding': 'gzip' }],
  ])(
    'given nothing available and %s, when sent, then it is refused before the body has come',
    async (_what, bytes, headers) => {
      relay.holds.available = 0
      const body = Buffer.alloc(bytes, 'x')
      const answered = await attack(body, headers)
      expect(answered.status).toBe(403)
      expect(answered.text).toContain('insufficient')
      expect(relay.failures).toHaveLength(1)
      expect(relay.holds.reserved).toBe(0)
      await noneLeft()
    },
  )

  test('given nothing available, when a small body comes, then its own estimate decides', async () => {
    relay.holds.available = 0
    const answered = await attack(Buffer.from(`{"model":"gpt-4o-mini",${MESSAGES}}`))
    expect(answered.status).toBe(403)
    expect(answered.text).toContain('need quota')
  })
})
