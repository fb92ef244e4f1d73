/** A call of the relay in short, for the API reference: its vendor documents the protocol's members. */
export interface RelayOperation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** In OpenAPI's syntax: `/v1/models/{model}`. */
  readonly path: string
  readonly summary: string
  /** Whose shapes request, answer and errors have. */
  readonly protocol: 'openai' | 'anthropic' | 'google'
  /** Members that a body must have, each with its JSON type; none: the call has no body. */
  readonly body?: Readonly<Record<string, 'string' | 'array' | 'integer' | 'object' | 'any'>>
  /** Whether `stream: true` answers server-sent events; `always`: the address says so. */
  readonly streams?: 'by member' | 'always'
  /** By the console's session, not by an API token. */
  readonly bySession?: boolean
}

const CHAT = { model: 'string', messages: 'array' } as const
const CONTENTS = { contents: 'array' } as const

export const RELAY_OPERATIONS: readonly RelayOperation[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'OpenAI chat completions',
    protocol: 'openai',
    body: CHAT,
    streams: 'by member',
  },
  {
    method: 'POST',
    path: '/v1/completions',
    summary: 'OpenAI completions',
    protocol: 'openai',
    body: { model: 'string', prompt: 'any' },
    streams: 'by member',
  },
  {
    method: 'POST',
    path: '/v1/fim/completions',
    summary: 'Mistral fill-in-the-middle: the text between a prompt and its suffix',
    protocol: 'openai',
    body: { model: 'string', prompt: 'string' },
    streams: 'by member',
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    summary: 'OpenAI embeddings',
    protocol: 'openai',
    body: { model: 'string', input: 'any' },
  },
  {
    method: 'POST',
    path: '/v1/responses',
    summary: 'OpenAI responses',
    protocol: 'openai',
    body: { model: 'string', input: 'any' },
    streams: 'by member',
  },
  {
    method: 'GET',
    path: '/v1/responses/{id}',
    summary: 'A response that its provider keeps',
    protocol: 'openai',
  },
  {
    method: 'DELETE',
    path: '/v1/responses/{id}',
    summary: 'Have the provider delete a response',
    protocol: 'openai',
  },
  {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    summary: 'Have the provider cancel a response',
    protocol: 'openai',
  },
  {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    summary: 'The input of a response that its provider keeps',
    protocol: 'openai',
  },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    summary: 'Tokens of a prompt; never charged',
    protocol: 'openai',
    body: { model: 'string', input: 'any' },
  },
  {
    method: 'POST',
    path: '/v1/responses/compact',
    summary: 'A conversation made shorter; by channels that have responses themselves',
    protocol: 'openai',
    body: { model: 'string', input: 'any' },
  },
  {
    method: 'POST',
    path: '/v1/messages',
    summary: 'Anthropic messages',
    protocol: 'anthropic',
    body: { ...CHAT, max_tokens: 'integer' },
    streams: 'by member',
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    summary: 'Tokens of an Anthropic prompt; never charged',
    protocol: 'anthropic',
    body: CHAT,
  },
  {
    method: 'POST',
    path: '/v1beta/models/{model}:generateContent',
    summary: 'Google’s generateContent; also under /v1 and /v1alpha, as are the four below',
    protocol: 'google',
    body: CONTENTS,
  },
  {
    method: 'POST',
    path: '/v1beta/models/{model}:streamGenerateContent',
    summary: 'The same as a stream: a JSON array, or server-sent events with alt=sse',
    protocol: 'google',
    body: CONTENTS,
    streams: 'always',
  },
  {
    method: 'POST',
    path: '/v1beta/models/{model}:countTokens',
    summary: 'Tokens of a Google prompt; never charged',
    protocol: 'google',
    body: CONTENTS,
  },
  {
    method: 'POST',
    path: '/v1beta/models/{model}:embedContent',
    summary: 'Google’s embedding of one content',
    protocol: 'google',
    body: { content: 'object' },
  },
  {
    method: 'POST',
    path: '/v1beta/models/{model}:batchEmbedContents',
    summary: 'Google’s embeddings of several contents',
    protocol: 'google',
    body: { requests: 'array' },
  },
  {
    method: 'GET',
    path: '/v1/models',
    summary: 'Models that the token may call, in the caller’s protocol; also under /v1beta',
    protocol: 'openai',
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'One model that the token may call',
    protocol: 'openai',
  },
  {
    method: 'POST',
    path: '/pg/chat/completions',
    summary: 'The playground: chat completions charged to the signed-in user, without a token',
    protocol: 'openai',
    body: CHAT,
    streams: 'by member',
    bySession: true,
  },
  {
    method: 'GET',
    path: '/v1/dashboard/billing/subscription',
    summary: 'What the token or its user has and may use, as OpenAI says it; also without /v1',
    protocol: 'openai',
  },
  {
    method: 'GET',
    path: '/v1/dashboard/billing/usage',
    summary: 'What the token or its user has used, as OpenAI says it; also without /v1',
    protocol: 'openai',
  },
]
