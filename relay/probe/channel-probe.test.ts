import type { ServerResponse } from 'node:http'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { type ProbedChannel, ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { googleUnderTest } from '@tollgate/tests/support/relay/google-under-test.ts'
import {
  eventually,
  type FakeUpstream,
  PLAIN_TERMS,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'
import { AddressForbidden } from '../upstream/address-forbidden.ts'
import { makeDispatchers } from '../upstream/dispatchers.ts'
import { makeAnswerReader } from '../protocols/answer-reader.ts'
import { makeChannelProbe } from './channel-probe.ts'

const dispatchers = makeDispatchers(1_000)
/** Those of people below role 100: here they lead nowhere at all. */
const publicDispatchers = makeDispatchers(1_000, () => ({
  name: 'none',
  mayReach: () => false,
  mayName: () => false,
  connector: (target, callback) => callback(new AddressForbidden(target.hostname), null),
}))
const probe = makeChannelProbe({
  answers: makeAnswerReader(),
  dispatchers,
  publicDispatchers,
  clock: { ...systemClock, now: () => Date.UTC(2026, 10, 21) },
  limits: { firstByteMs: 1_000, idleMs: 1_000 },
  keywords: () => ['Your credit balance is too low'],
  yuanPerDollar: () => 7.3,
})
let upstream: FakeUpstream

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(async () => {
  await dispatchers.close()
  await publicDispatchers.close()
  await upstream.close()
})

const channel = (terms: Partial<ChannelTerms> = {}, key = 'secret-key-1234'): ProbedChannel => ({
  id: 1,
  reach: 'configured',
  key,
  proxy: '',
  terms: { ...PLAIN_TERMS, baseUrl: upstream.url, ...terms },
})
const answer =
  (body: unknown, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
const last = () => upstream.asked.at(-1)

test('given a channel that works, when tested, then it says so with the tokens used', async () => {
  upstream.behave(
    answer({
      choices: [{ message: { content: 'hi' } }],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    }),
  )
  expect(await probe.test(channel({ modelMapping: '{"a":"b"}' }), 'a')).toMatchObject({
    succeeded: true,
    error: '',
    upstreamStatus: 200,
    promptTokens: 9,
    completionTokens: 3,
  })
  expect(JSON.parse(last()?.text ?? '')).toEqual({
    model: 'b',
    messages: [{ role: 'user', content: 'hi' }],
    stream: false,
    max_tokens: 10,
  })
})

test('given a reasoning model and an embedding model, when tested, then each is asked its own way', async () => {
  upstream.behave(answer({ data: [{}], usage: { prompt_tokens: 2, total_tokens: 2 } }))
  await probe.test(channel(), 'o3-mini')
  expect(JSON.parse(last()?.text ?? '')).toMatchObject({ max_completion_tokens: 10 })
  expect(await probe.test(channel(), 'text-embedding-3-small')).toMatchObject({ succeeded: true })
  expect(last()?.path).toBe('/v1/embeddings')
})

test('given a channel of AWS, when tested, then it is asked as Bedrock wants it', async () => {
  upstream.behave(
    answer({
      content: [{ type: 'text', text: 'hi' }],
      usage: { input_tokens: 9, output_tokens: 3 },
    }),
  )
  const outcome = await probe.test(channel({ type: 33 }, 'key|secret|eu-west-1'), 'claude-2.1')
  expect(outcome).toMatchObject({ succeeded: true, promptTokens: 9, completionTokens: 3 })
  expect(last()?.path).toBe('/model/anthropic.claude-v2%3A1/invoke')
  expect(last()?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key\//)
})

test('given a bad key, when tested, then the outcome says that the channel is of no use, without the key', async () => {
  upstream.behave(
    answer({ error: { message: 'wrong key secret-key-1234', code: 'invalid_api_key' } }, 401),
  )
  const outcome = await probe.test(channel(), 'm')
  expect(outcome).toMatchObject({ succeeded: false, upstreamStatus: 401, banWorthy: true })
  expect(outcome.error).toBe('wrong key ***')
  expect(outcome.bodyExcerpt).toContain('"code":"invalid_api_key"')
  expect(outcome.bodyExcerpt).not.toContain('secret-key-1234')
})

test.each([
  ['garbage', 'not json', 200],
  ['an empty text without usage', '{"choices":[{"message":{"content":""}}]}', 200],
  ['a full queue', '{"error":{"message":"busy","type":"rate_limit_error"}}', 429],
])('given %s, when tested, then it fails without a ban', async (_what, body, status) => {
  upstream.behave(answer(body, status))
  expect(await probe.test(channel(), 'm')).toMatchObject({ succeeded: false, banWorthy: false })
})

test.each([
  ['a text', 'm', { choices: [{ message: { content: 'Hi' } }] }],
  ['vectors', 'text-embedding-3-small', { data: [{ embedding: [1] }] }],
])(
  'given %s without usage, when tested, then the channel works and a remark says what is missing',
  async (_what, model, body) => {
    upstream.behave(answer(body))
    expect(await probe.test(channel(), model)).toMatchObject({
      succeeded: true,
      error: '',
      remark: expect.stringContaining('没有返回用量信息'),
      promptTokens: null,
      completionTokens: null,
    })
  },
)

test('given an address where nobody listens, when tested, then it fails without a status', async () => {
  const outcome = await probe.test(channel({ baseUrl: 'http://127.0.0.1:1' }), 'm')
  expect(outcome).toMatchObject({ succeeded: false, upstreamStatus: null, banWorthy: false })
  expect(outcome.error).toBe('无法连接上游，请检查渠道 API 地址、代理和网络')
})

test.each([
  ['nothing', '', 200, '上游的响应无法使用'],
  ['no content', '{"choices":[]}', 200, '上游的响应无法使用'],
  ['garbage', 'not json', 200, '上游的响应无法使用'],
  ['an empty text', '{"choices":[{"message":{"content":""}}]}', 200, '上游的响应没有内容'],
  ['a status alone', '', 503, '上游返回状态码 503'],
  [
    'a gateway like this one',
    '{"error":{"message":"its own words","code":"upstream_timeout"}}',
    504,
    'its own words',
  ],
])('given %s, when tested, then an admin reads it', async (_what, body, status, words) => {
  upstream.behave(answer(body, status))
  const { error } = await probe.test(channel(), 'm')
  expect(error).toContain(words)
  if (words !== error) expect(error).not.toMatch(/[a-z]{5,} [a-z]+/)
})

test('given a channel set up wrongly, when tested, then what to mend is said', async () => {
  expect((await probe.test(channel({ baseUrl: 'nonsense' }), 'm')).error).toBe(
    '渠道 API 地址或代理地址无效，请检查后重新填写',
  )
})

test('given types that cannot be asked, when tested, then the reason is said', async () => {
  expect((await probe.test(channel({ type: 36 }), 'm')).error).toBe(
    'suno channel test is not supported',
  )
  expect((await probe.test(channel({ type: 34 }), 'm')).error).toContain('协议尚未实现')
})

test('given a channel of Anthropic, when tested and its models are fetched, then its protocol is used', async () => {
  const message = {
    type: 'message',
    content: [{ type: 'text', text: 'Hi' }],
    usage: { input_tokens: 8, cache_read_input_tokens: 2, output_tokens: 1 },
  }
  upstream.behave(answer(message))
  expect(await probe.test(channel({ type: 14 }), 'claude-x')).toMatchObject({
    succeeded: true,
    promptTokens: 10,
    completionTokens: 1,
  })
  expect(last()?.path).toBe('/v1/messages')
  expect(JSON.parse(last()?.text ?? '')).toMatchObject({ model: 'claude-x', max_tokens: 10 })
  upstream.behave(answer({ data: [{ type: 'model', id: 'claude-x' }], has_more: false }))
  expect(await probe.fetchModels(channel({ type: 14 }))).toEqual(['claude-x'])
  expect(last()?.path).toBe('/v1/models?limit=1000')
  expect(last()?.headers).toMatchObject({
    'x-api-key': 'secret-key-1234',
    'anthropic-version': '2023-06-01',
  })
})

test('given an upstream with models, when they are fetched, then each id comes once', async () => {
  upstream.behave(answer({ data: [{ id: 'models/a' }, { id: 'b' }, { id: 'b' }, {}] }))
  expect(await probe.fetchModels(channel())).toEqual(['a', 'b'])
  expect(last()?.path).toBe('/v1/models')
  expect(last()?.headers.authorization).toBe('Bearer secret-key-1234')
  await probe.fetchModels(channel({ type: 24 }))
  expect(last()?.path).toBe('/v1beta/openai/models')
})

test.each([{ baseUrl: 'nonsense' }, { type: 8, baseUrl: '' }, { type: 4096 }])(
  'given %j, when models or a balance are asked for, then it is told and nothing breaks',
  async (terms) => {
    await expect(probe.fetchModels(channel(terms))).rejects.toBeInstanceOf(ProbeFailed)
    await expect(probe.readBalance(channel(terms))).rejects.toBeInstanceOf(ProbeFailed)
  },
)

test('given an upstream that refuses, when models are fetched, then the status is told', async () => {
  upstream.behave(answer('nope', 403))
  await expect(probe.fetchModels(channel())).rejects.toThrow('status code: 403')
  upstream.behave(answer('{"x":1}'))
  await expect(probe.fetchModels(channel())).rejects.toThrow('解析响应失败')
})

test('given a test under way, when it is given up, then it ends at once', async () => {
  upstream.behave(() => undefined)
  const giving = new AbortController()
  const tested = probe.test(channel(), 'm', giving.signal)
  await eventually(() => last()?.text.includes('"hi"') === true)
  giving.abort()
  expect(await tested).toMatchObject({ succeeded: false, banWorthy: false })
})

test('given somebody limited to the internet, when a channel leads inside, then upstream is not asked', async () => {
  upstream.behave(answer({ data: [{ id: 'm' }] }))
  const inside: ProbedChannel = { ...channel(), reach: 'public' }
  const before = upstream.asked.length
  expect(await probe.test(inside, 'gpt-4o-mini')).toMatchObject({
    succeeded: false,
    upstreamStatus: null,
    banWorthy: false,
  })
  await expect(probe.fetchModels(inside)).rejects.toThrow('内网')
  await expect(probe.readBalance(inside)).rejects.toThrow('内网')
  expect(upstream.asked).toHaveLength(before)
  expect(await probe.fetchModels(channel())).toEqual(['m'])
})

test('given Vertex AI, when models are listed, then they are those of its publishers, page by page', async () => {
  const google = googleUnderTest()
  const listed: Record<string, object> = {
    '/v1beta1/publishers/google/models?pageSize=100': {
      publisherModels: [{ name: 'publishers/google/models/gemini-2.5-pro' }, { name: 7 }],
      nextPageToken: 'a/b',
    },
    '/v1beta1/publishers/google/models?pageSize=100&pageToken=a%2Fb': {
      publisherModels: [{ name: 'publishers/google/models/text-embedding-005' }],
    },
    '/v1beta1/publishers/anthropic/models?pageSize=100': {
      publisherModels: [{ name: 'publishers/anthropic/models/claude-opus-4-6' }],
    },
  }
  upstream.behave((response, asked) => {
    if (google.answersToken(response, asked)) return
    answer(listed[asked.path] ?? {}, asked.path in listed ? 200 : 404)(response)
  })
  const vertex = channel({ type: 41, other: 'global' }, google.key(upstream.url))
  expect(await probe.fetchModels(vertex)).toEqual([
    'gemini-2.5-pro',
    'text-embedding-005',
    'claude-opus-4-6',
  ])
  expect(last()?.headers['authorization']).toBe('Bearer ya29.token-1')
  const nowhere = channel({ type: 41, other: '' }, google.key(upstream.url))
  await expect(probe.fetchModels(nowhere)).rejects.toThrow(ProbeFailed)
})
