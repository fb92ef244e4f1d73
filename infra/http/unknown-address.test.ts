import { NO_REQUEST_HAS_A_KEY } from '@tollgate/tests/support/no-request-has-a-key.ts'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { route } from '@tollgate/command-api/http-contract/api-route.ts'
import { slidingWindowLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from './server.ts'

const PAGE = 'the page'
let app: FastifyInstance
let relayOnly: FastifyInstance
let folder = ''

const plainPage = (address: string) => ({ address, files: [], texts: [] })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-console-'))
  await mkdir(join(folder, '.vite'))
  await writeFile(
    join(folder, '.vite/pages.json'),
    JSON.stringify(['/', '/token', '/chat/$id'].map(plainPage)),
  )
  await writeFile(join(folder, 'index.html'), PAGE)
  const common = {
    logger: pino({ level: 'silent' }),
    trustedProxies: [],
    limits: { api: null, web: null, byAccessToken: null },
    readinessProblem: () => Promise.resolve(null),
    warning: () => null,
    registerRelay: null,
  }
  app = await createHttpServer({
    ...common,
    consoleFolder: folder,
    api: {
      routes: [
        route({
          method: 'GET',
          path: '/api/notice',
          access: 'public',
          summary: '',
          handle: () => Promise.resolve({ data: 'hello' }),
        }),
      ],
      authenticate: () => Promise.resolve({ status: 'anonymous' }),
      rememberWrite: () => Promise.resolve(),
      uploads: new Uploads({ limits: bodyBudgetLimits(1), addressKey: (ip) => ip }),
      waitForReadModels: () => Promise.resolve(),
      isReadModelOutdated: () => false,
      postedRequests: NO_REQUEST_HAS_A_KEY,
      criticalLimit: slidingWindowLimiter({ attempts: 1, windowMs: 1 }, { monotonicMs: () => 0 }),
      serverAddress: () => '',
      isDemoSite: () => false,
      foreignScripts: () => [],
      paymentAddress: () => '',
      document: () => ({}),
    },
  })
  relayOnly = await createHttpServer({ ...common, consoleFolder: null, api: null })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await app.close()
  await relayOnly.close()
  await rm(folder, { recursive: true })
})

const refusalOf = (url: string) => ({
  error: {
    message: `Invalid URL (GET ${url})`,
    type: 'invalid_request_error',
    param: '',
    code: '',
  },
})

test.each(['/', '/token', '/token?tab=1', '/token/', '/chat/7'])(
  'given the address %s of a screen, when asked for in whatever form, then it is the page',
  async (url) => {
    for (const accept of ['text/html', '*/*', 'application/json']) {
      const answer = await app.inject({ url, headers: { accept } })
      expect([answer.statusCode, answer.body]).toEqual([200, PAGE])
    }
  },
)

test.each(['/metrics', '/health', '/ping', '/models', '/token/x', '/api/none', '/chat/7/8'])(
  'given the unknown address %s, when asked for, then 404 as JSON for programs, as a page for people',
  async (url) => {
    for (const accept of ['*/*', 'application/json', undefined]) {
      const answer = await app.inject({ url, headers: accept === undefined ? {} : { accept } })
      expect([answer.statusCode, answer.json()]).toEqual([404, refusalOf(url)])
    }
    const shown = await app.inject({ url, headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([shown.statusCode, shown.body]).toEqual([404, PAGE])
    expect(shown.headers['content-type']).toContain('text/html')
  },
)

test('given a process without a console, when an unknown address is asked for, then 404 in the same shape', async () => {
  for (const accept of ['*/*', 'text/html']) {
    const answer = await relayOnly.inject({ url: '/models', headers: { accept } })
    expect([answer.statusCode, answer.json()]).toEqual([404, refusalOf('/models')])
  }
})

test.each(['', '/', '/static/swagger-ui.css', '/static/none.css'])(
  'given /%%61pi/docs%s, an encoding of /api/docs, when a browser opens it, then we do not fail',
  async (rest) => {
    const answer = await app.inject({ url: `/%61pi/docs${rest}`, headers: { accept: 'text/html' } })
    expect([200, 302, 404]).toContain(answer.statusCode)
    expect(answer.body).not.toContain('is not a function')
  },
)

describe('bytes that are no request', () => {
  /** The answer to these bytes until the connection closes. */
  async function answerTo(bytes: string): Promise<{ status: number; head: string; body: string }> {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(bytes)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(socket, 'close', { signal: AbortSignal.timeout(5_000) })
    const [head = '', body = ''] = text.split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), head, body }
  }

  test.each([
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'method'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'method'],
    [
      'headers without an end',
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers',
    ],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n', 405, 'proxy'],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n', 400, 'Host'],
    [
      'two hosts for a call',
      'POST /api/notice HTTP/1.1\r\nhost: a\r\nhost: a\r\ncontent-length: 0\r\n\r\n',
      400,
      'Host',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'HTTP',
    ],
  ])('given %s, when sent, then it is refused in our shape', async (_what, bytes, status, word) => {
    const answer = await answerTo(bytes)
    expect(answer.status).toBe(status)
    expect(answer.head.toLowerCase()).toContain('x-oneapi-request-id')
    const { error } = JSON.parse(answer.body) as { error: { message: string; type: string } }
    expect(error.type).toBe('invalid_request_error')
    expect(error.message).toContain(word)
  })

  test.each(['PROPFIND', 'TRACE', 'SEARCH'])(
    'given the method %s, which nothing here has, when sent, then 404 in our shape',
    async (method) => {
      const request = `${method} /token HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
      const answer = await answerTo(request)
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.body)).toMatchObject({ error: { type: 'invalid_request_error' } })
    },
  )

  test('given an answer being sent, when bytes follow that are no request, then they add nothing to it', async () => {
    const request = 'GET /token HTTP/1.1\r\nhost: x\r\n\r\nFOO\r\n\r\n'
    const answer = await answerTo(request)
    expect([200, 400]).toContain(answer.status)
    if (answer.status === 200) expect(answer.body).toBe(PAGE)
  })

  test('given a tunnel whose client breaks off, when it is refused, then the next request is served', async () => {
    app.server.once('connect', (_request, tunnel) => tunnel.destroy(new Error('reset by client')))
    await answerTo('CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n')
    const answer = await answerTo('GET /token HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer.status).toBe(200)
  })
})
