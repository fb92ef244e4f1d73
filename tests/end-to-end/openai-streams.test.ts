import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'

/** Tests of the official `openai` package on answers as upstreams write them, through the relay. */
let relay: RelayUnderTest
let upstream: FakeUpstream
let openai: OpenAI

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  openai = new OpenAI({ apiKey: `sk-${KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => startAfresh(relay, upstream))

const MESSAGES = [{ role: 'user' as const, content: 'hello' }]
const ASKED = { model: 'gpt-4o-mini', messages: MESSAGES }
const USAGE = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }

const chunk = (delta: object, more: object = {}, finish: string | null = null): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })

/** Upstream answers every question with these events. */
const streams = (text: string): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  })

test.each(['\n', '\r\n', '\r'])(
  'given named events whose lines end in %j, when streamed, then the SDK reads tool calls and usage',
  async (end) => {
    const call = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }
    const data = [
      chunk({ role: 'assistant', content: '' }, { usage: { ...USAGE, completion_tokens: 0 } }),
      chunk({ tool_calls: [call] }, { usage: USAGE }),
      chunk({}, {}, 'tool_calls'),
      JSON.stringify({
        id: 'c',
        choices: [],
        usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 4 } },
      }),
      '[DONE]',
    ]
    streams(
      data.map((one, at) => `event: message${end}id: ${at}${end}data: ${one}${end}${end}`).join(''),
    )
    const stream = openai.chat.completions.stream({
      ...ASKED,
      stream_options: { include_usage: true },
    })
    const answer = await stream.finalChatCompletion()
    expect(answer.choices[0]?.message).toMatchObject({
      role: 'assistant',
      tool_calls: [{ id: 't', function: { name: 'f', arguments: '{}' } }],
    })
    expect(answer.usage).toMatchObject({ ...USAGE, prompt_tokens_details: { cached_tokens: 4 } })
    expect(relay.holds.settled).toMatchObject([{ request: { estimated: false } }])
  },
)

test('given a completion stream, when usage is asked for, then its chunk is a text completion', async () => {
  streams(
    'data: {"id":"c","choices":[{"index":0,"text":"Hi","finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  )
  const chunks = await Array.fromAsync(
    await openai.completions.create({
      model: 'gpt-4o-mini',
      prompt: 'hello',
      stream: true,
      stream_options: { include_usage: true },
    }),
  )
  expect(chunks.at(-1)).toMatchObject({
    object: 'text_completion',
    usage: { completion_tokens: 1 },
  })
})
