import { type BareEvent, numberOfStream, type Position } from './event.ts'

/**
 * Members of events as columns: for going through millions of events, of which a few members are needed. A column is a
 * typed array, so that no object is made for an event.
 */

/** The events that are needed, and of each type the members, by paths such as `request.usage.textIn`. */
export interface ColumnFilter {
  readonly streamPrefixes: readonly string[]
  readonly members: Readonly<Record<string, WantedMembers>>
}

export interface WantedMembers {
  /** Numbers, and booleans as 0 and 1. */
  readonly numbers: readonly string[]
  readonly texts: readonly string[]
  /** Members of any kind, as their JSON. */
  readonly json: readonly string[]
}

/** The events of a part of the log, in order within each type. */
export interface ColumnPage {
  readonly tables: readonly EventTable[]
  /**
   * Texts by their ids in the columns; a text may have several. A list grows from page to page, as long as it is not too
   * long; pages that are read side by side have a few lists in turn.
   */
  readonly words: readonly string[]
  /** Everything up to here was looked through. */
  readonly position: Position
  /** The newest event that was looked through, of any type; null when there was none. */
  readonly last: { readonly position: Position; readonly id: string } | null
  /** Events that were looked through. */
  readonly events: number
}

/** No text: the member is null or absent. */
export const NO_WORD = -1

/** Events of one type. Rows from `count` on mean nothing. Plain data, in memory that threads share. */
export interface EventTable {
  readonly type: string
  readonly wanted: WantedMembers
  readonly count: number
  readonly positions: Float64Array
  /** The number in each event's stream. */
  readonly streams: Float64Array
  /** In the order of `wanted.numbers`; NaN where a member is null or absent. */
  readonly numbers: readonly Float64Array[]
  /** Ids of words in the order of `wanted.texts` and then of `wanted.json`. */
  readonly words: readonly Int32Array[]
}

/** A table to be filled, again and again. */
export class EventTableBuilder implements EventTable {
  readonly type: string
  readonly wanted: WantedMembers
  count = 0
  readonly positions: Float64Array
  readonly streams: Float64Array
  readonly numbers: readonly Float64Array[]
  readonly words: readonly Int32Array[]

  constructor(type: string, wanted: WantedMembers, capacity: number) {
    const { numbers, texts, json } = wanted
    this.type = type
    this.wanted = wanted
    this.positions = sharedFloats(capacity)
    this.streams = sharedFloats(capacity)
    this.numbers = numbers.map(() => sharedFloats(capacity))
    this.words = [...texts, ...json].map(() => sharedIntegers(capacity))
  }

  /** Adds an event's members; `idOf` answers the id of a word. */
  add(
    { stream, position, data }: Pick<BareEvent, 'stream' | 'position' | 'data'>,
    idOf: (word: string) => number,
  ): void {
    const row = this.count
    const { numbers, texts, json } = this.wanted
    this.positions[row] = position
    this.streams[row] = numberOfStream(stream)
    for (const [column, path] of numbers.entries()) {
      const value = memberAt(data, path)
      const numbersOf = this.numbers[column]
      if (numbersOf !== undefined) numbersOf[row] = value === null ? NaN : Number(value ?? NaN)
    }
    for (const [column, path] of [...texts, ...json].entries()) {
      const value = memberAt(data, path)
      const isNone = value === null || value === undefined
      const word = column < texts.length ? String(value) : JSON.stringify(value)
      const words = this.words[column]
      if (words !== undefined) words[row] = isNone ? NO_WORD : idOf(word)
    }
    this.count = row + 1
  }
}

const sharedFloats = (count: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT))

const sharedIntegers = (count: number): Int32Array =>
  new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT))

function memberAt(data: object, path: string): unknown {
  let value: unknown = data
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

/** The columns of events that were read as objects, for engines that read no columns. */
export function columnsOf(
  events: readonly BareEvent[],
  { members }: Pick<ColumnFilter, 'members'>,
  position: Position,
): ColumnPage {
  const tables = new Map(
    Object.entries(members).map(([type, wanted]) => [
      type,
      new EventTableBuilder(type, wanted, events.length),
    ]),
  )
  const words: string[] = []
  const ids = new Map<string, number>()
  const idOf = (word: string): number => {
    const known = ids.get(word)
    if (known !== undefined) return known
    ids.set(word, words.length)
    return words.push(word) - 1
  }
  for (const event of events) tables.get(event.type)?.add(event, idOf)
  const last = events.at(-1) ?? null
  return { tables: [...tables.values()], words, position, last, events: events.length }
}
