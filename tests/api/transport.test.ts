import { digest } from '@tollgate/command-api/identity/digest.ts'
import { NAME_SIGN_IN_LIMIT } from '@tollgate/command-api/identity/rate-limiter.ts'
import { failureEnvelope } from '@tollgate/infra/http/failure-envelope.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { PASSWORD } from '../support/whole-tollgate.ts'
import { call, type SeededProduct, seedAccounts, MODEL } from './seeded.ts'
import { withCodeIfFailed } from './coded-failures.ts'
import { addPerson } from './people.ts'

/** Tests of the behaviour that clients of old depend on beyond the routes themselves (console-api 1.1, 1.2, 1.6). */
let seeded: SeededProduct

beforeAll(async () => {
  seeded = await seedAccounts()
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const send = (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Response> =>
  fetch(seeded.whole.tollgate.url + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  })

const json = async (answer: Response): Promise<Record<string, unknown>> =>
  withCodeIfFailed(z.record(z.string(), z.unknown()).parse(await answer.json()))

const REQUEST_ID = /^\d{23}[0-9A-Za-z]{8}$/

test('given any answer, when its headers are read, then its request id is its own and nothing is cached', async () => {
  const { ann } = seeded
  const answers = await Promise.all([
    send('/api/status'),
    send('/api/user/self'),
    send('/api/user/self', { headers: ann.headers }),
    send('/api/no-such-call'),
    send('/v1/models'),
    send('/v1/no-such-call'),
    send('/'),
    send('/assets/no-such-file.js'),
  ])
  const ids = answers.map(({ headers }) => headers.get('x-oneapi-request-id') ?? '')
  expect(ids.filter((id) => !REQUEST_ID.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  const ofConsole = answers.slice(0, 4).map(({ headers }) => headers.get('cache-control'))
  expect(ofConsole).toEqual([null, null, null, null])
})

test.each(['gzip', 'br', 'identity'])(
  'given a client that takes %s, when it asks for a long answer, then it gets it so',
  async (encoding) => {
    const answer = await send('/api/openapi.json', { headers: { 'accept-encoding': encoding } })
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding)
    expect(await json(answer)).toMatchObject({ openapi: '3.1.0' })
  },
)

test.each([
  ['GET', '/api/no-such-call?x=1'],
  ['POST', '/api/no-such-call'],
  ['PATCH', '/api/token'],
  ['GET', '/api'],
  ['GET', '/v1/no-such-call'],
  ['POST', '/v1/no-such-call'],
  ['GET', '/assets/no-such-file.js'],
])(
  'given an unknown address, when %s %s is called, then 404 in the shape of old',
  async (method, path) => {
    const answer = await send(path, { method })
    expect(answer.status).toBe(404)
    const message = `Invalid URL (${method} ${path.split('?')[0]})`
    expect(await json(answer)).toEqual({
      error: { message, type: 'invalid_request_error', param: '', code: '' },
    })
  },
)

test.each([
  '/api/log/token?key=x',
  '/v1/chat/completions',
  '/pg/chat/completions',
  '/mj/submit/imagine',
  '/suno/submit/music',
  '/dashboard/billing/usage',
])(
  'given a page of another site, when it asks whether it may call %s, then it may',
  async (path) => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' }
    const answer = await send(path, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('DELETE')
    expect(answer.headers.get('access-control-allow-headers')).toContain('*')
    const called = await send(path, { headers: { origin: headers.origin } })
    expect(called.headers.get('access-control-allow-origin')).toBe('*')
  },
)

test.each(['/api/zzz', '/zzz', '/api/channel/1/2/3'])(
  'given an unknown address, when a browser asks whether it may call %s, then any site’s answer comes',
  async (path) => {
    const answer = await send(path, { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-max-age')).toBe('43200')
  },
)

test.each([
  ['/api/%', 400],
  ['/%E0%A4%A', 400],
  [`/api/token/${'9'.repeat(101)}`, 414],
])('given the address %s, when called, then %d in the shape of old', async (path, status) => {
  const answer = await send(`${path}?x=1`)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('x-oneapi-request-id')).toMatch(REQUEST_ID)
  expect(await json(answer)).toEqual({
    error: {
      message: `Invalid URL (GET ${path})`,
      type: 'invalid_request_error',
      param: '',
      code: '',
    },
  })
})

test('given another site’s page, when it calls with the browser’s cookie, then it may read nothing', async () => {
  const { ann } = seeded
  const { cookie = '' } = ann.headers
  const headers = { cookie, origin: 'https://elsewhere.example', 'content-type': 'text/plain' }
  for (const { method, path, access } of seeded.whole.tollgate.routes) {
    if (access === 'public' || access === 'visitor') continue
    const answer = await send(path.replaceAll(/:\w+/g, '1'), { method, headers })
    expect([path, answer.status]).toEqual([path, method === 'GET' ? 401 : 403])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
  const asked = { ...headers, 'access-control-request-headers': 'new-api-user' }
  const preflight = await send('/api/user/self', { method: 'OPTIONS', headers: asked })
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
})

test('given another site’s link to signing out, when somebody follows it, then they stay signed in', async () => {
  const { whole } = seeded
  const carol = await addPerson(whole, 'carol')
  for (const [site, status] of [
    ['cross-site', 200],
    ['same-origin', 401],
  ] as const) {
    const headers = { ...carol.headers, 'sec-fetch-site': site }
    expect(await json(await send('/api/user/logout', { headers }))).toMatchObject({ success: true })
    expect((await send('/api/user/self', { headers: carol.headers })).status).toBe(status)
  }
})

test.each([
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=gbk',
  'garbage',
  '; ;',
])('given a JSON body sent as %s, when read, then it is JSON', async (type) => {
  const { ann } = seeded
  const body = JSON.stringify({ DISPLAY_NAME: `As ${type.slice(0, 12)}`, unknown: { a: 1 } })
  const headers = { ...ann.headers, 'content-type': type }
  const answer = await send('/api/user/self/', { method: 'PUT', headers, body })
  expect(await json(answer)).toEqual({ success: true, message: '' })
  const self = await call(seeded, ann, 'GET', '/api/user/self')
  expect(self.data).toMatchObject({ display_name: `As ${type.slice(0, 12)}` })
})

test.each([
  ['POST', '/api/channel/fix'],
  ['POST', '/api/option/rest_model_ratio/'],
  ['DELETE', '/api/channel/disabled'],
  ['DELETE', '/api/log/?target_timestamp=1700000000'],
])(
  'given no body but a JSON content type, when %s %s is called, then it works',
  async (method, path) => {
    const headers = { ...seeded.root.headers, 'content-type': 'application/json' }
    expect(await json(await send(path, { method, headers }))).toMatchObject({ success: true })
  },
)

test('given a form with null for what is not set, when sent, then null counts as the zero value', async () => {
  const form = {
    id: null,
    name: 'of old',
    created_time: null,
    remain_quota: null,
    expired_time: null,
    unlimited_quota: null,
    model_limits: null,
    allow_ips: null,
    group: null,
  }
  expect(await call(seeded, seeded.ann, 'POST', '/api/token/', form)).toMatchObject({
    success: true,
  })
  const listed = await call(seeded, seeded.ann, 'GET', '/api/token/search?keyword=of%20old')
  expect(listed.data).toMatchObject([{ remain_quota: 0, expired_time: -1, model_limits: '' }])
})

test.each([
  ['root', '/api/user/?p=NaN&page_size=1.5'],
  ['root', '/api/user/search?p=&page_size=&quota=NaN&request_count=x'],
  ['root', '/api/user/search?quota=1.5&request_count=1.5'],
  ['root', '/api/user/search?quota=1e300&request_count=-1e300'],
  ['root', '/api/user/search?quota=99999999999999999999&request_count=0x10'],
  ['root', '/api/log/?p=-1&page_size=NaN&type=NaN&start_timestamp=&end_timestamp=NaN&channel=x'],
  ['root', '/api/channel/?p=NaN&page_size=&id_sort=maybe&tag_mode='],
  ['root', '/api/redemption/?p=NaN&page_size=-5'],
  ['root', '/api/task/?p=0&end_timestamp=NaN&channel_id=NaN'],
  ['root', '/api/mj/?p=0&start_timestamp=NaN&channel_id='],
  ['ann', '/api/task/self?end_timestamp=NaN&p=NaN'],
  ['ann', '/api/token/?p=1e3&size=99999999999999999999'],
  ['ann', '/api/log/self/?p[]=1&page_size=2&page_size=3'],
  ['ann', '/api/data/self/?start_timestamp=NaN&end_timestamp=NaN&default_time=week'],
] as const)(
  'given numbers that are none, when %s asks for %s, then they count as 0',
  async (who, path) => {
    expect(await call(seeded, seeded[who], 'GET', path)).toMatchObject({
      status: 200,
      success: true,
    })
  },
)

test.each([
  ['PUT', '/api/user/self', '{"display_name":'],
  ['PUT', '/api/user/self', '{"display_name":7}'],
  ['POST', '/api/token', '{"remain_quota":1.5}'],
  ['POST', '/api/token', '[]'],
  ['POST', '/api/user/aff_transfer', '{"quota":"500000"}'],
  ['PUT', '/api/token', ''],
])(
  'given the body of %s %s is %s, when sent, then it is refused without a status of its own',
  async (method, path, body) => {
    const answer = await send(path, { method, headers: seeded.ann.headers, body })
    expect(answer.status).toBe(200)
    expect(await json(answer)).toMatchObject({ success: false })
  },
)

test.each([
  ['ann', 'GET', '/api/token/abc', /"abc"/],
  ['ann', 'DELETE', '/api/token/1e9/', /"1e9"/],
  ['ann', 'GET', '/api/token/99999', /^record not found$/],
  ['ann', 'GET', '/api/token/0', /^id 或 userId 为空！$/],
  ['root', 'GET', '/api/user/x', /"x"/],
  ['root', 'GET', '/api/user/99999', /^record not found$/],
  ['root', 'GET', '/api/user/0', /^id 为空！$/],
  ['root', 'DELETE', '/api/user/0', /^id 为空！$/],
  ['root', 'GET', '/api/channel/x', /"x"/],
  ['root', 'GET', '/api/channel/99999', /^record not found$/],
  ['root', 'GET', '/api/channel/0', /^id 为空！$/],
  ['root', 'DELETE', '/api/channel/0', /^id 为空！$/],
  ['root', 'GET', '/api/channel/test/0', /^id 为空！$/],
  ['root', 'GET', '/api/channel/fetch_models/0', /^id 为空！$/],
  ['root', 'GET', '/api/channel/update_balance/0/', /^id 为空！$/],
  ['root', 'GET', '/api/data/top?by=zzz', /^by 只能是 user、token 或 channel，请改正后重试$/],
  ['root', 'DELETE', '/api/channel/99999', /^record not found$/],
  ['root', 'GET', '/api/redemption/x', /"x"/],
  ['root', 'GET', '/api/redemption/99999', /^record not found$/],
  ['root', 'GET', '/api/redemption/0', /^id 为空！$/],
] as const)(
  'given %s, when %s %s, then the failure says %s',
  async (who, method, path, message) => {
    const answered = await call(seeded, seeded[who], method, path)
    expect(answered).toMatchObject({ status: 200, success: false })
    expect(answered.message).toMatch(message)
  },
)

test.each([
  ['PUT', '/api/option', '{"key":"SystemName","value":7}', 400, '无效的参数'],
  ['PUT', '/api/option', 'nothing', 400, '无效的参数'],
  ['POST', '/api/setup', '{}', 400, '系统已经初始化完成'],
  ['POST', '/api/setup', '{', 400, '系统已经初始化完成'],
  ['POST', '/api/channel/fetch_models', '{"type":"x"}', 400, 'Invalid request'],
])('given %s %s with %s, when sent, then %d: %s', async (method, path, body, status, message) => {
  const answer = await send(path, { method, headers: seeded.root.headers, body })
  expect(answer.status).toBe(status)
  expect(await json(answer)).toEqual(failureEnvelope(message))
})

test('given more than a console call may hold, when sent, then 413 in the envelope', async () => {
  const body = JSON.stringify({ display_name: 'x'.repeat(5 * 1024 * 1024) })
  const answer = await send('/api/user/self', {
    method: 'PUT',
    headers: seeded.ann.headers,
    body,
  })
  expect(answer.status).toBe(413)
  expect(await json(answer)).toMatchObject({ success: false })
})

test('given line breaks and terminal codes in names, when used, then they are refused everywhere', async () => {
  const { ann, log, whole } = seeded
  const nasty = 'x\r\nset-cookie: a=b\u001b[2J'
  const renamed = { display_name: nasty }
  const answer = await send('/api/user/self', {
    method: 'PUT',
    headers: ann.headers,
    body: JSON.stringify(renamed),
  })
  expect(answer.headers.get('set-cookie')).toBeNull()
  const username = `u${nasty}`.slice(0, 12)
  const named = await whole.root.send('POST', '/api/user', { username, password: PASSWORD })
  expect(named).toMatchObject({ success: false, message: expect.stringContaining('控制字符') })
  const login = { username, password: 'not-the-right-one' }
  await send('/api/user/login', { method: 'POST', body: JSON.stringify(login) })
  await send('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-%0d%0aINFO' },
  })
  expect(log.lines.length).toBeGreaterThan(0)
  for (const line of log.lines) {
    expect(() => JSON.parse(line) as unknown).not.toThrow()
    const codes = Array.from(line.slice(0, -1), (character) => character.codePointAt(0) ?? 0)
    expect(Math.min(...codes)).toBeGreaterThanOrEqual(32)
  }
})

test('given a NUL in a login, a search or a body, when sent, then nothing fails inside', async () => {
  const { root } = seeded
  const login = { username: 'ro\u0000ot', password: 'x' }
  expect(await call(seeded, null, 'POST', '/api/user/login', login)).toMatchObject({
    success: false,
    status: 200,
  })
  // A filter of nothing that can be stored finds nothing, not everything.
  const found = await call(seeded, root, 'GET', '/api/user/search?keyword=%00')
  expect(found).toMatchObject({ success: true })
  expect(JSON.stringify(found)).not.toContain('"username"')
  const all = await call(seeded, root, 'GET', '/api/user/search?keyword=')
  expect(JSON.stringify(all)).toContain('"username"')
  const token = { name: 'a\u0000b', group: '\u0000', model_limits: '\u0000', unlimited_quota: true }
  expect(await call(seeded, root, 'POST', '/api/token', token)).toMatchObject({ success: true })
})

test('given a name kept closed by guesses, when its owner signs in from a known place, then it works', async () => {
  await addPerson(seeded.whole, 'kim')
  const body = JSON.stringify({ username: 'kim', password: PASSWORD })
  const signIn = (cookie = '') =>
    send('/api/user/login', { method: 'POST', body, headers: { cookie } })
  const cookies = (await signIn()).headers.getSetCookie()
  const known = cookies.find((line) => line.startsWith('known_browser=')) ?? ''
  expect(known).toMatch(
    /^known_browser=[\w.-]+; Max-Age=15552000; Path=\/api\/user\/login; HttpOnly; SameSite=Lax$/,
  )
  const { attempts } = NAME_SIGN_IN_LIMIT
  const { pool } = seeded.whole.database
  await pool.query(
    `select coordination.take_attempt('sign-in-name:${digest('kim')}', ${attempts}, interval '20 minutes')
     from generate_series(1, ${attempts})`,
  )
  expect((await signIn()).status).toBe(429)
  expect(await json(await signIn(known.split(';', 1)[0]))).toMatchObject({ success: true })
})

test('given one address, when it signs in again and again, then it is told to wait, and for how long', async () => {
  const body = JSON.stringify({ username: 'ann', password: 'not-the-right-one' })
  for (let attempt = 0; attempt <= 20; attempt += 1) {
    const answer = await send('/api/user/login', { method: 'POST', body })
    if (answer.status === 200) continue
    expect(answer.status).toBe(429)
    expect(await json(answer)).toEqual(failureEnvelope('请求次数过多，请稍后再试！'))
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    return
  }
  expect.unreachable('twenty-one attempts went through')
})

test('given a demo site, when anything is to be changed, then 405 in the envelope; root alone ends it', async () => {
  const { root, admin } = seeded
  const demo = (value: string) => ({ key: 'DemoSiteEnabled', value })
  const refusal = { status: 405, ...failureEnvelope('本站仅作演示之用，无服务端！') }
  expect(await call(seeded, root, 'PUT', '/api/option', demo('true'))).toMatchObject({
    success: true,
  })
  const hello = { model: MODEL, messages: [{ role: 'user', content: 'hi' }] }
  for (const [method, path, body] of [
    ['PUT', '/api/user/self', { display_name: 'R' }],
    ['PUT', '/api/option', { key: 'SystemName', value: 'Mine' }],
    ['PUT', '/api/option', { key: 'demositeenabled', value: 'false' }],
    ['POST', '/api/option/rest_model_ratio', {}],
    ['POST', '/pg/chat/completions', hello],
  ] as const) {
    expect(await call(seeded, root, method, path, body)).toEqual(refusal)
  }
  expect(await call(seeded, root, 'GET', '/api/user/self')).toMatchObject({ success: true })
  expect(await call(seeded, admin, 'PUT', '/api/option', demo('false'))).toMatchObject({
    success: false,
  })
  expect(await call(seeded, root, 'PUT', '/api/option', demo('false'))).toMatchObject({
    success: true,
  })
  const self = { display_name: 'Root' }
  expect(await call(seeded, root, 'PUT', '/api/user/self', self)).toMatchObject({
    success: true,
  })
  const played = await send('/pg/chat/completions', {
    method: 'POST',
    headers: { ...root.headers, 'content-type': 'application/json' },
    body: JSON.stringify(hello),
  })
  expect(played.status).toBe(200)
  expect(await call(seeded, root, 'GET', '/api/user/logout')).toMatchObject({ success: true })
})
