import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import { errorEvent } from './errors.ts'
import { PartReader } from './read-parts.ts'

/** The answer to a client, in its protocol, to the events of a message. */
export interface EventAnswer {
  readonly keepAlive: string
  /** Absent = events. */
  readonly contentType?: string
  /**
   * An event that goes on, or that says that the answer is over; null = a comment. Returns the bytes to deliver now.
   */
  event(bytes: Buffer, event: JsonObject | null, isEnd: boolean): Buffer
  /** The last events, when the charge stands. */
  closing(usage: Usage): Buffer | string
  refused(why: Refusal, requestId: string): string
}

const NOTHING = Buffer.alloc(0)
const STOP = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n')

/** To Anthropic's clients: the events as they came; those that end the answer wait for `closing`. */
export class PassedEvents implements EventAnswer {
  readonly keepAlive = 'event: ping\ndata: {"type":"ping"}\n\n'
  #held: Buffer[] = []
  #isStopped = false

  event(bytes: Buffer, event: JsonObject | null, isEnd: boolean): Buffer {
    if (isEnd) {
      this.#held.push(bytes)
      this.#isStopped = event?.['type'] === 'message_stop'
      return NOTHING
    }
    if (this.#held.length === 0) return bytes
    if (event === null || event['type'] === 'ping') return NOTHING
    // The events held back as the end of the answer were not its end: they go first.
    const delivered = Buffer.concat([...this.#held, bytes])
    this.#held = []
    return delivered
  }

  closing(): Buffer {
    return Buffer.concat(this.#isStopped ? this.#held : [...this.#held, STOP])
  }

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId)
  }
}

/** Answers clients of other protocols: the events' contents, written anew. */
export class TranslatedEvents implements EventAnswer {
  readonly keepAlive: string
  readonly contentType?: string
  readonly #parts = new PartReader()
  readonly #writer: PartWriter

  constructor(writer: PartWriter) {
    this.keepAlive = writer.keepAlive
    if (writer.contentType !== undefined) this.contentType = writer.contentType
    this.#writer = writer
  }

  event(_bytes: Buffer, event: JsonObject | null): Buffer {
    if (event === null) return NOTHING
    let text = ''
    for (const part of this.#parts.of(event)) text += this.#writer.part(part)
    return text === '' ? NOTHING : Buffer.from(text)
  }

  closing(usage: Usage): string {
    return this.#writer.closing(usage)
  }

  refused(why: Refusal, requestId: string): string {
    return this.#writer.refused(why, requestId)
  }
}
