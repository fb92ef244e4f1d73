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
import { errorInAnswer, shownError, type UpstreamError } from '../../upstream/errors.ts'
import { hasMorePlacesThan } from '../json-members.ts'
import type { Passage } from '../passage.ts'
import { errorEvent } from './errors.ts'
import { ItemsOutput } from './items-output.ts'
import type { IdNames } from '../id-names.ts'
import { eventWithSealedIds, withSealedIds } from './sealed-ids.ts'
import { billedCalls } from './tool-calls.ts'

/** Objects, lists and members of one event: the last one repeats the whole response. */
export const EVENT_PLACES_MAX = 100_000
const NOTHING = Buffer.alloc(0)

/**
 * One pass over the bytes of a response's events, on their way to a client of responses. The event that says how the
 * response ended waits for the charge, as does one that says that it failed.
 */
export class ResponsesStream implements Passage {
  readonly contentType: string
  readonly keepAlive: string
  readonly output = new ItemsOutput()
  readonly told: Told = {}
  readonly #key: string
  readonly #names: IdNames
  readonly #isStreamed: boolean
  /** The response as its last event has it. */
  #response: JsonObject | null = null
  readonly #framer = new EventFramer()
  readonly #held: Buffer[] = []
  #report: JsonObject | null = null
  #error: UpstreamError | null = null
  #fault: string | null = null
  #isDone = false
  #isFailed = false
  #hasStarted = false
  #sequence = 0

  /** `key` is the channel's, masked in upstream's errors. Not `isStreamed`: the client asked for the response at once. */
  constructor(key: string, names: IdNames, isStreamed = true) {
    this.#key = key
    this.#names = names
    this.#isStreamed = isStreamed
    this.contentType = isStreamed ? 'text/event-stream; charset=utf-8' : 'application/json'
    this.keepAlive = isStreamed ? ': PING\n\n' : ' '
  }

  get report(): JsonObject | null {
    return this.#report
  }
  get usage(): ReportedUsage {
    return { ...readUsage(this.#report, []), calls: billedCalls(this.#report, this.output.calls) }
  }
  get error(): UpstreamError | null {
    return this.#error
  }
  get fault(): string | null {
    return this.#fault
  }
  get endsAsFailed(): boolean {
    return this.#isFailed
  }
  get isDone(): boolean {
    return this.#isDone
  }
  get isFinished(): boolean {
    return this.#isDone
  }
  get hasStarted(): boolean {
    return this.#hasStarted
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

  closing(): Buffer {
    if (this.#isStreamed) return Buffer.concat(this.#held)
    const response = this.#response ?? {}
    return withSealedIds(Buffer.from(JSON.stringify(response)), response, this.#names)
  }

  /** Upstream's own event of the failure where it gave one, its texts masked; else an error. */
  refused(why: Refusal, requestId: string): string {
    if (!this.#isStreamed) return ''
    const isOfUpstream = this.#error !== null && !why.mustNotRepeat && this.#held.length > 0
    if (isOfUpstream) return Buffer.concat(this.#held).toString('utf8')
    return errorEvent(why, requestId, this.#sequence)
  }

  #events(region: Buffer): Buffer {
    if (region.length === 0) return NOTHING
    const parts = eventsOf(region).map((event) => this.#event(region, event))
    const [only] = parts
    return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
  }

  #event(region: Buffer, event: SseEvent): Buffer {
    if (this.#isDone || this.#error !== null || this.#fault !== null) return NOTHING
    const bytes = region.subarray(event.start, event.end)
    if (event.data.length === 0) return bytes
    const json = dataOf(region, event)
    if (json.toString('latin1', 0, DONE_BYTES).trim() === '[DONE]') return NOTHING
    const said = this.#parsed(json)
    if (said === null) return NOTHING
    const delivered = isObject(said['response'])
      ? written(event.name, eventWithSealedIds(json, said, this.#names, this.#shown))
      : bytes
    const isLast = this.#read(said)
    if (!this.#isStreamed) return NOTHING
    if (!isLast) return delivered
    this.#hold(event.name, said, delivered)
    return NOTHING
  }

  /** An event `error` is one error as a whole; one that cannot be shown is told in our words. */
  #hold(name: string, event: JsonObject, delivered: Buffer): void {
    const isError = this.#error !== null && !isObject(event['response'])
    if (!isError) return void this.#held.push(delivered)
    const shown = this.#shown(event)
    if (shown !== null) this.#held.push(written(name, Buffer.from(JSON.stringify(shown))))
  }

  readonly #shown = (error: JsonObject): JsonObject | null => shownError(error, this.#key)

  /** Null = the stream cannot be read on. */
  #parsed(json: Buffer): JsonObject | null {
    if (hasMorePlacesThan(json, EVENT_PLACES_MAX)) {
      this.#fault = `upstream sent an event of more than ${EVENT_PLACES_MAX} objects, lists and members`
      return null
    }
    const event = parseForeign(json.toString('utf8'))
    if (isObject(event)) return event
    this.#fault = 'upstream sent an event that is not a JSON object'
    return null
  }

  /** Whether the event waits for the charge. */
  #read(event: JsonObject): boolean {
    const { type, response, item, sequence_number: sequence } = event
    if (typeof sequence === 'number') this.#sequence = sequence + 1
    if (isObject(response)) this.#take(response)
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return false
      case 'response.completed':
      case 'response.incomplete':
        this.#hasStarted = true
        this.#isDone = true
        this.#response = isObject(response) ? response : null
        return true
      case 'response.failed':
        this.#error = errorInAnswer(errorIn(response), this.#key)
        this.#isFailed = true
        return true
      case 'response.output_item.added':
        this.#hasStarted = true
        if (isObject(item)) this.output.beginItem(item)
        return false
      case 'response.output_item.done':
        this.#hasStarted = true
        if (isObject(item)) this.output.endItem(item, event['output_index'])
        return false
      default:
        return this.#other(String(type), event)
    }
  }

  #other(type: string, event: JsonObject): boolean {
    if (type === 'error' || isObject(event['error'])) {
      this.#error = errorInAnswer(isObject(event['error']) ? event : { error: event }, this.#key)
      return true
    }
    this.#hasStarted = true
    if (type.endsWith('.delta')) this.output.takeDelta(event, type === 'response.audio.delta')
    return false
  }

  #take(response: JsonObject): void {
    tell(this.told, response)
    if (isObject(response['usage'])) this.#report = response['usage']
  }
}

const DONE_BYTES = 12

/** The data of an event; a line end within JSON is white space. */
function dataOf(region: Buffer, { data }: SseEvent): Buffer {
  const lines = data.map(({ valueStart, valueEnd }) => region.subarray(valueStart, valueEnd))
  const [only] = lines
  if (only !== undefined && lines.length === 1) return only
  return Buffer.concat(lines.flatMap((line) => [line, SPACE]))
}
const SPACE = Buffer.from(' ')

const written = (name: string, json: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(name === '' ? 'data: ' : `event: ${name}\ndata: `),
    json,
    Buffer.from('\n\n'),
  ])

const errorIn = (response: unknown): JsonObject =>
  isObject(response) && isObject(response['error'])
    ? { error: response['error'] }
    : { error: { message: 'the response failed' } }
