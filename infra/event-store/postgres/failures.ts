import { DatabaseError } from 'pg'
import { messageOf } from '../message-of.ts'
import { AppendRefused, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'

/** SQLSTATE classes after which the server's transaction may nevertheless have been committed. */
const UNCERTAIN_CLASSES = new Set(['57', '08', 'XX'])

/**
 * SQLSTATE classes that a single event can cause, while the others of its group are fine: data exceptions, constraints,
 * errors raised by triggers, and values beyond the server's limits
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const CLASSES_OF_ONE_APPEND = new Set(['22', '23', 'P0', '54'])

/** The classes among these that say so of the events themselves, whenever they come; a trigger may change its mind. */
const CLASSES_OF_REFUSALS = new Set(['22', '23', '54'])

/** A failed append of one stream as its caller is told: AppendRefused when it can never be stored. */
export function refusalIfFinal(stream: string, error: unknown): unknown {
  const isFinal =
    isAboutOneAppend(error) &&
    error.cause instanceof DatabaseError &&
    CLASSES_OF_REFUSALS.has(classOf(error.cause))
  return isFinal ? new AppendRefused(`${error.message} (stream ${stream})`, error.cause) : error
}

/** True for a group that the server refused because of one of its appends: nothing of it was stored. */
export const isAboutOneAppend = (error: unknown): error is StoreUnavailable =>
  error instanceof StoreUnavailable &&
  error.outcome === 'none' &&
  error.cause instanceof DatabaseError &&
  CLASSES_OF_ONE_APPEND.has(classOf(error.cause))

/** A failed append: the server said no (certainly not stored), or the connection broke (nobody knows). */
export function appendFailure(error: unknown): StoreUnavailable {
  const isRefusal = error instanceof DatabaseError && !UNCERTAIN_CLASSES.has(classOf(error))
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

const classOf = ({ code }: DatabaseError): string => code?.slice(0, 2) ?? ''
