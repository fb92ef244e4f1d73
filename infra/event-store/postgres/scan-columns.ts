import type { ColumnFilter } from '@tollgate/domain/event-columns.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { Pool } from 'pg'
import type { Upcasters } from '../upcasters.ts'
import { ColumnWalk, type PageRoom, pageRoom, type ScannedPage } from './column-page.ts'
import { copyOut } from './copy-out.ts'

/**
 * Reads the events of the next `limit` positions behind `after` into tables. The same filter object is to be used from
 * page to page, by one reader at a time; the second read after a page may fill its tables anew. Fails with StoreUnavailable.
 */
export type ScanColumns = (
  after: Position,
  filter: ColumnFilter,
  limit: number,
) => Promise<ScannedPage>

/** Where a page begins and how long it is at most, in positions. */
export interface PageRange {
  readonly after: Position
  readonly limit: number
}

export async function scanPage(
  pool: Pool,
  walk: ColumnWalk,
  room: PageRoom,
  { after, limit }: PageRange,
): Promise<ScannedPage> {
  const scan = walk.beginPage(room)
  await copyOut(pool, columnQuery(after, limit, walk.types), scan.take)
  return scan.end(after)
}

/** Positions have no gaps, so these are as many events as the limit says. Types are Tollgate's own names. */
const columnQuery = (after: Position, limit: number, types: readonly string[]): string =>
  `select position, stream, revision, id, type, case when type = any('{${types.join(',')}}'::text[]) then data end, metadata
    from ledger.events where position > ${after} and position <= ${after + limit} order by position`

interface Walked {
  readonly filter: ColumnFilter
  readonly walk: ColumnWalk
  /** Filled in turn: a page is worked on while the next one is read. */
  readonly rooms: PageRoom[]
}

/** A reader may take larger pages while nobody else wants the machine. */
const WALKS_MAX = 2

/** Scans in this thread. */
export function columnScanner(pool: Pool, upcasters: Upcasters): ScanColumns {
  /** By limit. */
  const walks = new Map<number, Walked>()
  return async (after, filter, limit) => {
    let walked = walks.get(limit)
    if (walked?.filter !== filter) {
      if (walks.size === WALKS_MAX) walks.clear()
      const rooms = [pageRoom(filter, limit), pageRoom(filter, limit)]
      walked = { filter, walk: new ColumnWalk(filter, upcasters), rooms }
      walks.set(limit, walked)
    }
    const { walk, rooms } = walked
    const [room = pageRoom(filter, limit)] = rooms
    const scanned = await scanPage(pool, walk, room, { after, limit })
    rooms.reverse()
    return scanned
  }
}
