/** A call of the relay in short, for the API reference: the protocols are documented by their vendors. */
export interface RelayOperation {
  readonly method: 'GET' | 'POST'
  /** In OpenAPI's syntax: `/v1/models/{model}`. */
  readonly path: string
  readonly summary: string
  /** By the console's session, not by an API token. */
  readonly bySession?: boolean
}

export const RELAY_OPERATIONS: readonly RelayOperation[] = [
  { method: 'POST', path: '/v1/chat/completions', summary: 'OpenAI chat completions' },
  { method: 'POST', path: '/v1/completions', summary: 'OpenAI completions' },
  { method: 'POST', path: '/v1/messages', summary: 'Anthropic messages' },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    summary: 'Tokens of an Anthropic prompt; never charged',
  },
  { method: 'POST', path: '/v1/embeddings', summary: 'OpenAI embeddings' },
  { method: 'GET', path: '/v1/models', summary: 'Models that the token may call' },
  { method: 'GET', path: '/v1/models/{model}', summary: 'One model that the token may call' },
  {
    method: 'POST',
    path: '/pg/chat/completions',
    summary: 'The playground: chat completions charged to the signed-in user, without a token',
    bySession: true,
  },
  {
    method: 'GET',
    path: '/v1/dashboard/billing/subscription',
    summary: 'What the token or its user has and may use, as OpenAI says it; also without /v1',
  },
  {
    method: 'GET',
    path: '/v1/dashboard/billing/usage',
    summary: 'What the token or its user has used, as OpenAI says it; also without /v1',
  },
]
