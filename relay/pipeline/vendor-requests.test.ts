import type { ServerResponse } from 'node:http'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { type Asked, KEY } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Requests as each vendor receives them, and its answers as they are read, through a relay to a stand-in. */
const { relay, upstream } = await openRelayFixture()

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'
const STREAM =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}\n\ndata: [DONE]\n\n'

const json =
  (text: string, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }
const bodyOf = (asked: Asked | undefined): Record<string, unknown> =>
  JSON.parse(asked?.text ?? '{}') as Record<string, unknown>
const streamed = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM)
}

test.each([
  [17, true],
  [25, true],
  [43, true],
  [8, true],
  [27, false],
  [42, false],
])(
  'given a stream to type %i, when it is sent, then usage is asked for: %s',
  async (type, asks) => {
    relay.directory.add(1, { type, baseUrl: upstream.url })
    upstream.behave(streamed)
    await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
    await (await relay.post(CHAT, { ...HELLO, stream: true, stream_options: {} })).text()
    const expected = asks ? { include_usage: true } : undefined
    expect(upstream.asked.map((asked) => bodyOf(asked)['stream_options'])).toEqual([
      expected,
      expected,
    ])
  },
)

test('given no stream, when stream_options came along, then they are not sent', async () => {
  upstream.behave(json(ANSWER))
  await relay.post(CHAT, { ...HELLO, stream: false, stream_options: { include_usage: true } })
  expect(bodyOf(upstream.asked[0])).not.toHaveProperty('stream_options')
})

test('given a channel that refuses stream_options, when streamed twice, then it is asked three times', async () => {
  upstream.behave((response, asked) => {
    if (!('stream_options' in bodyOf(asked))) return streamed(response)
    const error = { message: 'Unknown parameter: stream_options', type: 'invalid_request_error' }
    return json(JSON.stringify({ error }), 400)(response)
  })
  for (let times = 0; times < 2; times += 1) {
    const response = await relay.post(CHAT, { ...HELLO, stream: true })
    expect(await response.text()).toContain('"content":"Hi"')
  }
  expect(upstream.asked.map((asked) => 'stream_options' in bodyOf(asked))).toEqual([
    true,
    false,
    false,
  ])
  expect(relay.reports).toEqual([])
  relay.directory.add(1, { baseUrl: upstream.url })
  await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
  expect(upstream.asked).toHaveLength(5)
})

test('given an error for another reason, when streamed, then it is not asked again', async () => {
  upstream.behave(json('{"error":{"message":"no"}}', 400))
  await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
  expect(upstream.asked).toHaveLength(1)
})

test('given a Mistral channel, when OpenAI members are sent, then they are mapped or left out', async () => {
  relay.directory.add(1, { type: 42, baseUrl: upstream.url })
  upstream.behave(json(ANSWER))
  const body = {
    model: 'gpt-4o-mini',
    messages: [
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: 'a "developer"', name: 'ada' },
      { role: 'assistant', content: null, refusal: null, reasoning_content: 'x', tool_calls: [] },
      { role: 'developer', content: 'still' },
    ],
    seed: 7,
    max_completion_tokens: 9,
    user: 'u',
    store: true,
    logit_bias: {},
    verbosity: 'low',
    temperature: 0.5,
  }
  expect((await relay.post(CHAT, body)).status).toBe(200)
  expect(bodyOf(upstream.asked[0])).toEqual({
    model: 'gpt-4o-mini',
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'a "developer"' },
      { role: 'assistant', content: '', tool_calls: [] },
      { role: 'system', content: 'still' },
    ],
    random_seed: 7,
    max_tokens: 9,
    temperature: 0.5,
  })
})

test('given calls of another provider, when Mistral is the channel, then their ids are as it takes them', async () => {
  relay.directory.add(1, { type: 42, baseUrl: upstream.url })
  upstream.behave(json(ANSWER))
  const called = (id: string): object => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: '{"at":1.50}' },
  })
  const ids = ['call_1', 'toolu_01A09q90qw90lq917835lq9', 'Abc123xyZ']
  const messages = [
    { role: 'user', content: 'look' },
    { role: 'assistant', content: '', tool_calls: ids.map(called) },
    ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'seen' })),
  ]
  await relay.post(CHAT, { model: 'gpt-4o-mini', messages })
  const [, { tool_calls: calls = [] } = {}, ...results] = bodyOf(upstream.asked[0])['messages'] as {
    readonly tool_calls?: readonly { readonly id: string }[]
    readonly tool_call_id?: string
  }[]
  const sent = calls.map(({ id }) => id)
  expect(results.map(({ tool_call_id: id }) => id)).toEqual(sent)
  expect(sent).toEqual([
    expect.stringMatching(/^[a-z0-9]{9}$/),
    expect.stringMatching(/^[a-z0-9]{9}$/),
    'Abc123xyZ',
  ])
  expect(new Set(sent).size).toBe(3)
  expect(calls).toEqual(sent.map(called))
})

const INFILL = '/v1/fim/completions'
const GAP = {
  model: 'gpt-4o-mini',
  prompt: 'def add(a, b):',
  suffix: '    return c',
  max_tokens: 9,
}

test('given a text to fill in, when Mistral is the channel, then it gets its members at its address', async () => {
  relay.directory.add(1, { type: 42, baseUrl: upstream.url })
  upstream.behave(json(ANSWER))
  const response = await relay.post(INFILL, { ...GAP, seed: 7, user: 'u', min_tokens: 2 })
  expect(await response.text()).toBe(ANSWER)
  expect(upstream.asked[0]?.path).toBe(INFILL)
  expect(bodyOf(upstream.asked[0])).toEqual({ ...GAP, random_seed: 7, min_tokens: 2 })
  upstream.behave(streamed)
  const stream = await relay.post(INFILL, { ...GAP, stream: true })
  expect(await stream.text()).toMatch(/"content":"Hi".*\n\ndata: \[DONE\]\n\n$/s)
  expect(bodyOf(upstream.asked[1])).toEqual({ ...GAP, stream: true })
  expect(relay.holds.settled).toMatchObject(
    [false, true].map((isStream) => ({
      request: {
        endpoint: INFILL,
        stream: isStream,
        usage: { textIn: 10, textOut: 5 },
        estimated: false,
      },
    })),
  )
  expect(relay.holds.reserved).toBe(0)
})

test('given a prompt with a suffix, when upstream reports no usage, then both are counted', async () => {
  relay.directory.add(1, { type: 42, baseUrl: upstream.url })
  upstream.behave(json('{"choices":[{"message":{"content":"Hi"}}]}'))
  const { suffix: _suffix, ...prompt } = GAP
  for (const body of [prompt, GAP]) await relay.post(INFILL, body)
  const [alone = 0, both = 0] = relay.holds.settled.map(({ request }) => request.usage.textIn)
  expect(alone).toBeGreaterThan(0)
  expect(both).toBeGreaterThan(alone)
})

test('given a text to fill in, when only other providers serve the model, then none is asked', async () => {
  const response = await relay.post(INFILL, GAP)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { code: 'no_available_channel' } })
  expect(upstream.asked).toEqual([])
})

test('given a text to fill in without a prompt, when asked, then the member is named', async () => {
  relay.directory.add(1, { type: 42, baseUrl: upstream.url })
  const response = await relay.post(INFILL, { model: 'gpt-4o-mini', suffix: 'x' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'prompt' } })
})

test('given Mistral embeddings, when dimensions are asked for, then they have its name', async () => {
  relay.directory.add(1, { type: 42, baseUrl: upstream.url })
  upstream.behave(json('{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":1}}'))
  const body = { model: 'gpt-4o-mini', input: 'a', dimensions: 4, user: 'u' }
  await relay.post('/v1/embeddings', body)
  expect(bodyOf(upstream.asked[0])).toEqual({
    model: 'gpt-4o-mini',
    input: 'a',
    output_dimension: 4,
  })
})

test.each([
  [1, 'developer'],
  [20, 'developer'],
  [43, 'system'],
  [25, 'system'],
])(
  'given a developer message to type %i, when it is sent, then its role is %s',
  async (type, role) => {
    relay.directory.add(1, { type, baseUrl: upstream.url })
    upstream.behave(json(ANSWER))
    const messages = [...HELLO.messages, { role: 'developer', content: 'x' }]
    await relay.post(CHAT, { ...HELLO, messages })
    expect(bodyOf(upstream.asked[0])['messages']).toEqual([
      ...HELLO.messages,
      { role, content: 'x' },
    ])
  },
)

test('given an empty list of tools, when it is sent, then it and what goes with it are left out', async () => {
  upstream.behave(json(ANSWER))
  await relay.post(CHAT, { ...HELLO, tools: [], tool_choice: 'auto', parallel_tool_calls: true })
  const tools = [{ type: 'function', function: { name: 'f' } }]
  await relay.post(CHAT, { ...HELLO, tools, tool_choice: 'auto' })
  expect(upstream.asked.map(bodyOf)).toEqual([HELLO, { ...HELLO, tools, tool_choice: 'auto' }])
})

test('given an Azure channel, when the client names a version, then it goes there, and dots stay', async () => {
  relay.directory.add(1, {
    type: 3,
    baseUrl: upstream.url,
    modelMapping: '{"gpt-4o-mini":"gpt-4.1"}',
  })
  upstream.behave(json(ANSWER))
  await relay.post(`${CHAT}?api-version=2025-04-01-preview`, HELLO)
  await relay.post(`${CHAT}?api-version=a%26b`, HELLO)
  expect(upstream.asked.map(({ path }) => path)).toEqual([
    '/openai/deployments/gpt-4.1/chat/completions?api-version=2025-04-01-preview',
    '/openai/deployments/gpt-4.1/chat/completions?api-version=2024-12-01-preview',
  ])
})

test('given JSON as Python writes it, when answered, then its bytes pass and usage is charged', async () => {
  const answer = ANSWER.replace('{', '{"score":NaN,"low":-Infinity,"text":"NaN \\" Infinity",')
  upstream.behave(json(answer))
  expect(await (await relay.post(CHAT, HELLO)).text()).toBe(answer)
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(STREAM.replace('"index":0', '"index":0,"logprob":-Infinity'))
  })
  const text = await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
  expect(text).toContain('"logprob":-Infinity')
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: false } },
    { request: { estimated: false } },
  ])
})

test.each([400, 200])(
  'given a list of errors with %i, when answered, then the first is told',
  async (status) => {
    upstream.behave(
      json('[{"error":{"message":"quite wrong","code":400,"status":"INVALID"}}]', status),
    )
    const response = await relay.post(CHAT, HELLO)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('quite wrong')
  },
)

test.each([
  ['a byte order mark', undefined, (body: string) => Buffer.from(`\uFEFF${body}`)],
  ['deflate', 'deflate', (body: string) => deflateSync(body)],
  ['zstd', 'zstd', (body: string) => zstdCompressSync(body)],
  ['x-gzip', 'x-gzip', (body: string) => gzipSync(body)],
])('given a body with %s, when it is sent, then it is read', async (_what, encoding, encode) => {
  upstream.behave(json(ANSWER))
  const response = await fetch(relay.url + CHAT, {
    method: 'POST',
    headers: {
      authorization: `Bearer sk-${KEY}`,
      'content-type': 'application/json',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
    body: encode(JSON.stringify(HELLO)),
  })
  expect(response.status).toBe(200)
  expect(bodyOf(upstream.asked[0])).toEqual(HELLO)
})
