import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventPlace,
  ForeignEvent,
  StreamCut,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside, SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import { LRUCache } from 'lru-cache'
import type { ForeignEvents } from './foreign-events.ts'
import { decodedOr, type StoredEvent, unlinked } from './stored-event.ts'
import { hashesIn, type Linked, StreamLink } from './stream-link.ts'
import type { Upcasters } from './upcasters.ts'

/** An event as the log is gone through; what it holds is read when it is asked for. */
export interface ArrivingEvent<Event extends LinkedEvent = RecordedEvent> {
  readonly stream: string
  readonly revision: number
  readonly type: string
  /** Decodes the event; called more than once where several follow the same log. */
  readonly decode: () => Event | ForeignEvent
  /** Text of the metadata, the end at least. */
  readonly metadataText: () => string
}

/** As much of a decoded event as its place in the stream shows by. */
type LinkedEvent = NonNullable<Linked> & EventPlace

/**
 * Tells Tollgate's events from those of other clients for whoever goes through the whole log, from any place: an event
 * must follow the one before it in its stream, as it must for the stream's owner.
 */
export interface LogLinks {
  /**
   * Looks up what came before the events of a page in streams that have not passed by and have an event of use in it. All
   * of the page's events are taken or skipped then, in order. Fails with StoreUnavailable.
   */
  prepare<Event extends EventPlace>(
    page: readonly Event[],
    isOfUse: (event: Event) => boolean,
  ): Promise<void>
  /** Whether it is known what came before an event; else it is to be prepared, also within a page that has gaps. */
  isKnown(event: EventPlace): boolean
  /** The event; null for one that is not Tollgate's. Events come in order, after `prepare`. */
  take<Event extends LinkedEvent>(event: ArrivingEvent<Event>): Event | null
  /** As `take`, where events between may be left out: one that has not passed by is believed. */
  takeIfKnown<Event extends LinkedEvent>(event: ArrivingEvent<Event>): Event | null
  /** An event that is of no use here passes by, so that the next one of its stream need not be looked up. */
  skip(event: ArrivingEvent<LinkedEvent>): void
  /** Events were appended here between two ends of a stream: they need not pass by to be known. */
  appended(stream: string, before: StreamHead, after: StreamHead): void
  /** To be called at the end of a page: what is foreign in it, and was not set aside in it either, is noted. */
  noteForeign(): void
}

/** The newest events of a stream before a revision, newest first, as stored. */
type ReadBefore = (stream: string, before: number, limit: number) => Promise<readonly StoredEvent[]>

/** About 400 bytes each. A stream that was forgotten is looked up again. */
const STREAMS_MAX = 50_000
/** Several may go through a stream at once: the end of the log, and a read model that is built anew. */
const RANGES_MAX = 3
/** Events asked for at once when what came before is looked up: at first few, as a carry-forward is mostly near. */
const LOOK_BACK_PAGES = { first: 32, further: 500 } as const
/** Where events that passed by end at most so many before, all between are looked up. */
const GAP_EVENTS_MAX = 1_000
/** Streams looked up at once. */
const LOOK_UPS_MAX = 16

/** Events of a stream that passed by without a gap. */
interface Range {
  readonly from: number
  /** `from − 1` while there is none. */
  to: number
  readonly link: StreamLink
  readonly foreign: Set<number>
}

export function logLinks(
  readBefore: ReadBefore,
  upcasters: Upcasters,
  noted: Pick<ForeignEvents, 'note' | 'noteSetAside'>,
  streamsMax = STREAMS_MAX,
): LogLinks {
  const streams = new LRUCache<string, Range[]>({ max: streamsMax })
  let found: { readonly range: Range; readonly event: ForeignEvent }[] = []

  /** The range that an event belongs to or comes next in. */
  const rangeOf = (stream: string, revision: number): Range | undefined => {
    const ranges = streams.get(stream)
    if (ranges === undefined) return undefined
    for (const range of ranges) {
      if (revision >= range.from && revision <= range.to) return range
    }
    return ranges.find((range) => revision === range.to + 1)
  }

  function begin(stream: string, from: number, hash: string | null): Range {
    const range = { from, to: from - 1, link: new StreamLink(hash), foreign: new Set<number>() }
    const ranges = streams.get(stream)
    if (ranges === undefined) streams.set(stream, [range])
    else {
      if (ranges.length === RANGES_MAX) ranges.shift()
      ranges.push(range)
    }
    return range
  }

  /** Whether an event is Tollgate's; the first time that it passes by, `read` is held against the one before it. */
  function judge(range: Range, revision: number, read: () => Linked): boolean {
    if (revision > range.to) {
      range.to = revision
      if (!range.link.isOwn(revision, read())) range.foreign.add(revision)
    }
    return !range.foreign.has(revision)
  }

  /** The newest range that ends before a revision with a gap that can be looked up; undefined when there is none. */
  const rangeNear = (stream: string, before: number): Range | undefined =>
    streams
      .get(stream)
      ?.filter(({ to }) => to < before - 1 && to >= before - 1 - GAP_EVENTS_MAX)
      .reduce<Range | undefined>(
        (near, one) => (near === undefined || one.to > near.to ? one : near),
        undefined,
      )

  /** Newest first; what another client has cut is not there. */
  async function readBack(
    stream: string,
    before: number,
    limit: number,
  ): Promise<readonly StoredEvent[]> {
    return readBefore(stream, before, limit).catch((error: unknown) => {
      if (error instanceof StreamCut) return []
      throw error
    })
  }

  /**
   * The events before a revision, newest first, back to where the stream's owner begins to read: its newest carry-forward,
   * or its first event. So followers and owners tell the same events apart, wherever they begin. To read an account's
   * whole past would cost each start seconds for each busy account.
   */
  async function readAsOwner(stream: string, before: number): Promise<readonly StoredEvent[]> {
    const found: StoredEvent[] = []
    for (let next = before, page = 0; next > 0; page += 1) {
      const size = page === 0 ? LOOK_BACK_PAGES.first : LOOK_BACK_PAGES.further
      const events = await readBack(stream, next, size)
      found.push(...events)
      const isBegun = events.some(({ type }) => type === 'BalanceCarriedForward')
      if (isBegun || events.length < size) break
      next = events.at(-1)?.revision ?? 0
    }
    return found
  }

  async function lookUp(stream: string, before: number): Promise<void> {
    const near = rangeNear(stream, before)
    const stored =
      near === undefined
        ? await readAsOwner(stream, before)
        : await readBack(stream, before, before - 1 - near.to)
    if (rangeOf(stream, before) !== undefined) return
    const events = stored.toReversed().map((one) => ({
      revision: one.revision,
      read: decodedOr(one, upcasters),
    }))
    const first = events[0]?.revision ?? before
    const range =
      near !== undefined && near.to === first - 1
        ? near
        : begin(stream, first, first === 0 ? EMPTY_STREAM.hash : null)
    const aside = new Set<number>()
    for (const { read } of events) {
      if (read instanceof ForeignEvent || !isSetAside(read)) continue
      for (const revision of read.data.revisions) aside.add(revision)
    }
    for (const { revision, read } of events) {
      const isReadable = !(read instanceof ForeignEvent)
      if (aside.has(revision)) {
        range.to = revision
        range.foreign.add(revision)
      } else if (!judge(range, revision, () => (isReadable ? read : null))) {
        found.push({ range, event: isReadable ? unlinked(read) : read })
      }
    }
    range.to = before - 1
  }

  const isKnown = ({ stream, revision }: EventPlace): boolean =>
    revision === 0 || rangeOf(stream, revision) !== undefined || !isStreamOfTollgate(stream)

  return {
    isKnown,
    async prepare(page, isOfUse) {
      // By stream, its first event here where that is not known to follow what passed by; null when nothing is to be done.
      const firsts = new Map<string, EventPlace | null>()
      const unknown: EventPlace[] = []
      for (const event of page) {
        const { stream } = event
        let first = firsts.get(stream)
        if (first === undefined) {
          first = isKnown(event) ? null : event
          firsts.set(stream, first)
        }
        if (first === null || !isOfUse(event)) continue
        unknown.push(first)
        firsts.set(stream, null)
      }
      const lookUpNext = async (): Promise<void> => {
        for (let event = unknown.pop(); event !== undefined; event = unknown.pop()) {
          await lookUp(event.stream, event.revision)
        }
      }
      await Promise.all(Array.from({ length: Math.min(LOOK_UPS_MAX, unknown.length) }, lookUpNext))
    },
    take(event) {
      const { stream, revision } = event
      const read = event.decode()
      const own = read instanceof ForeignEvent ? null : read
      let range = rangeOf(stream, revision)
      if (range === undefined) {
        if (!isStreamOfTollgate(stream)) return own
        range = begin(stream, revision, revision === 0 ? EMPTY_STREAM.hash : null)
      }
      if (judge(range, revision, () => own)) {
        if (own !== null) noted.noteSetAside(own)
        return own
      }
      if (range.link.foreign.has(revision)) {
        found.push({ range, event: read instanceof ForeignEvent ? read : unlinked(read) })
      }
      return null
    },
    takeIfKnown({ stream, revision, decode }) {
      const read = decode()
      const isForeign = rangeOf(stream, revision)?.foreign.has(revision) === true
      return isForeign || read instanceof ForeignEvent ? null : read
    },
    skip({ stream, revision, type, decode, metadataText }) {
      let range = rangeOf(stream, revision)
      if (range === undefined) {
        if (revision > 0 || !isStreamOfTollgate(stream)) return
        range = begin(stream, 0, EMPTY_STREAM.hash)
      }
      judge(range, revision, () => {
        if (type !== SET_ASIDE) return linkIn(metadataText())
        // The stream goes on behind it.
        const aside = decode()
        return aside instanceof ForeignEvent ? null : aside
      })
    },
    appended(stream, before, after) {
      const range =
        rangeOf(stream, before.revision + 1) ?? begin(stream, before.revision + 1, before.hash)
      const { link, to } = range
      const isNext = to > before.revision || link.hash === null || link.hash === before.hash
      if (to >= after.revision || link.foreign.size > 0 || !isNext) return
      range.to = after.revision
      link.hash = after.hash
    },
    noteForeign() {
      for (const { range, event } of found) {
        if (range.link.foreign.has(event.revision)) noted.note(event)
      }
      found = []
    },
  }
}

function linkIn(metadataText: string): Linked {
  const metadata = hashesIn(metadataText)
  return metadata === null ? null : { type: '', data: { at: 0 }, metadata }
}
