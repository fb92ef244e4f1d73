import { isPassing } from '@tollgate/projections/runner/database-failures.ts'
import type { World } from '../world.ts'
import { messageOf } from '../../event-store/message-of.ts'

/** Engines that are started together with their users come up within this; a wrong address is told at once all the same. */
const PATIENCE_MS = 60_000
const ASK_AGAIN_MS = 500

/** PostgreSQL did not come. */
export class DatabaseAway extends Error {
  readonly code = 'DATABASE_AWAY'
  readonly retryable = true
  constructor(where: string, cause: unknown) {
    super(
      `PostgreSQL at ${where} does not answer (${messageOf(cause)}). Start it, or correct DATABASE_URL.`,
      { cause },
    )
    this.name = 'DatabaseAway'
  }
}

/**
 * Does what a process begins with on PostgreSQL, again and again while the server is not there yet. Fails with
 * DatabaseAway after a minute, and at once with what waiting does not mend.
 */
export async function whenThere(
  url: string,
  work: () => Promise<unknown>,
  { clock, logger, stopping }: Pick<World, 'clock' | 'logger' | 'stopping'>,
): Promise<void> {
  const until = clock.monotonicMs() + PATIENCE_MS
  const where = new URL(url).host
  for (let isTold = false; ; isTold = true) {
    try {
      await work()
      return
    } catch (error) {
      if (!isPassing(error)) throw error
      if (clock.monotonicMs() > until) throw new DatabaseAway(where, error)
      if (!isTold) logger.warn({ where, reason: messageOf(error) }, 'waiting for PostgreSQL')
      await clock.sleep(ASK_AGAIN_MS, stopping)
      stopping?.throwIfAborted()
    }
  }
}
