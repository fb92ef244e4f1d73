import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SessionAnswer } from './deps.ts'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startRelay,
  startUpstream,
  USER,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER)
  })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  relay.session = { status: 'anonymous' }
  relay.directory.add(1, { baseUrl: upstream.url })
  relay.holds.settled.length = 0
  upstream.asked.length = 0
})

const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'
const PLAYER: SessionAnswer = { status: 'signed-in', user: USER }

const play = (body: object): Promise<Response> =>
  relay.post('/pg/chat/completions', body, { authorization: '' })

interface ErrorBody {
  readonly message: string
  readonly type: string
  readonly param: string
  readonly code: string
}

const errorOf = async (response: Response): Promise<ErrorBody> =>
  ((await response.json()) as { error: ErrorBody }).error

test.each<[string, object, SessionAnswer, number, Partial<ErrorBody>]>([
  [
    'an access token',
    HELLO,
    { status: 'access-token' },
    400,
    { code: 'access_token_not_supported', message: '暂不支持使用 access token' },
  ],
  [
    'no model',
    { messages: HELLO.messages },
    PLAYER,
    400,
    { code: 'model_required', message: '请选择模型', param: 'model' },
  ],
  [
    'a group that is not for this user',
    { ...HELLO, group: 'vvip' },
    PLAYER,
    403,
    { code: 'group_not_allowed', message: '无权访问该分组' },
  ],
  [
    'a model without a channel',
    { ...HELLO, model: 'gpt-none' },
    PLAYER,
    500,
    {
      code: 'get_playground_channel_failed',
      message: '当前分组 default 下对于模型 gpt-none 无可用渠道',
    },
  ],
])(
  'given %s, when it chats, then the error is the contract’s',
  async (_, body, session, status, expected) => {
    relay.session = session
    const response = await play(body)
    expect(response.status).toBe(status)
    const error = await errorOf(response)
    expect(error.message).toMatch(/ \(request id: .+\)$/)
    expect({ ...error, message: error.message.replace(/ \(request id: .+\)$/, '') }).toEqual({
      type: 'new_api_error',
      param: '',
      ...expected,
    })
    expect(relay.holds.settled).toEqual([])
  },
)
test('given a limit of 0 tokens, as the playground begins with, when it chats, then upstream sees none', async () => {
  relay.session = PLAYER
  relay.directory.add(2, { models: ['o3-mini'], baseUrl: upstream.url })
  for (const model of ['gpt-4o-mini', 'o3-mini']) {
    expect((await play({ ...HELLO, model, max_tokens: 0 })).status).toBe(200)
  }
  const seen = upstream.asked.map(({ text }) => Object.keys(JSON.parse(text) as object))
  expect(seen).toEqual([
    ['model', 'messages'],
    ['model', 'messages'],
  ])
})

test('given messages as a console keeps them, when it chats, then upstream gets only OpenAI’s members', async () => {
  relay.session = PLAYER
  const messages = [
    { id: '1', role: 'user', content: 'hello', createAt: 1 },
    { role: 'assistant', content: 'Hi', status: 'complete', reasoningContent: 'hm', id: '2' },
    { role: 'user', content: [{ type: 'text', text: 'and?' }], id: '3' },
  ]
  expect((await play({ ...HELLO, messages, group: 'default' })).status).toBe(200)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual({
    model: HELLO.model,
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
    ],
  })
})

test('given the same messages of a token, when sent, then they go upstream as they came', async () => {
  const messages = [{ id: '1', role: 'user', content: 'hello' }]
  expect((await relay.post('/v1/chat/completions', { ...HELLO, messages })).status).toBe(200)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual({ ...HELLO, messages })
})
