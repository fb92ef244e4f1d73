import type { Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Pool } from 'pg'
import type { LogLinks } from '../log-links.ts'
import { checkLimit, checkPosition } from '../read-arguments.ts'
import type { Upcasters } from '../upcasters.ts'
import { ColumnWalk } from './column-page.ts'
import { copyOut } from './copy-out.ts'

export interface ColumnReading {
  readonly pool: Pool
  /** The same as those of `readBare`. */
  readonly links: () => LogLinks
  readonly upcasters: Upcasters
  readonly readBare: NonNullable<EventStore['readBare']>
}

/** See EventStore.readColumns. */
export function columnReader({
  pool,
  links,
  upcasters,
  readBare,
}: ColumnReading): NonNullable<EventStore['readColumns']> {
  /** By limit: a reader may take larger pages while nobody else wants the machine. */
  const walks = new Map<number, ColumnWalk>()
  return async (after, filter, limit) => {
    checkPosition(after)
    checkLimit(limit)
    const known = walks.get(limit)
    const walk = known?.filter === filter ? known : new ColumnWalk(filter, limit, upcasters)
    if (walk !== known) {
      if (walks.size === WALKS_MAX) walks.clear()
      walks.set(limit, walk)
    }
    const scan = walk.beginPage()
    await copyOut(pool, columnQuery(after, limit, walk.types), scan.take)
    const page = scan.page(after)
    if (await scan.join(links())) return page
    const add = scan.emptied()
    const { streamPrefixes } = filter
    for (let from = after; from < page.position;) {
      const events = await readBare(from, { streamPrefixes, types: walk.types }, limit)
      add(events.filter(({ position }) => position <= page.position))
      from = events.length < limit ? page.position : (events.at(-1)?.position ?? page.position)
    }
    return page
  }
}

const WALKS_MAX = 2

/** Positions have no gaps, so these are as many events as the limit says. Types are Tollgate's own names. */
const columnQuery = (after: Position, limit: number, types: readonly string[]): string =>
  `select position, stream, revision, id, type, case when type = any('{${types.join(',')}}'::text[]) then data end, metadata
    from ledger.events where position > ${after} and position <= ${after + limit} order by position`
