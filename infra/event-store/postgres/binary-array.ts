/**
 * PostgreSQL's binary form of one-dimensional arrays (array_send in the server's arrayfuncs.c). The driver's own text
 * form escapes every quote of every event's JSON, which costs more than all the rest of an append.
 */

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

/** uuid[] from UUIDs in their usual spelling. */
export function uuidArray(values: readonly string[]): Buffer {
  const buffer = withHeader(HEADER_BYTES + 20 * values.length, UUID_OID, values.length)
  let at = HEADER_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(16, at)
    at += buffer.write(value.replaceAll('-', ''), at, 'hex')
  }
  return buffer
}

function withHeader(bytes: number, elementOid: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  buffer.writeInt32BE(1, 0) // dimensions
  buffer.writeInt32BE(0, 4) // no nulls
  buffer.writeInt32BE(elementOid, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16) // lower bound
  return buffer
}
