import type { Pool } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Whether the first-run setup is done, and the lock that lets only one caller do it. */
export interface SetupState {
  isDone(): Promise<boolean>
  markDone(): Promise<void>
  /** Runs a task while no other process or request runs one. */
  alone<Result>(task: () => Promise<Result>): Promise<Result>
}

/** Any number that no other advisory lock of this database uses. */
const SETUP_LOCK = 7_305_001

/** Setup in `identity.setup`. */
export function setupState(pool: Pool, clock: Pick<Clock, 'now'>, version: string): SetupState {
  // Never undone, so a yes is remembered and costs no query afterwards.
  let isKnownDone = false
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
      const client = await pool.connect()
      try {
        await client.query('select pg_advisory_lock($1)', [SETUP_LOCK])
        return await task()
      } finally {
        // Destroying the connection lets the lock go, whatever state it is in.
        client.release(true)
      }
    },
  }
}
