import { NO_REQUEST_HAS_A_KEY } from '@tollgate/tests/support/no-request-has-a-key.ts'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { slidingWindowLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import { route } from '@tollgate/command-api/http-contract/api-route.ts'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { failureEnvelope } from './failure-envelope.ts'
import type { CountByAccessToken } from './global-limits.ts'
import { createHttpServer } from './server.ts'

const ATTEMPTS = 3
const WINDOW_MS = 60_000
let now = 0
let app: FastifyInstance
let folder = ''

const plainPage = (address: string) => ({ address, files: [], texts: [] })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-console-'))
  await mkdir(join(folder, 'assets'))
  await mkdir(join(folder, '.vite'))
  await writeFile(join(folder, '.vite/pages.json'), JSON.stringify(['/', '/token'].map(plainPage)))
  await writeFile(join(folder, 'index.html'), 'the page')
  await writeFile(join(folder, 'logo.png'), 'the logo')
  await writeFile(join(folder, 'assets/app-1a2b.js'), 'the code')
})
afterAll(() => rm(folder, { recursive: true }))

beforeEach(async () => {
  now = 0
  const ofTokens = slidingWindowLimiter(
    { attempts: 2 * ATTEMPTS, windowMs: WINDOW_MS },
    { monotonicMs: () => now },
  )
  const byAccessToken: CountByAccessToken = async (authorization) =>
    authorization.startsWith('known') ? ofTokens.take(authorization) : null
  const limiter = () =>
    slidingWindowLimiter({ attempts: ATTEMPTS, windowMs: WINDOW_MS }, { monotonicMs: () => now })
  app = await createHttpServer({
    logger: pino({ level: 'silent' }),
    trustedProxies: ['127.0.0.1'],
    limits: { api: limiter(), web: limiter(), byAccessToken },
    consoleFolder: folder,
    readinessProblem: () => Promise.resolve(null),
    warning: () => null,
    registerRelay: (scope) => {
      scope.get('/v1/models', () => 'models')
      scope.get('/dashboard/billing/usage', () => 'usage')
      scope.get('/v1/dashboard/billing/usage', () => 'usage')
    },
    api: {
      routes: [
        route({
          method: 'GET',
          path: '/api/notice',
          access: 'public',
          summary: '',
          handle: () => Promise.resolve({ data: 'hello' }),
        }),
        route({
          method: 'GET',
          path: '/mj/image/:id',
          access: 'public',
          summary: '',
          handle: () => Promise.resolve({ data: 'a picture' }),
        }),
      ],
      authenticate: () => Promise.resolve({ status: 'anonymous' }),
      rememberWrite: () => Promise.resolve(),
      uploads: new Uploads({ limits: bodyBudgetLimits(1), addressKey: (ip) => ip }),
      waitForReadModels: () => Promise.resolve(),
      isReadModelOutdated: () => false,
      postedRequests: NO_REQUEST_HAS_A_KEY,
      criticalLimit: limiter(),
      serverAddress: () => '',
      isDemoSite: () => false,
      foreignScripts: () => [],
      paymentAddress: () => '',
      document: () => ({}),
    },
  })
})
afterEach(() => app.close())

/** Statuses of calls from a client behind the trusted proxy. */
async function statuses(url: string, times: number, client = '203.0.113.7'): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < times; i++) seen.push((await get(url, client)).statusCode)
  return seen
}
const get = (url: string, client: string) =>
  app.inject({ url, headers: { 'x-forwarded-for': `198.51.100.${now % 200}, ${client}` } })

test('given calls up to the limit, when another comes, then 429 with Retry-After until the window moves', async () => {
  expect(await statuses('/api/notice', ATTEMPTS)).toEqual([200, 200, 200])
  now = 20_500
  const refused = await get('/api/notice', '203.0.113.7')
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toEqual(failureEnvelope('请求次数过多，请稍后再试！'))
  expect(refused.headers['retry-after']).toBe('40')
  expect(refused.headers['x-oneapi-request-id']).toBeTruthy()
  now = WINDOW_MS
  expect(await statuses('/api/notice', 1)).toEqual([200])
})

test('given calls with an access token, when made, then they count for it, made-up ones for the address', async () => {
  const withToken = async (authorization: string, times: number) => {
    const seen: number[] = []
    for (let i = 0; i < times; i++) {
      const headers = { 'x-forwarded-for': '203.0.113.7', authorization }
      seen.push((await app.inject({ url: '/api/notice', headers })).statusCode)
    }
    return seen
  }
  expect(await withToken('known-1', 2 * ATTEMPTS)).toEqual([200, 200, 200, 200, 200, 200])
  expect(await withToken('known-1', 1)).toEqual([429])
  expect(await withToken('known-2', 1)).toEqual([200])
  expect(await statuses('/api/notice', 1)).toEqual([200])
  expect(await withToken('made-up-1', 1)).toEqual([200])
  expect(await withToken('made-up-2', 1)).toEqual([200])
  expect(await withToken('made-up-3', 1)).toEqual([429])
  expect(await statuses('/api/notice', 1)).toEqual([429])
})

test('given a refused client, when others call, then each counts alone, and an IPv6 network as one', async () => {
  await statuses('/api/notice', ATTEMPTS)
  expect(await statuses('/api/notice', 1)).toEqual([429])
  expect(await statuses('/api/notice', 1, '203.0.113.8')).toEqual([200])
  for (let i = 1; i <= ATTEMPTS; i++) await get('/api/notice', `2001:db8::${i}`)
  expect(await statuses('/api/notice', 1, '2001:db8::ffff')).toEqual([429])
  expect(await statuses('/api/notice', 1, '2001:db8:0:1::1')).toEqual([200])
})

test.each(['/%61pi/notice', '/ap%69/notice?x=1', 'http://elsewhere.example/api/notice'])(
  'given the call written as %s, when made too often, then it counts as the same',
  async (url) => {
    expect(await statuses(url, 1)).toEqual([200])
    expect(await statuses('/api/notice', ATTEMPTS)).toEqual([200, 200, 429])
    expect(await statuses(url, 1)).toEqual([429])
  },
)

test('given billing routes for tokens, when called, then they count as calls; the relay does not', async () => {
  expect(await statuses('/dashboard/billing/usage', 1)).toEqual([200])
  expect(await statuses('/v1/dashboard/billing/usage', 2)).toEqual([200, 200])
  expect(await statuses('/v1/dashboard/billing/usage', 1)).toEqual([429])
  expect(await statuses('/api/notice', 1)).toEqual([429])
  expect(await statuses('/v1/models', ATTEMPTS + 2)).toEqual([200, 200, 200, 200, 200])
})

test('given pictures of drawings, when a page shows many, then they are not counted with the calls', async () => {
  expect(await statuses('/mj/image/7', ATTEMPTS + 1)).toEqual([200, 200, 200, 200])
  expect(await statuses('/api/notice', 1)).toEqual([200])
})

test('given pages, when asked for too often, then 429, without files, health and calls in the count', async () => {
  expect(await statuses('/assets/app-1a2b.js', ATTEMPTS + 1)).toEqual([200, 200, 200, 200])
  expect(await statuses('/logo.png?v=2', ATTEMPTS + 1)).toEqual([200, 200, 200, 200])
  expect(await statuses('/', 1)).toEqual([200])
  expect(await statuses('/token', 1)).toEqual([200])
  expect(await statuses('/nowhere.php', 1)).toEqual([404])
  expect(await statuses('/', 1)).toEqual([429])
  expect(await statuses('/token', 1)).toEqual([429])
  expect(await statuses('/assets/app-1a2b.js', 1)).toEqual([200])
  expect(await statuses('/api/notice', 1)).toEqual([200])
  expect(await statuses('/healthz', ATTEMPTS + 1)).toEqual([200, 200, 200, 200])
})

test('given a browser that opened too many pages, when it opens one more, then a page reloads it in time', async () => {
  await statuses('/', ATTEMPTS)
  now = 20_500
  const refused = await app.inject({
    url: '/token',
    headers: { 'x-forwarded-for': '203.0.113.7', accept: 'text/html,application/xml;q=0.9' },
  })
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('40')
  expect(refused.headers['content-type']).toContain('text/html')
  expect(refused.body).toContain('请求次数过多，请稍后再试！')
  expect(refused.body).toContain('Too many pages were opened from this address')
  expect(refused.body).toContain('<meta http-equiv="refresh" content="40" />')
})
