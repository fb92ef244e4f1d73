import { isObject, type JsonObject } from '../../json.ts'
import { EVENT_PLACES_MAX } from '../../streams/json-events.ts'
import { firstOf } from '../../upstream/errors.ts'
import { eventBytes, piecesOf, typed } from '../simulated-stream.ts'

/** The events of a stream that says the same as a whole message; null when it is none. */
export function simulatedStream(answer: unknown): Buffer | null {
  const message = firstOf(answer)
  if (!isObject(message) || !Array.isArray(message['content'])) return null
  const {
    content,
    stop_reason: reason,
    stop_sequence: sequence = null,
    stop_details: details,
    container,
    context_management: edits,
    usage: reported,
    ...head
  } = message
  const usage = isObject(reported) ? reported : {}
  const begun = { ...head, content: [], stop_reason: null, stop_sequence: null }
  const delta = {
    stop_reason: typeof reason === 'string' ? reason : 'end_turn',
    stop_sequence: sequence,
    ...(details !== undefined && { stop_details: details }),
    ...(container !== undefined && { container }),
  }
  const events: readonly JsonObject[] = [
    { type: 'message_start', message: { ...begun, usage: beginning(usage) } },
    ...(content as readonly unknown[]).filter(isObject).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta,
      usage,
      ...(edits !== undefined && { context_management: edits }),
    },
    { type: 'message_stop' },
  ]
  return eventBytes(events.map(typed), EVENT_PLACES_MAX)
}

/** Usage as a message begins with it: nothing is written, and no iteration is over. */
function beginning(usage: JsonObject): JsonObject {
  const { iterations: _, ...counts } = usage
  return 'output_tokens' in counts ? { ...counts, output_tokens: 0 } : counts
}

/** A block as it begins, its contents as deltas, and its end. Of an unknown block the beginning is all. */
function blockEvents(block: JsonObject, index: number): readonly JsonObject[] {
  const { begun, deltas } = opened(block)
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function opened(block: JsonObject): {
  readonly begun: JsonObject
  readonly deltas: readonly JsonObject[]
} {
  const { type, text, thinking, signature, citations, input } = block
  if (type === 'text' && typeof text === 'string') {
    const cited = Array.isArray(citations) ? (citations as readonly unknown[]) : []
    return {
      begun: { ...block, text: '', ...(citations !== undefined && { citations: [] }) },
      deltas: [
        ...piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })),
        ...cited.map((citation) => ({ type: 'citations_delta', citation })),
      ],
    }
  }
  if (type === 'thinking' && typeof thinking === 'string') {
    return {
      begun: { ...block, thinking: '', signature: '' },
      deltas: [
        ...piecesOf(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        ...(typeof signature === 'string' ? [{ type: 'signature_delta', signature }] : []),
      ],
    }
  }
  const isCall = typeof type === 'string' && type.endsWith('tool_use')
  if (!isCall || !isObject(input) || Object.keys(input).length === 0) {
    return { begun: block, deltas: [] }
  }
  const pieces = piecesOf(JSON.stringify(input))
  return {
    begun: { ...block, input: {} },
    deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  }
}
