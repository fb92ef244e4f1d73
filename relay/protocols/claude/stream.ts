import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { mergedUsage } from '../../metering/merged-usage.ts'
import { readUsage, type ReportedUsage } from '../../metering/openai-usage.ts'
import { tell, type Told } from '../../metering/upstream-facts.ts'
import type { Refusal } from '../../refusal.ts'
import {
  EVENT_BYTES_MAX,
  EventFramer,
  eventsOf,
  type SseEvent,
} from '../../streams/event-framer.ts'
import { errorInAnswer, type UpstreamError } from '../../upstream/errors.ts'
import { hasMorePlacesThan } from '../json-members.ts'
import type { Passage } from '../passage.ts'
import { BlocksOutput } from './blocks-output.ts'
import { errorEvent } from './errors.ts'

/** Objects, lists and members of one event, as of one of OpenAI's chunks. */
const EVENT_PLACES_MAX = 20_000
const NOTHING = Buffer.alloc(0)
const STOP = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n')

/** Whether an event goes on as it came, waits for the charge because it says that the answer is over, or is not said. */
type Verdict = 'keep' | 'hold' | 'hide'

/**
 * One pass over the bytes of a stream of Anthropic's messages: events go on as they came, with their usage, but for
 * `message_delta` and `message_stop`, which `closing` gives back, and errors.
 */
export class ClaudeStream implements Passage {
  readonly contentType = 'text/event-stream; charset=utf-8'
  readonly keepAlive = 'event: ping\ndata: {"type":"ping"}\n\n'
  readonly output = new BlocksOutput()
  readonly told: Told = {}
  readonly #key: string
  readonly #framer = new EventFramer()
  readonly #held: Buffer[] = []
  #report: JsonObject | null = null
  /** Output was counted at the end, too, not only estimated when the message began. */
  #isOutputCounted = false
  #error: UpstreamError | null = null
  #fault: string | null = null
  #isDone = false
  #isFinished = false
  #hasStarted = false

  /** `key` is the channel's, masked in upstream's errors. */
  constructor(key: string) {
    this.#key = key
  }

  get report(): JsonObject | null {
    return this.#report
  }
  get usage(): ReportedUsage {
    const read = readClaudeUsage(this.#report)
    return this.#isOutputCounted ? read : { ...read, output: null }
  }
  get error(): UpstreamError | null {
    return this.#error
  }
  get fault(): string | null {
    return this.#fault
  }
  get isDone(): boolean {
    return this.#isDone
  }
  get isFinished(): boolean {
    return this.#isFinished
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

  closing(_usage: Usage, _isEstimated: boolean): Buffer {
    return Buffer.concat(this.#isDone ? this.#held : [...this.#held, STOP])
  }

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId)
  }

  #events(region: Buffer): Buffer {
    if (region.length === 0) return NOTHING
    const kept: Buffer[] = []
    for (const event of eventsOf(region)) {
      const bytes = region.subarray(event.start, event.end)
      const verdict = this.#event(region, event)
      // What was thought to be the end was none: it goes first.
      if (verdict === 'keep') kept.push(...this.#held.splice(0), bytes)
      if (verdict === 'hold') this.#held.push(bytes)
    }
    return kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept)
  }

  #event(region: Buffer, { data }: SseEvent): Verdict {
    if (this.#isDone || this.#error !== null || this.#fault !== null) return 'hide'
    const betweenEvents = this.#held.length > 0 ? 'hide' : 'keep'
    if (data.length === 0) return betweenEvents
    const lines = data.map(({ valueStart, valueEnd }) => region.subarray(valueStart, valueEnd))
    const bytes = lines.length === 1 && lines[0] !== undefined ? lines[0] : joined(lines)
    if (hasMorePlacesThan(bytes, EVENT_PLACES_MAX)) {
      this.#fault = `upstream sent an event of more than ${EVENT_PLACES_MAX} objects, lists and members`
      return 'hide'
    }
    const event = parseForeign(bytes.toString('utf8'))
    if (!isObject(event)) {
      this.#fault = 'upstream sent an event that is not a JSON object'
      return 'hide'
    }
    return event['type'] === 'ping' ? betweenEvents : this.#read(event)
  }

  #read(event: JsonObject): Verdict {
    const { message, content_block: block, delta, error } = event
    switch (event['type']) {
      case 'message_start':
        if (isObject(message)) {
          tell(this.told, message)
          this.#take(message['usage'])
        }
        return 'keep'
      case 'content_block_start':
        this.#hasStarted = true
        if (isObject(block)) this.output.takeBlock(block)
        return 'keep'
      case 'content_block_delta':
        this.#hasStarted = true
        if (isObject(delta)) this.output.takeDelta(delta)
        return 'keep'
      case 'message_delta':
        this.#take(event['usage'])
        this.#isOutputCounted ||= hasOutput(event['usage'])
        this.#isFinished ||= isObject(delta) && typeof delta['stop_reason'] === 'string'
        return 'hold'
      case 'message_stop':
        this.#isDone = true
        this.#isFinished = true
        return 'hold'
      default:
        if (event['type'] !== 'error' && !isObject(error)) return 'keep'
        this.#error = errorInAnswer(event, this.#key)
        return 'hide'
    }
  }

  /** Usage is cumulative: what comes later stands for what came before. */
  #take(usage: unknown): void {
    if (isObject(usage)) this.#report = mergedUsage(this.#report, usage)
  }
}

/** Reads a report whatever members it lacks: these tell whose it is. */
export const readClaudeUsage = (report: JsonObject | null): ReportedUsage =>
  readUsage(report === null ? null : { cache_read_input_tokens: 0, ...report }, [])

const hasOutput = (usage: unknown): boolean =>
  isObject(usage) && typeof usage['output_tokens'] === 'number'

/** A line end within JSON is white space. */
const joined = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, SPACE]))
const SPACE = Buffer.from(' ')
