import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, startUpstream } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { AddressForbidden } from './address-forbidden.ts'
import { callUpstream } from './call.ts'
import { type AddressGuard, makeDispatchers } from './dispatchers.ts'

const dispatchers = makeDispatchers(1_000)
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startUpstream()
  upstream.behave((response) => void response.writeHead(200).end('answer'))
})
afterAll(async () => {
  await dispatchers.close()
  await upstream.close()
})

const ask = (proxy: string) =>
  callUpstream({
    dispatcher: dispatchers.through(proxy),
    address: { origin: upstream.url, path: '/' },
    method: 'GET',
    headers: {},
    body: null,
    firstByteMs: 1_000,
    idleMs: 1_000,
  }).answer

describe('a connection that breaks', () => {
  /** Answers the first `answers` requests of each connection, and breaks it under the next. */
  async function brokenAfter(answers: number, breakIt: (socket: Socket) => void) {
    let requests = 0
    const server = createTcpServer((socket) => {
      let answered = 0
      socket.on('error', () => undefined)
      socket.on('data', (bytes: Buffer) => {
        if (!bytes.toString().startsWith('POST')) return
        requests += 1
        answered += 1
        if (answered > answers) breakIt(socket)
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const call = () =>
      callUpstream({
        dispatcher: dispatchers.through(''),
        address: { origin: `http://127.0.0.1:${port}`, path: '/' },
        method: 'POST',
        headers: {},
        body: Buffer.from('{}'),
        firstByteMs: 1_000,
        idleMs: 1_000,
      }).answer
    return { call, requests: () => requests, close: () => server.close() }
  }

  test.each([
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['closed', (socket: Socket) => void socket.end()],
  ])(
    'given one that was just made, when it is %s, then it is broken, not stale',
    async (_how, breakIt) => {
      const upstreamOnce = await brokenAfter(0, breakIt)
      expect(await upstreamOnce.call()).toMatchObject({ kind: 'unreachable', reason: 'broken' })
      expect(upstreamOnce.requests()).toBe(1)
      upstreamOnce.close()
    },
  )

  test.each([
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['closed', (socket: Socket) => void socket.end()],
  ])('given one that served before, when it is %s, then it was stale', async (_how, breakIt) => {
    const upstreamTwice = await brokenAfter(1, breakIt)
    let answer = await upstreamTwice.call()
    // A connection is free again a moment after its answer: until then another is made.
    for (let i = 0; i < 50 && answer.kind === 'whole'; i += 1) {
      await new Promise(setImmediate)
      answer = await upstreamTwice.call()
    }
    expect(answer).toMatchObject({ kind: 'unreachable', reason: 'stale' })
    upstreamTwice.close()
  })
})

test('given any question to upstream, when it arrives, then it names its program', async () => {
  await ask('')
  expect(upstream.asked.at(-1)?.headers['user-agent']).toBe('Tollgate')
})

test('given an http proxy, when upstream is asked, then the request goes through it', async () => {
  const tunnels: string[] = []
  const proxy = createServer()
  proxy.on('connect', (request, client) => {
    tunnels.push(request.url ?? '')
    const { port } = new URL(upstream.url)
    const there = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      there.pipe(client).pipe(there)
    })
    there.on('error', () => client.destroy())
    client.on('error', () => there.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const answer = await ask(`http://127.0.0.1:${port}`)
  expect(answer).toMatchObject({ kind: 'whole', status: 200 })
  expect(tunnels).toEqual([new URL(upstream.url).host])
  expect(dispatchers.through(`http://127.0.0.1:${port}`)).toBe(
    dispatchers.through(`http://127.0.0.1:${port}`),
  )
  proxy.close()
})

test('given channels kept to the internet, when upstream is not on it, then it is never connected to', async () => {
  let isOn = true
  const refused: string[] = []
  const guard: AddressGuard = {
    name: 'test',
    mayReach: (ip) => ip === '192.0.2.1',
    mayName: (host) => host !== 'metadata.example',
    connector: ({ hostname }, callback) => {
      refused.push(hostname)
      callback(new AddressForbidden(hostname), null)
    },
  }
  const guarded = makeDispatchers(1_000, () => (isOn ? guard : null))
  const askAt = (origin: string, through = '') =>
    callUpstream({
      dispatcher: guarded.through(through),
      address: { origin, path: '/' },
      method: 'GET',
      headers: {},
      body: null,
      firstByteMs: 1_000,
      idleMs: 1_000,
    }).answer
  isOn = false
  expect(await askAt(upstream.url)).toMatchObject({ kind: 'whole', status: 200 })
  isOn = true
  // The connection from before is not used.
  expect(await askAt(upstream.url)).toMatchObject({ kind: 'unreachable', reason: 'forbidden' })
  expect(refused).toEqual(['127.0.0.1'])
  for (const origin of [
    'http://127.0.0.1:1',
    'http://[::1]',
    'http://localhost',
    'http://2130706433',
    'http://metadata.example',
  ]) {
    const answer = await askAt(origin, 'http://127.0.0.1:1')
    expect({ origin, ...answer }).toMatchObject({
      origin,
      kind: 'unreachable',
      reason: 'forbidden',
    })
  }
  // The proxy is where its connection would lead, whatever lies beyond.
  for (const proxy of ['http://127.0.0.1:1', 'socks5://127.0.0.1:1']) {
    refused.length = 0
    const beyond = await askAt('http://192.0.2.1', proxy)
    expect(beyond).toMatchObject({ kind: 'unreachable', reason: 'forbidden' })
    expect(refused).toEqual(['127.0.0.1'])
  }
  isOn = false
  expect(await askAt(upstream.url)).toMatchObject({ kind: 'whole', status: 200 })
  await guarded.close()
})

test('given a proxy where nobody listens, when upstream is asked, then it is unreachable', async () => {
  expect(await ask('http://127.0.0.1:1')).toMatchObject({ kind: 'unreachable' })
  expect(await ask('socks5://127.0.0.1:1')).toMatchObject({ kind: 'unreachable' })
})

test.each(['ftp://h', 'nonsense'])(
  'given %s for a proxy, when used, then the reason is said',
  (proxy) => {
    expect(() => dispatchers.through(proxy)).toThrow('http, https or socks5')
  },
)
