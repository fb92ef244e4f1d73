import type { EventPlace } from '@tollgate/domain/ports/event-store.ts'
import type { LogLinks } from '../log-links.ts'
import { copyWords, isSame, viewOf } from './bytes.ts'
import { HASH_DIGITS, type MetadataTail } from './metadata-tail.ts'

/** The first and last event of each stream of a page. Plain data, in memory that threads share. */
export interface StreamEnds {
  /** Streams of the page. What stands behind them in the arrays means nothing. */
  readonly count: number
  /** Ids of the streams. */
  readonly streams: Int32Array
  /** Revisions. */
  readonly firsts: Int32Array
  readonly lasts: Int32Array
  /** 1 for streams of which an event is wanted. */
  readonly isNeeded: Uint8Array
  /** 0 for streams that begin in the page. */
  readonly hasHashBefore: Uint8Array
  /** Hash before each stream's first event, and of its last: 64 hexadecimal digits each. */
  readonly hashesBefore: Uint8Array
  readonly hashes: Uint8Array
}

const EMPTY_ENDS: StreamEnds = {
  count: 0,
  streams: new Int32Array(),
  firsts: new Int32Array(),
  lasts: new Int32Array(),
  isNeeded: new Uint8Array(),
  hasHashBefore: new Uint8Array(),
  hashesBefore: new Uint8Array(),
  hashes: new Uint8Array(),
}

export type StreamEndsBuilder = { -readonly [Name in keyof StreamEnds]: StreamEnds[Name] }

/** Room for the ends of a page of so many events. */
export function streamEnds(events: number): StreamEndsBuilder {
  const shared = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes * events)
  return {
    count: 0,
    streams: new Int32Array(shared(Int32Array.BYTES_PER_ELEMENT)),
    firsts: new Int32Array(shared(Int32Array.BYTES_PER_ELEMENT)),
    lasts: new Int32Array(shared(Int32Array.BYTES_PER_ELEMENT)),
    isNeeded: new Uint8Array(shared(1)),
    hasHashBefore: new Uint8Array(shared(1)),
    hashesBefore: new Uint8Array(shared(HASH_DIGITS)),
    hashes: new Uint8Array(shared(HASH_DIGITS)),
  }
}

/** Holds each event of a page against the one before it in its stream, by its bytes, and notes the streams' ends. */
export class PageLinks {
  /** By id of the stream: its slot of the page, valid where `#pages` says so. */
  #slots = new Int32Array(STREAMS_AT_FIRST)
  #pages = new Int32Array(STREAMS_AT_FIRST)
  #page = 0
  #ends: StreamEndsBuilder = { ...EMPTY_ENDS }
  #hashesBefore = viewOf(EMPTY_ENDS.hashes)
  #hashes = viewOf(EMPTY_ENDS.hashes)

  /** The ends of the next page go there. */
  beginPage(ends: StreamEndsBuilder): void {
    ends.count = 0
    this.#page += 1
    this.#ends = ends
    this.#hashesBefore = viewOf(ends.hashesBefore)
    this.#hashes = viewOf(ends.hashes)
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
    const ends = this.#ends
    if (this.#pages[stream] !== this.#page) {
      const slot = ends.count
      ends.count += 1
      this.#pages[stream] = this.#page
      this.#slots[stream] = slot
      ends.streams[slot] = stream
      ends.firsts[slot] = revision
      ends.lasts[slot] = revision
      ends.isNeeded[slot] = isNeeded ? 1 : 0
      ends.hasHashBefore[slot] = prevHashAt === -1 ? 0 : 1
      if (prevHashAt !== -1) copyHash(view, prevHashAt, this.#hashesBefore, slot)
      copyHash(view, hashAt, this.#hashes, slot)
      return true
    }
    const slot = this.#slots[stream] ?? 0
    if (revision !== (ends.lasts[slot] ?? 0) + 1 || prevHashAt === -1) return false
    if (!isSame(view, prevHashAt, this.#hashes, slot * HASH_DIGITS, HASH_DIGITS)) return false
    ends.lasts[slot] = revision
    if (isNeeded) ends.isNeeded[slot] = 1
    copyHash(view, hashAt, this.#hashes, slot)
    return true
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

const copyHash = (from: DataView, at: number, to: DataView, slot: number): void =>
  copyWords(from, at, to, slot * HASH_DIGITS, HASH_DIGITS)

/**
 * Holds a page's streams against what passed by before, and looks up what did not; false when an event may be another
 * client's. Pages come in the order of the log. `names` = streams by their ids. Fails with StoreUnavailable.
 */
export async function joinStreams(
  ends: StreamEnds,
  links: LogLinks,
  names: readonly string[],
): Promise<boolean> {
  const { count, streams, firsts, lasts } = ends
  const [before, after] = [hashText(ends.hashesBefore), hashText(ends.hashes)]
  const unknown: (EventPlace & { readonly slot: number })[] = []
  const advance = (slot: number): ReturnType<LogLinks['advance']> => {
    const prevHash = ends.hasHashBefore[slot] === 1 ? before(slot) : ''
    const last = { revision: lasts[slot] ?? 0, hash: after(slot) }
    const first = { revision: firsts[slot] ?? 0, prevHash }
    return links.advance(names[streams[slot] ?? 0] ?? '', first, last)
  }
  for (let slot = 0; slot < count; slot += 1) {
    const found = advance(slot)
    if (found === 'odd') return false
    if (found === 'own' || ends.isNeeded[slot] === 0) continue
    const stream = names[streams[slot] ?? 0] ?? ''
    unknown.push({ stream, revision: firsts[slot] ?? 0, slot })
  }
  if (unknown.length === 0) return true
  await links.prepare(unknown, () => true)
  links.noteForeign()
  return unknown.every(({ slot }) => advance(slot) === 'own')
}

function hashText({ buffer, byteOffset, byteLength }: Uint8Array): (slot: number) => string {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  return (slot) => bytes.toString('latin1', slot * HASH_DIGITS, (slot + 1) * HASH_DIGITS)
}
