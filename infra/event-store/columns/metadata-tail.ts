import { ascii, isWord } from './layout.ts'

/** Where the parts of a row stand in its bytes. */
export interface RowBytes {
  readonly bytes: Buffer
  readonly stream: Span
  readonly type: Span
  /** Where the sixteen bytes of the id begin. */
  readonly idAt: number
  readonly metadata: Span
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** Hexadecimal digits of a hash. */
export const HASH_DIGITS = 64

/**
 * The end of an event's metadata as Tollgate writes it since version 2 of its chain, read from bytes: the event's place,
 * which must be the row's, its schema version and its hashes.
 */
export class MetadataTail {
  schemaVersion = 0
  /** Where the hash of the event before begins; −1 before a stream's first event. */
  prevHashAt = -1
  hashAt = 0

  /** False for metadata that end in another way. */
  read({ bytes, stream, type, idAt, metadata }: RowBytes): boolean {
    this.hashAt = metadata.to - END.length - HASH_DIGITS
    let place = this.hashAt - HASH.length
    if (place - HASH_DIGITS < metadata.from) return false
    if (!isWord(bytes, metadata.to - END.length, END) || !isWord(bytes, place, HASH)) return false
    if (!isHash(bytes, this.hashAt)) return false
    const hasHashBefore = bytes[place - 1] !== COLON
    if (isWord(bytes, place - PREV_HASH.length, PREV_HASH)) {
      this.prevHashAt = -1
      place -= PREV_HASH.length
    } else {
      place -= HASH_DIGITS
      this.prevHashAt = place
      place -= PREV_HASH.length
      if (!hasHashBefore || !isWord(bytes, place, PREV_HASH)) return false
    }
    place -= CHAIN_VERSION.length
    if (!isWord(bytes, place, CHAIN_VERSION)) return false
    place -= UUID_CHARACTERS
    if (!isUuid(bytes, place, idAt)) return false
    place -= ID.length
    if (!isWord(bytes, place, ID)) return false
    place -= type.to - type.from
    if (!isSame(bytes, place, type)) return false
    place -= TYPE.length
    if (!isWord(bytes, place, TYPE)) return false
    place -= stream.to - stream.from
    if (!isSame(bytes, place, stream)) return false
    place -= STREAM.length
    if (!isWord(bytes, place, STREAM)) return false
    return this.#readVersion(bytes, place, metadata.from)
  }

  #readVersion(bytes: Buffer, end: number, from: number): boolean {
    let version = 0
    let place = end - 1
    for (let unit = 1; unit <= VERSION_MAX; unit *= 10, place -= 1) {
      const digit = (bytes[place] ?? 0) - DIGIT_0
      if (digit < 0 || digit > 9) break
      version += digit * unit
    }
    this.schemaVersion = version
    const wordAt = place + 1 - SCHEMA_VERSION.length
    return version > 0 && wordAt >= from && isWord(bytes, wordAt, SCHEMA_VERSION)
  }
}

const END = ascii('"}')
const HASH = ascii('","hash":"')
const PREV_HASH = ascii('"prevHash":"')
const CHAIN_VERSION = ascii('","chainVersion":2,')
const ID = ascii('","id":"')
const TYPE = ascii('","type":"')
const STREAM = ascii(',"stream":"')
const SCHEMA_VERSION = ascii(',"schemaVersion":')
const COLON = 0x3a
const DIGIT_0 = 0x30
const VERSION_MAX = 1_000
const UUID_CHARACTERS = 36
const DASH = 0x2d
/** A dash stands before these bytes of a UUID. */
const isBehindDash = (index: number): boolean =>
  index === 4 || index === 6 || index === 8 || index === 10
const UUID_BYTES = 16

function isSame(bytes: Buffer, place: number, { from, to }: Span): boolean {
  for (let index = from; index < to; index += 1) {
    if (bytes[place + index - from] !== bytes[index]) return false
  }
  return true
}

function isUuid(bytes: Buffer, textAt: number, binaryAt: number): boolean {
  let place = textAt
  for (let index = 0; index < UUID_BYTES; index += 1) {
    if (isBehindDash(index)) {
      if (bytes[place] !== DASH) return false
      place += 1
    }
    const byte = bytes[binaryAt + index] ?? 0
    if (bytes[place] !== digitOf(byte >> 4) || bytes[place + 1] !== digitOf(byte & 15)) return false
    place += 2
  }
  return true
}

const digitOf = (value: number): number => (value < 10 ? DIGIT_0 + value : LOWER_A - 10 + value)
const LOWER_A = 0x61

function isHash(bytes: Buffer, from: number): boolean {
  for (let index = from; index < from + HASH_DIGITS; index += 1) {
    const byte = bytes[index] ?? 0
    const isDigit = byte >= DIGIT_0 && byte <= DIGIT_0 + 9
    if (!isDigit && (byte < LOWER_A || byte > LOWER_A + 5)) return false
  }
  return true
}
