const NEWLINE = 0x0a
const RETURN = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const NOTHING = Buffer.alloc(0)

/** An event that does not end within these bytes is not an answer (relay-and-billing.md 6). */
export const EVENT_BYTES_MAX = 10 * 1024 * 1024

/** Bytes of one event, its blank line included, and the contents of its lines. */
export interface SseEvent {
  readonly start: number
  /** Behind the blank line. */
  readonly end: number
  /** Its `data` lines, from the line's start to behind the line's end. */
  readonly data: readonly DataLine[]
  /** Value of the last `event` field; '' without one. */
  readonly name: string
  /** It has a field: else it is a comment, or nothing but blank lines. */
  readonly hasFields: boolean
}

export interface DataLine {
  readonly start: number
  readonly valueStart: number
  readonly valueEnd: number
  readonly end: number
}

/**
 * Cuts the bytes of an event stream into whole events, with any line ends (LF, CRLF, CR) and however the bytes arrive.
 * A byte order mark at the beginning is dropped. Linear in the bytes.
 */
export class EventFramer {
  #pending: Buffer[] = []
  #pendingBytes = 0
  #isLineEmpty = true
  #endedInReturn = false
  #isFirst = true
  /** Longer than EVENT_BYTES_MAX: nothing more is given. */
  isTooLong = false

  /** Takes bytes; returns those of all events that are whole now. */
  push(chunk: Buffer): Buffer {
    if (chunk.length === 0 || this.isTooLong) return NOTHING
    const last = this.#lastEventEnd(chunk)
    if (last === 0) {
      this.#keep(chunk)
      return NOTHING
    }
    const whole = this.#take(chunk.subarray(0, last))
    if (last < chunk.length) this.#keep(chunk.subarray(last))
    return this.#withoutMark(whole)
  }

  /** The stream has ended: gives a rest without a blank line one. */
  end(): Buffer {
    if (this.#pendingBytes === 0) return NOTHING
    const isLineEnded = this.#isLineEmpty && !this.#endedInReturn
    return this.#withoutMark(this.#take(Buffer.from(isLineEnded ? '\n' : '\n\n')))
  }

  #keep(rest: Buffer): void {
    this.#pendingBytes += rest.length
    this.#pending.push(rest)
    if (this.#pendingBytes <= EVENT_BYTES_MAX) return
    this.isTooLong = true
    this.#pending = []
    this.#pendingBytes = 0
  }

  #take(tail: Buffer): Buffer {
    if (this.#pendingBytes === 0) return tail
    const whole = Buffer.concat([...this.#pending, tail])
    this.#pending = []
    this.#pendingBytes = 0
    return whole
  }

  #withoutMark(whole: Buffer): Buffer {
    const isMarked = this.#isFirst && whole.subarray(0, 3).equals(BYTE_ORDER_MARK)
    this.#isFirst = false
    return isMarked ? whole.subarray(3) : whole
  }

  #lastEventEnd(chunk: Buffer): number {
    let last = 0
    // The second byte of a line end whose first came with the bytes before.
    let at = this.#endedInReturn && chunk[0] === NEWLINE ? 1 : 0
    // This byte belongs to an event that was given already, and to nothing that is pending.
    if (at === 1 && this.#pendingBytes === 0) last = 1
    const lines = new LineEnds(chunk)
    while (at < chunk.length) {
      const end = lines.endFrom(at)
      if (end === -1) {
        this.#isLineEmpty = false
        break
      }
      const next = lines.behind(end)
      if (end === at && this.#isLineEmpty) last = next
      this.#isLineEmpty = true
      at = next
    }
    this.#endedInReturn = chunk.at(-1) === RETURN
    return last
  }
}

/** The events of bytes that an EventFramer gave. */
export function eventsOf(region: Buffer): readonly SseEvent[] {
  const events: SseEvent[] = []
  const lines = new LineEnds(region)
  let start = 0
  let data: DataLine[] = []
  let name = ''
  let hasFields = false
  for (let at = 0; at < region.length;) {
    const end = lines.endFrom(at)
    const next = lines.behind(end)
    if (end === at) {
      events.push({ start, end: next, data, name, hasFields })
      start = next
      data = []
      name = ''
      hasFields = false
    } else if (region[at] !== COLON) {
      hasFields = true
      if (isField(region, at, end, 'data')) {
        data.push({ start: at, ...valueOf(region, at + 4, end), end: next })
      } else if (isField(region, at, end, 'event')) {
        const { valueStart, valueEnd } = valueOf(region, at + 5, end)
        name = region.toString('utf8', valueStart, valueEnd)
      }
    }
    at = next
  }
  return events
}

function isField(region: Buffer, at: number, end: number, field: string): boolean {
  const behind = at + field.length
  if (behind > end || (behind < end && region[behind] !== COLON)) return false
  return region.toString('latin1', at, behind) === field
}

function valueOf(
  region: Buffer,
  colon: number,
  valueEnd: number,
): Pick<DataLine, 'valueStart' | 'valueEnd'> {
  let valueStart = Math.min(colon + 1, valueEnd)
  if (valueStart < valueEnd && region[valueStart] === SPACE) valueStart += 1
  return { valueStart, valueEnd }
}

/** Finds line ends in order; each kind of byte is looked for once. */
class LineEnds {
  readonly #bytes: Buffer
  #newline = -2
  #return = -2

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Place of the first byte that ends a line, at `from` or later; -1 when there is none. Never goes back. */
  endFrom(from: number): number {
    if (this.#newline !== -1 && this.#newline < from) {
      this.#newline = this.#bytes.indexOf(NEWLINE, from)
    }
    if (this.#return !== -1 && this.#return < from) {
      this.#return = this.#bytes.indexOf(RETURN, from)
    }
    if (this.#newline === -1 || this.#return === -1) return Math.max(this.#newline, this.#return)
    return Math.min(this.#newline, this.#return)
  }

  /** Behind a line's end: after both bytes of CRLF. */
  behind(end: number): number {
    const bytes = this.#bytes
    return bytes[end] === RETURN && bytes[end + 1] === NEWLINE ? end + 2 : end + 1
  }
}
