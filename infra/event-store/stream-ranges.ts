import type { EventPlace } from '@tollgate/domain/ports/event-store.ts'
import { LRUCache } from 'lru-cache'
import { type Linked, StreamLink } from './stream-link.ts'

/** Several may go through a stream at once: the end of the log, and a read model that is built anew. */
const RANGES_MAX = 3
/** Where events that passed by end at most so many before, all between are looked up. */
const GAP_EVENTS_MAX = 1_000

/** Events of a stream that passed by without a gap. */
export interface Range {
  readonly from: number
  /** `from − 1` while there is none. */
  to: number
  readonly link: StreamLink
  readonly foreign: Set<number>
}

/** The ranges of each stream that have passed by. */
export class StreamRanges {
  readonly #streams: LRUCache<string, Range[]>

  constructor(streamsMax: number) {
    this.#streams = new LRUCache({ max: streamsMax })
  }

  /** The range that an event belongs to or comes next in. */
  of({ stream, revision }: EventPlace): Range | undefined {
    const ranges = this.#streams.get(stream)
    if (ranges === undefined) return undefined
    for (const range of ranges) {
      if (revision >= range.from && revision <= range.to) return range
    }
    return ranges.find((range) => revision === range.to + 1)
  }

  /** A new range from a revision on; `hash` is that of the event before it, null where it is not known. */
  begin(stream: string, from: number, hash: string | null): Range {
    const range = { from, to: from - 1, link: new StreamLink(hash), foreign: new Set<number>() }
    const ranges = this.#streams.get(stream)
    if (ranges === undefined) this.#streams.set(stream, [range])
    else {
      if (ranges.length === RANGES_MAX) ranges.shift()
      ranges.push(range)
    }
    return range
  }

  /** The newest range that ends before a revision with a gap that can be looked up; undefined when there is none. */
  near(stream: string, before: number): Range | undefined {
    return this.#streams
      .get(stream)
      ?.filter(({ to }) => to < before - 1 && to >= before - 1 - GAP_EVENTS_MAX)
      .reduce<Range | undefined>(
        (near, one) => (near === undefined || one.to > near.to ? one : near),
        undefined,
      )
  }
}

/** Whether an event is Tollgate's; the first time that it passes by, `read` is held against the one before it. */
export function judge(range: Range, revision: number, read: () => Linked): boolean {
  if (revision > range.to) {
    range.to = revision
    if (!range.link.isOwn(revision, read())) range.foreign.add(revision)
  }
  return !range.foreign.has(revision)
}
