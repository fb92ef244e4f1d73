import type { EventPlace } from '@tollgate/domain/ports/event-store.ts'
import type { LogLinks } from '../log-links.ts'
import { copyWords, isSame, viewOf } from './bytes.ts'
import { HASH_DIGITS, type MetadataTail } from './metadata-tail.ts'

/**
 * The links of a page's events: within the page each event is held against the one before it in its stream, by its bytes;
 * its first and last event are then held against what passed by before.
 */
export class PageLinks {
  /** By id of the stream: its slot of the page, valid where `#pages` says so. */
  #slots = new Int32Array(STREAMS_AT_FIRST)
  #pages = new Int32Array(STREAMS_AT_FIRST)
  #page = 0
  #count = 0
  /** By slot. */
  readonly #streams: Int32Array
  readonly #firsts: Int32Array
  readonly #lasts: Int32Array
  readonly #isNeeded: Uint8Array
  readonly #hasHashBefore: Uint8Array
  readonly #hashesBefore: Hashes
  readonly #hashes: Hashes

  /** `events` = events of a page at most. */
  constructor(events: number) {
    this.#streams = new Int32Array(events)
    this.#firsts = new Int32Array(events)
    this.#lasts = new Int32Array(events)
    this.#isNeeded = new Uint8Array(events)
    this.#hasHashBefore = new Uint8Array(events)
    this.#hashesBefore = new Hashes(events)
    this.#hashes = new Hashes(events)
  }

  beginPage(): void {
    this.#page += 1
    this.#count = 0
  }

  /** The next event of a stream, by the stream's id; false when it does not follow the one before it in this page. */
  pass(
    stream: number,
    { revision, view }: { readonly revision: number; readonly view: DataView },
    tail: MetadataTail,
    isNeeded: boolean,
  ): boolean {
    if (stream >= this.#slots.length) this.#grow(stream)
    const { prevHashAt, hashAt } = tail
    if (this.#pages[stream] !== this.#page) {
      const slot = this.#count
      this.#count += 1
      this.#pages[stream] = this.#page
      this.#slots[stream] = slot
      this.#streams[slot] = stream
      this.#firsts[slot] = revision
      this.#lasts[slot] = revision
      this.#isNeeded[slot] = isNeeded ? 1 : 0
      this.#hasHashBefore[slot] = prevHashAt === -1 ? 0 : 1
      if (prevHashAt !== -1) this.#hashesBefore.set(slot, view, prevHashAt)
      this.#hashes.set(slot, view, hashAt)
      return true
    }
    const slot = this.#slots[stream] ?? 0
    if (revision !== (this.#lasts[slot] ?? 0) + 1 || prevHashAt === -1) return false
    if (!this.#hashes.is(slot, view, prevHashAt)) return false
    this.#lasts[slot] = revision
    if (isNeeded) this.#isNeeded[slot] = 1
    this.#hashes.set(slot, view, hashAt)
    return true
  }

  /**
   * Holds the page's streams against what passed by before, and looks up what did not; false when an event may be another
   * client's. `names` = streams by their ids. Fails with StoreUnavailable.
   */
  async join(links: LogLinks, names: readonly string[]): Promise<boolean> {
    const unknown: (EventPlace & { readonly slot: number })[] = []
    const advance = (slot: number): ReturnType<LogLinks['advance']> => {
      const before = this.#hasHashBefore[slot] === 1 ? this.#hashesBefore.text(slot) : ''
      const last = { revision: this.#lasts[slot] ?? 0, hash: this.#hashes.text(slot) }
      const first = { revision: this.#firsts[slot] ?? 0, prevHash: before }
      return links.advance(names[this.#streams[slot] ?? 0] ?? '', first, last)
    }
    for (let slot = 0; slot < this.#count; slot += 1) {
      const found = advance(slot)
      if (found === 'odd') return false
      if (found === 'own' || this.#isNeeded[slot] === 0) continue
      const stream = names[this.#streams[slot] ?? 0] ?? ''
      unknown.push({ stream, revision: this.#firsts[slot] ?? 0, slot })
    }
    if (unknown.length === 0) return true
    await links.prepare(unknown, () => true)
    links.noteForeign()
    return unknown.every(({ slot }) => advance(slot) === 'own')
  }

  #grow(stream: number): void {
    const [slots, pages] = [this.#slots, this.#pages]
    this.#slots = new Int32Array(2 * stream)
    this.#pages = new Int32Array(2 * stream)
    this.#slots.set(slots)
    this.#pages.set(pages)
  }
}

const STREAMS_AT_FIRST = 8_192

/** Hashes by slot. */
class Hashes {
  readonly #bytes: Buffer
  readonly #view: DataView

  constructor(slots: number) {
    this.#bytes = Buffer.alloc(slots * HASH_DIGITS)
    this.#view = viewOf(this.#bytes)
  }

  set(slot: number, view: DataView, at: number): void {
    copyWords(view, at, this.#view, slot * HASH_DIGITS, HASH_DIGITS)
  }

  is(slot: number, view: DataView, at: number): boolean {
    return isSame(view, at, this.#view, slot * HASH_DIGITS, HASH_DIGITS)
  }

  text(slot: number): string {
    return this.#bytes.toString('latin1', slot * HASH_DIGITS, (slot + 1) * HASH_DIGITS)
  }
}
