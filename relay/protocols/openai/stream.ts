import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Quirk } from '../../channel-types.ts'
import type { ChunkAnswer } from './chunk-answer.ts'
import type { ChunkRewriter } from './chunk-rewriter.ts'
import { errorEvent } from './errors.ts'
import { editObject, hasMorePlacesThan } from '../json-members.ts'
import { ChoicesOutput } from './choices-output.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { readUsage, type ReportedUsage } from '../../metering/openai-usage.ts'
import { tell, type Told } from '../../metering/upstream-facts.ts'
import type { Refusal } from '../../refusal.ts'
import {
  EVENT_BYTES_MAX,
  EventFramer,
  eventsOf,
  type SseEvent,
} from '../../streams/event-framer.ts'
import { errorInAnswer, firstOf, type UpstreamError } from '../../upstream/errors.ts'
import type { Passage } from '../passage.ts'
import { searchedPages } from './searched-pages.ts'
import { inOpenAiWords } from './usage-words.ts'
import { UsageReports } from './usage-reports.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const NOTHING = Buffer.alloc(0)

/**
 * Objects, lists and members of one chunk: twenty log probabilities for each of two hundred tokens have as many. Places
 * take a thousand times as long to parse as bytes of text do, and all that is served here waits for them.
 */
export const CHUNK_PLACES_MAX = 20_000

export interface StreamOptions {
  /** The client asked for usage: a chunk that loses it says `"usage":null`, as OpenAI's do; else it has no such member. */
  readonly showUsage: boolean
  /** The name that chunks give themselves, for the usage chunk of a stream in which upstream names nothing. */
  readonly object: 'chat.completion.chunk' | 'text_completion'
  /** Null = chunks pass byte for byte. */
  readonly rewrite: ChunkRewriter | null
  /** For a client of another protocol, or one that asked for no stream; null = for OpenAI's. */
  readonly answer: ChunkAnswer | null
  /** How the provider reports usage. */
  readonly quirks: readonly Quirk[]
  /** The channel's, masked in upstream's errors. */
  readonly key: string
}

/**
 * One pass over the bytes of an OpenAI event stream: answers the bytes to deliver at once, keeps back `[DONE]`, errors
 * and all usage, and gathers the facts that metering needs. An event is delivered or hidden as a whole, with its
 * `event` and `id` lines: clients read a left-over line as an event without data. Usage is kept back wherever it stands
 * (a chunk of its own, the finishing chunk, every chunk, the choice): clients add up every usage they see, so it is
 * sent once, by `closing`.
 */
export class OpenAiStream implements Passage {
  readonly contentType: string
  readonly keepAlive: string
  readonly output = new ChoicesOutput()
  readonly #options: StreamOptions
  readonly #framer = new EventFramer()
  #wasHidden = false
  readonly #usage = new UsageReports()
  #error: UpstreamError | null = null
  #fault: string | null = null
  #isDone = false
  #isFinished = false
  #hasStarted = false
  /** A chunk of this stream, whose members our usage chunk repeats. */
  #identity: JsonObject = {}
  readonly #told: Told = {}

  constructor(options: StreamOptions) {
    this.#options = options
    this.keepAlive = options.answer?.keepAlive ?? ': PING\n\n'
    this.contentType = options.answer?.contentType ?? 'text/event-stream; charset=utf-8'
  }

  /** Over all chunks and choices. */
  get report(): JsonObject | null {
    return this.#usage.usage
  }
  get usage(): ReportedUsage {
    return readUsage(this.report, this.#options.quirks)
  }
  get error(): UpstreamError | null {
    return this.#error
  }
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
  get hasStarted(): boolean {
    return this.#hasStarted
  }
  /** By all chunks so far. */
  get told(): Told {
    return this.#told
  }

  push(chunk: Buffer): Buffer {
    const delivered = this.#events(this.#framer.push(chunk))
    if (this.#framer.isTooLong) {
      this.#fault ??= `upstream sent an event of more than ${EVENT_BYTES_MAX} bytes`
    }
    return delivered
  }

  end(): Buffer {
    return this.#events(this.#framer.end())
  }

  /** `[DONE]`, and before it the usage that was asked for: upstream's own words where the charge goes by them. */
  closing(usage: Usage, isEstimated: boolean): string {
    const { showUsage, object, answer } = this.#options
    const shown = (isEstimated ? null : this.report) ?? inOpenAiWords(usage)
    if (answer !== null) return answer.closing(usage, shown)
    if (!showUsage) return DONE
    return dataEvent(usageChunkOf(this.#identity, object, shown)) + DONE
  }

  refused(why: Refusal, requestId: string): string {
    const { answer } = this.#options
    return answer === null ? errorEvent(why, requestId) : answer.refused(why, requestId)
  }

  #events(region: Buffer): Buffer {
    const parts: Buffer[] = []
    let keptFrom = 0
    for (const event of eventsOf(region)) {
      const replacement = this.#event(region, event)
      const { start, end } = event
      if (replacement === KEEP) continue
      if (start > keptFrom) parts.push(region.subarray(keptFrom, start))
      if (replacement.length > 0) parts.push(replacement)
      keptFrom = end
    }
    if (keptFrom === 0) return region
    if (keptFrom < region.length) parts.push(region.subarray(keptFrom))
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }

  /** KEEP, or the bytes in the event's place. */
  #event(region: Buffer, event: SseEvent): Buffer {
    if (this.#isDone || this.#error !== null || this.#fault !== null) return NOTHING
    if (event.data.length === 0) {
      // A field without data is no event, but some clients take it for one; further blank lines go with an event.
      const isBlank = region[event.start] === NEWLINE || region[event.start] === RETURN
      if (!isBlank) this.#wasHidden = event.hasFields
      const { rewrite, answer } = this.#options
      return this.#wasHidden || rewrite !== null || answer !== null ? NOTHING : KEEP
    }
    const replacement = this.#data(region, event)
    this.#wasHidden = replacement !== KEEP && replacement.length === 0
    return replacement
  }

  /** The data of an event: the lines as one text, or, where that is no JSON, each for itself. */
  #data(region: Buffer, event: SseEvent): Buffer {
    const texts = event.data.map(({ valueStart, valueEnd }) =>
      region.subarray(valueStart, valueEnd),
    )
    const [only] = texts
    if (only !== undefined && texts.length === 1) return this.#payload(region, event, only)
    // A line end within JSON is white space.
    const joined = Buffer.concat(texts.flatMap((text) => [text, SPACE]))
    if (parseForeign(joined.toString('utf8')) !== undefined)
      return this.#payload(region, event, joined)
    return Buffer.concat(
      texts.map((text) => {
        const delivered = this.#payload(region, event, text)
        return delivered === KEEP ? Buffer.concat([DATA, text, EVENT_END]) : delivered
      }),
    )
  }

  #payload(region: Buffer, event: SseEvent, bytes: Buffer): Buffer {
    if (this.#isDone || this.#error !== null || this.#fault !== null) return NOTHING
    if (hasMorePlacesThan(bytes, CHUNK_PLACES_MAX)) {
      this.#fault = `upstream sent a chunk of more than ${CHUNK_PLACES_MAX} objects, lists and members`
      return NOTHING
    }
    const text = bytes.toString('utf8').trim()
    if (text === '') return NOTHING
    if (text === '[DONE]') {
      this.#isDone = true
      return NOTHING
    }
    const chunk = firstOf(parseForeign(text))
    if (!isObject(chunk)) {
      this.#fault = 'upstream sent a chunk that is not a JSON object'
      return NOTHING
    }
    const error = errorOf(chunk, event.name)
    if (error !== null) {
      this.#error = errorInAnswer(error, this.#options.key)
      return NOTHING
    }
    return this.#chunk(chunk, { region, event, bytes })
  }

  #chunk(chunk: JsonObject, { region, event, bytes }: ChunkPlace): Buffer {
    // Azure's first chunk carries filter results under an empty id.
    if (!this.#hasStarted || chunk['id'] !== '') this.#identity = chunk
    tell(this.#told, chunk)
    this.output.take(chunk['choices'])
    const isCarryingUsage = this.#usage.take(chunk)
    if (hasFinished(chunk['choices'])) this.#isFinished = true
    const { rewrite, answer } = this.#options
    if (isCarryingUsage && hasNoChoice(chunk)) {
      answer?.chunk(chunk)
      if (!this.#isForPages(chunk)) return NOTHING
    }
    this.#hasStarted = true
    const edits = isCarryingUsage ? withoutUsage(chunk, this.#options.showUsage) : null
    if (rewrite === null && answer === null) {
      return edits === null ? KEEP : withData(region, event, editObject(bytes, edits))
    }
    const plain = edits === null ? chunk : { ...chunk, ...Object.fromEntries(edits) }
    const chunks = rewrite === null ? [plain] : rewrite(plain)
    const write = answer === null ? dataEvent : (one: JsonObject) => answer.chunk(one)
    return Buffer.from(chunks.map(write).join(''))
  }

  /** Whether a chunk without choices brings pages that no other would: `closing` repeats them beside the usage. */
  #isForPages(chunk: JsonObject): boolean {
    const { showUsage, rewrite, answer } = this.#options
    return !showUsage && rewrite === null && answer === null && searchedPages(chunk).length > 0
  }
}

/** Where a chunk came from: its event, and its JSON. */
interface ChunkPlace {
  readonly region: Buffer
  readonly event: SseEvent
  readonly bytes: Buffer
}

/** Stands for the event itself; never delivered. */
const KEEP = Buffer.alloc(0)
const DATA = Buffer.from('data: ')
const SPACE = Buffer.from(' ')
const EVENT_END = Buffer.from('\n\n')
const DONE = 'data: [DONE]\n\n'

/** An event with other JSON in place of its data; its other lines stay. */
function withData(region: Buffer, { start, end, data }: SseEvent, json: Buffer): Buffer {
  const parts: Buffer[] = []
  let from = start
  for (const [place, line] of data.entries()) {
    parts.push(region.subarray(from, line.start))
    if (place === 0) parts.push(DATA, json, region.subarray(line.valueEnd, line.end))
    from = line.end
  }
  return Buffer.concat([...parts, region.subarray(from, end)])
}

/** A chunk as an event of a stream. */
const dataEvent = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`

/** Upstream's error in a chunk: its member, or the whole of an event named `error`. */
function errorOf(chunk: JsonObject, name: string): JsonObject | null {
  const { error } = chunk
  if (isObject(error) || (typeof error === 'string' && error !== '')) return chunk
  return name === 'error' && !('choices' in chunk) ? { error: chunk } : null
}

/**
 * The stream's one usage chunk, in the name of the answer whose chunks `like` it: a client that adds up or groups by
 * these members sees one answer. Upstream's own usage chunk keeps all its members. `object` stands where upstream named
 * none.
 */
function usageChunkOf(like: JsonObject, object: string, usage: JsonObject): JsonObject {
  const members = hasNoChoice(like) ? Object.keys(like) : REPEATED
  const repeated = members
    .filter((key) => key in like && like[key] !== '')
    .map((key) => [key, like[key]] as const)
  return { object, ...Object.fromEntries(repeated), choices: [], usage }
}

const REPEATED = ['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier']

/** Edits that take usage out of a chunk: its own member, and that of each choice. */
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

/** A chunk without choices has nothing but usage and its companions. */
const hasNoChoice = ({ choices }: JsonObject): boolean =>
  !Array.isArray(choices) || choices.length === 0

const hasFinished = (choices: unknown): boolean =>
  Array.isArray(choices) &&
  choices.some(
    (choice) =>
      isObject(choice) &&
      typeof choice['finish_reason'] === 'string' &&
      choice['finish_reason'] !== '',
  )
