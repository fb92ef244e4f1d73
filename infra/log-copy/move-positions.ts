import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { noRow } from '@tollgate/command-api/statements.ts'
import { forgetPositions } from '@tollgate/command-api/timelines/accept-rollback.ts'
import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { hasTable } from '@tollgate/projections/runner/has-table.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

type Log = Pick<EventStore, 'newestAt' | 'readStream'>

/**
 * Makes the database go with a copy of its log in another engine, which has positions of its own: what was done up to an
 * event stays done up to that event, readers wait for no position of before, and read models are built anew at the next
 * start. Once done for a timeline, it does nothing. Fails with StoreUnavailable or as the database does.
 */
export async function movePositions(
  db: CommonQueryMethods,
  { source, target, log }: { readonly source: Log; readonly target: Log; readonly log: LogId },
): Promise<void> {
  await db.transaction(async (transaction) => {
    const followed = await transaction.maybeOne(sql.type(placeRow)`
      select position, log from process_manager.checkpoint for update`)
    await pairTable(transaction).pairWith(log)
    if (followed?.log === log) return
    if (followed !== null) {
      await transaction.query(sql.type(noRow)`
        update process_manager.checkpoint
        set position = ${await sameEvent(source, target, followed.position)}, log = ${log}`)
    }
    const watched = await transaction.maybeOne(sql.type(placeRow)`
      select position, log from identity.quota_watch for update`)
    if (watched !== null) {
      await transaction.query(sql.type(noRow)`
        update identity.quota_watch
        set position = ${await sameEvent(source, target, watched.position)}, log = ${log}`)
    }
    await forgetPositions(transaction)
    await transaction.query(sql.type(noRow)`
      update identity.posted_requests set position = ${LOG_START} where position > ${LOG_START}`)
    if (await hasTable(transaction, 'projections.checkpoints')) {
      await transaction.query(sql.type(noRow)`delete from projections.checkpoints`)
    }
  })
}

const placeRow = z.object({ position: z.number(), log: z.string().nullable() })

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
