import {
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart, Citation, FinishReason, WebSearchPart } from '../chat/chat-part.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import { errorEvent } from './errors.ts'

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  filtered: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'context-exceeded': 'model_context_window_exceeded',
}

/** Why an answer ended, and which stop sequence it was. */
const stopOf = ({ reason, stopSequence }: Extract<ChatPart, { type: 'finish' }>): JsonObject =>
  stopSequence === undefined || reason !== 'stop'
    ? { stop_reason: STOP_REASONS[reason], stop_sequence: null }
    : { stop_reason: 'stop_sequence', stop_sequence: stopSequence }

/** The end of an answer whose provider gave no reason. */
const ENDED: JsonObject = { stop_reason: 'end_turn', stop_sequence: null }

interface OpenBlock {
  readonly index: number
  /** The event of a piece up to its text. */
  readonly piece: string
}

const PIECES = {
  text: ['text_delta', 'text'],
  reasoning: ['thinking_delta', 'thinking'],
  'tool-call': ['input_json_delta', 'partial_json'],
} as const

function pieceHead(index: number, kind: keyof typeof PIECES): string {
  const type = 'content_block_delta'
  const [delta, member] = PIECES[kind]
  const event = `{"type":"${type}","index":${index},"delta":{"type":"${delta}","${member}":`
  return `event: ${type}\ndata: ${event}`
}

/** Writes an answer as the events of a message. Keeps state of one answer. */
export class EventWriter implements PartWriter {
  readonly keepAlive = 'event: ping\ndata: {"type":"ping"}\n\n'
  /** About how many tokens the prompt has: told when a message begins, before upstream has said. */
  readonly #inputTokens: number
  #stop = ENDED
  #hasBegun = false
  readonly #open = new Map<number, OpenBlock>()
  /** Blocks so far: a search is two. */
  #blocks = 0

  constructor(inputTokens: number) {
    this.#inputTokens = inputTokens
  }

  part(part: ChatPart): string {
    switch (part.type) {
      case 'begin': {
        this.#hasBegun = true
        const usage = { input_tokens: this.#inputTokens, output_tokens: 0 }
        const message = { ...messageOf(part), content: [], stop_reason: null, usage }
        return event({ type: 'message_start', message })
      }
      case 'open':
        return this.#begin(part)
      case 'delta':
        return this.#delta(part.block, part.text)
      case 'close':
        return this.#close(part.block, part.signature)
      case 'redacted':
        return this.#whole({ type: 'redacted_thinking', data: part.data })
      case 'image': {
        const delta = { type: 'text_delta', text: imageText(part) }
        return this.#whole({ type: 'text', text: '' }, delta)
      }
      case 'citation':
        return this.#ofOpen(part.block, { type: 'citations_delta', citation: citationOf(part) })
      case 'search': {
        const { use, result } = searchBlocks(part)
        const delta = { type: 'input_json_delta', partial_json: JSON.stringify(use['input']) }
        return this.#whole({ ...use, input: {} }, delta) + this.#whole(result)
      }
      case 'finish':
        this.#stop = stopOf(part)
        return ''
      default:
        return part satisfies never
    }
  }

  /** The end, with the true counts. */
  closing(usage: Usage): string {
    // Some providers end without a reason, in the middle of a block.
    const open = [...this.#open.keys()].map((block) => this.#close(block, '')).join('')
    return (
      // SDKs want a beginning of an answer, too, that is nothing but usage.
      (this.#hasBegun ? '' : this.part({ type: 'begin', id: '', model: '' })) +
      open +
      event({ type: 'message_delta', delta: this.#stop, usage: inClaudeWords(usage) }) +
      event({ type: 'message_stop' })
    )
  }

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId)
  }

  #begin(part: Extract<ChatPart, { type: 'open' }>): string {
    const index = this.#next()
    this.#open.set(part.block, { index, piece: pieceHead(index, part.kind) })
    return blockEvent('start', index, { content_block: emptyBlock(part) })
  }

  #close(block: number, signature: string): string {
    const open = this.#open.get(block)
    if (open === undefined) return ''
    this.#open.delete(block)
    const delta = { type: 'signature_delta', signature }
    const signed = signature === '' ? '' : blockEvent('delta', open.index, { delta })
    return signed + blockEvent('stop', open.index, {})
  }

  #delta(block: number, text: string): string {
    const open = this.#open.get(block)
    // Pieces come most often: all but the text is written once for a block.
    return open === undefined ? '' : `${open.piece}${JSON.stringify(text)}}}\n\n`
  }

  /** A piece of a block that is open; '' = it is not. */
  #ofOpen(block: number, delta: JsonObject): string {
    const open = this.#open.get(block)
    return open === undefined ? '' : blockEvent('delta', open.index, { delta })
  }

  /** A block that comes at once, in one piece where it has one. */
  #whole(content: JsonObject, delta?: JsonObject): string {
    const index = this.#next()
    const piece = delta === undefined ? '' : blockEvent('delta', index, { delta })
    return (
      blockEvent('start', index, { content_block: content }) + piece + blockEvent('stop', index, {})
    )
  }

  #next(): number {
    this.#blocks += 1
    return this.#blocks - 1
  }
}

/** Writes an answer as a whole message. */
export function writeMessage(parts: readonly ChatPart[], usage: Usage | null): JsonObject {
  let head: JsonObject = messageOf({ id: '', model: '' })
  let stop = ENDED
  const blocks = new Map<number | string, WrittenBlock>()
  for (const part of parts) {
    if (part.type === 'begin') head = messageOf(part)
    if (part.type === 'open') blocks.set(part.block, { content: emptyBlock(part), text: '' })
    if (part.type === 'finish') stop = stopOf(part)
    if (part.type === 'image') {
      blocks.set(part.block, { content: { type: 'text', text: '' }, text: imageText(part) })
    }
    if (part.type === 'search') {
      const { use, result } = searchBlocks(part)
      blocks.set(`use ${part.block}`, { content: use, text: '' })
      blocks.set(part.block, { content: result, text: '' })
    }
    if (part.type === 'citation') addCitation(blocks.get(part.block), part)
    if (part.type === 'redacted') {
      blocks.set(part.block, { content: { type: 'redacted_thinking', data: part.data }, text: '' })
    }
    if (part.type !== 'delta' && part.type !== 'close') continue
    const block = blocks.get(part.block)
    if (block === undefined) continue
    if (part.type === 'delta') block.text += part.text
    else if (part.signature !== '') {
      block.content = { ...block.content, signature: part.signature }
    }
  }
  const content = [...blocks.values()].map(({ content: empty, text }) => filled(empty, text))
  const said = usage === null ? { input_tokens: 0, output_tokens: 0 } : inClaudeWords(usage)
  return { ...head, content, ...stop, usage: said }
}

interface WrittenBlock {
  content: JsonObject
  text: string
}

function addCitation(block: WrittenBlock | undefined, part: Citation): void {
  if (block === undefined) return
  const { citations } = block.content
  const before: readonly unknown[] = Array.isArray(citations) ? citations : []
  block.content = { ...block.content, citations: [...before, citationOf(part)] }
}

/**
 * A page of the web as Anthropic cites it. The quoted text, and the place in the search by which Anthropic finds it
 * again, are its own alone.
 */
const citationOf = ({ url, title, own }: Citation): JsonObject =>
  own ?? {
    type: 'web_search_result_location',
    url,
    title,
    encrypted_index: '',
    cited_text: '',
  }

/** A search as Anthropic tells of it: its use, and its result. */
function searchBlocks({ id, query, pages, own }: WebSearchPart): {
  readonly use: JsonObject
  readonly result: JsonObject
} {
  const toolId = SEARCH_ID.test(id) ? id : `srvtoolu_${id.replaceAll(/\W/g, '_')}`
  const found = pages.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: '',
    page_age: null,
  }))
  const caller = { type: 'direct' }
  return {
    use: { type: 'server_tool_use', id: toolId, name: 'web_search', input: { query }, caller },
    result: {
      type: 'web_search_tool_result',
      tool_use_id: toolId,
      content: own ?? found,
      caller,
    },
  }
}
const SEARCH_ID = /^srvtoolu_\w+$/

/** Anthropic's models draw nothing: a picture stands in the text, as Markdown has it. */
const imageText = ({ mime, base64 }: { readonly mime: string; readonly base64: string }): string =>
  `![image](data:${mime};base64,${base64})`

function filled(block: JsonObject, text: string): JsonObject {
  switch (block['type']) {
    case 'thinking':
      return { ...block, thinking: text }
    case 'tool_use':
      return { ...block, input: parsed(text) }
    case 'redacted_thinking':
    case 'server_tool_use':
    case 'web_search_tool_result':
      return block
    default:
      return { ...block, text }
  }
}

/**
 * A tool's input from the JSON that a model wrote; an empty object when it is none, as its client could not read it
 * either.
 */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json)
  } catch {
    return {}
  }
}

const messageOf = ({ id, model }: { readonly id: string; readonly model: string }): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
})

function emptyBlock(part: Extract<ChatPart, { type: 'open' }>): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: '' }
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'tool-call':
      return { type: 'tool_use', id: part.id, name: part.name, input: {} }
    default:
      return part satisfies never
  }
}

/** Anthropic's input excludes tokens read from a cache and written to one. */
function inClaudeWords(usage: Usage): JsonObject {
  const cached = cachedTokens(usage)
  const writes = cacheWriteTokens(usage)
  const { webSearchCalls } = usage
  return {
    input_tokens: promptTokens(usage) - cached - writes,
    cache_creation_input_tokens: writes,
    cache_read_input_tokens: cached,
    output_tokens: completionTokens(usage),
    ...(webSearchCalls > 0 && {
      server_tool_use: { web_search_requests: webSearchCalls, web_fetch_requests: 0 },
    }),
  }
}

const blockEvent = (what: 'start' | 'delta' | 'stop', index: number, more: JsonObject): string =>
  event({ type: `content_block_${what}`, index, ...more })

const event = (data: JsonObject): string =>
  `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`
