import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import type { Runtime } from '../runtime.ts'
import { messageOf } from '../../event-store/message-of.ts'

/** Engines that are started together with their users come up within this; a wrong address is told at once all the same. */
const PATIENCE_MS = 60_000
const ASK_AGAIN_MS = 500

/** PostgreSQL did not come. */
export class DatabaseUnavailable extends Error {
  readonly code = 'DATABASE_AWAY'
  readonly retryable = true
  constructor(where: string, cause: unknown) {
    super(
      `PostgreSQL at ${where} does not answer (${messageOf(cause)}). Start it, or correct DATABASE_URL.`,
      { cause },
    )
    this.name = 'DatabaseUnavailable'
  }
}

/** PostgreSQL is there and does not let us in, or has no such database. */
export class DatabaseRefused extends Error {
  readonly code = 'DATABASE_REFUSED'
  readonly retryable = false
  constructor(where: string, cause: Error) {
    super(
      `PostgreSQL at ${where} does not let Tollgate in (${cause.message}). Correct user, password and database in DATABASE_URL, or make them there.`,
      { cause },
    )
    this.name = 'DatabaseRefused'
  }
}

/**
 * SQLSTATE class 28 (wrong role or password), no such database, and a role that may not make or see what is needed
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const REFUSALS = /^(28...|3D000|42501)$/

/**
 * Does what a process begins with on PostgreSQL, again and again while the server is not there yet. Fails with
 * DatabaseUnavailable after a minute, and at once with DatabaseRefused and what else waiting does not mend.
 */
export async function waitForDatabase(
  url: string,
  work: () => Promise<unknown>,
  { clock, logger, stopping }: Pick<Runtime, 'clock' | 'logger' | 'stopping'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const until = clock.monotonicMs() + patienceMs
  const where = new URL(url).host
  for (let isTold = false; ; isTold = true) {
    try {
      await work()
      return
    } catch (error) {
      if (!isTransient(error)) throw isRefusal(error) ? new DatabaseRefused(where, error) : error
      if (clock.monotonicMs() > until) throw new DatabaseUnavailable(where, error)
      if (!isTold) logger.warn({ where, reason: messageOf(error) }, 'waiting for PostgreSQL')
      await clock.sleep(ASK_AGAIN_MS, stopping)
      stopping?.throwIfAborted()
    }
  }
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && REFUSALS.test(String(error.code))
