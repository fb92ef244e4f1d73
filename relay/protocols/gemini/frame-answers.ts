import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import { errorBody, errorEvent } from './errors.ts'

/** Turns the frames of an answer into its client's protocol. */
export interface FrameAnswer {
  /** The client knows none of Google's reasons: one that says that the model failed is an error. */
  readonly isTranslated?: true
  readonly contentType: string
  readonly keepAlive: string
  /** A frame that goes on, or after which the answer is over; null = a comment. Returns the bytes to deliver now. */
  event(bytes: Buffer, frame: JsonObject | null, isEnd: boolean): Buffer
  /** The last frames, when the charge stands. */
  closing(usage: Usage): Buffer | string
  refused(why: Refusal, requestId: string): string
}

const NOTHING = Buffer.alloc(0)

/** To Google's clients: frames as they came; those that end the answer wait for `closing`. */
abstract class PassedFrames implements FrameAnswer {
  abstract readonly contentType: string
  /** Some SDKs read a comment as a frame; all skip an empty line. */
  readonly keepAlive: string = '\n\n'
  #held: Buffer[] = []

  event(bytes: Buffer, frame: JsonObject | null, isEnd: boolean): Buffer {
    if (frame === null) return this.comment(bytes)
    const framed = this.framed(bytes)
    if (isEnd) {
      this.#held.push(framed)
      return NOTHING
    }
    if (this.#held.length === 0) return framed
    // The frames held back as the end of the answer were not its end: they go first.
    const delivered = Buffer.concat([...this.#held, framed])
    this.#held = []
    return delivered
  }

  closing(): Buffer {
    return Buffer.concat([...this.#held, this.ending()])
  }

  abstract refused(why: Refusal, requestId: string): string
  protected abstract comment(bytes: Buffer): Buffer
  protected abstract framed(bytes: Buffer): Buffer
  protected abstract ending(): Buffer
}

/** With `alt=sse`. */
export class PassedEvents extends PassedFrames {
  readonly contentType = 'text/event-stream; charset=utf-8'

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId)
  }
  protected comment(bytes: Buffer): Buffer {
    return bytes
  }
  protected framed(bytes: Buffer): Buffer {
    return bytes
  }
  protected ending(): Buffer {
    return NOTHING
  }
}

/** Without: one JSON list, of which each frame is an item. */
export class ListedFrames extends PassedFrames {
  readonly contentType = 'application/json; charset=utf-8'
  override readonly keepAlive = '\n'
  #items = 0

  refused(why: Refusal, requestId: string): string {
    return `${this.#before()}${errorBody(why, requestId)}]`
  }
  protected comment(): Buffer {
    return NOTHING
  }
  protected framed(bytes: Buffer): Buffer {
    const json = bytes
      .toString('utf8')
      .split(/\r\n?|\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length))
    return Buffer.from(this.#before() + json.join('\n').trim())
  }
  protected ending(): Buffer {
    return Buffer.from(this.#items === 0 ? '[]' : ']')
  }

  #before(): string {
    this.#items += 1
    return this.#items === 1 ? '[' : ',\r\n'
  }
}
