import { isObject, type JsonObject } from '../../json.ts'
import { answerName, madeCallId } from '../chat/call-ids.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
import { signatureOf } from './call-signature.ts'
import { type SearchedPage, searchedPages } from './searched-pages.ts'

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

interface OpenBlock {
  readonly block: number
  readonly kind: 'text' | 'reasoning'
  /** Where in the content it begins. */
  readonly start: number
}

interface OpenCall {
  readonly block: number
  readonly id: string
  readonly name: string
  /** Whether its arguments so far end as an object does. */
  endsObject: boolean
}

/** Reads the first choice of one answer's chunks as parts. Keeps state of one stream: make one per answer. */
export class ChunkReader {
  readonly #answeredAt: number
  #hasBegun = false
  #blocks = 0
  /** Text or reasoning that is being written; null = neither. */
  #open: OpenBlock | null = null
  /** Length of the content so far; places of annotations go by it. */
  #contentLength = 0
  /** Behind the answer as a whole, as told last; some providers tell the same again as annotations. */
  #pages: readonly SearchedPage[] = []
  #hasCited = false
  /** The call that is written at an index; they may be written side by side. */
  readonly #calls = new Map<number, OpenCall>()
  /** Blocks of all tool calls. */
  readonly #called: number[] = []
  /** The answer's own name. */
  #name = ''
  /** Upstream's reason and stop sequence; null = it has told none. */
  #finished: { readonly reason: string; readonly stopped: unknown } | null = null

  /** `answeredAt` in unix milliseconds: it names an answer that upstream gave no name. */
  constructor(answeredAt: number) {
    this.#answeredAt = answeredAt
  }

  /** The parts of one chunk; the last ones of an answer are those of `end`. */
  of(chunk: JsonObject): readonly ChatPart[] {
    const { choices } = chunk
    const pages = searchedPages(chunk)
    if (pages.length > 0) this.#pages = pages
    const choice: unknown = Array.isArray(choices) ? choices[0] : null
    // Azure's first chunk has filter results and no name.
    if (!isObject(choice)) return []
    const parts: ChatPart[] = []
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#name = answerName(textIn(chunk, 'id'), this.#answeredAt)
      parts.push({ type: 'begin', id: this.#name, model: textIn(chunk, 'model') })
    }
    const delta = choice['delta'] ?? choice['message']
    if (isObject(delta)) this.#delta(delta, parts)
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '') {
      this.#finished = { reason, stopped: choice['stop_reason'] }
    }
    return parts
  }

  /** The parts behind the last chunk, as pages may be told after the reason: xAI has them beside the usage. */
  end(): readonly ChatPart[] {
    const parts: ChatPart[] = []
    if (this.#finished !== null) this.#finish(this.#finished, parts)
    this.#finished = null
    return parts
  }

  #delta(delta: JsonObject, parts: ChatPart[]): void {
    const thought = textIn(delta, 'reasoning_content') || textIn(delta, 'reasoning')
    this.#text('reasoning', thought, parts)
    this.#content(delta['content'], parts)
    this.#text('text', textIn(delta, 'refusal'), parts)
    for (const one of objectsIn(delta['annotations'])) this.#cite(one, parts)
    for (const image of objectsIn(delta['images'])) this.#image(image, parts)
    const { tool_calls: calls } = delta
    if (!Array.isArray(calls)) return
    for (const [place, call] of calls.entries()) if (isObject(call)) this.#call(call, place, parts)
  }

  /** A text, or a list of parts: Mistral's thoughts stand among them. */
  #content(content: unknown, parts: ChatPart[]): void {
    if (typeof content === 'string') this.#text('text', content, parts)
    for (const part of objectsIn(content)) {
      if (part['type'] === 'image_url') this.#image(part, parts)
      else this.#text('text', textIn(part, 'text'), parts)
      for (const thought of objectsIn(part['thinking'])) {
        this.#text('reasoning', textIn(thought, 'text'), parts)
      }
    }
  }

  #text(kind: 'text' | 'reasoning', text: string, parts: ChatPart[]): void {
    if (text === '') return
    if (this.#open?.kind !== kind) {
      this.#close(parts)
      const block = this.#next()
      this.#open = { block, kind, start: this.#contentLength }
      parts.push({ type: 'open', block, kind })
    }
    if (kind === 'text') this.#contentLength += text.length
    parts.push({ type: 'delta', block: this.#open.block, text })
  }

  /** A page of the web; one behind a text that has ended is of nothing that clients could be told of. */
  #cite(annotation: JsonObject, parts: ChatPart[]): void {
    const { url_citation: page } = annotation
    if (!isObject(page) || this.#open?.kind !== 'text') return
    const { block, start: from } = this.#open
    const length = this.#contentLength - from
    const placeIn = (name: string, other: number): number => {
      const place = page[name]
      return typeof place === 'number' ? Math.min(Math.max(place - from, 0), length) : other
    }
    const [start, end] = [placeIn('start_index', 0), placeIn('end_index', length)]
    const [url, title] = [textIn(page, 'url'), textIn(page, 'title')]
    parts.push({ type: 'citation', block, url, title, start, end })
    this.#hasCited = true
  }

  /** The whole text goes back to each of the pages. */
  #citePages(parts: ChatPart[]): void {
    if (this.#hasCited || this.#open?.kind !== 'text') return
    const { block, start: from } = this.#open
    const end = this.#contentLength - from
    for (const page of this.#pages) parts.push({ type: 'citation', block, ...page, start: 0, end })
  }

  /** A picture that the model drew; one by its address stands in the text, as Markdown has it. */
  #image({ image_url: image }: JsonObject, parts: ChatPart[]): void {
    const url = isObject(image) ? textIn(image, 'url') : ''
    const comma = url.indexOf(',')
    const [, mime] = /^data:([\w.+/-]{1,100});base64$/.exec(url.slice(0, comma)) ?? []
    if (mime === undefined) {
      this.#text('text', url === '' ? '' : `![image](${url})`, parts)
      return
    }
    this.#close(parts)
    parts.push({ type: 'image', block: this.#next(), mime, base64: url.slice(comma + 1) })
  }

  /** A piece of a call. Some providers give all calls one index, or none an id, or the arguments as an object. */
  #call(call: JsonObject, place: number, parts: ChatPart[]): void {
    const index = typeof call['index'] === 'number' ? call['index'] : place
    const named = isObject(call['function']) ? call['function'] : {}
    const [id, name] = [textIn(call, 'id'), textIn(named, 'name')]
    const { arguments: given } = named
    const text = isObject(given) ? JSON.stringify(given) : textIn(named, 'arguments')
    let at = this.#calls.get(index)
    if (at === undefined || beginsAnew(at, id, name, text)) {
      this.#close(parts)
      const own = { id: id || madeCallId(this.#name, this.#called.length), name }
      at = { ...own, block: this.#next(), endsObject: false }
      this.#calls.set(index, at)
      this.#called.push(at.block)
      const signature = signatureOf(call)
      const opened = { ...own, ...(signature !== '' && { signature }) }
      parts.push({ type: 'open', block: at.block, kind: 'tool-call', ...opened })
    }
    if (text === '') return
    at.endsObject = text.trimEnd().endsWith('}')
    parts.push({ type: 'delta', block: at.block, text })
  }

  /** vLLM says by `stopped` which sequence it was; a number is a token, and others repeat the reason there. */
  #finish(
    { reason, stopped }: { readonly reason: string; readonly stopped: unknown },
    parts: ChatPart[],
  ): void {
    this.#citePages(parts)
    this.#close(parts)
    for (const block of this.#called) parts.push({ type: 'close', block, signature: '' })
    const hasCalls = this.#called.length > 0
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

/**
 * Whether a piece at the index of a call begins another one. vLLM has given each piece of a call an id of its own, but
 * no name. Google's translation has no ids: a call with another name, or with an object behind an object, is the next.
 * OpenAI's SDKs would join the two to arguments that nothing can read. A piece without a name goes on with the call.
 */
function beginsAnew(at: OpenCall, id: string, name: string, text: string): boolean {
  if (name === '') return false
  if (id !== '') return id !== at.id
  return name !== at.name || (at.endsObject && text.trimStart().startsWith('{'))
}

/** The parts of a whole answer, which came at `answeredAt`, unix milliseconds. */
export function partsOf(reply: JsonObject, answeredAt: number): readonly ChatPart[] {
  const reader = new ChunkReader(answeredAt)
  return [...reader.of(reply), ...reader.end()]
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : []
