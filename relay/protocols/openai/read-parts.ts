import { isObject, type JsonObject } from '../../json.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
import { signatureOf } from './call-signature.ts'

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'filtered'],
  // Mistral's word for a full context.
  ['model_length', 'context-exceeded'],
])

/** Values of `stop_reason` that repeat the reason: no stop sequence. */
const REASON =
  /^(?:|stop|eos|eos_token|end_turn|stop_sequence|length|max_tokens|tool_use|tool_calls)$/i

/** Reads the first choice of one answer's chunks as parts. Keeps state of one stream: make one per answer. */
export class ChunkReader {
  #hasBegun = false
  #blocks = 0
  /** Text or reasoning that is being written; null = neither. */
  #open: { readonly block: number; readonly kind: 'text' | 'reasoning' } | null = null
  /** Blocks of tool calls by their index; they may be written side by side. */
  readonly #calls = new Map<number, number>()

  /** The parts of one chunk. */
  of(chunk: JsonObject): readonly ChatPart[] {
    const { choices } = chunk
    const choice: unknown = Array.isArray(choices) ? choices[0] : null
    // Azure's first chunk has filter results and no name.
    if (!isObject(choice)) return []
    const parts: ChatPart[] = []
    if (!this.#hasBegun) {
      this.#hasBegun = true
      parts.push({ type: 'begin', id: textIn(chunk, 'id'), model: textIn(chunk, 'model') })
    }
    const delta = choice['delta'] ?? choice['message']
    if (isObject(delta)) this.#delta(delta, parts)
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '') {
      this.#finish(reason, choice['stop_reason'], parts)
    }
    return parts
  }

  #delta(delta: JsonObject, parts: ChatPart[]): void {
    const thought = textIn(delta, 'reasoning_content') || textIn(delta, 'reasoning')
    this.#text('reasoning', thought, parts)
    this.#text('text', textIn(delta, 'content') + textIn(delta, 'refusal'), parts)
    const { tool_calls: calls } = delta
    if (!Array.isArray(calls)) return
    for (const [place, call] of calls.entries()) if (isObject(call)) this.#call(call, place, parts)
  }

  #text(kind: 'text' | 'reasoning', text: string, parts: ChatPart[]): void {
    if (text === '') return
    if (this.#open?.kind !== kind) {
      this.#close(parts)
      this.#open = { block: this.#next(), kind }
      parts.push({ type: 'open', ...this.#open })
    }
    parts.push({ type: 'delta', block: this.#open.block, text })
  }

  #call(call: JsonObject, place: number, parts: ChatPart[]): void {
    const index = typeof call['index'] === 'number' ? call['index'] : place
    const named = isObject(call['function']) ? call['function'] : {}
    let block = this.#calls.get(index)
    if (block === undefined) {
      this.#close(parts)
      block = this.#next()
      this.#calls.set(index, block)
      const name = textIn(named, 'name')
      const signature = signatureOf(call)
      const own = { id: textIn(call, 'id'), name, ...(signature !== '' && { signature }) }
      parts.push({ type: 'open', block, kind: 'tool-call', ...own })
    }
    const text = textIn(named, 'arguments')
    if (text !== '') parts.push({ type: 'delta', block, text })
  }

  /** vLLM says by `stopped` which sequence it was; a number is a token, and others repeat the reason there. */
  #finish(reason: string, stopped: unknown, parts: ChatPart[]): void {
    this.#close(parts)
    for (const block of this.#calls.values()) parts.push({ type: 'close', block, signature: '' })
    const hasCalls = this.#calls.size > 0
    this.#calls.clear()
    // Some say `stop`, or another word of theirs, behind calls of tools.
    const said = FINISH_REASONS.get(reason) ?? (hasCalls ? 'tool-calls' : 'stop')
    const isSequence = said === 'stop' && typeof stopped === 'string' && !REASON.test(stopped)
    parts.push({ type: 'finish', reason: said, ...(isSequence && { stopSequence: stopped }) })
  }

  #close(parts: ChatPart[]): void {
    if (this.#open !== null) parts.push({ type: 'close', block: this.#open.block, signature: '' })
    this.#open = null
  }

  #next(): number {
    this.#blocks += 1
    return this.#blocks - 1
  }
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}
