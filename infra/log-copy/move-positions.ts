import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Pool, PoolClient } from 'pg'
import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { inTransaction } from '@tollgate/command-api/in-transaction.ts'

type Log = Pick<EventStore, 'newestAt' | 'readStream'>

/**
 * Makes the database go with a copy of its log in another engine, which has positions of its own: what was done up to an
 * event stays done up to that event, readers wait for no position of before, and read models are built anew at the next
 * start. Once done for a timeline, it does nothing. Fails with StoreUnavailable or as the database does.
 */
export async function movePositions(
  pool: Pool,
  { source, target, log }: { readonly source: Log; readonly target: Log; readonly log: LogId },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const followed = await followedTo(client)
    await pairTable(client).pairWith(log)
    if (followed?.log === log) return
    if (followed !== null) {
      await client.query('update process_manager.checkpoint set position = $1, log = $2', [
        await sameEvent(source, target, followed.position),
        log,
      ])
    }
    const watched = await client.query<{ position: string | number }>(
      'select position from identity.quota_watch for update',
    )
    for (const { position } of watched.rows) {
      await client.query('update identity.quota_watch set position = $1, log = $2', [
        await sameEvent(source, target, Number(position)),
        log,
      ])
    }
    await client.query(`
      update identity.users set last_position = ${LOG_START} where last_position > ${LOG_START};
      update identity.sessions set last_position = ${LOG_START} where last_position > ${LOG_START};
      update identity.posted_requests set position = ${LOG_START} where position > ${LOG_START};
      do $$ begin
        if to_regclass('projections.checkpoints') is not null then
          delete from projections.checkpoints;
        end if;
      end $$`)
  })
}

async function followedTo(
  client: PoolClient,
): Promise<{ readonly position: Position; readonly log: string | null } | null> {
  const { rows } = await client.query<{ position: string | number; log: string | null }>(
    'select position, log from process_manager.checkpoint for update',
  )
  const [row] = rows
  return row === undefined ? null : { position: Number(row.position), log: row.log }
}

/** Where the newest event up to a position of the source stands in the target. */
async function sameEvent(source: Log, target: Log, position: Position): Promise<Position> {
  const event = position === LOG_START ? null : await source.newestAt(position)
  if (event === null) return LOG_START
  const { stream, revision } = event
  for await (const copy of target.readStream(stream, { from: revision, limit: 1 })) {
    return copy.position
  }
  return LOG_START
}
