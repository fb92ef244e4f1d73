import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventPlace, ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import type { StoreLogger } from './store-logger.ts'

/** Events that other clients have written beside Tollgate, as far as this process has met them. */
export interface ForeignEvents {
  /** Notes that this was found in a stream. */
  note(event: ForeignEvent): void
  /** Notes that an event was read that sets others aside, if it is one. */
  noteSetAside(event: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): void
  places(): readonly EventPlace[]
  /** In words for an operator: how many stand in the ledger's streams, and where; null while none is known. */
  problem(): string | null
}

/** So many are told apart; a client that floods the log must not fill the memory. */
const KNOWN_MAX = 1_000
const NAMED_MAX = 3

/**
 * Other clients of the server may write where Tollgate reads. Their events in streams that are not the ledger's concern
 * nobody; one in a stream of the ledger concerns that stream alone, so whoever follows the whole log goes on.
 */
export function foreignEvents(logger: StoreLogger): ForeignEvents {
  const known = new Map<string, EventPlace>()
  const note = ({ stream, revision, message }: ForeignEvent): void => {
    if (!isStreamOfTollgate(stream)) return
    const name = `${stream}@${revision}`
    if (known.has(name) || known.size >= KNOWN_MAX) return
    known.set(name, { stream, revision })
    logger.error(
      { event: name, reason: message },
      'event-store: another client wrote to a stream of the ledger; the event is passed over, and nothing more is decided on that stream; look at it, then: npm run ledger -- set-aside',
    )
  }
  const noteSetAside: ForeignEvents['noteSetAside'] = (event) => {
    if (!isSetAside(event)) return
    for (const revision of event.data.revisions) known.delete(`${event.stream}@${revision}`)
  }
  return {
    note,
    noteSetAside,
    places: () => [...known.values()],
    problem() {
      if (known.size === 0) return null
      const named = [...known.keys()].slice(0, NAMED_MAX).join(', ')
      const more = known.size > NAMED_MAX ? ' and more' : ''
      const events = known.size === 1 ? '1 event' : `${known.size} events`
      return `${events} of other clients in the ledger's streams (${named}${more}): nothing more is decided on these streams; look at the events, then: npm run ledger -- set-aside`
    },
  }
}
