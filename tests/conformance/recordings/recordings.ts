import { chunk, events, type Recording, stream, toolCall, USAGE, whole } from './recording.ts'

const OPENAI = 1
const AZURE = 3
const OLLAMA = 4
const CUSTOM = 8
const DASHSCOPE = 17
const OPENROUTER = 20
const MOONSHOT = 25
const ZHIPU = 26
const PERPLEXITY = 27
const SILICONFLOW = 40
const MISTRAL = 42
const DEEPSEEK = 43
const XAI = 48

const DETAILS = {
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 2,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
  },
}
const message = (content: string | null, more: object = {}): object => ({
  role: 'assistant',
  content,
  ...more,
})
const answer = (reply: object, more: object = {}, finish = 'stop'): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'served-model',
  choices: [{ index: 0, message: reply, finish_reason: finish }],
  usage: USAGE,
  ...more,
})
const CALLS = [
  { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
  { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
]
const ROLE = chunk({ role: 'assistant', content: '' })
const HELLO = [chunk({ content: 'Hel' }), chunk({ content: 'lo' })]
const STOP = chunk({}, {}, 'stop')
const USAGE_CHUNK = { ...chunk({}), choices: [], usage: { ...USAGE, ...DETAILS } }

/** Answers of providers that speak OpenAI's protocol, each with what sets it apart. */
export const RECORDINGS: readonly Recording[] = [
  whole(
    'openai-whole',
    OPENAI,
    {
      ...answer(message('Hello', { refusal: null, annotations: [] })),
      usage: { ...USAGE, ...DETAILS },
      service_tier: 'default',
      system_fingerprint: 'fp_1',
    },
    { headers: { 'x-request-id': 'req_upstream', 'openai-processing-ms': '12' } },
  ),
  whole('openai-calls', OPENAI, answer(message(null, { tool_calls: CALLS }), {}, 'tool_calls'), {
    kinds: ['tools'],
  }),
  whole(
    'openai-two-choices',
    OPENAI,
    answer(message('one'), {
      choices: [
        { index: 0, message: message('one'), logprobs: null, finish_reason: 'stop' },
        { index: 1, message: message('two'), logprobs: null, finish_reason: 'length' },
      ],
    }),
  ),
  stream('openai-stream', OPENAI, [
    chunk({ role: 'assistant', content: '', refusal: null }, { obfuscation: 'aB3' }),
    ...HELLO,
    STOP,
    USAGE_CHUNK,
  ]),
  stream(
    'openai-calls-stream',
    OPENAI,
    [
      chunk({ role: 'assistant', content: null, tool_calls: [toolCall('call_a', '')] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
      chunk({ tool_calls: [toolCall('call_b', '{"city":"Oslo"}', 1)] }),
      chunk({}, {}, 'tool_calls'),
      USAGE_CHUNK,
    ],
    { kinds: ['tools-stream'] },
  ),
  stream('azure-filters', AZURE, [
    {
      ...chunk({}),
      id: '',
      object: '',
      model: '',
      created: 0,
      choices: [],
      prompt_filter_results: [
        {
          prompt_index: 0,
          content_filter_results: { hate: { filtered: false, severity: 'safe' } },
        },
      ],
    },
    ROLE,
    ...HELLO,
    STOP,
  ]),
  stream('mistral-usage-at-end', MISTRAL, [
    ROLE,
    ...HELLO,
    chunk({ content: '' }, { usage: USAGE }, 'stop'),
  ]),
  stream('deepseek-reasoning', DEEPSEEK, [
    chunk({ role: 'assistant', content: null, reasoning_content: '' }),
    chunk({ content: null, reasoning_content: 'Think' }),
    chunk({ content: 'Hello', reasoning_content: null }),
    chunk(
      { content: '', reasoning_content: null },
      { usage: { ...USAGE, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 8 } },
      'stop',
    ),
  ]),
  stream(
    'openrouter-comments',
    OPENROUTER,
    `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${events([
      chunk(
        {
          role: 'assistant',
          content: '',
          reasoning: 'Hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }],
        },
        { provider: 'Some' },
      ),
      ...HELLO,
      chunk(
        { role: 'assistant', content: '' },
        { usage: { ...USAGE, cost: 0.0001, is_byok: false } },
      ),
    ])}`,
  ),
  stream('groq-usage-beside', CUSTOM, [
    chunk({ role: 'assistant', content: '' }, { x_groq: { id: 'req_1' } }),
    ...HELLO,
    chunk({}, { x_groq: { id: 'req_1', usage: { ...USAGE, total_time: 0.2 } } }, 'stop'),
  ]),
  stream('ollama-roles', OLLAMA, [
    chunk({ role: 'assistant', content: 'Hel' }, { system_fingerprint: 'fp_ollama' }),
    chunk({ role: 'assistant', content: 'lo' }, { system_fingerprint: 'fp_ollama' }),
    chunk({ role: 'assistant', content: '' }, { system_fingerprint: 'fp_ollama' }, 'stop'),
  ]),
  stream('vllm-usage-in-each', OPENAI, [
    chunk(
      { role: 'assistant', content: '' },
      { usage: { ...USAGE, completion_tokens: 0, total_tokens: 12 } },
    ),
    chunk({ content: 'Hello' }, { usage: { ...USAGE, completion_tokens: 3, total_tokens: 15 } }),
    chunk({ content: '' }, { usage: USAGE }, 'stop'),
    USAGE_CHUNK,
  ]),
  stream(
    'vllm-call-beside-role',
    OPENAI,
    [
      chunk(
        { role: 'assistant', content: '', tool_calls: [toolCall('call_a', '{"city":"Bern"}')] },
        { usage: USAGE },
      ),
      chunk({}, { usage: USAGE }, 'tool_calls'),
    ],
    { kinds: ['tools-stream'] },
  ),
  stream('xai-cumulative', XAI, [
    chunk({ role: 'assistant', reasoning_content: 'Think' }),
    ...HELLO,
    chunk(
      {},
      { usage: { ...USAGE, num_sources_used: 0 }, citations: ['https://example.com'] },
      'stop',
    ),
  ]),
  stream('perplexity-citations', PERPLEXITY, [
    chunk(
      { role: 'assistant', content: 'Hel' },
      {
        usage: { ...USAGE, completion_tokens: 1, total_tokens: 13 },
        citations: ['https://example.com'],
      },
    ),
    chunk(
      { role: 'assistant', content: 'lo' },
      { usage: USAGE, citations: ['https://example.com'] },
      'stop',
    ),
  ]),
  stream('moonshot-usage-in-choice', MOONSHOT, [
    ROLE,
    ...HELLO,
    { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: USAGE }] },
  ]),
  stream('zhipu-request-id', ZHIPU, [
    chunk({ role: 'assistant', content: 'Hel' }, { request_id: 'r' }),
    chunk({ role: 'assistant', content: 'lo' }, { request_id: 'r', usage: USAGE }, 'stop'),
  ]),
  stream('dashscope-null-usage', DASHSCOPE, [
    chunk({ role: 'assistant', content: '' }, { usage: null }),
    chunk({ content: 'Hello' }, { usage: null }),
    chunk({ content: '' }, { usage: null }, 'stop'),
    USAGE_CHUNK,
  ]),
  stream('siliconflow-usage-in-each', SILICONFLOW, [
    chunk(
      { role: 'assistant', content: 'Hel', reasoning_content: null },
      { usage: { ...USAGE, completion_tokens: 1, total_tokens: 13 } },
    ),
    chunk({ content: 'lo', reasoning_content: null }, { usage: USAGE }, 'stop'),
  ]),
  stream('llamacpp-timings', CUSTOM, [
    ROLE,
    ...HELLO,
    chunk({}, { timings: { predicted_n: 5, predicted_ms: 20.5 } }, 'stop'),
  ]),
  stream(
    'named-events',
    OPENAI,
    [ROLE, ...HELLO, STOP, USAGE_CHUNK]
      .map((value, at) => `event: message\nid: ${at}\ndata: ${JSON.stringify(value)}\n\n`)
      .join('') + 'data: [DONE]\n\n',
  ),
  stream('carriage-returns', OPENAI, events([ROLE, ...HELLO, STOP, USAGE_CHUNK], '\r\n\r\n')),
  stream('no-content-type', OPENAI, [ROLE, ...HELLO, STOP], {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  }),
  stream(
    'error-midway',
    OPENAI,
    `data: ${JSON.stringify(ROLE)}\n\ndata: ${JSON.stringify(HELLO[0])}\n\ndata: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}\n\n`,
  ),
  stream('error-chunk', OPENROUTER, [
    ROLE,
    ...HELLO,
    chunk({ content: '' }, { error: { code: 502, message: 'Provider disconnected' } }, 'error'),
  ]),
  whole('null-content', CUSTOM, answer(message(null))),
  whole(
    'reasoning-whole',
    DEEPSEEK,
    answer(message('Hello', { reasoning_content: 'Think' }), {
      usage: { ...USAGE, prompt_cache_hit_tokens: 4 },
    }),
  ),
  whole(
    'status-400',
    OPENAI,
    {
      error: {
        message: 'Unsupported value',
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'unsupported_value',
      },
    },
    { status: 400, kinds: ['chat', 'stream'] },
  ),
  whole(
    'status-404',
    OPENAI,
    {
      error: {
        message: 'The model does not exist',
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    },
    { status: 404, kinds: ['chat', 'stream'] },
  ),
  whole(
    'status-429',
    OPENAI,
    {
      error: {
        message: 'Rate limit reached',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    {
      status: 429,
      kinds: ['chat', 'stream'],
      headers: { 'retry-after': '7', 'retry-after-ms': '6500', 'x-should-retry': 'false' },
    },
  ),
  whole(
    'status-500',
    OPENAI,
    {
      error: { message: 'The server had an error', type: 'server_error', param: null, code: null },
    },
    { status: 500, kinds: ['chat', 'stream'] },
  ),
  whole(
    'azure-filtered',
    AZURE,
    {
      error: {
        message: 'The response was filtered',
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { hate: { filtered: true, severity: 'high' } },
        },
      },
    },
    { status: 400, kinds: ['chat', 'stream'] },
  ),
  whole(
    'error-in-a-list',
    CUSTOM,
    '[{"error":{"code":400,"message":"Bad thing","status":"INVALID_ARGUMENT"}}]',
    { status: 400, kinds: ['chat'] },
  ),
  whole(
    'python-numbers',
    CUSTOM,
    '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17},"system_fingerprint":null}',
  ),
]
