import { expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'

/** Headers that pass by a channel's own settings. */
const { relay, upstream } = await openRelayFixture()

const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const SENT = {
  baggage: 'user=7',
  'openai-organization': 'org-client',
  'openai-project': 'proj-client',
}
const SAID = {
  'x-ratelimit-remaining-tokens': '100',
  'x-ratelimit-reset-tokens': '6ms',
  'cf-ray': 'abc-key-of-channel-FRA',
  'set-cookie': 'a=b',
  'x-request-id': 'req_1',
}
const OURS = {
  'cache-control': 'public',
  'access-control-allow-origin': 'https://evil.example',
  'x-content-type-options': 'maybe',
}

function channel(setting: object, terms: object = {}): void {
  const more = { key: 'key-of-channel' }
  relay.directory.add(
    1,
    { baseUrl: upstream.url, setting: JSON.stringify(setting), ...terms },
    more,
  )
}
const answerWith = (status: number, text: string, type = 'application/json') =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': type, ...SAID, ...OURS }).end(text)
  })
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}'
const STREAM =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const ask = (more: object = {}) => relay.post('/v1/chat/completions', { ...HELLO, ...more }, SENT)
const told = ({ headers }: Response, names: object): Record<string, string | null> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, headers.get(name)]))

test('given a channel without settings, when asked, then neither side gets the other’s further headers', async () => {
  channel({})
  answerWith(200, ANSWER)
  const response = await ask()
  expect(upstream.asked[0]?.headers).not.toMatchObject({ baggage: expect.anything() })
  expect(upstream.asked[0]?.headers['openai-organization']).toBeUndefined()
  expect(
    told(response, { 'cf-ray': '', 'x-ratelimit-reset-tokens': '', 'x-request-id': '' }),
  ).toEqual({
    'cf-ray': null,
    'x-ratelimit-reset-tokens': null,
    'x-request-id': 'req_1',
  })
})

test('given request headers that pass, when asked, then upstream gets the channel’s organization', async () => {
  channel({ pass_request_headers: Object.keys(SENT) })
  answerWith(200, ANSWER)
  await ask()
  expect(upstream.asked[0]?.headers).toMatchObject(SENT)
  channel({ pass_request_headers: Object.keys(SENT) }, { openaiOrganization: 'org-channel' })
  await ask()
  expect(upstream.asked[1]?.headers['openai-organization']).toBe('org-channel')
})

test.each([
  ['an answer', 200, ANSWER, 'application/json', {}],
  ['a stream', 200, STREAM, 'text/event-stream', { stream: true }],
  ['an error', 429, '{"error":{"message":"slow down"}}', 'application/json', {}],
] as const)(
  'given response headers that pass, when upstream gives %s, then the client has them, the key masked',
  async (_what, status, text, type, more) => {
    channel({ pass_response_headers: ['x-ratelimit-*', 'cf-ray'] })
    answerWith(status, text, type)
    const response = await ask(more)
    await response.text()
    expect(response.status).toBe(status)
    const { 'set-cookie': _cookie, ...passed } = SAID
    expect(told(response, passed)).toEqual({ ...passed, 'cf-ray': 'abc-***-FRA' })
  },
)

test('given that all response headers pass, when answered, then those of the answer itself stay ours', async () => {
  channel({ pass_response_headers: ['*'] })
  answerWith(200, ANSWER)
  const response = await ask()
  const { headers } = response
  expect(told(response, { ...OURS, 'set-cookie': '' })).toEqual({
    'cache-control': null,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'set-cookie': null,
  })
  expect(headers.get('x-ratelimit-reset-tokens')).toBe('6ms')
  expect(await response.text()).toBe(ANSWER)
})
