import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { userId } from '@tollgate/domain/ids.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { TokenLookupUnavailable } from './directory/token-lookup-unavailable.ts'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startRelay,
  startUpstream,
  TOKEN,
  USER,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  upstream.behave((response, { path }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(path.includes('embeddings') ? VECTORS : ANSWER)
  })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  relay.session = { status: 'anonymous' }
  relay.directory.channels.clear()
  relay.directory.tokens.clear()
  relay.directory.tokens.set(KEY, TOKEN)
  relay.directory.set({})
  relay.directory.add(1, {
    baseUrl: upstream.url,
    models: ['gpt-4o-mini', 'text-embedding-3-small'],
  })
  relay.holds.available = 1_000_000
  relay.holds.isUnavailable = false
  for (const list of [relay.holds.settled, relay.failures, upstream.asked]) list.length = 0
})

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'
const VECTORS =
  '{"object":"list","data":[{"embedding":[0.1]}],"usage":{"prompt_tokens":120,"total_tokens":120}}'
const errorOf = async (response: Response): Promise<{ code: string; message: string }> => {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return error
}
const terms = (more: Partial<(typeof TOKEN)['terms']>) =>
  relay.directory.tokens.set(KEY, { ...TOKEN, terms: { ...TOKEN.terms, ...more } })

describe('authentication', () => {
  test.each([
    ['no key', {}, 401, 'missing_api_key'],
    ['an unknown key', { authorization: `Bearer sk-${'x'.repeat(48)}` }, 401, 'invalid_api_key'],
    ['something else', { authorization: 'Bearer ../../etc' }, 401, 'invalid_api_key'],
    [
      'a channel without being an admin',
      { authorization: `Bearer sk-${KEY}-1` },
      403,
      'channel_not_allowed',
    ],
  ])(
    'given %s, when a request comes, then it is refused and not logged as anybody',
    async (_what, headers, status, code) => {
      const response = await fetch(relay.url + CHAT, { method: 'POST', headers, body: '{}' })
      expect(response.status).toBe(status)
      expect((await errorOf(response)).code).toBe(code)
      expect(relay.failures).toEqual([])
    },
  )

  test.each([
    ['exhausted', {}, 'token_exhausted'],
    ['expired', {}, 'token_expired'],
    ['disabled', {}, 'token_disabled'],
    ['enabled', { expiresAt: 5 }, 'token_expired'],
  ] as const)('given a token that is %s %o, when used, then 401', async (status, more, code) => {
    relay.directory.tokens.set(KEY, { ...TOKEN, status, terms: { ...TOKEN.terms, ...more } })
    const response = await relay.post(CHAT, HELLO)
    expect(response.status).toBe(401)
    const error = await errorOf(response)
    expect(error.code).toBe(code)
    expect(error.message).not.toContain(KEY)
  })

  test('given a banned owner, when a token is used, then 403', async () => {
    relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, isActive: false } })
    expect((await relay.post(CHAT, HELLO)).status).toBe(403)
  })

  test('given an admin, when the key names a channel, then that one is used', async () => {
    relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, role: 10 } })
    relay.directory.add(2, { baseUrl: upstream.url, models: [], groups: [] })
    const pinned = (id: string) =>
      relay.post(CHAT, HELLO, { authorization: `Bearer sk-${KEY}-${id}` })
    expect((await pinned('2')).status).toBe(200)
    expect(relay.holds.settled[0]?.request.channel).toBe(2)
    expect((await pinned('9')).status).toBe(400)
    expect((await pinned('x')).status).toBe(400)
    // A key that was handed on with a limit of models keeps it.
    const terms = { ...TOKEN.terms, models: ['other'] }
    relay.directory.tokens.set(KEY, { ...TOKEN, terms, user: { ...USER, role: 10 } })
    expect((await errorOf(await pinned('2'))).code).toBe('model_not_allowed')
  })
})

describe('admission', () => {
  test.each([
    ['malformed JSON', '{"model":', 400, 'invalid_text_request'],
    ['a list', '[]', 400, 'invalid_text_request'],
    ['no model', { messages: HELLO.messages }, 400, 'invalid_text_request'],
    ['a model that is a number', { ...HELLO, model: 4 }, 400, 'invalid_text_request'],
    ['no messages', { model: 'gpt-4o-mini' }, 400, 'invalid_text_request'],
    ['messages of another kind', { ...HELLO, messages: ['hi'] }, 400, 'invalid_text_request'],
    ['negative max_tokens', { ...HELLO, max_tokens: -1 }, 400, 'invalid_text_request'],
    ['fractional max_tokens', { ...HELLO, max_tokens: 1.5 }, 400, 'invalid_text_request'],
    ['a text for stream', { ...HELLO, stream: 'yes' }, 400, 'invalid_text_request'],
    ['too many choices', { ...HELLO, n: 1000 }, 400, 'invalid_text_request'],
    ['an unknown model', { ...HELLO, model: 'nope' }, 404, 'model_not_found'],
    [
      'a sensitive word',
      { ...HELLO, messages: [{ role: 'user', content: 'a TEST_sensitive b' }] },
      400,
      'sensitive_words_detected',
    ],
    [
      'a sensitive word in a part',
      {
        ...HELLO,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'test_sensitive' }] }],
      },
      400,
      'sensitive_words_detected',
    ],
    ['a body too large', { ...HELLO, user: 'x'.repeat(1_000_001) }, 413, 'request_too_large'],
  ])(
    'given %s, when posted, then it is refused clearly and upstream hears nothing',
    async (_what, body, status, code) => {
      const response = await relay.post(CHAT, body)
      expect(response.status).toBe(status)
      const error = await errorOf(response)
      expect(error.code).toBe(code)
      expect(error.message).toMatch(/\(request id: request-\d+\)$/)
      expect(upstream.asked).toHaveLength(0)
      expect(relay.holds.reserved).toBe(0)
    },
  )

  test('given limits of the token, when a request is beyond them, then it is refused', async () => {
    terms({ models: ['other'] })
    expect((await errorOf(await relay.post(CHAT, HELLO))).code).toBe('model_not_allowed')
    terms({ allowedIps: ['10.0.0.0/8'] })
    expect((await errorOf(await relay.post(CHAT, HELLO))).code).toBe('ip_not_allowed')
    terms({ allowedIps: ['10.0.0.0/8', '127.0.0.0/8'] })
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    expect(relay.failures.map(({ errorCode }) => errorCode)).toEqual([
      'model_not_allowed',
      'ip_not_allowed',
    ])
  })

  test('given a token group, when unusable or without ratio, then it is refused, else it is charged', async () => {
    terms({ group: 'secret' })
    expect((await errorOf(await relay.post(CHAT, HELLO))).code).toBe('group_not_allowed')
    relay.directory.set({ UserUsableGroups: '{"odd":"Odd","vip":"VIP"}', GroupRatio: '{"vip":2}' })
    terms({ group: 'odd' })
    expect((await errorOf(await relay.post(CHAT, HELLO))).code).toBe('group_deprecated')
    terms({ group: 'vip' })
    expect((await relay.post(CHAT, HELLO)).status).toBe(503)
    relay.directory.add(3, { baseUrl: upstream.url, groups: ['vip'] })
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    expect(relay.holds.settled[0]?.request).toMatchObject({
      group: 'vip',
      channel: 3,
      price: { groupRatio: '2' },
    })
  })

  test('given a model without a price, when asked, then it is refused unless the user accepts that', async () => {
    relay.directory.add(1, { baseUrl: upstream.url, models: ['priceless'] })
    const ask = () => relay.post(CHAT, { ...HELLO, model: 'priceless' })
    expect((await errorOf(await ask())).code).toBe('model_price_error')
    relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, acceptsUnsetRatio: true } })
    expect((await ask()).status).toBe(200)
  })

  test('given a rate limit, when requests come too often, then 429 with Retry-After', async () => {
    relay.directory.set({ ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '2' })
    relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, id: userId(70) } })
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    const third = await relay.post(CHAT, HELLO)
    expect(third.status).toBe(429)
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(50)
  })

  test('given a limit of successes for a group, when they are used up, then 429', async () => {
    relay.directory.set({
      ModelRequestRateLimitEnabled: 'true',
      ModelRequestRateLimitGroup: '{"default":[0,1]}',
    })
    relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, id: userId(71) } })
    expect((await relay.post(CHAT, { ...HELLO, max_tokens: -1 })).status).toBe(400)
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    expect((await relay.post(CHAT, HELLO)).status).toBe(429)
  })

  test('given an owner that is away, when a request comes, then 503 with Retry-After', async () => {
    relay.holds.isUnavailable = true
    const response = await relay.post(CHAT, HELLO)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
  })
})

test('given an embedding request, when answered, then its bytes pass and prompt tokens are charged', async () => {
  const response = await relay.post('/v1/embeddings', {
    model: 'text-embedding-3-small',
    input: ['a', 'b'],
  })
  expect(await response.text()).toBe(VECTORS)
  // 120 × 0.01 = 1.2
  expect(relay.holds.settled).toMatchObject([
    { amount: 1, request: { endpoint: '/v1/embeddings' } },
  ])
})

test('given a completions request, when answered, then it went to that path', async () => {
  await relay.post('/v1/completions', { model: 'gpt-4o-mini', prompt: 'Once' })
  expect(upstream.asked[0]?.path).toBe('/v1/completions')
})

test('given a compressed body, when posted, then it is read; a bomb is refused', async () => {
  const send = (body: Buffer, encoding = 'gzip') =>
    fetch(relay.url + CHAT, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${KEY}`, 'content-encoding': encoding },
      body: new Uint8Array(body),
    })
  expect((await send(gzipSync(JSON.stringify(HELLO)))).status).toBe(200)
  expect(upstream.asked[0]?.text).toBe(JSON.stringify(HELLO))
  expect((await send(gzipSync(Buffer.alloc(5_000_000, ' ')))).status).toBe(413)
  expect((await send(Buffer.from('not gzip'))).status).toBe(400)
  expect((await send(Buffer.from('{}'), 'zip')).status).toBe(415)
})

test('given no valid key, when a body is posted, then it is refused before the body has come', async () => {
  const socket = connect(Number(new URL(relay.url).port), '127.0.0.1')
  socket.write(
    `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-short\r\ncontent-encoding: gzip\r\ncontent-length: 1000\r\n\r\n`,
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(head.toString()).toMatch(/^HTTP\/1.1 401 /)
})

test('given mapping and overrides of a channel, when asked, then the price follows the name asked for', async () => {
  relay.directory.add(1, {
    baseUrl: upstream.url,
    modelMapping: '{"gpt-4o-mini":"deployment-7"}',
    paramOverride: '{"temperature":0,"stream":true}',
    openaiOrganization: 'org-1',
  })
  await relay.post(CHAT, { ...HELLO, temperature: 1, new_field: { deep: [1] } })
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual({
    ...HELLO,
    model: 'deployment-7',
    temperature: 0,
    new_field: { deep: [1] },
  })
  expect(upstream.asked[0]?.headers['openai-organization']).toBe('org-1')
  expect(relay.holds.settled[0]?.request).toMatchObject({
    model: 'gpt-4o-mini',
    upstreamModel: 'deployment-7',
  })
})

test('given pass-through, when asked, then the body goes as it came', async () => {
  relay.directory.set({ 'global.pass_through_request_enabled': 'true' })
  relay.directory.add(1, { baseUrl: upstream.url, modelMapping: '{"gpt-4o-mini":"x"}' })
  const body = JSON.stringify({ ...HELLO, stream: true })
  await relay.post(CHAT, body)
  expect(upstream.asked[0]?.text).toBe(body)
})

test('given an o-series model, when asked, then fields are as it wants them', async () => {
  relay.directory.add(1, { baseUrl: upstream.url, models: ['o3-mini-high'] })
  await relay.post(CHAT, {
    model: 'o3-mini-high',
    messages: [{ role: 'system', content: 's' }],
    max_tokens: 7,
    temperature: 0.5,
  })
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual({
    model: 'o3-mini',
    messages: [{ role: 'developer', content: 's' }],
    max_completion_tokens: 7,
    reasoning_effort: 'high',
  })
  expect(relay.holds.settled[0]?.request).toMatchObject({
    reasoningEffort: 'high',
    upstreamModel: 'o3-mini',
  })
})

describe('models', () => {
  const get = (path: string) =>
    fetch(relay.url + path, { headers: { authorization: `Bearer sk-${KEY}` } })
  test('given a token, when models are listed, then those of its group, or its own limits', async () => {
    const listed = (await (await get('/v1/models')).json()) as {
      object: string
      data: { id: string }[]
    }
    expect(listed).toMatchObject({ object: 'list', success: true })
    expect(listed.data.map(({ id }) => id)).toEqual(['gpt-4o-mini', 'text-embedding-3-small'])
    terms({ models: ['a/b'] })
    expect(await (await get('/v1/models')).json()).toMatchObject({
      data: [{ id: 'a/b', owned_by: 'custom' }],
    })
    expect(await (await get('/v1/models/a/b')).json()).toMatchObject({ id: 'a/b', object: 'model' })
  })
  test('given a model that the token cannot call, when shown, then 404', async () => {
    expect((await get('/v1/models/gpt-4o-mini')).status).toBe(200)
    const response = await get('/v1/models/nope')
    expect(response.status).toBe(404)
    expect((await errorOf(response)).code).toBe('model_not_found')
  })
  test('given keys that cannot be looked up, when models or figures are asked for, then 503 says when', async () => {
    const findToken = vi
      .spyOn(relay.directory, 'findToken')
      .mockImplementation(() => Promise.reject(new TokenLookupUnavailable('away')))
    for (const path of ['/v1/models', '/v1/models/x', '/v1/dashboard/billing/usage']) {
      const response = await get(path)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    }
    findToken.mockRestore()
  })
  test('given no key, when models are listed, then 401', async () => {
    expect((await fetch(`${relay.url}/v1/models`)).status).toBe(401)
  })
})

describe('addresses', () => {
  test.each([
    ['POST', '/v1/images/edits'],
    ['GET', '/v1/files'],
    ['DELETE', '/v1/models/x'],
    ['POST', '/v1/fine-tunes/1/cancel'],
  ])(
    'given %s %s, when called without a key, then 501 before anything else',
    async (method, path) => {
      // More than is taken in where nothing is read of it.
      const body = method === 'POST' ? { body: 'x'.repeat(2_000_000) } : {}
      const response = await fetch(relay.url + path, { method, ...body })
      expect(response.status).toBe(501)
      expect((await errorOf(response)).code).toBe('api_not_implemented')
    },
  )
  test('given an address that is none, when called, then 404 in the protocol’s shape with a request id', async () => {
    const response = await fetch(`${relay.url}/v1/nothing?x=1`, { method: 'POST', body: 'x' })
    expect(response.status).toBe(404)
    expect(response.headers.get('x-oneapi-request-id')).toMatch(/^request-/)
    expect((await errorOf(response)).message).toBe('Invalid URL (POST /v1/nothing)')
  })
  test('given a browser elsewhere, when it asks first, then it may call', async () => {
    const preflight = await fetch(relay.url + CHAT, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    expect((await relay.post(CHAT, HELLO)).headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('the playground', () => {
  const play = (body: unknown) => relay.post('/pg/chat/completions', body, { authorization: '' })
  test('given a session, when it chats, then the account pays without a token and upstream sees no group', async () => {
    relay.session = { status: 'signed-in', user: USER }
    expect((await play({ ...HELLO, group: 'default' })).status).toBe(200)
    expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual(HELLO)
    expect(relay.holds.settled).toMatchObject([{ request: { group: 'default', endpoint: CHAT } }])
  })
  test('given no session, an access token, another group or no model, when it chats, then it is refused', async () => {
    expect((await play(HELLO)).status).toBe(401)
    relay.session = { status: 'access-token' }
    expect((await errorOf(await play(HELLO))).code).toBe('access_token_not_supported')
    relay.session = { status: 'signed-in', user: USER }
    expect((await errorOf(await play({ ...HELLO, group: 'vvip' }))).code).toBe('group_not_allowed')
    expect((await errorOf(await play({ messages: [] }))).code).toBe('model_required')
  })
})

test('given a body far beyond the limit, when posted, then the client can read why it is refused', async () => {
  const response = await relay.post(CHAT, 'x'.repeat(30_000_000))
  expect(response.status).toBe(413)
  expect((await errorOf(response)).code).toBe('request_too_large')
})

test('given a look-up that cannot be made at the moment, when a token is used, then 503 says to come back', async () => {
  const failing = Object.assign(new Error('away'), { code: 'STORE_UNAVAILABLE', retryable: true })
  const findToken = relay.directory.findToken.bind(relay.directory)
  Object.assign(relay.directory, { findToken: () => Promise.reject(failing) })
  const response = await relay.post(CHAT, HELLO)
  Object.assign(relay.directory, { findToken })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('2')
  expect(relay.logged.splice(0)).toEqual([failing])
})
