import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { mergedUsage } from '../../metering/merged-usage.ts'
import type { ReportedUsage } from '../../metering/openai-usage.ts'
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
import type { EventAnswer } from './event-answers.ts'
import { readClaudeUsage } from './usage.ts'

/** Objects, lists and members of one event, as of one of OpenAI's chunks. */
const EVENT_PLACES_MAX = 20_000
const NOTHING = Buffer.alloc(0)

/** Whether an event goes on, says that the answer is over, or is not said. */
type Verdict = 'keep' | 'end' | 'hide'

/** One pass over the bytes of a stream of Anthropic's messages; an EventAnswer says what its client is told of it. */
export class ClaudeStream implements Passage {
  readonly contentType = 'text/event-stream; charset=utf-8'
  readonly keepAlive: string
  readonly output = new BlocksOutput()
  readonly told: Told = {}
  readonly #key: string
  readonly #framer = new EventFramer()
  readonly #answer: EventAnswer
  #report: JsonObject | null = null
  /** Output was counted at the end, too, not only estimated when the message began. */
  #isOutputCounted = false
  #error: UpstreamError | null = null
  #fault: string | null = null
  #isDone = false
  #isFinished = false
  #hasStarted = false

  /** `key` is the channel's, masked in upstream's errors. */
  constructor(key: string, answer: EventAnswer) {
    this.#key = key
    this.#answer = answer
    this.keepAlive = answer.keepAlive
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

  closing(usage: Usage): Buffer | string {
    return this.#answer.closing(usage)
  }

  refused(why: Refusal, requestId: string): string {
    return this.#answer.refused(why, requestId)
  }

  #events(region: Buffer): Buffer {
    if (region.length === 0) return NOTHING
    const parts: Buffer[] = []
    for (const event of eventsOf(region)) {
      const delivered = this.#event(region, event)
      if (delivered.length > 0) parts.push(delivered)
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }

  #event(region: Buffer, { start, end, data }: SseEvent): Buffer {
    if (this.#isDone || this.#error !== null || this.#fault !== null) return NOTHING
    const bytes = region.subarray(start, end)
    if (data.length === 0) return this.#answer.event(bytes, null, false)
    const event = this.#parsed(region, data)
    if (event === null) return NOTHING
    const verdict = this.#read(event)
    return verdict === 'hide' ? NOTHING : this.#answer.event(bytes, event, verdict === 'end')
  }

  /** Null = the stream cannot be read on. */
  #parsed(region: Buffer, data: SseEvent['data']): JsonObject | null {
    const lines = data.map(({ valueStart, valueEnd }) => region.subarray(valueStart, valueEnd))
    const bytes = lines.length === 1 && lines[0] !== undefined ? lines[0] : joined(lines)
    if (hasMorePlacesThan(bytes, EVENT_PLACES_MAX)) {
      this.#fault = `upstream sent an event of more than ${EVENT_PLACES_MAX} objects, lists and members`
      return null
    }
    const event = parseForeign(bytes.toString('utf8'))
    if (isObject(event)) return event
    this.#fault = 'upstream sent an event that is not a JSON object'
    return null
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
        return 'end'
      case 'message_stop':
        this.#isDone = true
        this.#isFinished = true
        return 'end'
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

const hasOutput = (usage: unknown): boolean =>
  isObject(usage) && typeof usage['output_tokens'] === 'number'

/** A line end within JSON is white space. */
const joined = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, SPACE]))
const SPACE = Buffer.from(' ')
