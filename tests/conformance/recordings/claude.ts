import { type Recording, stream, whole } from './recording.ts'

const ANTHROPIC = 14
const protocol = 'claude' as const

const USAGE = {
  input_tokens: 12,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 4,
  cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0 },
  output_tokens: 5,
  service_tier: 'standard',
}
const message = (content: readonly object[], more: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'served-model',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: USAGE,
  ...more,
})
const THOUGHT = { type: 'thinking', thinking: 'Think', signature: 'EqoB' }
const CALLS = [
  { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } },
  { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Oslo' } },
]
const CITED = {
  type: 'text',
  text: 'Hello',
  citations: [
    {
      type: 'char_location',
      cited_text: 'Hello',
      document_index: 0,
      document_title: 'A',
      start_char_index: 0,
      end_char_index: 5,
    },
  ],
}

/** An event stream in which each event's name stands before it, as Anthropic writes one. */
const events = (values: ReadonlyArray<{ readonly type: string }>): string =>
  values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join('')

const START = {
  type: 'message_start',
  message: message([], { stop_reason: null, usage: { ...USAGE, output_tokens: 1 } }),
}
const open = (index: number, block: object): { type: string } =>
  ({ type: 'content_block_start', index, content_block: block }) as { type: string }
const delta = (index: number, part: object): { type: string } =>
  ({ type: 'content_block_delta', index, delta: part }) as { type: string }
const close = (index: number): { type: string } =>
  ({ type: 'content_block_stop', index }) as { type: string }
const end = (reason: string): ReadonlyArray<{ type: string }> => [
  {
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { ...USAGE },
  } as { type: string },
  { type: 'message_stop' },
]
const text = (index: number): ReadonlyArray<{ type: string }> => [
  open(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text: 'Hel' }),
  delta(index, { type: 'text_delta', text: 'lo' }),
  close(index),
]
const call = (
  index: number,
  id: string,
  pieces: readonly string[],
): readonly { type: string }[] => [
  open(index, { type: 'tool_use', id, name: 'weather', input: {} }),
  ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })),
  close(index),
]
const error = (type: string, said: string): object => ({
  type: 'error',
  error: { type, message: said },
  request_id: 'req_1',
})

/** Answers of Anthropic's messages. */
export const CLAUDE_RECORDINGS: readonly Recording[] = [
  whole('claude-whole', ANTHROPIC, message([THOUGHT, { type: 'text', text: 'Hello' }]), {
    protocol,
    headers: { 'request-id': 'req_upstream' },
  }),
  whole('claude-citations', ANTHROPIC, message([CITED]), { protocol }),
  whole(
    'claude-redacted',
    ANTHROPIC,
    message([
      { type: 'redacted_thinking', data: 'Emw' },
      { type: 'text', text: 'Hello' },
    ]),
    { protocol },
  ),
  whole(
    'claude-stop-sequence',
    ANTHROPIC,
    message([{ type: 'text', text: 'Hello' }], {
      stop_reason: 'stop_sequence',
      stop_sequence: '.',
    }),
    { protocol },
  ),
  whole('claude-calls', ANTHROPIC, message(CALLS, { stop_reason: 'tool_use' }), {
    protocol,
    kinds: ['tools'],
  }),
  stream(
    'claude-stream',
    ANTHROPIC,
    events([START, { type: 'ping' }, ...text(0), ...end('end_turn')]),
    {
      protocol,
      kinds: ['stream'],
    },
  ),
  stream(
    'claude-thoughts-stream',
    ANTHROPIC,
    events([
      START,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Think' }),
      delta(0, { type: 'signature_delta', signature: 'EqoB' }),
      close(0),
      ...text(1),
      ...end('end_turn'),
    ]),
    { protocol, kinds: ['stream'] },
  ),
  stream(
    'claude-calls-stream',
    ANTHROPIC,
    events([
      START,
      ...call(0, 'toolu_1', ['', '{"city":', '"Bern"}']),
      ...call(1, 'toolu_2', ['{"city":"Oslo"}']),
      ...end('tool_use'),
    ]),
    { protocol, kinds: ['tools-stream'] },
  ),
  stream(
    'claude-error-midway',
    ANTHROPIC,
    events([START, ...text(0).slice(0, 2)]) +
      `event: error\ndata: ${JSON.stringify(error('overloaded_error', 'Overloaded'))}\n\n`,
    { protocol, kinds: ['stream'] },
  ),
  ...(
    [
      [400, 'invalid_request_error', 'max_tokens: Field required', {}],
      [404, 'not_found_error', 'model: served-model', {}],
      [
        429,
        'rate_limit_error',
        'Number of requests has exceeded your rate limit',
        { 'retry-after': '7' },
      ],
      [529, 'overloaded_error', 'Overloaded', { 'x-should-retry': 'true' }],
    ] as const
  ).map(([status, type, said, headers]) =>
    whole(`claude-${status}`, ANTHROPIC, error(type, said), {
      status,
      protocol,
      headers,
      kinds: ['chat', 'stream'],
    }),
  ),
]
