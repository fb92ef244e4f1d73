import {
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
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

/** Writes an answer as the events of a message. Keeps state of one answer. */
export class EventWriter implements PartWriter {
  readonly keepAlive = 'event: ping\ndata: {"type":"ping"}\n\n'
  /** About how many tokens the prompt has: told when a message begins, before upstream has said. */
  readonly #inputTokens: number
  #stop = ENDED
  #hasBegun = false
  readonly #kinds = new Map<number, 'text' | 'reasoning' | 'tool-call'>()

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
        this.#kinds.set(part.block, part.kind)
        return blockEvent('start', part.block, { content_block: emptyBlock(part) })
      case 'delta':
        return blockEvent('delta', part.block, { delta: this.#delta(part.block, part.text) })
      case 'close':
        return this.#close(part.block, part.signature)
      case 'redacted':
        return (
          blockEvent('start', part.block, {
            content_block: { type: 'redacted_thinking', data: part.data },
          }) + blockEvent('stop', part.block, {})
        )
      case 'image':
        return (
          blockEvent('start', part.block, { content_block: { type: 'text', text: '' } }) +
          blockEvent('delta', part.block, {
            delta: { type: 'text_delta', text: imageText(part) },
          }) +
          blockEvent('stop', part.block, {})
        )
      case 'citation':
        // Anthropic's own names a place in its search, which no other has.
        return ''
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
    const open = [...this.#kinds.keys()].map((block) => this.#close(block, '')).join('')
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

  #close(block: number, signature: string): string {
    this.#kinds.delete(block)
    const delta = { type: 'signature_delta', signature }
    const signed = signature === '' ? '' : blockEvent('delta', block, { delta })
    return signed + blockEvent('stop', block, {})
  }

  #delta(block: number, text: string): JsonObject {
    const kind = this.#kinds.get(block)
    if (kind === 'reasoning') return { type: 'thinking_delta', thinking: text }
    if (kind === 'tool-call') return { type: 'input_json_delta', partial_json: text }
    return { type: 'text_delta', text }
  }
}

/** Writes an answer as a whole message. */
export function writeMessage(parts: readonly ChatPart[], usage: Usage | null): JsonObject {
  let head: JsonObject = messageOf({ id: '', model: '' })
  let stop = ENDED
  const blocks = new Map<number, { content: JsonObject; text: string }>()
  for (const part of parts) {
    if (part.type === 'begin') head = messageOf(part)
    if (part.type === 'open') blocks.set(part.block, { content: emptyBlock(part), text: '' })
    if (part.type === 'finish') stop = stopOf(part)
    if (part.type === 'image') {
      blocks.set(part.block, { content: { type: 'text', text: '' }, text: imageText(part) })
    }
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
  return {
    input_tokens: promptTokens(usage) - cached - writes,
    cache_creation_input_tokens: writes,
    cache_read_input_tokens: cached,
    output_tokens: completionTokens(usage),
  }
}

const blockEvent = (what: 'start' | 'delta' | 'stop', index: number, more: JsonObject): string =>
  event({ type: `content_block_${what}`, index, ...more })

const event = (data: JsonObject): string =>
  `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`
