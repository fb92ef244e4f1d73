import type { ChunkRewriter } from './chunk-rewriter.ts'
import { editObject, hasMorePlacesThan } from './json-members.ts'
import { AnswerOutput } from './answer-output.ts'
import { isObject, type JsonObject } from '../../json.ts'
import { tell, type Told } from '../../metering/upstream-facts.ts'
import { UsageReports } from './usage-reports.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const NOTHING = Buffer.alloc(0)
/** A line beyond this is not an answer (relay-and-billing.md 6). */
const LINE_BYTES_MAX = 10 * 1024 * 1024

/**
 * Objects, lists and members of one chunk: twenty log probabilities for each of two hundred tokens have as many. Places
 * take a thousand times as long to parse as bytes of text do, and all that is served here waits for them.
 */
const CHUNK_PLACES_MAX = 20_000

export interface StreamOptions {
  /** The client asked for usage: a chunk that loses it says `"usage":null`, as OpenAI's do; else it has no such member. */
  readonly showUsage: boolean
  /** Null = chunks pass byte for byte. */
  readonly rewrite: ChunkRewriter | null
}

/**
 * One pass over the bytes of an OpenAI event stream: answers what to deliver at once, keeps back `[DONE]`, errors and
 * all usage, and gathers what metering needs. Usage is kept back wherever it stands (a chunk of its own, the finishing
 * chunk, every chunk, the choice): clients add up what they see, so it is sent once, at the end (`usageChunkOf`). Pure:
 * the same bytes, cut anywhere, give the same delivery and the same facts.
 */
export class OpenAiStream {
  readonly output = new AnswerOutput()
  readonly #options: StreamOptions
  #pending: Buffer[] = []
  #pendingBytes = 0
  #swallowBlank = false
  readonly #usage = new UsageReports()
  #error: JsonObject | null = null
  #fault: string | null = null
  #isDone = false
  #isFinished = false
  #hasStarted = false
  #isBetweenEvents = true
  #identity: JsonObject = {}
  readonly #told: Told = {}

  constructor(options: StreamOptions) {
    this.#options = options
  }

  /** What upstream reported as used, over all chunks and choices; null when it reported nothing. */
  get usage(): JsonObject | null {
    return this.#usage.usage
  }
  /** Upstream's own error event. */
  get error(): JsonObject | null {
    return this.#error
  }
  /** Why the stream cannot be read on; null while it can. */
  get fault(): string | null {
    return this.#fault
  }
  /** Upstream said `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone
  }
  /** Some choice got its finish_reason: a stream that ends now was not cut off. */
  get isFinished(): boolean {
    return this.#isFinished
  }
  /** A chunk has been let through: from now on the answer belongs to the client. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }
  /** Nothing of an unfinished event has been delivered: another may follow. */
  get isBetweenEvents(): boolean {
    return this.#isBetweenEvents
  }
  /** How upstream calls what it answers, by all chunks so far. */
  get told(): Told {
    return this.#told
  }
  /** A chunk of this stream, whose members one of our own repeats. */
  get identity(): JsonObject {
    return this.#identity
  }

  /** Takes bytes from upstream; returns what to deliver now, which may be nothing. */
  push(chunk: Buffer): Buffer {
    const lastNewline = chunk.lastIndexOf(NEWLINE)
    if (lastNewline === -1) {
      this.#keep(chunk)
      return NOTHING
    }
    const whole = this.#takePending(chunk.subarray(0, lastNewline + 1))
    if (lastNewline + 1 < chunk.length) this.#keep(chunk.subarray(lastNewline + 1))
    return this.#lines(whole)
  }

  /** Upstream has ended: reads what stood without a line's end. */
  end(): Buffer {
    if (this.#pendingBytes === 0) return NOTHING
    return this.#lines(this.#takePending(Buffer.from('\n\n')))
  }

  #keep(rest: Buffer): void {
    this.#pendingBytes += rest.length
    if (this.#pendingBytes > LINE_BYTES_MAX) {
      this.#fault ??= `upstream sent a line of more than ${LINE_BYTES_MAX} bytes`
      this.#pending = []
      this.#pendingBytes = 0
      return
    }
    this.#pending.push(rest)
  }

  #takePending(tail: Buffer): Buffer {
    if (this.#pendingBytes === 0) return tail
    const whole = Buffer.concat([...this.#pending, tail])
    this.#pending = []
    this.#pendingBytes = 0
    return whole
  }

  #lines(region: Buffer): Buffer {
    const kept: Buffer[] = []
    let keptFrom = 0
    let start = 0
    while (start < region.length) {
      const next = region.indexOf(NEWLINE, start) + 1
      const replacement = this.#line(region, start, next)
      if (replacement !== KEEP) {
        if (start > keptFrom) kept.push(region.subarray(keptFrom, start))
        if (replacement.length > 0) kept.push(replacement)
        keptFrom = next
      }
      start = next
    }
    if (keptFrom === 0) return region
    if (keptFrom < region.length) kept.push(region.subarray(keptFrom))
    return kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept)
  }

  /** KEEP, or what stands in the line's place. `next` is behind its newline. */
  #line(region: Buffer, start: number, next: number): Buffer {
    const end = region[next - 2] === RETURN && next - 2 >= start ? next - 2 : next - 1
    if (this.#isDone || this.#error !== null || this.#fault !== null) return NOTHING
    if (start === end) {
      const isSwallowed = this.#swallowBlank
      this.#swallowBlank = false
      if (isSwallowed) return NOTHING
      this.#isBetweenEvents = true
      return this.#options.rewrite === null ? KEEP : NOTHING
    }
    this.#swallowBlank = false
    if (!isData(region, start)) {
      if (this.#options.rewrite !== null) return NOTHING
      this.#isBetweenEvents = false
      return KEEP
    }
    if (hasMorePlacesThan(region.subarray(start + 5, end), CHUNK_PLACES_MAX)) {
      this.#fault = `upstream sent a chunk of more than ${CHUNK_PLACES_MAX} objects, lists and members`
      return this.#hide()
    }
    return this.#data(region.toString('utf8', start + 5, end).trim())
  }

  #data(payload: string): Buffer {
    if (payload === '') return this.#hide()
    if (payload === '[DONE]') {
      this.#isDone = true
      return this.#hide()
    }
    const chunk = parse(payload)
    if (!isObject(chunk)) {
      this.#fault = 'upstream sent a chunk that is not a JSON object'
      return this.#hide()
    }
    if (isObject(chunk['error']) || typeof chunk['error'] === 'string') {
      this.#error = chunk
      return this.#hide()
    }
    return this.#chunk(chunk, payload)
  }

  #chunk(chunk: JsonObject, payload: string): Buffer {
    // Azure's first chunk carries filter results under an empty id.
    if (!this.#hasStarted || chunk['id'] !== '') this.#identity = chunk
    tell(this.#told, chunk)
    this.output.take(chunk['choices'])
    const isCarryingUsage = this.#usage.take(chunk)
    const standing = standingOf(chunk['choices'])
    if (standing === 'finished') this.#isFinished = true
    if (isCarryingUsage && standing === 'empty') return this.#hide()
    this.#hasStarted = true
    const edits = isCarryingUsage ? withoutUsage(chunk, this.#options.showUsage) : null
    if (this.#options.rewrite === null) {
      this.#isBetweenEvents = false
      if (edits === null) return KEEP
      return Buffer.concat([DATA, editObject(Buffer.from(payload), edits), LINE_END])
    }
    this.#isBetweenEvents = true
    const plain = edits === null ? chunk : { ...chunk, ...Object.fromEntries(edits) }
    return Buffer.from(this.#options.rewrite(plain).map(dataEvent).join(''))
  }

  #hide(): Buffer {
    this.#swallowBlank = true
    return NOTHING
  }
}

/** Stands for the line itself; never delivered. */
const KEEP = Buffer.alloc(0)
const DATA = Buffer.from('data: ')
const LINE_END = Buffer.from('\n')

/** A chunk as an event of a stream. */
export const dataEvent = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`

const isData = (region: Buffer, at: number): boolean =>
  region[at] === 0x64 &&
  region[at + 1] === 0x61 &&
  region[at + 2] === 0x74 &&
  region[at + 3] === 0x61 &&
  region[at + 4] === 0x3a

/**
 * The stream's one usage chunk, in the name of the answer whose chunks `like` it: what a client that adds up or groups
 * by these members sees is one answer.
 */
export function usageChunkOf(like: JsonObject, usage: JsonObject): JsonObject {
  const repeated = REPEATED.filter((key) => key in like).map((key) => [key, like[key]])
  return { object: 'chat.completion.chunk', ...Object.fromEntries(repeated), choices: [], usage }
}

const REPEATED = ['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier']

/** What takes usage out of a chunk: its own member, and that of each choice. */
function withoutUsage(chunk: JsonObject, isAskedFor: boolean): ReadonlyMap<string, unknown> {
  const edits = new Map<string, unknown>()
  if ('usage' in chunk) edits.set('usage', isAskedFor ? null : undefined)
  const { choices } = chunk
  if (!Array.isArray(choices) || !choices.some(hasUsage)) return edits
  return edits.set(
    'choices',
    choices.map((choice) => (hasUsage(choice) ? { ...choice, usage: undefined } : choice)),
  )
}

const hasUsage = (choice: unknown): choice is JsonObject =>
  isObject(choice) && isObject(choice['usage'])

/** `empty`: no choice says anything, so that the chunk is there for its usage only. */
function standingOf(choices: unknown): 'empty' | 'open' | 'finished' {
  if (!Array.isArray(choices)) return 'empty'
  let isEmpty = true
  for (const choice of choices) {
    if (!isObject(choice)) continue
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '') return 'finished'
    if (saysSomething(choice)) isEmpty = false
  }
  return isEmpty ? 'empty' : 'open'
}

function saysSomething(choice: JsonObject): boolean {
  if (typeof choice['text'] === 'string' && choice['text'] !== '') return true
  const delta = choice['delta']
  if (!isObject(delta)) return false
  return Object.values(delta).some((value) => value !== null && value !== '')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Garbage is told from JSON by the caller, which knows what to do with the stream.
    return undefined
  }
}
