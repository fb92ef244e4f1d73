import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventStore, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { Pool } from 'pg'
import type { LogLinks } from '../log-links.ts'
import { checkLimit, checkPosition } from '../read-arguments.ts'
import { decodedOr, type StoredEvent } from '../stored-event.ts'
import type { Upcasters } from '../upcasters.ts'
import type { OwnAppends } from './own-appends.ts'
import { logQuery, readRowsAndHead, searchedUpTo, withHead } from './rows.ts'
import type { LookedThrough } from './subscription.ts'

export interface LogReading {
  readonly pool: Pool
  readonly upcasters: Upcasters
  readonly links: LogLinks
  readonly own: Pick<OwnAppends, 'searchedUpTo'>
}

export interface LogReads {
  readonly readAll: EventStore['readAll']
  /** Reads what comes behind a position for a follower, who will be told of what another process appends meanwhile. */
  readonly lookOn: (after: Position, filter: StreamFilter, limit: number) => Promise<LookedThrough>
}

/** Reads the events of the log that are Tollgate's. */
export function logReads({ pool, upcasters, links, own }: LogReading): LogReads {
  async function readUpToHead(
    after: Position,
    filter: StreamFilter,
    limit: number,
  ): Promise<LookedThrough> {
    const { events, head } = await readRowsAndHead(pool, withHead(logQuery(after, filter, limit)))
    const isFull = events.length === limit
    return {
      events: await ownOf(events, filter),
      searched: isFull ? (events.at(-1)?.position ?? after) : searchedUpTo(after, filter, head),
      head,
    }
  }

  /** Triggers keep everybody but the database's owner from forging: where types are left out, nothing is looked up. */
  async function ownOf(
    stored: readonly StoredEvent[],
    filter: StreamFilter,
  ): Promise<RecordedEvent[]> {
    const hasGaps = filter !== 'all' && filter.exceptTypes !== undefined
    const page = stored.map((one) => ({
      stream: one.stream,
      revision: one.revision,
      type: one.type,
      decode: () => decodedOr(one, upcasters),
      metadataText: () => one.metadataText,
    }))
    if (!hasGaps) await links.prepare(page, () => true)
    const taken = page.map((event) => (hasGaps ? links.takeIfKnown(event) : links.take(event)))
    links.noteForeign()
    return taken.filter((event) => event !== null)
  }

  return {
    async readAll(after, filter, limit) {
      checkPosition(after)
      checkLimit(limit)
      const found: RecordedEvent[] = []
      for (let from = after; ;) {
        const { events, searched, head } = await readUpToHead(from, filter, limit - found.length)
        found.push(...events)
        if (found.length === limit || searched >= head) return found
        from = searched
      }
    },
    async lookOn(after, filter, limit) {
      const searched = own.searchedUpTo(after, filter)
      if (searched === null) return readUpToHead(after, filter, limit)
      return { events: [], searched, head: searched }
    },
  }
}
