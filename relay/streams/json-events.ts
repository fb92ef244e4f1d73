import { isObject, type JsonObject, parseForeign } from '../json.ts'
import { hasMorePlacesThan } from '../protocols/json-members.ts'
import { EVENT_BYTES_MAX, EventFramer, eventsOf, type SseEvent } from './event-framer.ts'

/** Objects, lists and members of one event, as of one of OpenAI's chunks. */
export const EVENT_PLACES_MAX = 20_000
const NOTHING = Buffer.alloc(0)

/** A reader of the events of a stream, one at a time. */
export interface EventTaker {
  /** Nothing after this is read any more. */
  readonly isOver: boolean
  /** Takes an event's bytes and its contents, null = a comment; returns the bytes to deliver. */
  take(bytes: Buffer, event: JsonObject | null): Buffer
}

/** Takes an event stream apart whose data are JSON objects: the same bytes, cut anywhere, give the same events. */
export class JsonEvents {
  readonly #framer = new EventFramer()
  readonly #taker: EventTaker
  #fault: string | null = null

  constructor(taker: EventTaker) {
    this.#taker = taker
  }

  /** Why the stream cannot be read on; null while it can. */
  get fault(): string | null {
    return this.#fault
  }

  /** Takes bytes from upstream; returns the bytes to deliver. */
  push(chunk: Buffer): Buffer {
    const delivered = this.#events(this.#framer.push(chunk))
    if (this.#framer.isTooLong) {
      this.#fault ??= `upstream sent an event of more than ${EVENT_BYTES_MAX} bytes`
    }
    return delivered
  }

  /** The stream has ended: reads a rest without an event's end. */
  end(): Buffer {
    return this.#events(this.#framer.end())
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
    if (this.#taker.isOver || this.#fault !== null) return NOTHING
    const bytes = region.subarray(start, end)
    if (data.length === 0) return this.#taker.take(bytes, null)
    const event = this.#parsed(region, data)
    return event === null ? NOTHING : this.#taker.take(bytes, event)
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
}

/** A line end within JSON is white space. */
const joined = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, SPACE]))
const SPACE = Buffer.from(' ')
