/**
 * PostgreSQL's binary form of one-dimensional arrays (array_send in the server's arrayfuncs.c). The driver's own text
 * form escapes every quote of every event's JSON, which costs more than all the rest of an append.
 */

const BYTEA_OID = 17
const INT2_OID = 21
const TEXT_OID = 25
const INT4_OID = 23
const UUID_OID = 2950
const HEADER_BYTES = 20

/** text[] from texts without NUL characters. */
export function textArray(values: readonly string[]): Buffer {
  let bytes = HEADER_BYTES
  const sizes: number[] = []
  for (const value of values) {
    const size = Buffer.byteLength(value)
    sizes.push(size)
    bytes += 4 + size
  }
  const buffer = withHeader(bytes, TEXT_OID, values.length)
  let at = HEADER_BYTES
  for (const [index, value] of values.entries()) {
    at = buffer.writeInt32BE(sizes[index] ?? 0, at)
    at += buffer.write(value, at)
  }
  return buffer
}

/** integer[] from 32-bit whole numbers. */
export function integerArray(values: readonly number[]): Buffer {
  const buffer = withHeader(HEADER_BYTES + 8 * values.length, INT4_OID, values.length)
  let at = HEADER_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(4, at)
    at = buffer.writeInt32BE(value, at)
  }
  return buffer
}

/** smallint[] from 16-bit whole numbers; null for NULL. */
export function smallintArray(values: readonly (number | null)[]): Buffer {
  const nulls = values.filter((value) => value === null).length
  const bytes = HEADER_BYTES + 6 * values.length - 2 * nulls
  const buffer = withHeader(bytes, INT2_OID, values.length, nulls > 0)
  let at = HEADER_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : 2, at)
    if (value !== null) at = buffer.writeInt16BE(value, at)
  }
  return buffer
}

/** bytea[] from bytes in hexadecimal; null for NULL. */
export function byteaArray(values: readonly (string | null)[]): Buffer {
  const digits = values.reduce((sum, value) => sum + (value?.length ?? 0), 0)
  const bytes = HEADER_BYTES + 4 * values.length + digits / 2
  const buffer = withHeader(bytes, BYTEA_OID, values.length, values.includes(null))
  let at = HEADER_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : value.length / 2, at)
    if (value !== null) at = writeHex(buffer, value, at)
  }
  return buffer
}

/** Stands for the length of an element that is NULL. */
const NULL_LENGTH = -1

/** uuid[] from UUIDs in their usual spelling. */
export function uuidArray(values: readonly string[]): Buffer {
  const buffer = withHeader(HEADER_BYTES + 20 * values.length, UUID_OID, values.length)
  let at = HEADER_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(16, at)
    at = writeHex(buffer, value, at)
  }
  return buffer
}

/**
 * Writes hexadecimal digits as bytes, hyphens left out; answers the place behind them. Twice as fast as Buffer's own for
 * so few digits.
 */
function writeHex(buffer: Buffer, digits: string, from: number): number {
  let at = from
  for (let index = 0; index < digits.length; index += 2) {
    if (digits.charCodeAt(index) === HYPHEN) index += 1
    buffer[at] = (digitAt(digits, index) << 4) | digitAt(digits, index + 1)
    at += 1
  }
  return at
}

/** The value of a digit: `a` and `A` end in the same four bits. */
const digitAt = (digits: string, index: number): number => {
  const code = digits.charCodeAt(index)
  return code <= DIGIT_9 ? code & 15 : (code & 15) + 9
}

const HYPHEN = 0x2d
const DIGIT_9 = 0x39

function withHeader(bytes: number, elementOid: number, length: number, hasNulls = false): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  buffer.writeInt32BE(1, 0) // dimensions
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4)
  buffer.writeInt32BE(elementOid, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16) // lower bound
  return buffer
}
