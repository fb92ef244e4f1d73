import {
  cachedTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import { errorBody } from './errors.ts'
import { GroundingWriter } from './grounding.ts'
import { textIn } from './names.ts'

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  filtered: 'SAFETY',
  refusal: 'SAFETY',
  pause: 'STOP',
  'context-exceeded': 'MAX_TOKENS',
}
/** Marks a thought that only its provider can read, in the place of a signature: base64 that ends with a group of four. */
export const REDACTED = 'tollgateRedacted'

/** Brings parts into Google's. Keeps state of one answer. */
class PartsWriter {
  head: JsonObject = {}
  #finish: string | null = null
  readonly #grounding = new GroundingWriter()
  readonly #thoughts = new Set<number>()
  readonly #calls = new Map<
    number,
    { readonly call: JsonObject; signature: string; json: string }
  >()

  /** Null = nothing of it is said yet. */
  part(part: ChatPart): JsonObject | null {
    switch (part.type) {
      case 'begin':
        this.head = { modelVersion: part.model, responseId: part.id }
        return null
      case 'open':
        if (part.kind === 'reasoning') this.#thoughts.add(part.block)
        if (part.kind === 'text') this.#grounding.begin(part.block)
        if (part.kind === 'tool-call') {
          const call = { id: part.id, name: part.name }
          this.#calls.set(part.block, { call, signature: part.signature ?? '', json: '' })
        }
        return null
      case 'delta':
        return this.#text(part.block, part.text)
      case 'close':
        return this.#close(part.block, part.signature)
      case 'redacted':
        return { text: '', thought: true, thoughtSignature: REDACTED + part.data }
      case 'image':
        return { inlineData: { mimeType: part.mime, data: part.base64 } }
      case 'citation':
        this.#grounding.cite(part)
        return null
      case 'search':
        this.#grounding.search(part)
        return null
      case 'finish':
        this.#finish = FINISH_REASONS[part.reason]
        return null
      default:
        return part satisfies never
    }
  }

  /** Members beside the last parts of the answer. */
  get ending(): JsonObject {
    return { finishReason: this.#finish ?? 'STOP', ...this.#grounding.written() }
  }

  /** Calls that were not closed. */
  rest(): readonly JsonObject[] {
    return [...this.#calls.keys()]
      .map((block) => this.#close(block, ''))
      .filter((part) => part !== null)
  }

  #text(block: number, text: string): JsonObject | null {
    const call = this.#calls.get(block)
    if (call !== undefined) {
      call.json += text
      return null
    }
    if (this.#thoughts.has(block)) return { text, thought: true }
    this.#grounding.add(block, text)
    return { text }
  }

  #close(block: number, signature: string): JsonObject | null {
    const call = this.#calls.get(block)
    this.#calls.delete(block)
    if (call !== undefined) {
      const args = parseForeign(call.json)
      const functionCall = { ...call.call, args: isObject(args) ? args : {} }
      return { functionCall, ...(call.signature !== '' && { thoughtSignature: call.signature }) }
    }
    if (signature === '' || !this.#thoughts.has(block)) return null
    return { text: '', thought: true, thoughtSignature: signature }
  }
}

/** Writes an answer as frames: events, or items of one JSON list. */
export class FrameWriter implements PartWriter {
  readonly contentType: string
  readonly keepAlive: string
  readonly #parts = new PartsWriter()
  readonly #isList: boolean
  #frames = 0

  constructor(isList: boolean) {
    this.#isList = isList
    this.keepAlive = isList ? '\n' : '\n\n'
    const type = isList ? 'application/json' : 'text/event-stream'
    this.contentType = `${type}; charset=utf-8`
  }

  part(part: ChatPart): string {
    const written = this.#parts.part(part)
    return written === null ? '' : this.#frame(candidate([written]))
  }

  /** The frame that ends the answer. */
  closing(usage: Usage): string {
    const last = candidate(this.#parts.rest(), this.#parts.ending)
    const frame = this.#frame({ ...last, usageMetadata: inGeminiWords(usage) })
    return frame + (this.#isList ? ']' : '')
  }

  refused(why: Refusal, requestId: string): string {
    return this.#framed(errorBody(why, requestId)) + (this.#isList ? ']' : '')
  }

  #frame(members: JsonObject): string {
    return this.#framed(JSON.stringify({ ...members, ...this.#parts.head }))
  }

  #framed(json: string): string {
    this.#frames += 1
    if (!this.#isList) return `data: ${json}\n\n`
    return (this.#frames === 1 ? '[' : ',\r\n') + json
  }
}

/** Writes an answer as a whole; `usage` is null where upstream reported none. */
export function writeAnswer(parts: readonly ChatPart[], usage: Usage | null): JsonObject {
  const writer = new PartsWriter()
  const written: JsonObject[] = []
  for (const part of parts) {
    const one = writer.part(part)
    if (one === null) continue
    const last = written.at(-1)
    if (last !== undefined && goesOn(last, one)) {
      written[written.length - 1] = {
        ...last,
        ...one,
        text: textIn(last, 'text') + textIn(one, 'text'),
      }
    } else written.push(one)
  }
  return {
    ...candidate([...written, ...writer.rest()], writer.ending),
    ...(usage !== null && { usageMetadata: inGeminiWords(usage) }),
    ...writer.head,
  }
}

/** Pieces of one block's text: a signature comes with the last of them. */
const goesOn = (last: JsonObject, one: JsonObject): boolean =>
  'text' in last &&
  'text' in one &&
  last['thought'] === one['thought'] &&
  !('thoughtSignature' in last) &&
  !textIn(one, 'thoughtSignature').startsWith(REDACTED)

const candidate = (parts: readonly JsonObject[], ending: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, ...ending, index: 0 }],
})

/** Google counts thoughts beside the candidates, and the cached within the prompt. */
export function inGeminiWords(usage: Usage): JsonObject {
  const cached = cachedTokens(usage)
  const { reasoningOut } = usage
  return {
    promptTokenCount: promptTokens(usage),
    candidatesTokenCount: completionTokens(usage) - reasoningOut,
    totalTokenCount: promptTokens(usage) + completionTokens(usage),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(reasoningOut > 0 && { thoughtsTokenCount: reasoningOut }),
  }
}
