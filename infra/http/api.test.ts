import type { PostedRequest } from '@tollgate/command-api/idempotency/posted-requests.ts'
import cookie from '@fastify/cookie'
import { lenientBody, orNull, text } from '@tollgate/command-api/http/body.ts'
import { slidingWindowLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import {
  type ApiRoute,
  route,
  type Schema,
  UNNAMED_COMMAND,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { mountApi } from './api.ts'
import { failureEnvelope } from './failure-envelope.ts'

let app: FastifyInstance
let isDemoSite: boolean
let isOutdated: boolean
let begun: PostedRequest[]
let handled: string[]
let handledBodies: unknown[]
/** The error with which asking who is there fails. */
let strangerFailure: Error | null

const routeThat = (method: ApiRoute['method'], path: string, changesState?: boolean): ApiRoute =>
  route({
    method,
    path,
    access: 'public',
    summary: path,
    ...(changesState !== undefined && { changesState }),
    handle: () => {
      handled.push(path)
      return Promise.resolve({})
    },
  })

const routeThatFails = (method: ApiRoute['method'], path: string, error: Error): ApiRoute => ({
  ...routeThat(method, path),
  handle: () => Promise.reject(error),
})

const routeThatKeeps = <Body>(path: string, body: Schema<Body>): ApiRoute =>
  route({
    method: 'POST',
    path,
    access: 'public',
    summary: path,
    body,
    handle: (request) => {
      handledBodies.push(request.body)
      return Promise.resolve({})
    },
  })

/** Nobody knows whether it was done. */
const LOST = new StoreUnavailable('no answer', 'unknown')

const failing = (code: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more })

/** Errors of pg for a server that cannot serve now; whether work under way may have been done. */
const DATABASE_FAILURES: ReadonlyArray<readonly [path: string, error: Error, isUnknown: boolean]> =
  [
    ['/api/too-many', failing('53300', 'sorry, too many clients already'), false],
    ['/api/starting', failing('57P03', 'the database system is starting up'), false],
    ['/api/refused', failing('ECONNREFUSED', 'connect', { syscall: 'connect' }), false],
    ['/api/no-socket', failing('ENOENT', 'connect /run/x', { syscall: 'connect' }), false],
    ['/api/pool-full', new Error('timeout exceeded when trying to connect'), false],
    ['/api/deadlock', failing('40P01', 'deadlock detected'), false],
    ['/api/shutdown', failing('57P01', 'terminating connection'), true],
    ['/api/crashed', failing('57P02', 'terminating connection because of crash'), true],
    ['/api/reset', failing('ECONNRESET', 'read ECONNRESET', { syscall: 'read' }), true],
    ['/api/unplugged', failing('EHOSTUNREACH', 'read', { syscall: 'read' }), true],
    ['/api/no-way', failing('EHOSTUNREACH', 'connect', { syscall: 'connect' }), false],
    ['/api/ended', new Error('Connection terminated unexpectedly'), true],
  ]

beforeEach(async () => {
  app = Fastify()
  isDemoSite = true
  isOutdated = false
  handled = []
  begun = []
  handledBodies = []
  strangerFailure = null
  await app.register(cookie)
  const clock = { now: () => 0, monotonicMs: () => 0 }
  mountApi(app, {
    routes: [
      routeThat('GET', '/api/reads'),
      routeThat('GET', '/api/renews', true),
      { ...routeThat('GET', '/api/for-any-site'), isForAnySite: true },
      routeThat('POST', '/api/writes'),
      routeThat('POST', '/api/signs-in', false),
      routeThatFails('GET', '/api/lost', LOST),
      routeThatFails('POST', '/api/lost', LOST),
      ...DATABASE_FAILURES.flatMap(([path, error]) => [
        routeThatFails('GET', path, error),
        routeThatFails('POST', path, error),
      ]),
      routeThatFails('GET', '/api/no-file', failing('ENOENT', 'open x', { syscall: 'open' })),
      routeThatFails('GET', '/api/breaks', new Error('no table secrets.keys at 10.0.0.3')),
      routeThatFails('GET', '/api/no-column', failing('42703', 'column "x" does not exist')),
      { ...routeThat('GET', '/api/text'), handle: () => Promise.resolve({ whole: 'success' }) },
      { ...routeThat('GET', '/api/says'), handle: () => Promise.resolve({ message: '划转成功' }) },
      routeThatKeeps('/api/strict', lenientBody({ name: text() })),
      { ...routeThatKeeps('/api/own', lenientBody({ name: text() })), access: 'user' },
      { ...routeThatKeeps('/api/critical', lenientBody({ name: text() })), isCritical: true },
      routeThatKeeps('/api/patient', orNull(lenientBody({ name: text() }))),
      route({
        ...routeThat('POST', '/api/pays', false),
        body: z.object({ amount: z.int() }),
        invalidBodyReply: { whole: { message: 'error', data: '参数错误' } },
      }),
    ],
    authenticate: () =>
      strangerFailure === null
        ? Promise.resolve({ status: 'anonymous' })
        : Promise.reject(strangerFailure),
    rememberWrite: () => Promise.resolve(),
    uploads: new Uploads({ limits: bodyBudgetLimits(1), addressKey: (ip) => ip }),
    waitForReadModels: () => Promise.resolve(),
    isReadModelOutdated: () => isOutdated,
    postedRequests: {
      begin: (posted) => {
        begun.push(posted)
        return Promise.resolve({
          status: 'begun',
          command: UNNAMED_COMMAND,
          end: () => Promise.resolve(),
        })
      },
    },
    criticalLimit: slidingWindowLimiter({ attempts: 1, windowMs: 1000 }, clock),
    serverAddress: () => '',
    isDemoSite: () => isDemoSite,
  })
})
afterEach(() => app.close())

test.each([
  ['GET', '/api/reads', 200],
  ['GET', '/api/renews', 405],
  ['POST', '/api/writes', 405],
  ['POST', '/api/signs-in', 200],
] as const)(
  'given a demo site, when %s %s is called, then %d; elsewhere it is served',
  async (method, url, status) => {
    const shown = await app.inject({ method, url })
    expect(shown.statusCode).toBe(status)
    if (status === 405) {
      expect(shown.json()).toEqual(failureEnvelope('本站仅作演示之用，无服务端！'))
    }
    expect(handled).toEqual(status === 200 ? [url] : [])
    isDemoSite = false
    expect((await app.inject({ method, url })).statusCode).toBe(200)
  },
)

test('given work that may be done, when its answer is lost, then only reading is to be repeated', async () => {
  isDemoSite = false
  const read = await app.inject({ method: 'GET', url: '/api/lost' })
  expect([read.statusCode, read.headers['retry-after']]).toEqual([503, '2'])
  const written = await app.inject({ method: 'POST', url: '/api/lost' })
  expect([written.statusCode, written.headers['retry-after']]).toEqual([503, undefined])
  expect(written.json()).toEqual(
    failureEnvelope('操作结果未知：可能已经生效，请刷新确认后再决定是否重试'),
  )
})

test('given work with a key, when its answer is lost, then it is to be repeated with the key', async () => {
  isDemoSite = false
  const headers = { 'idempotency-key': 'k-1' }
  const written = await app.inject({ method: 'POST', url: '/api/lost', headers })
  expect([written.statusCode, written.headers['retry-after']]).toEqual([503, '2'])
  const { message } = failureEnvelope('操作结果未知：可能已经生效，请刷新确认后再决定是否重试')
  expect(written.json()).toEqual({
    success: false,
    message,
    code: 'outcome_unknown',
    params: { key: 'k-1' },
  })
})

test.each(DATABASE_FAILURES)(
  'given a database that cannot serve (%s), when a call meets it, then 503 says when to repeat',
  async (url, _error, isUnknown) => {
    isDemoSite = false
    const read = await app.inject({ method: 'GET', url })
    const unavailable = failureEnvelope('服务暂时不可用，请稍后重试')
    expect([read.statusCode, read.headers['retry-after'], read.json()]).toEqual([
      503,
      '2',
      unavailable,
    ])
    const written = await app.inject({ method: 'POST', url })
    expect(written.statusCode).toBe(503)
    expect(written.headers['retry-after']).toBe(isUnknown ? undefined : '2')
    expect(written.json<{ message: string }>().message).toContain(
      isUnknown ? '操作结果未知' : '服务暂时不可用',
    )
  },
)

test('given a database lost during authentication, when somebody writes, then they may repeat it', async () => {
  isDemoSite = false
  strangerFailure = failing('57P01', 'terminating connection due to administrator command')
  const written = await app.inject({ method: 'POST', url: '/api/writes' })
  expect([written.statusCode, written.headers['retry-after']]).toEqual([503, '2'])
  expect(written.json()).toEqual(failureEnvelope('服务暂时不可用，请稍后重试'))
  expect(handled).toEqual([])
})

test('given a file that is missing, when a call meets that, then it is a bug and no outage', async () => {
  const answer = await app.inject({ url: '/api/no-file' })
  expect(answer.statusCode).toBe(500)
})

test('given tables of another version, when a call misses a column, then 503 says that they are rebuilt', async () => {
  isOutdated = true
  const answer = await app.inject({ url: '/api/no-column' })
  expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toEqual([
    503,
    '30',
    failureEnvelope('升级后此处数据正在重建，请稍后重试'),
  ])
  expect(answer.json()).toMatchObject({ code: 'read_model_outdated' })
  expect((await app.inject({ url: '/api/breaks' })).statusCode).toBe(500)
})

test('given tables of this version, when a call misses a column, then it is a bug', async () => {
  expect((await app.inject({ url: '/api/no-column' })).statusCode).toBe(500)
})

test('given a bug, when a call meets it, then 500 in the envelope, and nobody learns what is inside', async () => {
  const answer = await app.inject({ url: '/api/breaks' })
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual(failureEnvelope('服务器内部错误，请联系管理员！'))
})

test('given a route that answers a text, when called, then it is sent as it is', async () => {
  const answer = await app.inject({ url: '/api/text' })
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(answer.body).toBe('success')
})

test.each(['{"amount":1.5}', '{"amount":', '[]', ''])(
  'given the body %j on a route without envelope, when invalid, then the answer has the route’s form',
  async (payload) => {
    const answer = await app.inject({ method: 'POST', url: '/api/pays', payload })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ message: 'error', data: '参数错误' })
    expect(handled).toEqual([])
  },
)

test.each([
  ['/api/strict', '{"name":', failureEnvelope('无效的参数'), []],
  ['/api/patient', '{"name":', { success: true, message: '' }, [null]],
  ['/api/patient', '{"name":7}', { success: true, message: '' }, [null]],
  ['/api/patient', '{"NAME":"a"}', { success: true, message: '' }, [{ name: 'a' }]],
])(
  'given %s, when the body %j comes, then it is refused, or left to a route with an earlier refusal',
  async (url, payload, answer, bodies) => {
    isDemoSite = false
    expect((await app.inject({ method: 'POST', url, payload })).json()).toEqual(answer)
    expect(handledBodies).toEqual(bodies)
  },
)

test.each([
  ['/api/strict', 65_536, 200],
  ['/api/strict', 65_537, 413],
  ['/api/own', 1_048_576, 200],
  ['/api/own', 1_048_577, 413],
])('given %s, when a body of %d bytes comes, then the status is %d', async (url, bytes, status) => {
  isDemoSite = false
  const payload = '{"name":"a"}'.padEnd(bytes)
  const answer = await app.inject({ method: 'POST', url, payload })
  expect(answer.statusCode).toBe(status)
  if (status === 413) expect(answer.json()).toEqual(failureEnvelope('无效的参数'))
  expect(handledBodies).toEqual(status === 200 ? [{ name: 'a' }] : [])
})

test('given a caller who has asked too often, when they send a body, then it is not read', async () => {
  isDemoSite = false
  const payload = '{"name":"a"}'
  const read = vi.spyOn(JSON, 'parse')
  const call = async () =>
    (await app.inject({ method: 'POST', url: '/api/critical', payload })).statusCode
  expect(await call()).toBe(200)
  // A reviver would look at every value: of many small ones that takes twenty times as long.
  expect(read.mock.calls).toEqual([[payload]])
  expect(await call()).toBe(429)
  expect(read).toHaveBeenCalledOnce()
  read.mockRestore()
})

test('given members named like those of every object, when a body has them, then they reach nothing', async () => {
  isDemoSite = false
  const payload =
    '{"__proto__":{"name":"x","isRoot":true},"constructor":{"prototype":{"isRoot":true}}}'
  await app.inject({ method: 'POST', url: '/api/strict', payload })
  expect(handledBodies).toEqual([{ name: '' }])
  expect(Object.getPrototypeOf(handledBodies[0])).toBe(Object.prototype)
  expect({}).not.toHaveProperty('isRoot')
})

test('given a call open to any site, when a browser asks or calls, then it may read that answer only', async () => {
  const asked = await app.inject({ method: 'OPTIONS', url: '/api/for-any-site' })
  expect(asked.statusCode).toBe(204)
  expect(asked.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-max-age': '43200',
  })
  const called = await app.inject({ method: 'GET', url: '/api/for-any-site' })
  expect(called.headers['access-control-allow-origin']).toBe('*')
  expect((await app.inject({ method: 'OPTIONS', url: '/api/reads' })).statusCode).toBe(404)
  const other = await app.inject({ method: 'GET', url: '/api/reads' })
  expect(other.headers['access-control-allow-origin']).toBeUndefined()
})

test.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 200],
  ['none', 200],
  [undefined, 200],
])(
  'given a browser that says %s, when it signs in, then the status is %d; reading is open to all',
  async (site, status) => {
    isDemoSite = false
    const headers = site === undefined ? {} : { 'sec-fetch-site': site }
    const signIn = await app.inject({ method: 'POST', url: '/api/signs-in', headers })
    expect(signIn.statusCode).toBe(status)
    if (status === 403) expect(signIn.json()).toEqual(failureEnvelope('无效的请求'))
    expect(handled).toEqual(status === 200 ? ['/api/signs-in'] : [])
    expect((await app.inject({ method: 'GET', url: '/api/reads', headers })).statusCode).toBe(200)
  },
)

test('given another site’s form over plain HTTP, when it would sign somebody in, then it is refused', async () => {
  isDemoSite = false
  const signIn = async (headers: Readonly<Record<string, string>>) =>
    (await app.inject({ method: 'POST', url: '/api/signs-in', headers })).statusCode
  const host = '10.0.0.5:3000'
  for (const origin of ['https://evil.com', 'null']) {
    expect(await signIn({ host, origin, 'content-type': 'text/plain' })).toBe(403)
  }
  expect(handled).toEqual([])
  expect(await signIn({ host })).toBe(200)
  expect(await signIn({ host, origin: 'http://10.0.0.5:3000' })).toBe(200)
})

test('given a Host that is none, when a call comes, then it is refused before anything is made of it', async () => {
  isDemoSite = false
  const headers = { host: 'x&trade_status=TRADE_SUCCESS&ts=' }
  const answer = await app.inject({ method: 'POST', url: '/api/writes', headers })
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toEqual(failureEnvelope('请求头 Host 无效：应为 域名[:端口]'))
  expect(handled).toEqual([])
})

test.each(['', 'a b', 'ü', 'x'.repeat(256)])(
  'given the key %j for a request, when it comes, then it is refused: it would tell nothing apart',
  async (key) => {
    isDemoSite = false
    const headers = { 'idempotency-key': key }
    const answer = await app.inject({ method: 'POST', url: '/api/writes', headers })
    expect(answer.statusCode).toBe(400)
    expect(handled).toEqual([])
    const fit = { 'idempotency-key': 'f3b1-2' }
    expect(
      (await app.inject({ method: 'POST', url: '/api/writes', headers: fit })).statusCode,
    ).toBe(200)
  },
)

test('given a key, when a call changes something, then it begins once for user, route and contents', async () => {
  isDemoSite = false
  const headers = { 'idempotency-key': 'k' }
  await app.inject({ method: 'POST', url: '/api/strict?x=1', headers, payload: { name: 'a' } })
  await app.inject({ method: 'GET', url: '/api/renews', headers })
  await app.inject({ method: 'POST', url: '/api/signs-in', headers })
  expect(begun).toEqual([
    { user: 0, operation: 'POST /api/strict', key: 'k', contents: '[{},{"x":"1"},{"name":"a"}]' },
  ])
})

test('given a route that says what it did, when asked, then code and params stand beside the text', async () => {
  const answer = await app.inject({ method: 'GET', url: '/api/says' })
  expect(answer.json()).toEqual({
    success: true,
    message: '划转成功',
    code: 'affiliate_quota_transferred',
    params: {},
  })
})
