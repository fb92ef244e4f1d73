/** How a client asks, the same for every client. */
export type Kind = 'chat' | 'stream' | 'stream-usage' | 'tools' | 'tools-stream'

/** In whose words a recording answers and its clients ask. */
export type Protocol = 'openai' | 'claude' | 'gemini' | 'responses'

/** What a provider answers, in the shape that its documentation gives. */
export interface Recording {
  /** Unique; also the model that clients ask for and the first part of the provider's path. */
  readonly name: string
  /** Of the channel that stands for the provider. */
  readonly type: number
  readonly protocol: Protocol
  readonly kinds: readonly Kind[]
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the answer: whole, or an event stream. */
  readonly body: string
  /** What a provider that speaks the clients' protocol says of the same, where this one speaks another. */
  readonly direct?: string
}

export const STREAM_KINDS: readonly Kind[] = ['stream', 'stream-usage']

/** An event stream of these JSON values, ended as OpenAI ends one. */
export const events = (values: readonly object[], end = '\n\n'): string =>
  `${values.map((value) => `data: ${JSON.stringify(value)}${end}`).join('')}data: [DONE]${end}`

/** A whole answer of JSON. */
export function whole(
  name: string,
  type: number,
  body: object | string,
  { status = 200, headers = {}, kinds = ['chat'], protocol = 'openai' }: Partial<Recording> = {},
): Recording {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    name,
    type,
    protocol,
    kinds,
    status,
    body: text,
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** An event stream. */
export function stream(
  name: string,
  type: number,
  body: readonly object[] | string,
  { headers = {}, kinds = STREAM_KINDS, protocol = 'openai' }: Partial<Recording> = {},
): Recording {
  const text = typeof body === 'string' ? body : events(body)
  return {
    name,
    type,
    protocol,
    kinds,
    status: 200,
    body: text,
    headers: { 'content-type': 'text/event-stream', ...headers },
  }
}

/** A chunk of a chat as OpenAI writes it; `more` stands beside `choices`. */
export const chunk = (delta: object, more: object = {}, finish: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'served-model',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

export const USAGE = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }

/** A call of the tool that clients offer, in one piece. */
export const toolCall = (id: string, text: string, index = 0): object => ({
  index,
  id,
  type: 'function',
  function: { name: 'weather', arguments: text },
})
