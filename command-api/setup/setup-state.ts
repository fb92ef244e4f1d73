import type { Pool } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Whether the first-run setup is done, and the lock that lets only one caller do it. */
export interface SetupState {
  isDone(): Promise<boolean>
  markDone(): Promise<void>
  /** Runs a task while no other process or request runs one; busy, without waiting, when one does. */
  alone<Result>(
    task: () => Promise<Result>,
  ): Promise<{ readonly status: 'ran'; readonly result: Result } | { readonly status: 'busy' }>
}

/** Any number that no other advisory lock of this database uses. */
const SETUP_LOCK = 7_305_001

/** Setup in `identity.setup`. */
export function setupState(pool: Pool, clock: Pick<Clock, 'now'>, version: string): SetupState {
  // Never undone, so a yes is remembered and costs no query afterwards.
  let isKnownDone = false
  let isRunning = false
  return {
    async isDone() {
      if (!isKnownDone) {
        const { rowCount } = await pool.query('select 1 from identity.setup')
        isKnownDone = rowCount === 1
      }
      return isKnownDone
    },
    async markDone() {
      await pool.query(
        `insert into identity.setup (version, initialized_at) values ($1, $2)
         on conflict do nothing`,
        [version, new Date(clock.now())],
      )
      isKnownDone = true
    },
    async alone(task) {
      // A second request of this process must not take a connection of the pool that the first one's task needs.
      if (isRunning) return { status: 'busy' }
      isRunning = true
      try {
        return await whileLocked(pool, task)
      } finally {
        isRunning = false
      }
    },
  }
}

async function whileLocked<Result>(
  pool: Pool,
  task: () => Promise<Result>,
): Promise<{ readonly status: 'ran'; readonly result: Result } | { readonly status: 'busy' }> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ readonly locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [SETUP_LOCK],
    )
    if (rows[0]?.locked !== true) return { status: 'busy' }
    return { status: 'ran', result: await task() }
  } finally {
    // Unlocked before anybody is answered; a connection that cannot say so is destroyed, and its lock with it.
    await client.query('select pg_advisory_unlock_all()').then(
      () => client.release(),
      (error: Error) => client.release(error),
    )
  }
}
