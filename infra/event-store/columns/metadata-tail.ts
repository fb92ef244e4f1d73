import { isSame, isWord, word } from './bytes.ts'

/** Where the parts of a row stand in its bytes. */
export interface RowBytes {
  readonly view: DataView
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
  read({ view, stream, type, idAt, metadata }: RowBytes): boolean {
    const streamLength = stream.to - stream.from
    const typeLength = type.to - type.from
    this.hashAt = metadata.to - END.length - HASH_DIGITS
    let place = this.hashAt - HASH.length
    const nameLength = NAMES_LENGTH + streamLength + typeLength
    if (place - PREV_HASH.length - nameLength < metadata.from) return false
    if (!isWord(view, metadata.to - END.length, END) || !isWord(view, place, HASH)) return false
    if (!isHash(view, this.hashAt)) return false
    if (isWord(view, place - PREV_HASH.length, PREV_HASH)) {
      this.prevHashAt = -1
    } else {
      place -= HASH_DIGITS
      this.prevHashAt = place
      if (place - PREV_HASH.length - nameLength < metadata.from) return false
      if (!isWord(view, place - PREV_HASH.length, PREV_HASH) || !isHash(view, place)) return false
    }
    place -= PREV_HASH.length + CHAIN_VERSION.length
    if (!isWord(view, place, CHAIN_VERSION)) return false
    place -= UUID_CHARACTERS
    if (!isUuid(view, place, idAt)) return false
    place -= ID.length
    if (!isWord(view, place, ID)) return false
    place -= typeLength
    if (!isSame(view, place, view, type.from, typeLength)) return false
    place -= TYPE.length
    if (!isWord(view, place, TYPE)) return false
    place -= streamLength
    if (!isSame(view, place, view, stream.from, streamLength)) return false
    place -= STREAM.length
    if (!isWord(view, place, STREAM)) return false
    return this.#readVersion(view, place, metadata.from)
  }

  #readVersion(view: DataView, end: number, from: number): boolean {
    let version = 0
    let place = end - 1
    for (let unit = 1; unit <= VERSION_MAX && place >= from; unit *= 10, place -= 1) {
      const digit = view.getUint8(place) - DIGIT_0
      if (digit < 0 || digit > 9) break
      version += digit * unit
    }
    this.schemaVersion = version
    const wordAt = place + 1 - SCHEMA_VERSION.length
    return version > 0 && wordAt >= from && isWord(view, wordAt, SCHEMA_VERSION)
  }
}

const END = word('"}')
const HASH = word('","hash":"')
const PREV_HASH = word('"prevHash":"')
const CHAIN_VERSION = word('","chainVersion":2,')
const ID = word('","id":"')
const TYPE = word('","type":"')
const STREAM = word(',"stream":"')
const SCHEMA_VERSION = word(',"schemaVersion":')
const UUID_CHARACTERS = 36
/** Characters between the schema's version and the hash before, but for the names of stream and type. */
const NAMES_LENGTH =
  STREAM.length + TYPE.length + ID.length + UUID_CHARACTERS + CHAIN_VERSION.length
const DIGIT_0 = 0x30
const VERSION_MAX = 1_000
const DASH = 0x2d
/** A dash stands before these bytes of a UUID. */
const isBehindDash = (index: number): boolean =>
  index === 4 || index === 6 || index === 8 || index === 10
const UUID_BYTES = 16

/** The two digits of each byte, as one number. */
const DIGITS_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [high = '', low = ''] = byte.toString(16).padStart(2, '0')
  return high.charCodeAt(0) * 256 + low.charCodeAt(0)
})

function isUuid(view: DataView, textAt: number, binaryAt: number): boolean {
  let place = textAt
  for (let index = 0; index < UUID_BYTES; index += 1) {
    if (isBehindDash(index)) {
      if (view.getUint8(place) !== DASH) return false
      place += 1
    }
    if (view.getUint16(place) !== DIGITS_OF_BYTE[view.getUint8(binaryAt + index)]) return false
    place += 2
  }
  return true
}

/** 1 for the characters of a hash. */
const IS_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-f]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

function isHash(view: DataView, from: number): boolean {
  let are = 1
  for (let at = from; at < from + HASH_DIGITS; at += 4) {
    const four = view.getUint32(at)
    are &=
      (IS_DIGIT[four & 255] ?? 0) &
      (IS_DIGIT[(four >>> 8) & 255] ?? 0) &
      (IS_DIGIT[(four >>> 16) & 255] ?? 0) &
      (IS_DIGIT[four >>> 24] ?? 0)
  }
  return are === 1
}
