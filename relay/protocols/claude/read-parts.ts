import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import type { ChatPart, Citation, FinishReason } from '../chat/chat-part.ts'

/** A block that was opened here: how much it was given, its signature so far, and the pages that it goes back to. */
interface OpenBlock {
  readonly isToolCall: boolean
  length: number
  signature: string
  readonly pages: CitedPage[]
}

/** A page that a text goes back to, and the citation of it. */
type CitedPage = Pick<Citation, 'url' | 'title' | 'own'>

/** A search of the web that was begun: its query comes in JSON. */
interface BegunSearch {
  readonly id: string
  json: string
}

/** Reads the events of one message as parts. Keeps state of one stream: make one per message. */
export class PartReader {
  readonly #open = new Map<number, OpenBlock>()
  /** By their blocks. */
  readonly #searches = new Map<number, BegunSearch>()

  /** The parts of one event; none of an event without contents. */
  of(event: JsonObject): readonly ChatPart[] {
    const { message, content_block: block, delta } = event
    const index = Number(event['index'])
    switch (event['type']) {
      case 'message_start':
        return isObject(message)
          ? [{ type: 'begin', id: textIn(message, 'id'), model: textIn(message, 'model') }]
          : []
      case 'content_block_start':
        return isObject(block) ? this.#begin(index, block) : []
      case 'content_block_delta':
        return isObject(delta) ? this.#delta(index, delta) : []
      case 'content_block_stop':
        return this.#close(index)
      case 'message_delta': {
        const { stop_reason: reason, stop_sequence: sequence } = isObject(delta) ? delta : {}
        if (typeof reason !== 'string') return []
        const stopped = typeof sequence === 'string' && { stopSequence: sequence }
        return [{ type: 'finish', reason: finishReason(reason), ...stopped }]
      }
      default:
        return []
    }
  }

  #begin(block: number, content: JsonObject): readonly ChatPart[] {
    const { type } = content
    if (type === 'redacted_thinking')
      return [{ type: 'redacted', block, data: textIn(content, 'data') }]
    if (type === 'server_tool_use') this.#beginSearch(block, content)
    if (type === 'web_search_tool_result') return [this.#found(block, content)]
    if (type !== 'text' && type !== 'thinking' && type !== 'tool_use') return []
    const signature = textIn(content, 'signature')
    const pages = objectsIn(content['citations']).flatMap(pageOf)
    this.#open.set(block, { isToolCall: type === 'tool_use', length: 0, signature, pages })
    if (type === 'tool_use') {
      const { input } = content
      const hasInput = isObject(input) && Object.keys(input).length > 0
      return [
        {
          type: 'open',
          block,
          kind: 'tool-call',
          id: textIn(content, 'id'),
          name: textIn(content, 'name'),
        },
        ...this.#text(block, hasInput ? JSON.stringify(input) : ''),
      ]
    }
    const kind = type === 'text' ? 'text' : 'reasoning'
    return [{ type: 'open', block, kind }, ...this.#text(block, textIn(content, type))]
  }

  #beginSearch(block: number, { id, name, input }: JsonObject): void {
    if (name !== 'web_search' || typeof id !== 'string') return
    const hasInput = isObject(input) && Object.keys(input).length > 0
    this.#searches.set(block, { id, json: hasInput ? JSON.stringify(input) : '' })
  }

  /** The result of a search, which may have failed. */
  #found(block: number, { tool_use_id: id, content }: JsonObject): ChatPart {
    const begun = [...this.#searches.values()].find((search) => search.id === id)
    const input = parseForeign(begun?.json ?? '')
    return {
      type: 'search',
      block,
      id: typeof id === 'string' ? id : '',
      query: isObject(input) ? textIn(input, 'query') : '',
      pages: objectsIn(content).map((page) => ({
        url: textIn(page, 'url'),
        title: textIn(page, 'title'),
      })),
      own: content,
      ...(!Array.isArray(content) && { isFailed: true }),
    }
  }

  #delta(block: number, delta: JsonObject): readonly ChatPart[] {
    const open = this.#open.get(block)
    const search = open === undefined ? this.#searches.get(block) : undefined
    if (search !== undefined) search.json += textIn(delta, 'partial_json')
    if (open === undefined) return []
    open.signature += textIn(delta, 'signature')
    open.pages.push(...objectsIn([delta['citation']]).flatMap(pageOf))
    const text = textIn(delta, 'text') + textIn(delta, 'thinking') + textIn(delta, 'partial_json')
    return this.#text(block, text)
  }

  #text(block: number, text: string): readonly ChatPart[] {
    const open = this.#open.get(block)
    if (text === '' || open === undefined) return []
    open.length += text.length
    return [{ type: 'delta', block, text }]
  }

  #close(block: number): readonly ChatPart[] {
    const open = this.#open.get(block)
    if (open === undefined) return []
    this.#open.delete(block)
    // A tool without input is called with an empty object all the same.
    const input =
      open.isToolCall && open.length === 0 ? [{ type: 'delta' as const, block, text: '{}' }] : []
    const cited = open.pages.map((page) => ({
      type: 'citation' as const,
      block,
      ...page,
      start: 0,
      end: open.length,
    }))
    return [...input, ...cited, { type: 'close', block, signature: open.signature }]
  }
}

/** The page that a citation is of; none of one in a document, which is the client's own. */
function pageOf(citation: JsonObject): readonly CitedPage[] {
  if (citation['type'] !== 'web_search_result_location') return []
  return [{ url: textIn(citation, 'url'), title: textIn(citation, 'title'), own: citation }]
}

const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : []

/** The parts of a whole message. */
export function partsOf(message: JsonObject): readonly ChatPart[] {
  const reader = new PartReader()
  const { content, stop_reason, stop_sequence } = message
  const blocks = Array.isArray(content) ? content : []
  return [
    ...reader.of({ type: 'message_start', message }),
    ...blocks.flatMap((block: unknown, index) => [
      ...reader.of({ type: 'content_block_start', index, content_block: block }),
      ...reader.of({ type: 'content_block_stop', index }),
    ]),
    ...reader.of({ type: 'message_delta', delta: { stop_reason, stop_sequence } }),
  ]
}

function finishReason(reason: string): FinishReason {
  switch (reason) {
    case 'tool_use':
      return 'tool-calls'
    case 'max_tokens':
      return 'length'
    case 'model_context_window_exceeded':
      return 'context-exceeded'
    case 'refusal':
      return 'refusal'
    case 'pause_turn':
      return 'pause'
    default:
      return 'stop'
  }
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}
