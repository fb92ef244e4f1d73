import type { ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** The members of an upstream's error that reach a client of OpenAI's protocol. */
const { relay, upstream } = await openRelayFixture()
beforeEach(() => {
  relay.directory.add(1, { baseUrl: upstream.url }, { key: 'topsecretkey99' })
})

const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const refuseWith =
  (body: unknown, type = 'application/json') =>
  (response: ServerResponse): void => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(400, { 'content-type': type }).end(text)
  }

async function errorFor(body: unknown): Promise<unknown> {
  upstream.behave(refuseWith(body))
  const response = await relay.post('/v1/chat/completions', HELLO)
  expect(response.status).toBe(400)
  return ((await response.json()) as { error: unknown }).error
}

test('given Azure’s inner error, when a request is refused, then it stands in the error', async () => {
  const innererror = { code: 'ResponsibleAIPolicyViolation', content_filter_result: { hate: true } }
  const error = { message: 'no', type: null, param: 'prompt', code: 'content_filter', innererror }
  expect(await errorFor({ error: { ...error, status: 400 } })).toEqual({
    ...error,
    status: 400,
    message: expect.stringMatching(/^no \(request id: /),
  })
})

test('given OpenRouter’s metadata and numeric code, when refused, then both stay as they are', async () => {
  const metadata = { raw: '{"error":"x"}', provider_name: 'Azure', is_byok: false }
  expect(await errorFor({ error: { message: 'no', code: 400, metadata } })).toMatchObject({
    code: 400,
    metadata,
  })
})

test('given null for param and code, when refused, then both stay null and the log has none', async () => {
  const said = { type: 'invalid_request_error', param: null, code: null }
  expect(await errorFor({ error: { message: 'no', ...said } })).toMatchObject(said)
  expect(relay.failures).toMatchObject([{ errorCode: 'bad_response_status_code' }])
})

test('given a detail in place of an error, when refused, then its first message and all of it are told', async () => {
  const detail = [
    { type: 'missing', loc: ['body', 'messages'], msg: 'Field required', input: null },
  ]
  expect(await errorFor({ detail })).toMatchObject({
    message: expect.stringMatching(/^Field required \(request id: /),
    detail,
  })
})

test('given a key within a member, when refused, then it is masked', async () => {
  const error = { message: 'no', metadata: { headers: ['Bearer topsecretkey99'] } }
  expect(await errorFor({ error })).toMatchObject({ metadata: { headers: ['Bearer ***'] } })
})

test('given members without end, when refused, then those that fit are told', async () => {
  const many = Array.from({ length: 2_000 }, (_, place) => place)
  const error = { message: 'no', many, reason: 'r'.repeat(5_000), last: 1 }
  expect(await errorFor({ error })).toEqual({
    message: expect.stringMatching(/^no/),
    type: 'upstream_error',
    param: '',
    code: 'bad_response_status_code',
    reason: 'r'.repeat(1_000),
    last: 1,
  })
})

test('given an error nested without end, when refused, then its status is told', async () => {
  const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  expect(await errorFor(`{"error":{"message":"no","nested":${nested}}}`)).toMatchObject({
    message: expect.stringMatching(/^bad response status code 400/),
  })
})

test('given an error in the middle of a stream, when told, then it has its members', async () => {
  const error = { message: 'boo', code: 502, param: null, metadata: { provider_name: 'x' } }
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n')
    response.end(`data: ${JSON.stringify({ error })}\n\n`)
  })
  const text = await textUntilBreak(
    await relay.post('/v1/chat/completions', { ...HELLO, stream: true }),
  )
  const told: unknown = JSON.parse(text.slice(text.lastIndexOf('{"error"')))
  expect(told).toMatchObject({ error: { ...error, message: expect.stringMatching(/^boo/) } })
})

test('given a page in place of an error, when refused, then the client gets JSON that has nothing of it', async () => {
  upstream.behave(refuseWith('<html><script>alert(1)</script></html>', 'text/html'))
  const response = await relay.post('/v1/chat/completions', HELLO)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await response.text()).not.toContain('<')
})
