import { LOG_START, type Position } from '@tollgate/domain/event.ts'

/** A row of `columnQuery`, where it stands in what the server sent. One object for all rows: valid until the next. */
export class CopiedRow {
  bytes: Buffer = Buffer.alloc(0)
  position: Position = LOG_START
  revision = 0
  /** Where the id's sixteen bytes begin. */
  idAt = 0
  readonly stream = { from: 0, to: 0 }
  readonly type = { from: 0, to: 0 }
  readonly data = { bytes: this.bytes, view: new DataView(this.bytes.buffer), from: 0, to: 0 }
  readonly metadata = { from: 0, to: 0 }

  read(bytes: Buffer, from: number): void {
    if (this.bytes !== bytes) {
      this.bytes = bytes
      this.data.bytes = bytes
      this.data.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    let place = from + LENGTH_BYTES
    this.position = wordAt(bytes, place) * 2 ** 32 + (wordAt(bytes, place + 4) >>> 0)
    place = readSpan(bytes, place + 8, this.stream)
    this.revision = wordAt(bytes, place + LENGTH_BYTES)
    this.idAt = place + 2 * LENGTH_BYTES + LENGTH_BYTES
    place = readSpan(bytes, this.idAt + UUID_BYTES, this.type)
    place = readSpan(bytes, place, this.data)
    readSpan(bytes, place, this.metadata)
  }

  get id(): string {
    const hex = this.bytes.toString('hex', this.idAt, this.idAt + UUID_BYTES)
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  /** Whether it is of a type. */
  is(name: Buffer): boolean {
    const { from, to } = this.type
    if (to - from !== name.length) return false
    for (let index = 0; index < name.length; index += 1) {
      if (this.bytes[from + index] !== name[index]) return false
    }
    return true
  }
}

const LENGTH_BYTES = 4
const UUID_BYTES = 16

const wordAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 24) |
  ((bytes[at + 1] ?? 0) << 16) |
  ((bytes[at + 2] ?? 0) << 8) |
  (bytes[at + 3] ?? 0)

/** Reads a field behind its length, an empty one for NULL; answers where the next one begins. */
function readSpan(bytes: Buffer, at: number, span: { from: number; to: number }): number {
  span.from = at + LENGTH_BYTES
  span.to = span.from + Math.max(0, wordAt(bytes, at))
  return span.to
}
