import { LOG_START } from '@tollgate/domain/event.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { Pool } from 'pg'
import type { AggregateWriter } from './aggregate.ts'
import { openTimeline } from './timelines.ts'

/**
 * Goes on with a log that was put back to an older state. The rows forget first, while nothing is appended: a crash
 * before the timeline is opened leaves a log that is not accepted yet, and the command is run again. Fails with
 * StoreUnavailable or as the database does.
 */
export async function acceptRollback(
  writer: AggregateWriter,
  pool: Pick<Pool, 'query'>,
): Promise<Timelines> {
  await forgetPositions(pool)
  return openTimeline(writer, 'accept-rollback')
}

/** Readers wait for no position that the log has not got. The process manager finds its own way (follow-decisions.ts). */
async function forgetPositions(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(`
    update identity.users set last_position = ${LOG_START} where last_position > ${LOG_START};
    update identity.sessions set last_position = ${LOG_START} where last_position > ${LOG_START}`)
}
