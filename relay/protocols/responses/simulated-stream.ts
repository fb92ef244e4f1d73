import { isObject, type JsonObject } from '../../json.ts'
import { firstOf } from '../../upstream/errors.ts'
import { eventBytes, piecesOf, typed } from '../simulated-stream.ts'
import { EVENT_PLACES_MAX } from './stream.ts'

/** The events of a stream that says the same as a whole response; null when it is none, or is not over. */
export function simulatedStream(answer: unknown): Buffer | null {
  const response = firstOf(answer)
  if (!isObject(response) || !Array.isArray(response['output'])) return null
  const { status = 'completed' } = response
  if (status !== 'completed' && status !== 'incomplete') return null
  const begun = {
    ...response,
    status: 'in_progress',
    incomplete_details: null,
    output: [],
    usage: null,
    ...('completed_at' in response && { completed_at: null }),
  }
  const items = (response['output'] as readonly unknown[]).filter(isObject)
  const events: readonly JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(itemEvents),
    { type: `response.${status}`, response: { ...response, status } },
  ]
  return eventBytes(
    events.map(({ type, ...members }, sequence) =>
      typed({ type, sequence_number: sequence, ...members }),
    ),
    EVENT_PLACES_MAX,
  )
}

const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? (list as readonly unknown[]).filter(isObject) : []

/** An item as it is added, its contents as deltas, and as it is done. */
function itemEvents(item: JsonObject, index: number): readonly JsonObject[] {
  const { begun, written } = opened(item)
  const at = { item_id: item['id'], output_index: index }
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...written.map(({ type, ...members }) => ({ type, ...at, ...members })),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

interface Opened {
  readonly begun: JsonObject
  /** Events within the item. */
  readonly written: readonly JsonObject[]
}

function opened(item: JsonObject): Opened {
  const begun = { ...item, ...('status' in item && { status: 'in_progress' }) }
  switch (item['type']) {
    case 'message':
      return {
        begun: { ...begun, content: [] },
        written: objectsIn(item['content']).flatMap(contentEvents),
      }
    case 'reasoning':
      return {
        begun: { ...begun, summary: [], ...('content' in item && { content: [] }) },
        written: [
          ...objectsIn(item['summary']).flatMap(summaryEvents),
          ...objectsIn(item['content']).flatMap(contentEvents),
        ],
      }
    case 'function_call':
      return textEvents(item, begun, { member: 'arguments', event: 'function_call_arguments' })
    case 'custom_tool_call':
      return textEvents(item, begun, { member: 'input', event: 'custom_tool_call_input' })
    case 'mcp_call':
      return textEvents(item, begun, { member: 'arguments', event: 'mcp_call_arguments' })
    default:
      return { begun: item, written: [] }
  }
}

/** An item that is written as one text of its own. */
function textEvents(
  item: JsonObject,
  begun: JsonObject,
  { member, event }: { readonly member: string; readonly event: string },
): Opened {
  const text = item[member]
  if (typeof text !== 'string') return { begun: item, written: [] }
  const { name } = item
  const named = event === 'function_call_arguments' && { name }
  return {
    begun: { ...begun, [member]: '' },
    written: [
      ...piecesOf(text).map((delta) => ({ type: `response.${event}.delta`, delta })),
      { type: `response.${event}.done`, ...named, [member]: text },
    ],
  }
}

/** The events of a part's text, by the part's type. */
const TEXT_PARTS: ReadonlyMap<unknown, { readonly member: string; readonly event: string }> =
  new Map([
    ['output_text', { member: 'text', event: 'output_text' }],
    ['refusal', { member: 'refusal', event: 'refusal' }],
    ['reasoning_text', { member: 'text', event: 'reasoning_text' }],
  ])

function contentEvents(part: JsonObject, place: number): readonly JsonObject[] {
  const at = { content_index: place }
  const kind = TEXT_PARTS.get(part['type'])
  const text = kind === undefined ? null : part[kind.member]
  const done = { type: 'response.content_part.done', ...at, part }
  if (kind === undefined || typeof text !== 'string') {
    return [{ type: 'response.content_part.added', ...at, part }, done]
  }
  const { member, event } = kind
  const isText = event === 'output_text'
  const logprobs = part['logprobs'] ?? []
  return [
    {
      type: 'response.content_part.added',
      ...at,
      part: { ...part, [member]: '', ...(isText && { annotations: [] }) },
    },
    ...piecesOf(text).map((delta) => ({
      type: `response.${event}.delta`,
      ...at,
      delta,
      ...(isText && { logprobs: [] }),
    })),
    ...objectsIn(isText ? part['annotations'] : []).map((annotation, index) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation_index: index,
      annotation,
    })),
    { type: `response.${event}.done`, ...at, [member]: text, ...(isText && { logprobs }) },
    done,
  ]
}

function summaryEvents(part: JsonObject, place: number): readonly JsonObject[] {
  const at = { summary_index: place }
  const text = typeof part['text'] === 'string' ? part['text'] : ''
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    ...piecesOf(text).map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      ...at,
      delta,
    })),
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ]
}
