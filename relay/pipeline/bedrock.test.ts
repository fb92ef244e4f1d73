import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { isObject } from '../json.ts'
import { awsKey, sigV4Headers } from '../upstream/sigv4.ts'
import {
  type Asked,
  eventually,
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Anthropic's and OpenAI's clients and channels of type 33, through the whole pipeline. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay({ bodyBytesMax: 8_000_000 })
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
const channel = (key: string, more = {}): void => {
  relay.directory.channels.clear()
  relay.directory.add(1, { type: 33, models: [MODEL], baseUrl: upstream.url, ...more }, { key })
}
beforeEach(() => {
  startAfresh(relay, upstream)
  channel(KEY)
})

const KEY = 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1'
const MESSAGES = '/v1/messages'
const CHAT = '/v1/chat/completions'
const MODEL = 'claude-3-5-sonnet-20241022'
const ID = 'us.anthropic.claude-3-5-sonnet-20241022-v2%3A0'
const ASKED = { model: MODEL, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
const ANSWER = {
  id: 'msg_bdrk_1',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: 100,
    cache_creation_input_tokens: 200,
    cache_read_input_tokens: 1_000,
    output_tokens: 50,
  },
}
const fixture = (path: string): Buffer =>
  readFileSync(new URL(`../../tests/support/fixtures/${path}`, import.meta.url))
const STREAM = fixture('bedrock/text-with-cache.bin')
const OF_ANTHROPIC = fixture('claude/text-with-cache.sse').toString()

const answers = (status: number, body: object, headers: Record<string, string> = {}): void =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })
const streams = (bytes: Buffer): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(bytes)
  })
function bodySent(): object {
  const body: unknown = JSON.parse(upstream.asked.at(-1)?.text ?? '')
  return isObject(body) ? body : {}
}

/** AWS's signature of a request that came at the time it names. */
function signatureOf({ path, text, headers }: Asked): string | undefined {
  const key = awsKey(KEY)
  const [, y, m, d, h, i, s] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? []
  const address = { origin: `http://${headers.host}`, path }
  const now = Date.parse(`${y}-${m}-${d}T${h}:${i}:${s}Z`)
  const request = { method: 'POST', address, body: Buffer.from(text) } as const
  return key === null ? undefined : sigV4Headers(key, 'bedrock', request, now)['authorization']
}

test('given a message, when Bedrock answers, then it was signed and costs as by Anthropic', async () => {
  answers(200, ANSWER)
  const response = await relay.post(MESSAGES, ASKED, {
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'a-1, b-2',
  })
  expect(await response.json()).toEqual(ANSWER)
  const [asked] = upstream.asked
  expect(asked?.path).toBe(`/model/${ID}/invoke`)
  expect(asked && signatureOf(asked)).toBe(asked?.headers.authorization)
  expect(asked?.headers.authorization).toContain('AKIDEXAMPLE/')
  expect(bodySent()).toEqual({
    max_tokens: 100,
    messages: ASKED.messages,
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['a-1', 'b-2'],
  })
  for (const name of ['anthropic-version', 'anthropic-beta', 'x-api-key']) {
    expect(asked?.headers[name]).toBeUndefined()
  }
  // Vector 8 of relay-and-billing.md, as on type 14.
  expect(relay.holds.settled).toMatchObject([
    {
      amount: 1_050,
      request: {
        endpoint: MESSAGES,
        usage: { textIn: 100, cachedIn: 1_000, cacheWriteIn: 200, textOut: 50 },
        estimated: false,
      },
    },
  ])
})

test('given a stream, when Bedrock streams, then the client gets the events of Anthropic', async () => {
  streams(STREAM)
  const response = await relay.post(MESSAGES, { ...ASKED, stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await response.text()).toBe(OF_ANTHROPIC)
  const [asked] = upstream.asked
  expect(asked?.path).toBe(`/model/${ID}/invoke-with-response-stream`)
  expect(asked?.headers).toMatchObject({
    accept: 'application/vnd.amazon.eventstream',
    'x-amzn-bedrock-accept': 'application/json',
  })
  expect(bodySent()).not.toHaveProperty('stream')
  expect(relay.holds.settled).toMatchObject([
    { request: { stream: true, usage: { textIn: 101, cacheWrite1hIn: 50, textOut: 50 } } },
  ])
})

test('given requests that pass through, when asked, then what Bedrock refuses is left out', async () => {
  relay.directory.set({ 'global.pass_through_request_enabled': 'true' })
  answers(200, ANSWER)
  expect((await relay.post(MESSAGES, ASKED)).status).toBe(200)
  expect(bodySent()).not.toHaveProperty('model')
  expect(bodySent()).toHaveProperty('anthropic_version')
})

test('given a chat of an OpenAI client, when Bedrock answers, then it is a completion', async () => {
  answers(200, ANSWER)
  const whole = await relay.post(CHAT, { model: MODEL, messages: ASKED.messages })
  expect(await whole.json()).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1_300, completion_tokens: 50 },
  })
  expect(bodySent()).toMatchObject({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 8_192 })
  expect(bodySent()).not.toHaveProperty('model')
  streams(STREAM)
  const stream = await relay.post(CHAT, { model: MODEL, messages: ASKED.messages, stream: true })
  const text = await stream.text()
  expect(text).toContain('"content":"世界 🌍"')
  expect(text).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/s)
  expect(bodySent()).not.toHaveProperty('stream')
  expect(relay.holds.settled.map(({ request }) => request.usage.textOut)).toEqual([50, 50])
})

test('given a long chat, when translated in its thread, then Bedrock gets no model all the same', async () => {
  answers(200, ANSWER)
  relay.holds.available = ENOUGH_FOR_ITS_BYTES
  const content = 'word '.repeat(500_000)
  const response = await relay.post(CHAT, { model: MODEL, messages: [{ role: 'user', content }] })
  expect(response.status).toBe(200)
  expect(bodySent()).not.toHaveProperty('model')
  expect(bodySent()).toHaveProperty('anthropic_version', 'bedrock-2023-05-31')
})

test.each([
  ['ThrottlingException:http://internal', 429, 429, 'rate_limit_error'],
  ['ValidationException', 400, 400, 'invalid_request_error'],
  ['AccessDeniedException', 403, 403, 'permission_error'],
  ['UnrecognizedClientException', 403, 403, 'authentication_error'],
  ['ModelErrorException', 424, 502, 'api_error'],
  ['ServiceUnavailableException', 503, 503, 'overloaded_error'],
  ['', 500, 500, 'api_error'],
])(
  'given the exception %s, when asked, then it is an error of Anthropic',
  async (name, status, told, type) => {
    answers(status, { message: 'it failed' }, name === '' ? {} : { 'x-amzn-errortype': name })
    const response = await relay.post(MESSAGES, ASKED)
    expect(response.status).toBe(told)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type, message: expect.stringContaining('it failed') },
    })
    expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  },
)

test('given an exception before any content, when streamed, then it is told with its status', async () => {
  streams(fixture('bedrock/throttled.bin'))
  const response = await relay.post(MESSAGES, { ...ASKED, stream: true })
  expect(response.status).toBe(429)
  expect(await response.json()).toMatchObject({
    error: { type: 'rate_limit_error', message: expect.stringContaining('Too many tokens') },
  })
})

test('given an exception within a stream, when told, then it is an event and what came is charged', async () => {
  const cut = 1_700
  streams(Buffer.concat([wholeMessages(cut), fixture('bedrock/throttled.bin')]))
  const response = await relay.post(MESSAGES, { ...ASKED, stream: true })
  const text = await textUntilBreak(response)
  expect(text).toContain('Grüezi')
  expect(text.split('\n\n').at(-2)).toMatch(/^event: error\ndata: .*"rate_limit_error"/)
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled[0]?.request).toMatchObject({ estimated: true })
})

test('given a stream whose checksum is wrong, when read, then it ends with an error', async () => {
  const damaged = Buffer.from(STREAM)
  damaged[1_700] = (damaged[1_700] ?? 0) ^ 1
  streams(damaged)
  const response = await relay.post(MESSAGES, { ...ASKED, stream: true })
  expect(await textUntilBreak(response)).toContain('event: error')
})

test.each(['only-one-part', 'a|b', 'a|b|not a region', 'a|b|us-east-1|d'])(
  'given the key %s, when asked, then the channel is told to be set up wrongly',
  async (key) => {
    channel(key)
    const response = await relay.post(MESSAGES, ASKED)
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('AccessKey|SecretKey|Region')
    expect(upstream.asked).toEqual([])
  },
)

test('given headers of the operator, when asked, then betas go into the body', async () => {
  const headers = { [MODEL]: { 'anthropic-beta': ['op-1', 'op-2'], 'X-Team': ['blue'] } }
  relay.directory.set({ 'claude.model_headers_settings': JSON.stringify(headers) })
  answers(200, ANSWER)
  await relay.post(MESSAGES, ASKED, { 'anthropic-beta': 'client-1' })
  expect(bodySent()).toMatchObject({ anthropic_beta: ['op-1', 'op-2'] })
  expect(upstream.asked[0]?.headers).toMatchObject({ 'x-team': 'blue' })
  expect(upstream.asked[0]?.headers['anthropic-beta']).toBeUndefined()
})

test('given a prompt to count, when Bedrock is the channel, then our own count answers', async () => {
  const { max_tokens: _limit, ...prompt } = ASKED
  const response = await relay.post(`${MESSAGES}/count_tokens`, prompt)
  expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
  expect(upstream.asked).toEqual([])
})

/** The messages of the recording that end within its first bytes. */
function wholeMessages(bytesMax: number): Buffer {
  let end = 0
  while (end + STREAM.readUInt32BE(end) <= bytesMax) end += STREAM.readUInt32BE(end)
  return STREAM.subarray(0, end)
}

/** So that the prompt need not be counted first, which is given up after two seconds. */
const ENOUGH_FOR_ITS_BYTES = 1_000_000_000
