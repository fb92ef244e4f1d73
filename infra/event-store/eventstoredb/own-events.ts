import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { BareFilter, ForeignEvent, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { ArrivingEvent, LogLinks } from '../log-links.ts'
import { decodedOr } from '../stored-event.ts'
import type { Upcasters } from '../upcasters.ts'
import { type ArrivedEvent, isInStreams, isOfUse, storedEvent } from './recorded.ts'

/** Tollgate's own among the events of a part of the log, which come in its order. Fails with StoreUnavailable. */
export type OwnEvents = (
  arrived: readonly ArrivedEvent[],
  filter: StreamFilter | BareFilter,
  limit?: number,
) => Promise<RecordedEvent[]>

export function ownEvents(links: LogLinks, upcasters: Upcasters): OwnEvents {
  // Several who follow the log share what arrives: an event is decoded once.
  const arriving = new WeakMap<ArrivedEvent, ArrivingEvent>()

  function pass(arrived: ArrivedEvent): ArrivingEvent {
    const known = arriving.get(arrived)
    if (known !== undefined) return known
    let decoded: RecordedEvent | ForeignEvent | null = null
    const event: ArrivingEvent = {
      stream: arrived.stream,
      revision: arrived.revision,
      type: arrived.type,
      decode: () => (decoded ??= decodedOr(storedEvent(arrived), upcasters)),
      metadataText: () => arrived.metadata.toString('utf8'),
    }
    arriving.set(arrived, event)
    return event
  }

  return async (arrived, filter, limit = Infinity) => {
    const inStreams = arrived.filter((event) => isInStreams(filter, event))
    await links.prepare(inStreams, (event) => isOfUse(filter, event))
    const hasGaps = filter !== 'all' && 'exceptTypes' in filter
    const own: RecordedEvent[] = []
    for (const event of inStreams) {
      if (own.length === limit) break
      if (!isOfUse(filter, event)) {
        links.skip(pass(event))
        continue
      }
      if (hasGaps && !links.isKnown(event)) await links.prepare([event], () => true)
      const taken = links.take(pass(event))
      if (taken !== null) own.push(taken)
    }
    links.noteForeign()
    return own
  }
}
