import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventPlace,
  ForeignEvent,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside, SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import type { ForeignEvents } from './foreign-events.ts'
import { pastCuts, type ReadBefore, readAsOwner } from './look-back.ts'
import { decodedOr, unlinked } from './stored-event.ts'
import { hashesIn, type Linked } from './stream-link.ts'
import { judge, type Range, StreamRanges } from './stream-ranges.ts'
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
  /**
   * Events of a stream pass by at once that follow each other, from the first to the last, and set none aside. `odd` when
   * they may not all be Tollgate's, and are to be taken one by one; `unknown` when what came before is to be prepared.
   */
  advance(
    stream: string,
    first: { readonly revision: number; readonly prevHash: string },
    last: StreamHead,
  ): 'own' | 'unknown' | 'odd'
  /** Events were appended here between two ends of a stream: they need not pass by to be known. */
  appended(stream: string, before: StreamHead, after: StreamHead): void
  /** To be called at the end of a page: what is foreign in it, and was not set aside in it either, is noted. */
  noteForeign(): void
}

/** About 400 bytes each. A stream that was forgotten is looked up again. */
const STREAMS_MAX = 50_000
/** Streams looked up at once. */
const LOOK_UPS_MAX = 16

export function logLinks(
  readBefore: ReadBefore,
  upcasters: Upcasters,
  noted: Pick<ForeignEvents, 'note' | 'noteSetAside'>,
  streamsMax = STREAMS_MAX,
): LogLinks {
  const ranges = new StreamRanges(streamsMax)
  const readBack = pastCuts(readBefore)
  let found: { readonly range: Range; readonly event: ForeignEvent }[] = []

  async function lookUp(stream: string, before: number): Promise<void> {
    const near = ranges.near(stream, before)
    const stored =
      near === undefined
        ? await readAsOwner(readBack, stream, before)
        : await readBack(stream, before, before - 1 - near.to)
    if (ranges.of({ stream, revision: before }) !== undefined) return
    const events = stored.toReversed().map((one) => ({
      revision: one.revision,
      read: decodedOr(one, upcasters),
    }))
    const first = events[0]?.revision ?? before
    const range =
      near !== undefined && near.to === first - 1
        ? near
        : ranges.begin(stream, first, first === 0 ? EMPTY_STREAM.hash : null)
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

  const isKnown = (place: EventPlace): boolean =>
    place.revision === 0 || ranges.of(place) !== undefined || !isStreamOfTollgate(place.stream)

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
      let range = ranges.of(event)
      if (range === undefined) {
        if (!isStreamOfTollgate(stream)) return own
        range = ranges.begin(stream, revision, revision === 0 ? EMPTY_STREAM.hash : null)
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
      const isForeign = ranges.of({ stream, revision })?.foreign.has(revision) === true
      return isForeign || read instanceof ForeignEvent ? null : read
    },
    skip({ stream, revision, type, decode, metadataText }) {
      let range = ranges.of({ stream, revision })
      if (range === undefined) {
        if (revision > 0 || !isStreamOfTollgate(stream)) return
        range = ranges.begin(stream, 0, EMPTY_STREAM.hash)
      }
      judge(range, revision, () => {
        if (type !== SET_ASIDE) return linkIn(metadataText())
        // The stream goes on behind it.
        const aside = decode()
        return aside instanceof ForeignEvent ? null : aside
      })
    },
    advance(stream, { revision, prevHash }, last) {
      let range = ranges.of({ stream, revision })
      if (range === undefined) {
        if (!isStreamOfTollgate(stream)) return 'own'
        if (revision > 0) return 'unknown'
        range = ranges.begin(stream, 0, EMPTY_STREAM.hash)
      }
      const { link, foreign, to } = range
      if (foreign.size > 0 || link.foreign.size > 0) return 'odd'
      if (to >= last.revision) return 'own'
      const isNext = to === revision - 1 && (link.hash === null || link.hash === prevHash)
      if (!isNext) return 'odd'
      range.to = last.revision
      link.hash = last.hash
      return 'own'
    },
    appended(stream, before, after) {
      const range =
        ranges.of({ stream, revision: before.revision + 1 }) ??
        ranges.begin(stream, before.revision + 1, before.hash)
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
