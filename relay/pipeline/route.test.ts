import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'

const { relay, upstream } = await openRelayFixture()
beforeEach(() => {
  relay.directory.set({ RetryTimes: '3' })
  relay.directory.channels.clear()
  relay.directory.halfOpen.clear()
})

const MODEL = 'gpt-4o-mini'
const CHAT_ONLY = 27
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
const EMBED = { model: MODEL, input: ['hello'] }

const disabled = (): void => {
  const channel = relay.directory.channels.get(1)
  if (channel !== undefined) relay.directory.channels.set(1, { ...channel, isEnabled: false })
}

const unservable: ReadonlyArray<readonly [string, string, object, () => void]> = [
  [
    'disabled',
    '/v1/chat/completions',
    HELLO,
    () => {
      relay.directory.add(1, { baseUrl: upstream.url })
      disabled()
    },
  ],
  [
    'of another group',
    '/v1/chat/completions',
    HELLO,
    () => relay.directory.add(1, { baseUrl: upstream.url, groups: ['vip'] }),
  ],
  [
    'of a type that does not serve the operation',
    '/v1/embeddings',
    EMBED,
    () => relay.directory.add(1, { baseUrl: upstream.url, type: CHAT_ONLY }),
  ],
  [
    'of a type whose protocol is not built',
    '/v1/chat/completions',
    HELLO,
    () => relay.directory.add(1, { baseUrl: upstream.url, type: 15 }),
  ],
  [
    'half-open and of a type that does not serve the operation',
    '/v1/embeddings',
    EMBED,
    () => relay.directory.addHalfOpen(1, { baseUrl: upstream.url, type: CHAT_ONLY }),
  ],
]

test.each(unservable)(
  'given a model whose only channel is %s, when asked for, then 503 says to come back',
  async (_why, path, body, prepare) => {
    prepare()
    const response = await relay.post(path, body)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({
      error: {
        type: 'new_api_error',
        code: 'no_available_channel',
        message: expect.stringMatching(
          /^当前分组 default 下对于模型 gpt-4o-mini 无可用渠道 \(request id: /,
        ),
      },
    })
    expect(upstream.asked).toHaveLength(0)
    expect(relay.holds).toMatchObject({ reserved: 0, available: 1_000_000 })
  },
)

test('given a model that no channel of any group lists, when asked for, then 404, which nobody repeats', async () => {
  relay.directory.add(1, { baseUrl: upstream.url })
  const response = await relay.post('/v1/chat/completions', { ...HELLO, model: 'gpt-4o' })
  expect(response.status).toBe(404)
  expect(response.headers.get('retry-after')).toBeNull()
  expect(await response.json()).toMatchObject({ error: { code: 'model_not_found' } })
})

test('given a chat channel and one for all, when embeddings are asked for, then only the second is used', async () => {
  relay.directory.add(1, { baseUrl: `${upstream.url}/chat-only`, type: CHAT_ONLY, priority: 9 })
  relay.directory.add(2, { baseUrl: upstream.url })
  upstream.behave((response) => {
    const body = { data: [{ embedding: [1] }], usage: { prompt_tokens: 2, total_tokens: 2 } }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  for (let count = 0; count < 5; count++) {
    expect((await relay.post('/v1/embeddings', EMBED)).status).toBe(200)
  }
  expect(upstream.asked.map(({ path }) => path)).toEqual(
    Array.from({ length: 5 }, () => '/v1/embeddings'),
  )
  expect(
    relay.holds.settled.map(({ request }) => request.attempts.map(({ channel }) => channel)),
  ).toEqual(Array.from({ length: 5 }, () => [2]))
  // A retry goes to no other either.
  upstream.behave((response) => void response.writeHead(500).end('{}'))
  expect((await relay.post('/v1/embeddings', EMBED)).status).toBe(500)
  expect(relay.reports.map(({ channel }) => channel)).toEqual([2, 2, 2, 2])
})
