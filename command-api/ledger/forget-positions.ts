import { LOG_START } from '@tollgate/domain/event.ts'
import type { Pool } from 'pg'

/**
 * Forgets how far rows had followed a log that was put back beneath them, all at once. The process manager looks through
 * the log once more from its beginning: a checkpoint of the lost past would leave out what is decided from now on, and
 * work that a lost decision began has nothing to go on from. Steps that were taken are found and not repeated. Readers
 * wait for no position that the log has not got.
 */
export async function forgetPositions(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(`
    update process_manager.checkpoint set position = ${LOG_START}, updated_at = now();
    delete from process_manager.pending where stream is not null;
    update identity.users set last_position = ${LOG_START} where last_position > ${LOG_START};
    update identity.sessions set last_position = ${LOG_START} where last_position > ${LOG_START}`)
}
