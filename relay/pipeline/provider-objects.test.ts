import { beforeEach, expect, test } from 'vitest'
import { googleUnderTest } from '@tollgate/tests/support/relay/google-under-test.ts'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Objects of the provider, named by clients of chats: only channels that allow them are sent them. */
const { relay, upstream } = await openRelayFixture()
beforeEach(() => {
  relay.directory.set({ ModelRatio: JSON.stringify({ [CLAUDE]: 1.5, [GEMINI]: 1 }) })
  relay.holds.available = 2 * CACHED_MOST
})

const CLAUDE = 'claude-sonnet-4-5-20250929'
const GEMINI = 'gemini-2.5-flash'
const AWS_KEY = 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1'
const CLAUDE_ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: CLAUDE,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 100, output_tokens: 50 },
}
const GEMINI_ANSWER = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  modelVersion: GEMINI,
}
const GENERATE = `/v1beta/models/${GEMINI}:generateContent`

/** A channel of the type, and an upstream that answers whatever the channel asks. */
function serve(type: number, setting = ''): void {
  const google = googleUnderTest()
  const keys: Readonly<Record<number, string>> = { 33: AWS_KEY, 41: google.key(upstream.url) }
  const terms = { type, models: [CLAUDE, GEMINI], baseUrl: upstream.url, other: '', setting }
  relay.directory.channels.clear()
  const other = type === 41 ? 'us-east5' : ''
  relay.directory.add(1, { ...terms, other }, { key: keys[type] ?? 'upstream-key-1' })
  upstream.behave((response, asked) => {
    if (google.answersToken(response, asked)) return
    const answer = asked.path.includes(GEMINI) ? GEMINI_ANSWER : CLAUDE_ANSWER
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
}
const ALLOWED = '{"allow_provider_objects":true}'

const ofUser = (content: readonly object[]): object => ({
  model: CLAUDE,
  max_tokens: 64,
  messages: [{ role: 'user', content }],
})
const inline = (type: string): object => ({
  type: 'tool_definition',
  definition: { type, name: 'run' },
})
const STORED = { type: 'document', source: { type: 'file', file_id: 'file_1' } }
const QUESTION = { type: 'text', text: 'hello' }

test.each([
  [14, 'file_id', ofUser([STORED])],
  [14, 'file_id', ofUser([{ type: 'image', source: { type: 'file', file_id: 'file_1' } }])],
  [14, 'file_id', ofUser([{ type: 'tool_result', tool_use_id: 't', content: [STORED] }])],
  [14, 'file_id', ofUser([QUESTION, { type: 'container_upload', file_id: 'file_1' }])],
  [14, 'container', { ...ofUser([QUESTION]), container: 'container_1' }],
  [
    14,
    'tools',
    { ...ofUser([QUESTION]), tools: [{ type: 'code_execution_20250825', name: 'run' }] },
  ],
  [
    14,
    'tools',
    { ...ofUser([QUESTION]), tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'm' }] },
  ],
  [14, 'tools', ofUser([{ type: 'tool_addition', tool: inline('code_execution_20250825') }])],
  [14, 'thread', { ...ofUser([QUESTION]), thread: { type: 'create' } }],
  [14, 'fallbacks', { ...ofUser([QUESTION]), fallbacks: [{ model: 'claude-opus-4-6' }] }],
  [33, 'file_id', ofUser([STORED])],
  [33, 'container', { ...ofUser([QUESTION]), container: { id: 'container_1' } }],
  [41, 'file_id', ofUser([STORED])],
  [41, 'container', { ...ofUser([QUESTION]), container: 'container_1' }],
])('given type %s and %s of Anthropic, when asked, then the setting decides', async (...given) => {
  const [type, param, body] = given
  serve(type)
  const refused = await relay.post('/v1/messages', body)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    type: 'error',
    error: { message: expect.stringMatching(new RegExp(`${param}.*allow_provider_objects`)) },
  })
  expect(upstream.asked).toEqual([])
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  serve(type, ALLOWED)
  expect((await relay.post('/v1/messages', body)).status).toBe(200)
  const sent: unknown = JSON.parse(upstream.asked.at(-1)?.text ?? '')
  const { model: _model, ...rest } = { model: '', ...body }
  expect(sent).toMatchObject(rest)
  expect(relay.holds.settled).toHaveLength(1)
})

const ofGoogle = (file_uri: string): object => ({
  contents: [{ parts: [{ file_data: { file_uri } }] }],
})
const ASKED = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }

test.each([
  [24, 'contents', ofGoogle('files/abc')],
  [24, 'contents', ofGoogle('https://generativelanguage.googleapis.com/v1beta/files/abc')],
  [24, 'cachedContent', { ...ASKED, cached_content: 'cachedContents/1' }],
  [24, 'tools', { ...ASKED, tools: [{ googleMaps: {} }] }],
  [24, 'tools', { ...ASKED, tools: [{ file_search: { file_search_store_names: ['s'] } }] }],
  [41, 'contents', ofGoogle('gs://bucket/film.mp4')],
  [41, 'cachedContent', { ...ASKED, cachedContent: 'cachedContents/1' }],
])(
  'given type %s and owned %s of Google, when asked, then the setting decides',
  async (...given) => {
    const [type, field, body] = given
    serve(type)
    const refused = await relay.post(GENERATE, body)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { status: 'INVALID_ARGUMENT', details: [{ metadata: { field } }] },
    })
    expect(upstream.asked).toEqual([])
    expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
    serve(type, ALLOWED)
    expect((await relay.post(GENERATE, body)).status).toBe(200)
    expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject(body)
    expect(relay.holds.settled).toHaveLength(1)
  },
)

test.each([
  ['/v1/messages', ofUser([STORED])],
  ['/v1/messages', { ...ofUser([QUESTION]), container: 'container_1' }],
  [
    GENERATE,
    { contents: [{ parts: [{ file_data: { file_uri: 'files/a', mime_type: 'image/png' } }] }] },
  ],
  [GENERATE, { ...ASKED, cachedContent: 'cachedContents/1' }],
])(
  'given a channel of another provider, when %s names %j, then it is never sent',
  async (...given) => {
    const [path, body] = given
    serve(1, ALLOWED)
    expect((await relay.post(path, body)).status).toBe(400)
    expect(upstream.asked).toEqual([])
  },
)

const OPENAI_ANSWER = {
  id: 'chatcmpl-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
}

test('given a stored file of OpenAI, when a chat names it, then the setting decides', async () => {
  const answered = (setting: string): void => {
    serve(1, setting)
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(OPENAI_ANSWER))
    })
  }
  const chat = (file: object): object => ofUser([QUESTION, { type: 'file', file }])
  const path = '/v1/chat/completions'
  answered('')
  const refused = await relay.post(path, chat({ file_id: 'file-1' }))
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: {
      code: 'unsupported_by_channel',
      param: 'messages',
      message: expect.stringMatching(/file_id .*allow_provider_objects/),
    },
  })
  expect(upstream.asked).toEqual([])
  expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  const sent = chat({ filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' })
  expect((await relay.post(path, sent)).status).toBe(200)
  answered(ALLOWED)
  expect((await relay.post(path, chat({ file_id: 'file-1' }))).status).toBe(200)
  expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject(chat({ file_id: 'file-1' }))
  expect(relay.holds.settled).toHaveLength(2)
})

test.each([
  ['tools', { tools: [{ type: 'web_search', web_search: { enable: true } }] }],
  ['tools', { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }],
  ['enable_search', { enable_search: true }],
  ['models', { models: [CLAUDE, 'other'] }],
  ['plugins', { plugins: [{ id: 'web' }] }],
  ['search_parameters', { search_parameters: { mode: 'auto' } }],
  ['web_search_options', { web_search_options: {} }],
])(
  'given %s that the provider runs, when a chat has %j, then the setting decides',
  async (...row) => {
    const [param, member] = row
    const answered = (setting: string): void => {
      serve(20, setting)
      upstream.behave((response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(OPENAI_ANSWER))
      })
    }
    const chat = { ...ofUser([QUESTION]), ...member }
    answered('')
    const refused = await relay.post('/v1/chat/completions', chat)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: 'unsupported_by_channel', param } })
    expect(upstream.asked).toEqual([])
    answered(ALLOWED)
    expect((await relay.post('/v1/chat/completions', chat)).status).toBe(200)
    expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject(member)
  },
)

test('given tools of the client and members that are off, when a chat has them, then it is sent', async () => {
  serve(20)
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(OPENAI_ANSWER))
  })
  const members = {
    tools: [
      { type: 'function', function: { name: 'look' } },
      { type: 'custom', custom: { name: 'say' } },
    ],
    enable_search: false,
    plugins: [],
    search_parameters: { mode: 'off' },
  }
  const response = await relay.post('/v1/chat/completions', { ...ofUser([QUESTION]), ...members })
  expect(response.status).toBe(200)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toMatchObject(members)
})

const CACHED = { ...ASKED, cachedContent: 'cachedContents/1' }
/** As much as a model reads. */
const CACHED_MOST = 1_048_576

test('given what was cached before, when quota may not pay for it, then it is not sent', async () => {
  serve(24, ALLOWED)
  relay.holds.available = CACHED_MOST
  expect((await relay.post(GENERATE, ASKED)).status).toBe(200)
  expect((await relay.post(GENERATE, CACHED)).status).toBe(403)
  expect(upstream.asked).toHaveLength(1)
  relay.holds.available = 2 * CACHED_MOST
  let reserved = 0
  upstream.behave((response) => {
    ;({ reserved } = relay.holds)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(GEMINI_ANSWER))
  })
  expect((await relay.post(GENERATE, CACHED)).status).toBe(200)
  expect(reserved).toBeGreaterThan(CACHED_MOST)
  expect(relay.holds.reserved).toBe(0)
})

test('given what was cached before, when an answer is long, then that cover does not pay for it', async () => {
  serve(24, ALLOWED)
  relay.directory.set({
    ModelRatio: JSON.stringify({ [GEMINI]: 1 }),
    CompletionRatio: JSON.stringify({ [GEMINI]: 1 }),
  })
  const more = 15_000
  relay.holds.available = CACHED_MOST + more
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let n = 0; n < 40; n += 1) {
      const parts = [{ text: 'word '.repeat(1_000) }]
      const frame = { candidates: [{ content: { role: 'model', parts } }] }
      response.write(`data: ${JSON.stringify(frame)}\n\n`)
    }
    const last = { ...GEMINI_ANSWER, usageMetadata: { promptTokenCount: 7 } }
    response.end(`data: ${JSON.stringify(last)}\n\n`)
  })
  const path = `/v1beta/models/${GEMINI}:streamGenerateContent?alt=sse`
  const text = await textUntilBreak(await relay.post(path, CACHED))
  expect(text).toContain('insufficient_user_quota')
  expect(text.split('word ').length).toBeLessThan(more)
  expect(relay.holds.settled).toMatchObject([{ request: { cutShort: true } }])
})
