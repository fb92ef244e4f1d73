/** Bytes are compared and copied four at a time. */
const WORD_BYTES = 4

// oxlint-disable eslint/max-params -- these are called several times for each event: no object is made for a call

/** Whether the bytes of two places are the same. */
export function isSame(
  left: DataView,
  leftAt: number,
  right: DataView,
  rightAt: number,
  length: number,
): boolean {
  let index = 0
  for (const end = length - WORD_BYTES; index <= end; index += WORD_BYTES) {
    if (left.getInt32(leftAt + index) !== right.getInt32(rightAt + index)) return false
  }
  for (; index < length; index += 1) {
    if (left.getUint8(leftAt + index) !== right.getUint8(rightAt + index)) return false
  }
  return true
}

/** A text of ASCII that is looked for. */
export interface Word {
  readonly view: DataView
  readonly length: number
}

export function word(text: string): Word {
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0))
  return { view: viewOf(bytes), length: bytes.length }
}

/** Whether a word stands at a place. */
export const isWord = (view: DataView, at: number, { view: other, length }: Word): boolean =>
  isSame(view, at, other, 0, length)

/** Copies bytes whose number is a multiple of four. */
export function copyWords(
  from: DataView,
  fromAt: number,
  to: DataView,
  toAt: number,
  length: number,
): void {
  for (let index = 0; index < length; index += WORD_BYTES) {
    to.setInt32(toAt + index, from.getInt32(fromAt + index))
  }
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)
