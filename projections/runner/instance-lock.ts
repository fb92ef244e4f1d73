import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type pg from 'pg'

/** Advisory lock (session level) of the one process that follows the log; the number is arbitrary. */
const ACTIVE_RUNNER_LOCK = 7_301_002
const TRY_EVERY_MS = 1_000

export interface LockUse {
  onStandby(): void
  /** `held` aborts when the lock's connection is lost, and with it the lock. */
  whileHeld(held: AbortSignal): Promise<void>
}

/**
 * Waits until this process is the only one to follow the log and then runs `whileHeld`. The checkpoints would refuse a
 * second runner's batches anyway; the lock spares the work.
 */
export async function holdSingleInstanceLock(
  pool: pg.Pool,
  clock: Clock,
  signal: AbortSignal,
  use: LockUse,
): Promise<void> {
  const client = await pool.connect()
  const lost = new AbortController()
  const onLoss = (): void => lost.abort()
  client.on('error', onLoss)
  client.on('end', onLoss)
  try {
    while (!(await tryLock(client))) {
      use.onStandby()
      await clock.sleep(TRY_EVERY_MS, signal)
      if (signal.aborted) return
    }
    await use.whileHeld(lost.signal)
  } finally {
    client.off('error', onLoss)
    client.off('end', onLoss)
    // Closing the connection gives the lock back, whatever state the session is in.
    client.release(true)
  }
}

async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${ACTIVE_RUNNER_LOCK}) as locked`,
  )
  return rows[0]?.locked === true
}
