const HEADER_BYTES = 20
const BIGINT = 20
const INT = 23
const TEXT = 25

/** Reads back what projections/runner/columns.ts writes: one array of whole numbers or texts. */
export function arrayValues(array: Buffer): readonly (number | string | null)[] {
  const type = array.readInt32BE(8)
  const count = array.readInt32BE(12)
  const values: (number | string | null)[] = []
  let at = HEADER_BYTES
  for (let i = 0; i < count; i++) {
    const bytes = array.readInt32BE(at)
    at += 4
    if (bytes < 0) {
      values.push(null)
      continue
    }
    values.push(valueOf(type, array.subarray(at, at + bytes)))
    at += bytes
  }
  return values
}

function valueOf(type: number, bytes: Buffer): number | string {
  if (type === BIGINT) return Number(bytes.readBigInt64BE(0))
  if (type === INT) return bytes.readInt32BE(0)
  if (type === TEXT) return bytes.toString('utf8')
  throw new TypeError(`no reader for arrays of type ${type}`)
}
