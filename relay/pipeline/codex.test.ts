import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'

/** Codex, as it asks for responses, at channels of providers that have none (codex-rs/tools/src/tool_spec.rs). */
const { relay, upstream } = await openRelayFixture()
const MODEL = 'any-model'
const PATCH = '*** Begin Patch\n*** Add File: a "b".txt\n+🌍\n*** End Patch\n'

beforeEach(() => {
  relay.directory.channels.clear()
  relay.directory.set({ ModelRatio: JSON.stringify({ [MODEL]: 1 }) })
})

const parameters = { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] }
const ASKED = {
  model: MODEL,
  instructions: 'You are Codex.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be careful.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add a file' }] },
  ] as readonly object[],
  tools: [
    { type: 'function', name: 'exec_command', description: 'Runs', strict: false, parameters },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' },
    },
    {
      type: 'namespace',
      name: 'mcp__mail',
      description: 'Mail of the user',
      tools: [{ type: 'function', name: 'send', strict: false, parameters }],
    },
    { type: 'web_search', external_web_access: false },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'thread-1',
  text: { verbosity: 'low' },
  client_metadata: { 'x-codex-installation-id': 'i' },
}

/** The calls of both tools, in pieces, as each provider says them. */
const CALLS = { apply_patch: { input: PATCH }, mcp__mail__send: { cmd: 'hi' } }
const sse = (events: readonly object[], isNamed = false): string =>
  events
    .map((event) => {
      const name = isNamed && 'type' in event ? `event: ${String(event.type)}\n` : ''
      return `${name}data: ${JSON.stringify(event)}\n\n`
    })
    .join('')
const halves = (text: string): readonly string[] => [text.slice(0, 20), text.slice(20)]

const chunk = (delta: object, more: object = {}): object => ({
  id: 'x',
  object: 'chat.completion.chunk',
  model: MODEL,
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})
const openAiCalls = (): string =>
  `${sse([
    ...Object.entries(CALLS).flatMap(([name, input], index) =>
      halves(JSON.stringify(input)).map((piece, at) => {
        const first = at === 0 ? { id: `call_${index}`, type: 'function' } : {}
        const made = { ...(at === 0 && { name }), arguments: piece }
        return chunk({ tool_calls: [{ index, ...first, function: made }] })
      }),
    ),
    chunk({}, { finish_reason: 'tool_calls' }),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 90, completion_tokens: 30 } },
  ])}data: [DONE]\n\n`

const claudeCalls = (): string =>
  sse(
    [
      {
        type: 'message_start',
        message: {
          id: 'm',
          model: MODEL,
          content: [],
          usage: { input_tokens: 90, output_tokens: 1 },
        },
      },
      ...Object.entries(CALLS).flatMap(([name, input], index) => [
        {
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id: `call_${index}`, name, input: {} },
        },
        ...halves(JSON.stringify(input)).map((partial_json) => ({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json },
        })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 30 } },
      { type: 'message_stop' },
    ],
    true,
  )

const geminiCalls = (): string =>
  sse([
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: Object.entries(CALLS).map(([name, args], at) => ({
              functionCall: { id: `call_${at}`, name, args },
            })),
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 90, candidatesTokenCount: 30 },
      modelVersion: MODEL,
    },
  ])

const PROVIDERS = [
  [43, openAiCalls],
  [14, claudeCalls],
  [24, geminiCalls],
] as const
const ITEMS = [
  { type: 'custom_tool_call', call_id: 'call_0', name: 'apply_patch', input: PATCH },
  {
    type: 'function_call',
    call_id: 'call_1',
    name: 'send',
    namespace: 'mcp__mail',
    arguments: JSON.stringify(CALLS.mcp__mail__send),
  },
]

interface ResponseEvent {
  readonly type: string
  readonly item?: object
  readonly delta?: string
  readonly response: { readonly output: readonly object[] }
}
const eventsOf = (text: string): readonly ResponseEvent[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']): ResponseEvent => JSON.parse(json))

function streams(body: string): void {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
  })
}

test.each(PROVIDERS)(
  'given Codex at type %i, when the model calls its tools, then Codex knows the calls',
  async (type, calls) => {
    relay.directory.add(1, { type, models: [MODEL], baseUrl: upstream.url })
    streams(calls())
    const response = await relay.post('/v1/responses', ASKED)
    expect(response.status).toBe(200)
    const events = eventsOf(await response.text())
    const ofType = (name: string) => events.filter(({ type: one }) => one === name)
    expect(ofType('response.output_item.done').map(({ item }) => item)).toMatchObject(ITEMS)
    expect(ofType('response.completed')[0]?.response.output).toMatchObject(ITEMS)
    const pieces = ofType('response.custom_tool_call_input.delta').map(({ delta }) => delta)
    expect(pieces.join('')).toBe(PATCH)
    const sent = upstream.asked[0]?.text ?? ''
    for (const said of ['exec_command', 'apply_patch', 'begin_patch hunk+', 'mcp__mail__send']) {
      expect(sent).toContain(said)
    }
    expect(sent).toContain('Mail of the user')
    expect(sent).not.toContain('web_search')
    expect(relay.holds.settled).toMatchObject([{ request: { usage: { textIn: 90, textOut: 30 } } }])
  },
)

test.each(PROVIDERS)(
  'given Codex at type %i, when it sends the results, then the model gets its own calls and them',
  async (type, calls) => {
    relay.directory.add(1, { type, models: [MODEL], baseUrl: upstream.url })
    streams(calls())
    const outputs = [
      { type: 'custom_tool_call_output', call_id: 'call_0', output: 'Done: a "b".txt' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sent' },
    ]
    const asked = { ...ASKED, input: [...ASKED.input, ...ITEMS, ...outputs] }
    expect((await relay.post('/v1/responses', asked)).status).toBe(200)
    const sent: unknown = JSON.parse(upstream.asked[0]?.text ?? '')
    expect(sent).toMatchObject(SENT_BACK[type])
  },
)

const RESULTS = ['Done: a "b".txt', 'sent']
const made = Object.entries(CALLS)
/** The conversation after the question, in the words of each provider. */
const SENT_BACK = {
  43: {
    messages: [
      { role: 'system' },
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: made.map(([name, input]) => ({
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      ...RESULTS.map((content) => ({ role: 'tool', content })),
    ],
  },
  14: {
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: made.map(([name, input]) => ({ type: 'tool_use', name, input })),
      },
      { role: 'user', content: RESULTS.map(() => ({ type: 'tool_result' })) },
    ],
  },
  24: {
    contents: [
      { role: 'user' },
      { role: 'model', parts: made.map(([name, args]) => ({ functionCall: { name, args } })) },
      { role: 'user', parts: made.map(([name]) => ({ functionResponse: { name } })) },
    ],
  },
}

test('given Codex without a stream, when the model calls its tools, then Codex knows the calls', async () => {
  relay.directory.add(1, { type: 43, models: [MODEL], baseUrl: upstream.url })
  const tool_calls = made.map(([name, input], at) => {
    return {
      id: `call_${at}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }
  })
  const message = { role: 'assistant', content: null, tool_calls }
  const answer = {
    id: 'x',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 90, completion_tokens: 30 },
  }
  // A long one is read in a thread.
  for (const padding of ['', 'x'.repeat(40_000)]) {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...answer, padding }))
    })
    const response = await relay.post('/v1/responses', { ...ASKED, stream: false })
    expect(await response.json()).toMatchObject({ output: ITEMS })
  }
})

test('given a long conversation of Codex, when the model calls its tools, then Codex knows the calls', async () => {
  relay.directory.add(1, { type: 14, models: [MODEL], baseUrl: upstream.url })
  streams(claudeCalls())
  const long = { role: 'user', content: 'word '.repeat(60_000) }
  const response = await relay.post('/v1/responses', { ...ASKED, input: [long] })
  const events = eventsOf(await response.text())
  expect(events.at(-1)?.response.output).toMatchObject(ITEMS)
})
