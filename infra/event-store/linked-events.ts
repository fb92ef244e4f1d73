import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  ForeignEvent,
  type ReadStreamOptions,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { ForeignEvents } from './foreign-events.ts'
import { decodedOr, decodeEvent, type StoredEvent, unlinked } from './stored-event.ts'
import { StreamLink } from './stream-link.ts'
import type { Upcasters } from './upcasters.ts'

/** Reads streams as Tollgate's, whatever other clients have written there. See EventStore.readStream. */
export function linkedStreams(
  readStored: (stream: string, options: ReadStreamOptions) => AsyncIterable<StoredEvent>,
  upcasters: Upcasters,
  foreign: Pick<ForeignEvents, 'note' | 'noteSetAside'>,
): EventStore['readStream'] {
  return async function* readStream(stream, options = {}) {
    const { direction, from = 0, prevHash = from === 0 ? EMPTY_STREAM.hash : null } = options
    const stored = readStored(stream, options)
    const events =
      direction === 'backwards'
        ? linkedBackwards(stored, upcasters)
        : linkedForwards(stored, upcasters, prevHash)
    try {
      for await (const event of events) {
        foreign.noteSetAside(event)
        yield event
      }
    } catch (error) {
      if (error instanceof ForeignEvent) foreign.note(error)
      throw error
    }
  }
}

/**
 * The events of one stream, forwards, as long as each follows the one before it by its hash: what another client has
 * written does not. Events that were set aside are left out. Fails with ForeignEvent at the first one that was not.
 */
async function* linkedForwards(
  events: AsyncIterable<StoredEvent>,
  upcasters: Upcasters,
  prevHash: string | null,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const link = new StreamLink(prevHash)
  const refusals = new Map<number, ForeignEvent>()
  for await (const stored of events) {
    const read = decodedOr(stored, upcasters)
    const event = read instanceof ForeignEvent ? null : read
    if (link.isOwn(stored.revision, event) && event !== null) yield event
    else refusals.set(stored.revision, read instanceof ForeignEvent ? read : unlinked(read))
  }
  const [first] = link.foreign
  if (first !== undefined) throw refusals.get(first) ?? new Error(`event ${first} was not read`)
}

/** The same backwards: an event comes when the one before it was read, but for the last one of a read with a limit. */
async function* linkedBackwards(
  events: AsyncIterable<StoredEvent>,
  upcasters: Upcasters,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const aside = new Set<number>()
  let behind: RecordedEvent | null = null
  let reached = -1
  for await (const stored of events) {
    reached = stored.revision
    if (aside.has(stored.revision)) continue
    const event = decodeEvent(stored, upcasters)
    if (behind !== null) {
      if (behind.metadata.prevHash !== event.metadata.hash) throw notBetween(event, behind)
      yield behind
    }
    if (isSetAside(event)) for (const revision of event.data.revisions) aside.add(revision)
    behind = event
  }
  if (behind === null) return
  if (reached === 0 && behind.metadata.prevHash !== EMPTY_STREAM.hash) throw unlinked(behind)
  yield behind
}

/** An event that sets others aside is Tollgate's: events between it and the one that it is linked to are not. */
const notBetween = (event: RecordedEvent, behind: RecordedEvent): ForeignEvent =>
  unlinked(isSetAside(behind) ? event : behind)
