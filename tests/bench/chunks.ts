import type { JsonObject } from '@tollgate/relay/json.ts'

/** A stream of the bench of pairs: so many pieces of text, in the words of each protocol. */
export interface ChunkStream {
  /** Events that carry text. */
  readonly chunks: number
  /** Between two of them, milliseconds. */
  readonly everyMs: number
}

/** Events of a stream: those before the text, one with a piece of it, those behind it. */
export interface Events {
  readonly first: readonly string[]
  readonly piece: string
  readonly last: readonly string[]
}

const TEXT = 'and so on, word by word, '
const INPUT = 100

/** Upstream's protocols by the beginning of the paths that their channels ask. */
export const EVENTS = {
  openai: ({ chunks }: ChunkStream): Events => {
    const chunk = (choices: readonly object[], more = {}): string =>
      data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })
    const choice = (delta: object, finish_reason: string | null = null): object => ({
      index: 0,
      delta,
      finish_reason,
    })
    const usage = { prompt_tokens: INPUT, completion_tokens: chunks, total_tokens: INPUT + chunks }
    return {
      first: [chunk([choice({ role: 'assistant', content: '' })])],
      piece: chunk([choice({ content: TEXT })]),
      last: [chunk([choice({}, 'stop')]), chunk([], { usage }), 'data: [DONE]\n\n'],
    }
  },
  claude: ({ chunks }: ChunkStream): Events => {
    const usage = { input_tokens: INPUT, output_tokens: 1 }
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage }
    return {
      first: [
        named({ type: 'message_start', message }),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      ],
      piece: named({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: TEXT },
      }),
      last: [
        named({ type: 'content_block_stop', index: 0 }),
        named({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { output_tokens: chunks },
        }),
        named({ type: 'message_stop' }),
      ],
    }
  },
  gemini: ({ chunks }: ChunkStream): Events => {
    const frame = (text: string, more = {}): string =>
      data({
        candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
        usageMetadata: {
          promptTokenCount: INPUT,
          candidatesTokenCount: chunks,
          totalTokenCount: INPUT + chunks,
        },
        modelVersion: 'm',
        responseId: 'r',
      })
    return { first: [], piece: frame(TEXT), last: [frame('', { finishReason: 'STOP' })] }
  },
  responses: ({ chunks }: ChunkStream): Events => {
    const response = { id: 'resp_1', object: 'response', model: 'm', output: [], usage: null }
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] }
    const part = { type: 'output_text', text: '', annotations: [] }
    const usage = { input_tokens: INPUT, output_tokens: chunks, total_tokens: INPUT + chunks }
    return {
      first: [
        named({ type: 'response.created', response: { ...response, status: 'in_progress' } }),
        named({ type: 'response.output_item.added', output_index: 0, item }),
        named({ type: 'response.content_part.added', ...at, part }),
      ],
      piece: named({ type: 'response.output_text.delta', ...at, delta: TEXT }),
      last: [
        named({
          type: 'response.completed',
          response: { ...response, status: 'completed', usage },
        }),
      ],
    }
  },
} as const satisfies Readonly<Record<string, (stream: ChunkStream) => Events>>

/** Protocol of an upstream by the path that it is asked at. */
export function protocolAt(path: string): keyof typeof EVENTS {
  if (path.includes(':streamGenerateContent')) return 'gemini'
  if (path.endsWith('/messages')) return 'claude'
  return path.endsWith('/responses') ? 'responses' : 'openai'
}

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`
const named = (event: JsonObject): string => `event: ${String(event['type'])}\n${data(event)}`
