import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart, Citation, FinishReason, WebSearchPart } from '../chat/chat-part.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import type { ToolName, ToolNames } from '../model-request.ts'
import { errorEvent } from './errors.ts'
import { FreeTextReader } from './free-text.ts'
import { redactedThought, signedThought } from './thoughts.ts'
import { inResponsesWords } from './usage-words.ts'

/** Why a response is incomplete; the others are complete. */
const INCOMPLETE: ReadonlyMap<FinishReason | null, string> = new Map([
  ['length', 'max_output_tokens'],
  ['context-exceeded', 'max_output_tokens'],
  ['filtered', 'content_filter'],
  ['refusal', 'content_filter'],
])

/** An item that is being written. */
interface OpenItem {
  readonly kind: 'text' | 'reasoning' | 'tool-call'
  /** Whose call it is; null = it is none, or that of a plain function. */
  readonly tool: ToolName | null
  readonly index: number
  readonly item: JsonObject
  readonly annotations: JsonObject[]
  /** Reads the input of a call of free text; null = it is another item. */
  readonly freeText: FreeTextReader | null
  text: string
  /** Missing = no piece came. */
  pieces?: PieceFrame
}

/**
 * Writes an answer as the events of a response, each with its number. `created` in unix seconds; `toolNames` are those of
 * the request.
 */
export class ResponseWriter implements PartWriter {
  readonly keepAlive = ': PING\n\n'
  readonly #created: number
  readonly #open = new Map<number, OpenItem>()
  /** By their index, as they are when done. */
  readonly #items: JsonObject[] = []
  #naming = { id: '', model: '' }
  #reason: FinishReason | null = null
  #sequence = 0
  readonly #toolNames: ReadonlyMap<string, ToolName>

  constructor(created: number, toolNames: ToolNames = {}) {
    this.#created = created
    this.#toolNames = new Map(Object.entries(toolNames))
  }

  part(part: ChatPart): string {
    switch (part.type) {
      case 'begin': {
        this.#naming = { id: part.id, model: part.model }
        const response = this.response(null)
        return (
          this.#event('response.created', { response }) +
          this.#event('response.in_progress', { response })
        )
      }
      case 'open':
        return this.#begin(part)
      case 'delta':
        return this.#delta(part.block, part.text)
      case 'close':
        return this.#close(part.block, part.signature)
      case 'redacted':
        return this.#whole({ ...this.#reasoning(part.block), ...redactedThought(part.data) })
      case 'citation':
        return this.#cite(part)
      case 'search':
        return this.#search(part)
      case 'image': {
        const drawn = { type: 'image_generation_call', status: 'completed', result: part.base64 }
        return this.#whole({ id: this.#id('ig', part.block), ...drawn })
      }
      case 'finish':
        this.#reason = part.reason
        return ''
      default:
        return part satisfies never
    }
  }

  /** The end, with the true counts. */
  closing(usage: Usage): string {
    // Some providers end without a reason, in the middle of a block.
    const open = [...this.#open.keys()].map((block) => this.#close(block, '')).join('')
    const response = this.response(usage)
    return open + this.#event(`response.${String(response['status'])}`, { response })
  }

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId, this.#sequence)
  }

  /** As it stands; with its usage when it is over. Nothing of it is kept: `store` is false. */
  response(usage: Usage | null, isOver = usage !== null): JsonObject {
    const incomplete = isOver ? INCOMPLETE.get(this.#reason) : undefined
    const ended = incomplete === undefined ? 'completed' : 'incomplete'
    return {
      id: this.#id('resp'),
      object: 'response',
      created_at: this.#created,
      status: isOver ? ended : 'in_progress',
      error: null,
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      instructions: null,
      metadata: {},
      model: this.#naming.model,
      output: isOver ? this.#items : [],
      parallel_tool_calls: true,
      previous_response_id: null,
      store: false,
      temperature: null,
      tool_choice: 'auto',
      tools: [],
      top_p: null,
      usage: usage === null ? null : inResponsesWords(usage),
    }
  }

  /** An item that comes at once. */
  #whole(item: JsonObject): string {
    const at = { output_index: this.#items.push(item) - 1, item }
    return (
      this.#event('response.output_item.added', at) + this.#event('response.output_item.done', at)
    )
  }

  /** A search that the provider has finished. */
  #search({ block, query, pages, isFailed }: WebSearchPart): string {
    const sources = pages.map(({ url }) => ({ type: 'url', url }))
    const action = { type: 'search', query, queries: [query], sources }
    const item = { id: this.#id('ws', block), type: 'web_search_call', action }
    const done = { ...item, status: isFailed === true ? 'failed' : 'completed' }
    const at = { output_index: this.#items.push(done) - 1 }
    const ofCall = (what: string): string =>
      this.#event(`response.web_search_call.${what}`, { ...at, item_id: item.id })
    return (
      this.#event('response.output_item.added', {
        ...at,
        item: { ...item, status: 'in_progress' },
      }) +
      ofCall('in_progress') +
      ofCall('searching') +
      (isFailed === true ? '' : ofCall('completed')) +
      this.#event('response.output_item.done', { ...at, item: done })
    )
  }

  #begin(part: Extract<ChatPart, { type: 'open' }>): string {
    const { block, kind } = part
    const tool = kind === 'tool-call' ? (this.#toolNames.get(part.name) ?? null) : null
    const item = this.#itemOf(part, tool)
    const index = this.#items.push(item) - 1
    const freeText = tool?.kind === 'custom' ? new FreeTextReader() : null
    const open: OpenItem = { kind, tool, index, item, annotations: [], freeText, text: '' }
    this.#open.set(block, open)
    const added = this.#event('response.output_item.added', { output_index: index, item })
    if (kind === 'text') return added + this.#ofItem(open, 'content_part.added', textPart(''))
    if (kind === 'tool-call') return added
    return added + this.#ofItem(open, 'reasoning_summary_part.added', summaryPart(''))
  }

  #itemOf(part: Extract<ChatPart, { type: 'open' }>, tool: ToolName | null): JsonObject {
    const { block } = part
    const status = 'in_progress'
    if (part.kind === 'tool-call') {
      const { kind = 'function', name = part.name, namespace } = tool ?? {}
      const { before, type, input } = CALLS[kind]
      const called = { id: this.#id(before, block), type, status, call_id: part.id }
      if (kind === 'search') return { ...called, execution: 'client', ...input }
      return { ...called, name, ...(namespace !== undefined && { namespace }), ...input }
    }
    if (part.kind === 'reasoning') return this.#reasoning(block)
    const id = this.#id('msg', block)
    return { id, type: 'message', status, role: 'assistant', content: [] }
  }

  #reasoning(block: number): JsonObject {
    return { id: this.#id('rs', block), type: 'reasoning', summary: [] }
  }

  #delta(block: number, delta: string): string {
    const open = this.#open.get(block)
    if (open === undefined) return ''
    open.text += delta
    if (open.freeText !== null) return this.#freeText(open, open.freeText.push(delta))
    // Its arguments are an object, which is read when it is whole.
    if (open.tool?.kind === 'search') return ''
    return this.#pieceOf(open, delta)
  }

  /** The event of a piece, which comes most often: all but the piece is written once for an item. */
  #pieceOf(open: OpenItem, delta: string): string {
    open.pieces ??= pieceFrame(open)
    const { head, place, end } = open.pieces
    const number = this.#sequence
    this.#sequence += 1
    return `${head}${number}${place}${JSON.stringify(delta)}${end}`
  }

  #freeText(open: OpenItem, delta: string): string {
    return delta === '' ? '' : this.#ofItem(open, 'custom_tool_call_input.delta', { delta })
  }

  #cite({ block, url, title, start, end }: Citation): string {
    const open = this.#open.get(block)
    if (open === undefined) return ''
    const annotation = { type: 'url_citation', start_index: start, end_index: end, url, title }
    const place = open.annotations.push(annotation) - 1
    const members = { annotation_index: place, annotation }
    return this.#ofItem(open, 'output_text.annotation.added', members)
  }

  #close(block: number, signature: string): string {
    const open = this.#open.get(block)
    if (open === undefined) return ''
    this.#open.delete(block)
    const { kind, index, text } = open
    const item = doneItem(open, signature)
    this.#items[index] = item
    return (
      this.#textDone(open, kind, text) +
      this.#event('response.output_item.done', { output_index: index, item })
    )
  }

  #textDone(open: OpenItem, kind: OpenItem['kind'], text: string): string {
    if (open.tool?.kind === 'search') return ''
    if (open.freeText !== null) {
      const { rest, text: input } = open.freeText.end()
      const done = this.#ofItem(open, 'custom_tool_call_input.done', { input })
      return this.#freeText(open, rest) + done
    }
    if (kind === 'tool-call') {
      const { name } = open.item
      return this.#ofItem(open, 'function_call_arguments.done', { name, arguments: text || '{}' })
    }
    const [said, ended, part] =
      kind === 'text'
        ? (['output_text.done', 'content_part.done', textPart(text, open.annotations)] as const)
        : ([
            'reasoning_summary_text.done',
            'reasoning_summary_part.done',
            summaryPart(text),
          ] as const)
    const more = kind === 'text' ? { text, logprobs: [] } : { text }
    return this.#ofItem(open, said, more) + this.#ofItem(open, ended, part)
  }

  /** An event of an item that is being written. */
  #ofItem({ kind, index, item }: OpenItem, name: string, members: JsonObject): string {
    const place = PLACES[kind]
    return this.#event(`response.${name}`, {
      item_id: item['id'],
      output_index: index,
      ...place,
      ...members,
    })
  }

  #event(type: string, members: JsonObject): string {
    const event = { type, sequence_number: this.#sequence, ...members }
    this.#sequence += 1
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  }

  #id(kind: string, block?: number): string {
    return `${kind}_${this.#naming.id}${block === undefined ? '' : `_${block}`}`
  }
}

const PLACES = {
  text: { content_index: 0 },
  reasoning: { summary_index: 0 },
  'tool-call': {},
} as const

/** The event of a piece of an item, around its number and the piece. */
interface PieceFrame {
  readonly head: string
  readonly place: string
  readonly end: string
}

function pieceFrame({ kind, index, item }: OpenItem): PieceFrame {
  const type = `response.${DELTAS[kind]}`
  const place = JSON.stringify({ item_id: item['id'], output_index: index, ...PLACES[kind] })
  return {
    head: `event: ${type}\ndata: {"type":"${type}","sequence_number":`,
    place: `,${place.slice(1, -1)},"delta":`,
    end: kind === 'text' ? ',"logprobs":[]}\n\n' : '}\n\n',
  }
}

/** The items that calls of tools are, by the kind of the tool. */
const CALLS = {
  function: { before: 'fc', type: 'function_call', input: { arguments: '' } },
  custom: { before: 'ctc', type: 'custom_tool_call', input: { input: '' } },
  search: { before: 'tsc', type: 'tool_search_call', input: { arguments: {} } },
} as const

const DELTAS = {
  text: 'output_text.delta',
  reasoning: 'reasoning_summary_text.delta',
  'tool-call': 'function_call_arguments.delta',
} as const

const textPart = (text: string, annotations: readonly JsonObject[] = []): JsonObject => ({
  part: { type: 'output_text', text, annotations, logprobs: [] },
})
const summaryPart = (text: string): JsonObject => ({ part: { type: 'summary_text', text } })

function doneItem(open: OpenItem, signature: string): JsonObject {
  const { kind, tool, item, freeText, text, annotations } = open
  if (kind === 'text') {
    return { ...item, status: 'completed', content: [textPart(text, annotations)['part']] }
  }
  if (kind === 'tool-call') {
    const called = { ...item, status: 'completed' }
    if (freeText !== null) return { ...called, input: freeText.end().text }
    if (tool?.kind === 'search') {
      const asked = parseForeign(text)
      return { ...called, arguments: isObject(asked) ? asked : {} }
    }
    return { ...called, arguments: text || '{}' }
  }
  const summary = text === '' ? [] : [summaryPart(text)['part']]
  return { ...item, summary, ...signedThought(signature) }
}

/** Writes an answer as a whole response. `created` in unix seconds. */
export function writeResponse(
  parts: readonly ChatPart[],
  usage: Usage | null,
  created: number,
  toolNames: ToolNames = {},
): JsonObject {
  const writer = new ResponseWriter(created, toolNames)
  for (const part of parts) writer.part(part)
  writer.closing(usage ?? NO_USAGE)
  return writer.response(usage, true)
}
