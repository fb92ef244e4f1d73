import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import { mergedUsage } from '../../metering/merged-usage.ts'
import { type ReportedUsage, readUsage } from '../../metering/openai-usage.ts'
import { tell, type Told } from '../../metering/upstream-facts.ts'
import type { Refusal } from '../../refusal.ts'
import { type EventTaker, JsonEvents } from '../../streams/json-events.ts'
import { errorInAnswer, type UpstreamError } from '../../upstream/errors.ts'
import type { Passage } from '../passage.ts'
import { CandidatesOutput } from './candidates-output.ts'
import { namedError } from './errors.ts'
import type { FrameAnswer } from './frame-answers.ts'
import { failureIn, finishOf, isBlocked, nameOfAnswer } from './frames.ts'
import { memberOf, objectIn, objectsIn, wholeIn } from './names.ts'

const NOTHING = Buffer.alloc(0)

/** One pass over a stream of Google's frames, as events; a FrameAnswer turns them into its client's protocol. */
export class GeminiStream implements Passage, EventTaker {
  readonly contentType: string
  readonly keepAlive: string
  readonly output = new CandidatesOutput()
  readonly told: Told = {}
  readonly #key: string
  readonly #events = new JsonEvents(this)
  readonly #answer: FrameAnswer
  /** By index: whether a candidate is over. */
  readonly #candidates = new Map<number, boolean>()
  #report: JsonObject | null = null
  #error: UpstreamError | null = null
  #isBlocked = false
  #hasStarted = false
  /** No frame says that a stream is over: its end does. */
  readonly isDone = false

  /** `key` is the channel's, masked in upstream's errors. */
  constructor(key: string, answer: FrameAnswer) {
    this.#key = key
    this.#answer = answer
    this.contentType = answer.contentType
    this.keepAlive = answer.keepAlive
  }

  get report(): JsonObject | null {
    return this.#report
  }
  get usage(): ReportedUsage {
    return { ...readUsage(this.#report, []), calls: this.output.calls }
  }
  get error(): UpstreamError | null {
    return this.#error
  }
  get fault(): string | null {
    return this.#events.fault
  }
  get isFinished(): boolean {
    if (this.#isBlocked) return true
    for (const isOver of this.#candidates.values()) if (!isOver) return false
    return this.#candidates.size > 0
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

  get isOver(): boolean {
    return this.#error !== null
  }

  take(bytes: Buffer, frame: JsonObject | null): Buffer {
    if (frame === null) return this.#answer.event(bytes, null, false)
    this.#read(frame)
    const failure = this.#answer.isTranslated === true ? failureIn(frame) : null
    if ('error' in frame || failure !== null) {
      this.#error = namedError(errorInAnswer(failure ?? frame, this.#key))
      return NOTHING
    }
    return this.#answer.event(bytes, frame, this.isFinished)
  }

  #read(frame: JsonObject): void {
    tell(this.told, nameOfAnswer(frame))
    const { candidates } = frame
    for (const [place, candidate] of objectsIn(candidates).entries()) {
      const index = wholeIn(candidate, 'index') ?? place
      if (objectsIn(objectIn(candidate, 'content')['parts']).length > 0) this.#hasStarted = true
      const isOver = finishOf(candidate) !== null || this.#candidates.get(index) === true
      this.#candidates.set(index, isOver)
    }
    this.output.take(candidates)
    this.#isBlocked ||= isBlocked(frame)
    const usage = memberOf(frame, 'usageMetadata')
    if (usage !== undefined)
      this.#report = mergedUsage(this.#report, objectIn(frame, 'usageMetadata'))
  }
}
