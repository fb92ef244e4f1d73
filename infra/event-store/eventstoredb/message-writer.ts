/**
 * Writes the fields of a protobuf message into its bytes (protobuf.dev, "Encoding"), as `MessageFields` reads them. The
 * length of a nested message stands before it, so the caller works out sizes first, with `varintBytes` and `partBytes`.
 * Field numbers are below 16.
 */
export class MessageWriter {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafe(bytes)
  }

  /** A whole number from 0. */
  number(field: number, value: number): void {
    this.#tag(field, VARINT)
    this.#varint(value)
  }

  /** A text of so many bytes. */
  text(field: number, text: string, bytes = text.length): void {
    this.begin(field, bytes)
    const written = this.#bytes.write(text, this.#at)
    if (written !== bytes) throw new RangeError(`text of ${bytes} bytes, ${written} written`)
    this.#at += bytes
  }

  /** A nested message of so many bytes, whose fields come next. */
  begin(field: number, bytes: number): void {
    this.#tag(field, LENGTH)
    this.#varint(bytes)
  }

  /** The whole message. Fails with RangeError when it is not as long as was told. */
  finish(): Buffer {
    if (this.#at !== this.#bytes.length) {
      throw new RangeError(`message of ${this.#bytes.length} bytes, ${this.#at} written`)
    }
    return this.#bytes
  }

  #tag(field: number, wireType: number): void {
    this.#bytes[this.#at] = field * 8 + wireType
    this.#at += 1
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#bytes[this.#at] = (rest % 0x80) + 0x80
      this.#at += 1
    }
    this.#bytes[this.#at] = rest
    this.#at += 1
  }
}

const VARINT = 0
const LENGTH = 2

/** How long a whole number from 0 is. */
export function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1
  return bytes
}

/** How long a field is that holds a text or message of so many bytes. */
export const partBytes = (bytes: number): number => 1 + varintBytes(bytes) + bytes
