import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { ForeignEvent, type ReadStreamOptions } from '@tollgate/domain/ports/event-store.ts'
import type { Pool } from 'pg'
import type { AuditableEventStore } from '../auditable-store.ts'
import { checkLimit, checkPosition, checkReadStream } from '../read-arguments.ts'
import { decodedOr, type StoredEvent } from '../stored-event.ts'
import type { Upcasters } from '../upcasters.ts'
import { logBackwardsQuery, logQuery, newestQuery, readRows, streamQuery } from './rows.ts'

/** First page small (an account is mostly near its newest carry-forward), later ones large. */
const STREAM_PAGES = [100, 1_000] as const

/** Reads of the log as it is stored, in pages. */
export const storedReads = (pool: Pool, upcasters: Upcasters) =>
  ({
    async *readStored(
      this: void,
      stream: string,
      { from, direction = 'forwards', limit = Infinity }: ReadStreamOptions,
    ): AsyncGenerator<StoredEvent, void, undefined> {
      checkReadStream(from, limit)
      const isForwards = direction === 'forwards'
      let next = from ?? (isForwards ? 0 : 2 ** 31 - 1)
      let left = limit
      for (let page = 0; left > 0 && next >= 0; page += 1) {
        const size = Math.min(left, STREAM_PAGES[Math.min(page, 1)] ?? left)
        const rows = await readRows(pool, streamQuery(stream, next, direction, size))
        yield* rows
        const last = rows.at(-1)
        if (last === undefined || rows.length < size) return
        left -= rows.length
        next = last.revision + (isForwards ? 1 : -1)
      }
    },
    async newestAt(position: number): Promise<RecordedEvent | null> {
      checkPosition(position)
      for (let before = position; before >= 0;) {
        const [stored] = await readRows(pool, newestQuery(before))
        if (stored === undefined) return null
        const event = decodedOr(stored, upcasters)
        if (!(event instanceof ForeignEvent)) return event
        before = stored.position - 1
      }
      return null
    },
    readStoredLog(after, limit) {
      checkPosition(after)
      checkLimit(limit)
      return readRows(pool, logQuery(after, 'all', limit))
    },
    async readStoredLogBackwards(before, limit) {
      checkLimit(limit)
      return readRows(pool, logBackwardsQuery(before ?? Number.MAX_SAFE_INTEGER, limit))
    },
    async readStoredAt(position) {
      checkPosition(position)
      const [stored] = await readRows(pool, newestQuery(position))
      return stored?.position === position ? stored : null
    },
  }) satisfies Partial<AuditableEventStore> & Record<'readStored', unknown>
