import { EVENT_BYTES_MAX } from '../streams/event-framer.ts'
import { hasMorePlacesThan } from './json-members.ts'
import type { JsonObject } from '../json.ts'

/** UTF-16 units of a text in one event: whole events are read on the serving thread. */
const PIECE_LENGTH = 4_096

/** A text as the pieces of a stream; none of an empty one. Pieces do not part surrogate pairs. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const end = at + PIECE_LENGTH
    const isWithinPair = end < text.length && isHighSurrogate(text.charCodeAt(end - 1))
    const next = isWithinPair ? end - 1 : end
    pieces.push(text.slice(at, next))
    at = next
  }
  return pieces
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** One event of a simulated stream; `name` is that of its `event` line, absent = it has none. */
export interface SimulatedEvent {
  readonly name?: string
  readonly data: JsonObject
}

/** An event whose name is its type, as Anthropic and OpenAI's responses have them. */
export const typed = (data: JsonObject): SimulatedEvent => ({ name: String(data['type']), data })

/** Events as the bytes of a stream; null when one of them is more than a reader of streams takes. */
export function eventBytes(
  events: readonly SimulatedEvent[],
  placesMax: number,
  end = '',
): Buffer | null {
  const parts: Buffer[] = []
  for (const { name, data } of events) {
    const json = Buffer.from(JSON.stringify(data))
    if (json.length >= EVENT_BYTES_MAX - MARGIN || hasMorePlacesThan(json, placesMax)) return null
    parts.push(Buffer.from(name === undefined ? 'data: ' : `event: ${name}\ndata: `), json, BLANK)
  }
  return Buffer.concat([...parts, Buffer.from(end)])
}

/** The names of an event's lines. */
const MARGIN = 1_024
const BLANK = Buffer.from('\n\n')
