import { type AddressInfo, connect, type Socket } from 'node:net'
import { createHttpServer } from '@tollgate/infra/http/server.ts'
import { openLogger } from '@tollgate/infra/processes/logger.ts'
import { makeServer } from '@tollgate/infra/http/connections.ts'
import { route } from '@tollgate/command-api/http-contract/api-route.ts'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import {
  eventually,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import type { FastifyInstance } from 'fastify'
import { NO_REQUEST_HAS_A_KEY } from '../support/no-request-has-a-key.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** Uploads that never end, by one or by many, at the relay and at the console. Seconds are short here. */
const SECOND_MS = 20
const MIB = 1024 * 1024
const BUDGETS = {
  ...bodyBudgetLimits(4 * MIB),
  processBytesMax: 20 * MIB,
  accountBytesMax: 8 * MIB,
  addressBytesMax: 12 * MIB,
}
const CHAT = '/v1/chat/completions'
const HELLO = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}'
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'

let relay: RelayUnderTest
let upstream: FakeUpstream
let api: FastifyInstance
let apiUploads: Uploads
let sockets: Socket[] = []

beforeAll(async () => {
  relay = await startRelay(
    { bodyBytesMax: 4 * MIB },
    { serverFactory: makeServer, limits: BUDGETS, secondMs: SECOND_MS },
  )
  upstream = await startUpstream()
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER)
  })
  relay.directory.set({})
  relay.directory.add(1, { baseUrl: upstream.url, models: ['gpt-4o-mini'] })
  apiUploads = new Uploads({ limits: BUDGETS, addressKey: (ip) => ip, secondMs: SECOND_MS })
  api = await createHttpServer({
    logger: openLogger('silent'),
    trustedProxies: ['127.0.0.1'],
    limits: { api: null, web: null, byAccessToken: null },
    readinessProblem: () => Promise.resolve(null),
    warning: () => null,
    registerRelay: null,
    consoleFolder: null,
    api: {
      uploads: apiUploads,
      routes: [
        route({
          method: 'POST',
          path: '/api/user/login',
          access: 'public',
          summary: '',
          handle: () => Promise.resolve({ data: 'read' }),
        }),
        route({
          method: 'POST',
          path: '/api/option',
          access: 'root',
          summary: '',
          handle: () => Promise.resolve({ data: 'read' }),
        }),
      ],
      authenticate: (_presented, access) =>
        Promise.resolve(
          access === 'public'
            ? { status: 'anonymous' }
            : { status: 'denied', http: 401, message: 'who are you?' },
        ),
      rememberWrite: () => Promise.resolve(),
      waitForReadModels: () => Promise.resolve(),
      isReadModelOutdated: () => false,
      postedRequests: NO_REQUEST_HAS_A_KEY,
      criticalLimit: { take: () => Promise.resolve({ isAllowed: true }) },
      serverAddress: () => '',
      isDemoSite: () => false,
      foreignScripts: () => [],
      paymentAddress: () => '',
      document: () => ({}),
    },
  })
  await api.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
  await api.close()
})
beforeEach(() => {
  relay.holds.available = 1_000_000_000
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await eventually(() => relay.uploads.bytesInFlight === 0 && apiUploads.bytesInFlight === 0)
})

interface Open {
  readonly socket: Socket
  /** The answer so far. */
  readonly heard: () => string
  readonly status: () => number
}

function open(app: FastifyInstance, head: string, body: string | Buffer = ''): Open {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  let heard = ''
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  socket.write(head.replaceAll('\n', '\r\n'))
  socket.write(body)
  return {
    socket,
    heard: () => heard,
    status: () => Number(/^HTTP\/1\.1 (?!100)(\d+)/m.exec(heard)?.[1] ?? 0),
  }
}
const chat = (more: string, key = KEY): string =>
  `POST ${CHAT} HTTP/1.1\nhost: x\nauthorization: Bearer sk-${key}\n${more}\n\n`
const login = (more: string, client: string): string =>
  `POST /api/user/login HTTP/1.1\nhost: x\nx-forwarded-for: ${client}\n${more}\n\n`

describe('the relay', () => {
  test('given twenty endless uploads of one account, when open, then its budget bounds them', async () => {
    const many = Array.from({ length: 20 }, () =>
      open(relay.app, chat(`content-length: ${3 * MIB}`), Buffer.alloc(MIB)),
    )
    await eventually(() => many.filter(({ status }) => status() === 503).length >= 10)
    expect(relay.uploads.bytesInFlight).toBeLessThanOrEqual(BUDGETS.accountBytesMax)
    expect(many.find(({ status }) => status() === 503)?.heard()).toMatch(/retry-after: \d/i)
    await eventually(() => many.every(({ status }) => [408, 503].includes(status())))
    expect(many.filter(({ status }) => status() === 408).length).toBeGreaterThan(0)
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
  })

  test('given a declared length, when nothing is sent, then 408 and nothing was set aside for it', async () => {
    const one = open(relay.app, chat(`content-length: ${4 * MIB}`))
    await eventually(() => one.status() === 408)
    expect(relay.uploads.bytesInFlight).toBe(0)
  })

  test('given chunks without a length, when they go beyond the limit, then 413', async () => {
    const one = open(relay.app, chat('transfer-encoding: chunked'))
    const chunk = `${(256 * 1024).toString(16)}\r\n${'x'.repeat(256 * 1024)}\r\n`
    for (let i = 0; i < 20; i += 1) one.socket.write(chunk)
    await eventually(() => one.status() === 413)
  })

  test('given a client that asks before it sends, when it may not, then it hears so instead of leave', async () => {
    const ask = `content-length: ${MIB}\nexpect: 100-continue`
    const stranger = open(relay.app, chat(ask, 'x'.repeat(48)))
    await eventually(() => stranger.status() === 401)
    expect(stranger.heard()).not.toContain('100 Continue')
    relay.holds.available = 0
    const poor = open(relay.app, chat(ask))
    await eventually(() => poor.status() === 403)
    expect(poor.heard()).not.toContain('100 Continue')
  })

  test('given a client that asks before it sends, when it may, then it is told once and served', async () => {
    const one = open(relay.app, chat(`content-length: ${HELLO.length}\nexpect: 100-continue`))
    await eventually(() => one.heard().includes('100 Continue'))
    one.socket.write(HELLO)
    await eventually(() => one.status() === 200)
    expect(one.heard().match(/100 Continue/g)).toHaveLength(1)
  })

  test('given uploads that end badly, when they end, then nothing is left in flight and nothing is logged', async () => {
    const aborted = open(relay.app, chat(`content-length: ${MIB}`), Buffer.alloc(100_000))
    await eventually(() => relay.uploads.bytesInFlight > 0)
    aborted.socket.destroy()
    await eventually(() => relay.uploads.bytesInFlight === 0)
    for (const body of ['{"model":', 'x'.repeat(100_000)]) {
      expect((await relay.post(CHAT, body)).status).toBe(400)
    }
    const gzipped = await relay.post(CHAT, 'no gzip', { 'content-encoding': 'gzip' })
    expect(gzipped.status).toBe(400)
    await eventually(() => relay.uploads.bytesInFlight === 0)
    expect(relay.logged).toEqual([])
  })

  test('given a refused body that goes on, when the client reads, then it has the answer and may ask again', async () => {
    const one = open(relay.app, chat(`content-length: ${5 * MIB}`), Buffer.alloc(5 * MIB, 'x'))
    await eventually(() => one.status() === 413)
    one.socket.write(chat(`content-length: ${HELLO.length}`).replaceAll('\n', '\r\n') + HELLO)
    await eventually(() => one.heard().includes('HTTP/1.1 200'))
  })

  test('given thousands of requests in one packet, when sent, then the connection is closed', async () => {
    const head = `GET /v1/models HTTP/1.1\nhost: x\nauthorization: Bearer sk-${KEY}\n\n`
    const one = open(relay.app, head.repeat(5_000))
    await eventually(() => one.socket.closed)
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
  })

  test('given a malformed content type, when sent, then 400 and no error is logged', async () => {
    const one = open(relay.app, chat('content-type: ;;;\ncontent-length: 2'), '{}')
    await eventually(() => one.status() === 400)
    expect(one.heard()).toContain('invalid_content_type')
    expect(relay.logged).toEqual([])
  })
})

describe('the console', () => {
  test('given strangers at one address, when they hold forms open, then a megabyte is all that they hold', async () => {
    const many = Array.from({ length: 80 }, () =>
      open(api, login('content-length: 60000', '203.0.113.7'), 'x'.repeat(40_000)),
    )
    await eventually(() => many.some(({ status }) => status() === 503))
    expect(apiUploads.bytesInFlight).toBeLessThanOrEqual(MIB)
    const other = open(api, login('content-length: 2', '203.0.113.8'), '{}')
    await eventually(() => other.status() === 200)
    await eventually(() => many.every(({ status }) => [408, 503].includes(status())))
  })

  test('given slow forms of many addresses behind a proxy, when endless, then a person can sign in', async () => {
    const many = Array.from({ length: 200 }, (_, at) =>
      open(api, login('content-length: 60000', `198.51.100.${at}`), 'x'.repeat(1_000)),
    )
    const person = open(api, login('content-length: 2', '203.0.113.9'), '{}')
    await eventually(() => person.status() === 200)
    await eventually(() => many.every(({ status }) => status() === 408))
  })

  test('given nobody who may call, when a body is declared, then it is refused before it has come', async () => {
    const one = open(
      api,
      'POST /api/option HTTP/1.1\nhost: x\ncontent-length: 1000000\nexpect: 100-continue\n\n',
    )
    await eventually(() => one.status() === 401)
    expect(one.heard()).not.toContain('100 Continue')
  })

  test.each([
    ['deep', '['.repeat(60_000)],
    ['wide', `[${'{},'.repeat(20_000)}1]`],
    ['much', `{"a":"${'x'.repeat(70_000)}"}`],
  ])('given a body that is %s, when posted, then it is answered at once', async (_what, body) => {
    const one = open(api, login(`content-length: ${body.length}`, '203.0.113.7'), body)
    await eventually(() => [200, 413].includes(one.status()))
  })
})
