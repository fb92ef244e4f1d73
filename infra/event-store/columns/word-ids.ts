import { isSame, viewOf } from './bytes.ts'

/**
 * Ids of byte sequences, so that a text that stands in millions of events is made once. An open hash table: the bytes are
 * compared, a hash alone decides nothing.
 */
export class WordIds {
  /** The words by their ids. */
  readonly words: string[] = []
  #bytes = new Uint8Array(BYTES_AT_FIRST)
  #view = viewOf(this.#bytes)
  #bytesUsed = 0
  /** Texts that are no UTF-8: a half of a pair of code units alone. */
  readonly #illFormed = new Map<string, number>()
  /** Where the bytes of each word end; the word before ends where they begin. */
  #ends = new Int32Array(SLOTS_AT_FIRST)
  /** Id of a word and 1; 0 where there is none. Twice as many slots as words at least. */
  #slots = new Int32Array(2 * SLOTS_AT_FIRST)

  /** The id of the bytes `[from, to)`, which are UTF-8. */
  idOf(view: DataView, from: number, to: number): number {
    const slot = this.#slotOf(view, from, to)
    const known = at(this.#slots, slot)
    if (known !== 0) return known - 1
    const word = new Uint8Array(view.buffer, view.byteOffset + from, to - from)
    return this.#add(slot, word, UTF8.decode(word))
  }

  /** The same for a word that is there already; NO_WORD for any other. */
  knownIdOf(view: DataView, from: number, to: number): number {
    const slot = this.#slotOf(view, from, to)
    return at(this.#slots, slot) - 1
  }

  /** The id of a text: that of its bytes, where UTF-8 has bytes for it. */
  idOfText(text: string): number {
    if (text.isWellFormed()) {
      const bytes = ENCODER.encode(text)
      return this.idOf(viewOf(bytes), 0, bytes.length)
    }
    const known = this.#illFormed.get(text)
    if (known !== undefined) return known
    const id = this.#push(EMPTY, text)
    this.#illFormed.set(text, id)
    return id
  }

  /** The slot that a word has, or would have. */
  #slotOf(view: DataView, from: number, to: number): number {
    const mask = this.#slots.length - 1
    let slot = hashOf(view, from, to) & mask
    for (let known = at(this.#slots, slot); known !== 0; known = at(this.#slots, slot)) {
      if (this.#is(known - 1, view, from, to)) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  #is(id: number, view: DataView, from: number, to: number): boolean {
    const known = id === 0 ? 0 : at(this.#ends, id - 1)
    const length = to - from
    return at(this.#ends, id) - known === length && isSame(view, from, this.#view, known, length)
  }

  #add(slot: number, bytes: Uint8Array, word: string): number {
    this.#slots[slot] = this.words.length + 1
    return this.#push(bytes, word)
  }

  #push(bytes: Uint8Array, word: string): number {
    const id = this.words.length
    const end = this.#bytesUsed + bytes.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end)
      larger.set(this.#bytes)
      this.#bytes = larger
      this.#view = viewOf(larger)
    }
    this.#bytes.set(bytes, this.#bytesUsed)
    this.#bytesUsed = end
    this.#ends[id] = end
    this.words.push(word)
    if (this.words.length === this.#ends.length) this.#grow()
    return id
  }

  #grow(): void {
    const ends = new Int32Array(2 * this.#ends.length)
    ends.set(this.#ends)
    this.#ends = ends
    this.#slots = new Int32Array(2 * ends.length)
    const mask = this.#slots.length - 1
    for (let id = 0, from = 0; id < this.words.length; id += 1) {
      const to = at(ends, id)
      if (!(this.words[id] ?? '').isWellFormed()) continue
      let slot = hashOf(this.#view, from, to) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id + 1
      from = to
    }
  }
}

const BYTES_AT_FIRST = 16_384
/** A power of 2. */
const SLOTS_AT_FIRST = 1_024
const EMPTY = new Uint8Array()
const ENCODER = new TextEncoder()
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

const at = (array: Int32Array, index: number): number => array[index] ?? 0

/** As FNV-1a, four bytes at a time, mixed so that its low bits depend on all. */
function hashOf(view: DataView, from: number, to: number): number {
  let hash = 0x811c9dc5
  let index = from
  for (const end = to - 4; index <= end; index += 4) {
    hash = Math.imul(hash ^ view.getInt32(index), PRIME)
    hash ^= hash >>> 15
  }
  for (; index < to; index += 1) hash = Math.imul(hash ^ view.getUint8(index), PRIME)
  return hash ^ (hash >>> 15)
}
const PRIME = 0x01000193
