import { isObject, type JsonObject } from '../../json.ts'
import { answerName, madeCallId } from '../chat/call-ids.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
import { finishOf, isBlocked } from './frames.ts'
import { citationsOf, pagesOf } from './grounding.ts'
import { memberOf, objectIn, objectsIn, textIn } from './names.ts'

/** Reads the first candidate of one answer's frames as parts. Keeps state of one stream: make one per answer. */
export class FrameReader {
  readonly #answeredAt: number
  #hasBegun = false
  #blocks = 0
  #hasCalled = false
  #id = ''
  /** Text or thoughts that are being written; null = neither. */
  #open: {
    readonly block: number
    readonly kind: 'text' | 'reasoning'
    signature: string
    text: string
  } | null = null
  /** The texts of earlier blocks: Google counts the places of pages in all of them together. */
  #textBefore = ''
  /** The pages behind the text, as told last. */
  #grounding: JsonObject = {}
  /** How many searches parts tell of. */
  #searches = 0

  /** `answeredAt` in unix milliseconds: it names an answer that upstream gave no name. */
  constructor(answeredAt: number) {
    this.#answeredAt = answeredAt
  }

  /** The parts of one frame. */
  of(frame: JsonObject): readonly ChatPart[] {
    const parts: ChatPart[] = []
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#id = answerName(textIn(frame, 'responseId'), this.#answeredAt)
      parts.push({ type: 'begin', id: this.#id, model: textIn(frame, 'modelVersion') })
    }
    const [candidate] = objectsIn(frame['candidates'])
    const grounding = memberOf(candidate ?? {}, 'groundingMetadata')
    if (isObject(grounding)) this.#grounding = grounding
    // A search that comes before the text keeps its place; another stands behind the text that it comes with.
    if (this.#open === null) this.#search(parts)
    for (const part of objectsIn(objectIn(candidate ?? {}, 'content')['parts'])) {
      this.#part(part, parts)
    }
    const reason = candidate === undefined ? null : finishOf(candidate)
    if (reason !== null) this.#finish(finishReason(reason), parts)
    else if (isBlocked(frame)) this.#finish('filtered', parts)
    return parts
  }

  #part(part: JsonObject, parts: ChatPart[]): void {
    const call = memberOf(part, 'functionCall')
    if (call !== undefined) {
      this.#call(objectIn(part, 'functionCall'), textIn(part, 'thoughtSignature'), parts)
      return
    }
    const inline = objectIn(part, 'inlineData')
    const mime = textIn(inline, 'mimeType')
    if (mime.startsWith('image/')) {
      this.#close(parts)
      parts.push({ type: 'image', block: this.#next(), mime, base64: textIn(inline, 'data') })
      return
    }
    const isThought = part['thought'] === true
    this.#text(isThought ? 'reasoning' : 'text', textIn(part, 'text'), parts)
    if (isThought && this.#open !== null) {
      this.#open.signature += textIn(part, 'thoughtSignature')
    }
  }

  #text(kind: 'text' | 'reasoning', text: string, parts: ChatPart[]): void {
    if (text === '') return
    if (this.#open?.kind !== kind) {
      this.#close(parts)
      const block = this.#next()
      this.#open = { block, kind, signature: '', text: '' }
      parts.push({ type: 'open', block, kind })
    }
    this.#open.text += text
    parts.push({ type: 'delta', block: this.#open.block, text })
  }

  /** Calls come whole. Models before Gemini 3 give them no id. */
  #call(call: JsonObject, signature: string, parts: ChatPart[]): void {
    this.#close(parts)
    this.#hasCalled = true
    const block = this.#next()
    const id = textIn(call, 'id') || madeCallId(this.#id, block)
    parts.push(
      {
        type: 'open',
        block,
        kind: 'tool-call',
        id,
        name: textIn(call, 'name'),
        ...(signature !== '' && { signature }),
      },
      { type: 'delta', block, text: JSON.stringify(objectIn(call, 'args')) },
      { type: 'close', block, signature: '' },
    )
  }

  #finish(reason: FinishReason, parts: ChatPart[]): void {
    this.#cite(parts)
    this.#close(parts)
    this.#search(parts)
    parts.push({
      type: 'finish',
      reason: reason === 'stop' && this.#hasCalled ? 'tool-calls' : reason,
    })
  }

  /** Searches that were not told of so far. Google does not tell which found a page: the last of them has all. */
  #search(parts: ChatPart[]): void {
    const told = memberOf(this.#grounding, 'webSearchQueries')
    const queries = (Array.isArray(told) ? told : []).slice(this.#searches)
    for (const [place, query] of queries.entries()) {
      const block = this.#next()
      const isLast = place === queries.length - 1
      parts.push({
        type: 'search',
        block,
        id: madeCallId(this.#id, block),
        query: String(query),
        pages: isLast ? pagesOf(this.#grounding) : [],
      })
    }
    this.#searches += queries.length
  }

  /** Pages behind the last text. Blocks of earlier ones are closed: nobody can be told of theirs. */
  #cite(parts: ChatPart[]): void {
    if (this.#open?.kind !== 'text') return
    const { block, text } = this.#open
    const before = this.#textBefore.length
    for (const page of citationsOf(this.#grounding, this.#textBefore + text)) {
      const [start, end] = [Math.max(0, page.start - before), page.end - before]
      const isEarlier = page.start < before && end <= 0
      if (!isEarlier) parts.push({ type: 'citation', block, ...page, start, end })
    }
  }

  #close(parts: ChatPart[]): void {
    if (this.#open === null) return
    const { block, signature, kind, text } = this.#open
    if (kind === 'text') this.#textBefore += text
    parts.push({ type: 'close', block, signature })
    this.#open = null
  }

  #next(): number {
    this.#blocks += 1
    return this.#blocks - 1
  }
}

function finishReason(reason: string): FinishReason {
  if (reason === 'STOP') return 'stop'
  return reason === 'MAX_TOKENS' ? 'length' : 'filtered'
}
