import { LOG_START } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { currentTimeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import type { AggregateWriter } from '../aggregates/aggregate.ts'
import { noRow, timestamp } from '../statements.ts'
import { comparePair } from './log-pair/compare-pair.ts'
import { takeLog } from './log-pair/log-claims.ts'
import type { PairPlaces } from './log-pair/log-mismatch.ts'
import { pairTable } from './log-pair/pair-table.ts'
import { openTimeline } from './timelines.ts'

/**
 * Continues with a log that was put back to an older state, and pairs it with this database. Rows that are newer than
 * the log are brought in line with it by the next start: users get their accounts again, with the role, group and
 * status of the log. Tokens, channels and codes that the log does not know mean nothing, and lose their keys by age.
 * All rows are changed first, while nothing is appended: a crash before the timeline is opened leaves a log that is not
 * accepted yet, one before the database is paired leaves a database that does not go with it, and the command is run
 * again. Fails with LogMismatch for an empty database beside a log that is used, with StoreUnavailable, or as the
 * database does.
 */
export async function acceptRollback(
  writer: AggregateWriter,
  db: CommonQueryMethods,
  places: PairPlaces,
): Promise<Timelines> {
  const table = pairTable(db)
  // A new database knows none of the users that the accounts belong to.
  if ((await table.read()) === null) await comparePair({ store: writer.store, table, places })
  await forgetPositions(db)
  await reopenNewerRows(writer.store, db)
  const timelines = await openTimeline(writer, 'accept-rollback')
  await table.pairWith(currentTimeline(timelines).log)
  if (!places.isLogInDatabase) await takeLog({ ...writer, table })
  return timelines
}

/** Readers wait for no position that the log has not got. The workflow manager finds its own way (follow-decisions.ts). */
export async function forgetPositions(db: CommonQueryMethods): Promise<void> {
  for (const table of ['users', 'sessions']) {
    await db.query(sql.type(noRow)`
      update ${sql.identifier(['identity', table])} set last_position = ${LOG_START}
      where last_position > ${LOG_START}`)
  }
}

/** Clocks of engines and processes may differ by less. */
const CLOCKS_DIFFER_MS = 60_000

/**
 * Reopens rows written since the log's newest event, which may have lost their own events: they count as begun, and
 * recovery looks for them again.
 */
async function reopenNewerRows(
  store: Pick<EventStore, 'headPosition' | 'newestAt'>,
  db: CommonQueryMethods,
): Promise<void> {
  const newest = await store.newestAt(await store.headPosition())
  const since = timestamp((newest?.recordedAt ?? CLOCKS_DIFFER_MS) - CLOCKS_DIFFER_MS)
  await db.query(sql.type(noRow)`
    update identity.users set is_pending = true, is_opened = false,
      revision = case when is_opened then 0 else least(revision, 0) end
    where touched_at >= ${since}`)
  for (const table of ['tokens', 'channels', 'redemptions']) {
    await db.query(sql.type(noRow)`
      update ${sql.identifier(['secrets', table])} set is_pending = true
      where touched_at >= ${since} and deleted_at is null`)
  }
}
