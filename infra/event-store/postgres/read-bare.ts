import type { Pool } from 'pg'
import type { Position } from '@tollgate/domain/event.ts'
import type { BareFilter } from '@tollgate/domain/ports/event-store.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { bareEvent, type BareStoredEvent, type LinkedBareEvent } from '../bare-event.ts'
import type { LogLinks } from '../log-links.ts'
import { checkLimit, checkPosition } from '../read-arguments.ts'
import type { Upcasters } from '../upcasters.ts'
import { bareQuery, readBareRows, WINDOW } from './rows.ts'

export interface BareReading {
  readonly pool: Pool
  /** Made when the first page is read: most processes never go through the whole log. */
  readonly links: () => LogLinks
  readonly upcasters: Upcasters
  readonly headPosition: () => Promise<Position>
}

/** Rows of a query at least: a query costs as much as some hundred of them. */
const ROWS_LEAST = 200

/** See EventStore.readBare. */
export function bareReader({ pool, links: linksOf, upcasters, headPosition }: BareReading) {
  /** Tollgate's own events of the wanted types; the others pass by without their data, for the links alone. */
  async function ownOf(
    rows: readonly BareStoredEvent[],
    { types }: BareFilter,
    limit: number,
  ): Promise<LinkedBareEvent[]> {
    const links = linksOf()
    const wanted = new Set(types)
    const own: LinkedBareEvent[] = []
    await links.prepare(rows, ({ type }) => wanted.has(type))
    for (const stored of rows) {
      if (own.length === limit) break
      const event = {
        stream: stored.stream,
        revision: stored.revision,
        type: stored.type,
        decode: () => bareEvent(stored, upcasters),
        metadataText: () => stored.metadataEnd,
      }
      if (!wanted.has(stored.type)) {
        links.skip(event)
        continue
      }
      const taken = links.take(event)
      if (taken !== null) own.push(taken)
    }
    links.noteForeign()
    return own
  }

  return async (
    after: Position,
    filter: BareFilter,
    limit: number,
  ): Promise<readonly LinkedBareEvent[]> => {
    checkPosition(after)
    checkLimit(limit)
    const withData = { ...filter, types: [...filter.types, SET_ASIDE] }
    const found: LinkedBareEvent[] = []
    for (let from = after; ;) {
      const missing = limit - found.length
      // Rows beyond the limit are read again with the next page.
      const asked = Math.min(limit, Math.max(missing, ROWS_LEAST))
      const rows = await readBareRows(pool, bareQuery(from, withData, asked))
      found.push(...(await ownOf(rows, filter, missing)))
      if (found.length === limit) return found
      const isWholeWindow = rows.length < asked
      from = isWholeWindow ? from + WINDOW : (rows.at(-1)?.position ?? from)
      if (isWholeWindow && from >= (await headPosition())) return found
    }
  }
}
