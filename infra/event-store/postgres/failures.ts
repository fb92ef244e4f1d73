import { DatabaseError } from 'pg'
import { messageOf } from '../message-of.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'

/** SQLSTATE classes after which the server's transaction may nevertheless have been committed. */
const UNCERTAIN_CLASSES = new Set(['57', '08', 'XX'])

/** A failed append: the server said no (certainly not stored), or the connection broke (nobody knows). */
export function appendFailure(error: unknown): StoreUnavailable {
  const isRefusal =
    error instanceof DatabaseError && !UNCERTAIN_CLASSES.has(error.code?.slice(0, 2) ?? '')
  return isRefusal
    ? new StoreUnavailable(`PostgreSQL refused the append: ${error.message}`, 'none', error)
    : new StoreUnavailable(
        `the connection to PostgreSQL broke during an append: ${messageOf(error)}`,
        'unknown',
        error,
      )
}

/** PostgreSQL could not be reached, so nothing was sent. */
export const unreachable = (error: unknown): StoreUnavailable =>
  new StoreUnavailable(`PostgreSQL cannot be reached: ${messageOf(error)}`, 'none', error)

/** A read failed; repeating it is harmless. */
export const readFailure = (error: unknown): StoreUnavailable =>
  new StoreUnavailable(`PostgreSQL did not answer a read: ${messageOf(error)}`, 'none', error)
