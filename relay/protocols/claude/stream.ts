import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { isObject, type JsonObject } from '../../json.ts'
import { mergedUsage } from '../../metering/merged-usage.ts'
import type { ReportedUsage } from '../../metering/openai-usage.ts'
import { tell, type Told } from '../../metering/upstream-facts.ts'
import type { Refusal } from '../../refusal.ts'
import { type EventTaker, JsonEvents } from '../../streams/json-events.ts'
import { errorInAnswer, type UpstreamError } from '../../upstream/errors.ts'
import type { Passage } from '../passage.ts'
import { BlocksOutput } from './blocks-output.ts'
import type { EventAnswer } from './event-answers.ts'
import { isByIteration, isUnbilledRefusal, readClaudeUsage, withoutCounts } from './usage.ts'

const NOTHING = Buffer.alloc(0)

/** Whether an event goes on, says that the answer is over, or is not said. */
type Verdict = 'keep' | 'end' | 'hide'

/**
 * One pass over the bytes of a stream of Anthropic's messages; an EventAnswer decides on the bytes that its client
 * gets.
 */
export class ClaudeStream implements Passage, EventTaker {
  readonly contentType: string
  readonly keepAlive: string
  readonly output = new BlocksOutput()
  readonly told: Told = {}
  readonly #key: string
  readonly #events = new JsonEvents(this)
  readonly #answer: EventAnswer
  #report: JsonObject | null = null
  /** Output was counted at the end, too, not only estimated when the message began. */
  #isOutputCounted = false
  /** It ended with a refusal that is not billed where nothing was written before it. */
  #isUnbilled = false
  #error: UpstreamError | null = null
  #isDone = false
  #isFinished = false
  #hasStarted = false

  /** `key` is the channel's, masked in upstream's errors. */
  constructor(key: string, answer: EventAnswer) {
    this.#key = key
    this.#answer = answer
    this.keepAlive = answer.keepAlive
    this.contentType = answer.contentType ?? 'text/event-stream; charset=utf-8'
  }

  get report(): JsonObject | null {
    return this.#report
  }
  get usage(): ReportedUsage {
    const read = readClaudeUsage(this.#report, this.#isUnbilled && this.output.isEmpty)
    // Searches are reported at the end, too: before it those count that were seen.
    return this.#isOutputCounted ? read : { ...read, output: null, calls: this.output.calls }
  }
  get error(): UpstreamError | null {
    return this.#error
  }
  get fault(): string | null {
    return this.#events.fault
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
    return this.#events.push(chunk)
  }

  end(): Buffer {
    return this.#events.end()
  }

  closing(usage: Usage): Buffer | string {
    return this.#answer.closing(usage)
  }

  refused(why: Refusal, requestId: string): string {
    return this.#answer.refused(why, requestId)
  }

  /** Nothing after this is read. */
  get isOver(): boolean {
    return this.#isDone || this.#error !== null
  }

  take(bytes: Buffer, event: JsonObject | null): Buffer {
    if (event === null) return this.#answer.event(bytes, null, false)
    const verdict = this.#read(event)
    return verdict === 'hide' ? NOTHING : this.#answer.event(bytes, event, verdict === 'end')
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
        if (isObject(delta)) {
          this.#isFinished ||= typeof delta['stop_reason'] === 'string'
          this.#isUnbilled ||= isUnbilledRefusal(delta)
        }
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

  /** Usage is cumulative: later figures replace earlier ones. */
  #take(usage: unknown): void {
    if (!isObject(usage)) return
    const before = isByIteration(usage) ? withoutCounts(this.#report) : this.#report
    this.#report = mergedUsage(before, usage)
  }
}

const hasOutput = (usage: unknown): boolean =>
  isObject(usage) && typeof usage['output_tokens'] === 'number'
