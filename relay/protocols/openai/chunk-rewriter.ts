import { isObject, type JsonObject } from '../../json.ts'

/** Makes the chunks to deliver of one upstream chunk. Keeps state of one stream: make one per stream. */
export type ChunkRewriter = (chunk: JsonObject) => readonly JsonObject[]

/** The changes of stream chunks that a channel's `setting` asks for (relay-and-billing.md 3.4). */
export interface ChunkSetting {
  /** Only the fields of OpenAI's own chunk are let through. */
  readonly forceFormat: boolean
  /** Reasoning becomes content between `<think>` and `</think>`. */
  readonly thinkingToContent: boolean
}

/** The rewriter for a setting; null when chunks pass byte for byte. */
export function chunkRewriter(setting: ChunkSetting): ChunkRewriter | null {
  if (setting.thinkingToContent) {
    const think = thinkingToContent()
    return setting.forceFormat ? (chunk) => think(chunk).map(plainChunk) : think
  }
  return setting.forceFormat ? (chunk) => [plainChunk(chunk)] : null
}

const CHUNK_FIELDS = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage']

const plainChunk = (chunk: JsonObject): JsonObject =>
  Object.fromEntries(CHUNK_FIELDS.filter((key) => key in chunk).map((key) => [key, chunk[key]]))

/** Follows the first choice, as clients that read one answer do; further choices pass as they are. */
function thinkingToContent(): ChunkRewriter {
  let state: 'before' | 'thinking' | 'after' = 'before'
  return (chunk) => {
    const delta = firstDelta(chunk)
    if (delta === null) return [chunk]
    const thought = delta['reasoning_content'] ?? delta['reasoning']
    if (typeof thought === 'string' && thought !== '' && state !== 'after') {
      const opening = state === 'before' ? '<think>\n' : ''
      state = 'thinking'
      return [withDelta(chunk, { ...withoutThought(delta), content: opening + thought })]
    }
    const plain = withDelta(chunk, withoutThought(delta))
    const isAnswer =
      (typeof delta['content'] === 'string' && delta['content'] !== '') || 'tool_calls' in delta
    if (state !== 'thinking' || !isAnswer) return [plain]
    state = 'after'
    return [withDelta(chunk, { content: '\n</think>\n' }), plain]
  }
}

function firstDelta(chunk: JsonObject): JsonObject | null {
  const first = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
  return isObject(first) && isObject(first['delta']) ? first['delta'] : null
}

function withoutThought(delta: JsonObject): JsonObject {
  const { reasoning_content: _content, reasoning: _reasoning, ...rest } = delta
  return rest
}

function withDelta(chunk: JsonObject, delta: JsonObject): JsonObject {
  const [first, ...others] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
  return { ...chunk, choices: [{ ...(isObject(first) ? first : {}), delta }, ...others] }
}
