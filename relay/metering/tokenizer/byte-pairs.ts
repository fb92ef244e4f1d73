import type { TokenList } from './token-list.ts'

/** Longest piece that is merged at once, in UTF-16 units; longer unbroken runs are cut by the caller. */
export const PIECE_CHARACTERS_MAX = 256
/** A UTF-16 unit takes at most three bytes of UTF-8 (a surrogate pair four). A power of two, for the heap's keys. */
const PIECE_BYTES_MAX = 1_024
const POSITION_BITS = 10
/** Counts of short pieces that are remembered: natural text repeats its words. */
const REMEMBERED_MAX = 50_000
/** V8 copies substrings up to this length; a longer one would keep its whole text in memory. */
const REMEMBERED_CHARACTERS_MAX = 12
const NO_RANK = 0x7f_ff_ff_ff
const FNV_OFFSET = 0x81_1c_9d_c5
const FNV_PRIME = 0x01_00_01_93

/**
 * Counts the tokens of a piece by byte pair encoding: neighbouring parts whose bytes together are a token merge, lowest
 * rank first, the leftmost of equals first (tiktoken's rule). A heap finds the next pair, so that a piece of n bytes
 * takes n·log n steps: gpt-tokenizer's own merge is quadratic, and its TextDecoder drops U+FEFF.
 */
export class BytePairs {
  readonly #tokenBytes: Uint8Array
  /** Where each rank's bytes begin; one more entry at the end. */
  readonly #tokenStarts: Uint32Array
  /** Open addressing: rank + 1, or 0 where free. */
  readonly #slots: Int32Array
  readonly #slotMask: number
  readonly #tokenLengthMax: number
  readonly #encoder = new TextEncoder()
  readonly #bytes = new Uint8Array(PIECE_BYTES_MAX)
  readonly #next = new Int32Array(PIECE_BYTES_MAX)
  readonly #previous = new Int32Array(PIECE_BYTES_MAX)
  /** Rank of the part at a position merged with its right neighbour. */
  readonly #pairRanks = new Int32Array(PIECE_BYTES_MAX)
  /** Keys of rank and position; entries that no longer match `#pairRanks` are skipped. */
  readonly #heap = new Int32Array(PIECE_BYTES_MAX * 4)
  #heapSize = 0
  readonly #remembered = new Map<string, number>()

  constructor({ bytes, starts }: TokenList) {
    this.#tokenBytes = bytes
    this.#tokenStarts = starts
    this.#slotMask = 2 ** Math.ceil(Math.log2(starts.length * 2)) - 1
    this.#slots = new Int32Array(this.#slotMask + 1)
    let longest = 0
    for (let rank = 0; rank + 1 < starts.length; rank += 1) {
      const start = starts[rank] ?? 0
      const end = starts[rank + 1] ?? start
      longest = Math.max(longest, end - start)
      if (end > start) this.#place(rank, start, end)
    }
    this.#tokenLengthMax = longest
  }

  #place(rank: number, start: number, end: number): void {
    let slot = hashOf(this.#tokenBytes, start, end) & this.#slotMask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#slotMask
    this.#slots[slot] = rank + 1
  }

  /** Tokens of one piece of at most PIECE_CHARACTERS_MAX characters. */
  count(piece: string): number {
    const isShort = piece.length <= REMEMBERED_CHARACTERS_MAX
    const known = isShort ? this.#remembered.get(piece) : undefined
    if (known !== undefined) return known
    const { written } = this.#encoder.encodeInto(piece, this.#bytes)
    const tokens = this.#rank(0, written) === NO_RANK ? this.#merge(written) : 1
    if (isShort) {
      if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
      this.#remembered.set(piece, tokens)
    }
    return tokens
  }

  #merge(length: number): number {
    this.#heapSize = 0
    for (let at = 0; at < length; at += 1) {
      this.#next[at] = at + 1
      this.#previous[at] = at - 1
      this.#pairRanks[at] = NO_RANK
      if (at + 1 < length) this.#offer(at, at + 2)
    }
    let parts = length
    while (this.#heapSize > 0) {
      const key = this.#pop()
      const left = key & (PIECE_BYTES_MAX - 1)
      if (this.#pairRanks[left] !== key >>> POSITION_BITS) continue
      const right = this.#next[left] ?? length
      const after = this.#next[right] ?? length
      this.#next[left] = after
      this.#pairRanks[right] = NO_RANK
      this.#pairRanks[left] = NO_RANK
      if (after < length) {
        this.#previous[after] = left
        this.#offer(left, this.#next[after] ?? length)
      }
      const before = this.#previous[left] ?? -1
      if (before >= 0) this.#offer(before, after)
      parts -= 1
    }
    return parts
  }

  /** Notes that the part at `start` and its right neighbour, which ends at `end`, may merge. */
  #offer(start: number, end: number): void {
    const rank = this.#rank(start, end)
    this.#pairRanks[start] = rank
    if (rank !== NO_RANK) this.#push((rank << POSITION_BITS) | start)
  }

  #rank(start: number, end: number): number {
    const length = end - start
    if (length > this.#tokenLengthMax) return NO_RANK
    const bytes = this.#bytes
    let slot = hashOf(bytes, start, end) & this.#slotMask
    for (;;) {
      const rank = (this.#slots[slot] ?? 0) - 1
      if (rank < 0) return NO_RANK
      if (this.#isToken(rank, start, length)) return rank
      slot = (slot + 1) & this.#slotMask
    }
  }

  #isToken(rank: number, start: number, length: number): boolean {
    const from = this.#tokenStarts[rank] ?? 0
    if ((this.#tokenStarts[rank + 1] ?? 0) - from !== length) return false
    for (let at = 0; at < length; at += 1) {
      if (this.#tokenBytes[from + at] !== this.#bytes[start + at]) return false
    }
    return true
  }

  #push(key: number): void {
    const heap = this.#heap
    let at = this.#heapSize
    this.#heapSize += 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] ?? 0
      if (above <= key) break
      heap[at] = above
      at = parent
    }
    heap[at] = key
  }

  /** The least key. The heap must not be empty. */
  #pop(): number {
    const heap = this.#heap
    const least = heap[0] ?? 0
    this.#heapSize -= 1
    const size = this.#heapSize
    const last = heap[size] ?? 0
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1
      const below = heap[child] ?? 0
      if (below >= last) break
      heap[at] = below
      at = child
    }
    heap[at] = last
    return least
  }
}

/** FNV-1a of a range of bytes. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_OFFSET
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME)
  return hash ^ (hash >>> 15)
}
