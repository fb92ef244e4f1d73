import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { isWord, viewOf, type Word } from '../columns/bytes.ts'

/** A row of `columnQuery`, where it stands in what the server sent. One object for all rows: valid until the next. */
export class CopiedRow {
  bytes: Buffer = Buffer.alloc(0)
  view = viewOf(this.bytes)
  position: Position = LOG_START
  revision = 0
  /** Where the id's sixteen bytes begin. */
  idAt = 0
  readonly stream = { from: 0, to: 0 }
  readonly type = { from: 0, to: 0 }
  readonly data = { bytes: this.bytes, view: this.view, from: 0, to: 0 }
  readonly metadata = { from: 0, to: 0 }

  read(bytes: Buffer, from: number): void {
    if (this.bytes !== bytes) {
      this.bytes = bytes
      this.view = viewOf(bytes)
      this.data.bytes = bytes
      this.data.view = this.view
    }
    const { view } = this
    let place = from + LENGTH_BYTES
    this.position = view.getInt32(place) * 2 ** 32 + view.getUint32(place + 4)
    place = readSpan(view, place + 8, this.stream)
    this.revision = view.getInt32(place + LENGTH_BYTES)
    this.idAt = place + 2 * LENGTH_BYTES + LENGTH_BYTES
    place = readSpan(view, this.idAt + UUID_BYTES, this.type)
    place = readSpan(view, place, this.data)
    readSpan(view, place, this.metadata)
  }

  get id(): string {
    const hex = this.bytes.toString('hex', this.idAt, this.idAt + UUID_BYTES)
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  /** Whether it is of a type. */
  is(name: Word): boolean {
    const { from, to } = this.type
    return to - from === name.length && isWord(this.view, from, name)
  }
}

const LENGTH_BYTES = 4
const UUID_BYTES = 16

/** Reads a field behind its length, an empty one for NULL; answers where the next one begins. */
function readSpan(view: DataView, at: number, span: { from: number; to: number }): number {
  span.from = at + LENGTH_BYTES
  span.to = span.from + Math.max(0, view.getInt32(at))
  return span.to
}
