import { chunk, events, type Recording, stream, toolCall, whole } from './recording.ts'

const OPENAI = 1
const DEEPSEEK = 43
const protocol = 'responses' as const
const CREATED = 1_790_000_000

type Item = Readonly<Record<string, unknown>>

const USAGE = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 17,
}
const response = (output: readonly Item[], more: object = {}): Item => ({
  id: 'resp_1',
  object: 'response',
  created_at: CREATED,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'served-model',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  store: false,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  usage: USAGE,
  ...more,
})
const said = (text: string, annotations: readonly object[] = []): Item => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})
const message = (content: readonly Item[]): Item => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content,
})
const HELLO = message([said('Hello')])
const REFUSED = message([{ type: 'refusal', refusal: 'I cannot say Hello' }])
const THOUGHT = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Think' }],
  encrypted_content: 'gAAAAA',
}
const call = (place: number, city: string): Item => ({
  id: `fc_${place}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_${place}`,
  name: 'weather',
  arguments: JSON.stringify({ city }),
})
const CALLS = [call(1, 'Bern'), call(2, 'Oslo')]
const SEARCH = {
  id: 'ws_1',
  type: 'web_search_call',
  status: 'completed',
  action: { type: 'search', query: 'weather', sources: [] },
}
const CITED = said('Hello', [
  {
    type: 'url_citation',
    start_index: 0,
    end_index: 5,
    url: 'https://example.com/weather',
    title: 'Weather',
  },
])

/** An item as it is before anything of it has come. */
function begun(item: Item): Item {
  const { type, encrypted_content: _, ...rest } = item
  if (type === 'message') return { ...rest, type, status: 'in_progress', content: [] }
  if (type === 'function_call') return { ...rest, type, status: 'in_progress', arguments: '' }
  return type === 'reasoning' ? { ...rest, type, summary: [] } : { ...rest, type }
}

/** Two pieces of a text. */
const halves = (text: string): readonly string[] => [text.slice(0, 3), text.slice(3)]

/** The events of an item without their numbers. */
function eventsOf(item: Item, index: number): readonly Item[] {
  const place = { item_id: item['id'], output_index: index }
  return [
    { type: 'response.output_item.added', output_index: index, item: begun(item) },
    ...pieces(item).map((piece) => ({ ...piece, ...place })),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

function pieces(item: Item): readonly Item[] {
  const { type, name, arguments: made } = item
  if (type === 'function_call') {
    const kind = 'response.function_call_arguments'
    const parts = halves(String(made)).map((delta) => ({ type: `${kind}.delta`, delta }))
    return [...parts, { type: `${kind}.done`, name, arguments: made }]
  }
  const [key, at] =
    type === 'reasoning' ? ['summary', 'summary_index'] : ['content', 'content_index']
  const list = (item[key] ?? []) as readonly Item[]
  return list.flatMap((part, place) => piecesOf(part).map((one) => ({ ...one, [at]: place })))
}

function piecesOf(part: Item): readonly Item[] {
  const member = part['type'] === 'refusal' ? 'refusal' : 'text'
  const text = String(part[member])
  const [kind, prefix] = {
    output_text: ['output_text', 'content_part'],
    refusal: ['refusal', 'content_part'],
    summary_text: ['reasoning_summary_text', 'reasoning_summary_part'],
  }[String(part['type'])] as [string, string]
  const logprobs = kind === 'output_text' ? { logprobs: [] } : {}
  const empty = { ...part, [member]: '', ...('annotations' in part && { annotations: [] }) }
  const cited = (part['annotations'] ?? []) as readonly Item[]
  return [
    { type: `response.${prefix}.added`, part: empty },
    ...halves(text).map((delta) => ({ type: `response.${kind}.delta`, delta, ...logprobs })),
    ...cited.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      annotation_index,
      annotation,
    })),
    { type: `response.${kind}.done`, [member]: text, ...logprobs },
    { type: `response.${prefix}.done`, part },
  ]
}

/** An event stream with names and numbers, as OpenAI writes one. */
const numbered = (values: readonly Item[]): string =>
  values
    .map((value, sequence_number) => ({ ...value, sequence_number }))
    .map((value: Item) => `event: ${String(value['type'])}\ndata: ${JSON.stringify(value)}\n\n`)
    .join('')

const opening = (): readonly Item[] => {
  const begins = response([], { status: 'in_progress', usage: null })
  return [
    { type: 'response.created', response: begins },
    { type: 'response.in_progress', response: begins },
  ]
}

function streamed(output: readonly Item[], more: object = {}): string {
  const ended = response(output, more)
  return numbered([
    ...opening(),
    ...output.flatMap(eventsOf),
    { type: `response.${String(ended['status'])}`, response: ended },
  ])
}

const INCOMPLETE = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
const FAILED = {
  status: 'failed',
  error: { code: 'server_error', message: 'The server had an error' },
  usage: null,
}
const error = (type: string, text: string, code: string | null = null): object => ({
  error: { message: text, type, param: null, code },
})

/** Answers of OpenAI itself. */
const NATIVE: readonly Recording[] = [
  whole('responses-whole', OPENAI, response([THOUGHT, HELLO]), {
    protocol,
    headers: { 'x-request-id': 'req_upstream' },
  }),
  whole('responses-refusal', OPENAI, response([REFUSED]), { protocol }),
  whole('responses-incomplete', OPENAI, response([HELLO], INCOMPLETE), { protocol }),
  whole('responses-search', OPENAI, response([SEARCH, message([CITED])]), { protocol }),
  whole('responses-calls', OPENAI, response([THOUGHT, ...CALLS]), { protocol, kinds: ['tools'] }),
  stream('responses-stream', OPENAI, streamed([THOUGHT, HELLO]), { protocol, kinds: ['stream'] }),
  stream('responses-refusal-stream', OPENAI, streamed([REFUSED]), { protocol, kinds: ['stream'] }),
  stream('responses-incomplete-stream', OPENAI, streamed([HELLO], INCOMPLETE), {
    protocol,
    kinds: ['stream'],
  }),
  stream('responses-search-stream', OPENAI, streamed([SEARCH, message([CITED])]), {
    protocol,
    kinds: ['stream'],
  }),
  stream('responses-calls-stream', OPENAI, streamed([THOUGHT, ...CALLS]), {
    protocol,
    kinds: ['tools-stream'],
  }),
  stream('responses-failed-stream', OPENAI, streamed([HELLO], FAILED), {
    protocol,
    kinds: ['stream'],
  }),
  ...(
    [
      [400, error('invalid_request_error', 'Unknown parameter', 'unknown_parameter'), {}],
      [404, error('invalid_request_error', 'No such model', 'model_not_found'), {}],
      [429, error('requests', 'Rate limit reached', 'rate_limit_exceeded'), { 'retry-after': '7' }],
      [500, error('server_error', 'The server had an error'), { 'x-should-retry': 'false' }],
    ] as const
  ).map(([status, body, headers]) =>
    whole(`responses-${status}`, OPENAI, body, {
      status,
      protocol,
      headers,
      kinds: ['chat', 'stream'],
    }),
  ),
]

const COUNTS = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
}
const chat = (reply: object, finish: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: CREATED,
  model: 'served-model',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, ...reply }, finish_reason: finish },
  ],
  usage: COUNTS,
})
const CHAT_CALLS = CALLS.map((one, index) =>
  toolCall(String(one['call_id']), String(one['arguments']), index),
)
const ending = (finish: string): readonly object[] => [
  chunk({}, {}, finish),
  { ...chunk({}), choices: [], usage: COUNTS },
]
const callPieces = ({ call_id: id, arguments: made }: Item, index: number): readonly object[] => {
  const [first = '', rest] = halves(String(made))
  const pieces = [toolCall(String(id), first, index), { index, function: { arguments: rest } }]
  return pieces.map((piece) => chunk({ tool_calls: [piece] }))
}
/** DeepSeek tells its thoughts openly. */
const { encrypted_content: _, ...OPEN_THOUGHT } = THOUGHT

/** The same by a provider that has only chats, beside what OpenAI would have said. */
const FROM_CHATS: readonly Recording[] = [
  {
    ...whole('chat-as-response', DEEPSEEK, chat({ content: 'Hello' }, 'stop'), { protocol }),
    direct: JSON.stringify(response([HELLO])),
  },
  {
    ...whole(
      'thought-chat-as-response',
      DEEPSEEK,
      chat({ reasoning_content: 'Think', content: 'Hello' }, 'stop'),
      { protocol },
    ),
    direct: JSON.stringify(response([OPEN_THOUGHT, HELLO])),
  },
  {
    ...whole('cut-chat-as-response', DEEPSEEK, chat({ content: 'Hello' }, 'length'), { protocol }),
    direct: JSON.stringify(response([HELLO], INCOMPLETE)),
  },
  {
    ...whole('chat-calls-as-response', DEEPSEEK, chat({ tool_calls: CHAT_CALLS }, 'tool_calls'), {
      protocol,
      kinds: ['tools'],
    }),
    direct: JSON.stringify(response(CALLS)),
  },
  {
    ...stream(
      'chat-stream-as-response',
      DEEPSEEK,
      events([
        chunk({ role: 'assistant', content: '' }),
        ...halves('Think').map((reasoning_content) => chunk({ reasoning_content })),
        ...halves('Hello').map((content) => chunk({ content })),
        ...ending('stop'),
      ]),
      { protocol, kinds: ['stream'] },
    ),
    direct: streamed([OPEN_THOUGHT, HELLO]),
  },
  ...[CALLS.slice(0, 1), CALLS].map((calls) => ({
    ...stream(
      `chat-${calls.length}-calls-stream-as-response`,
      DEEPSEEK,
      events([...calls.flatMap(callPieces), ...ending('tool_calls')]),
      { protocol, kinds: ['tools-stream'] },
    ),
    direct: streamed(calls),
  })),
  whole('chat-429-as-response', DEEPSEEK, error('requests', 'Rate limit reached', 'rate_limit'), {
    status: 429,
    protocol,
    headers: { 'retry-after': '7' },
    kinds: ['chat', 'stream'],
  }),
]

/** Responses, by OpenAI and by what Tollgate makes of chats. */
export const RESPONSES_RECORDINGS: readonly Recording[] = [...NATIVE, ...FROM_CHATS]
