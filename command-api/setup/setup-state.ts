import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type DatabasePool, sql } from 'slonik'
import { z } from 'zod'
import { called, existence, noRow, timestamp } from '../statements.ts'

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
export function setupState(
  db: DatabasePool,
  clock: Pick<Clock, 'now'>,
  version: string,
): SetupState {
  // Never undone, so a yes is remembered and costs no query afterwards.
  let isKnownDone = false
  let isRunning = false
  return {
    async isDone() {
      if (!isKnownDone) {
        isKnownDone = await db.oneFirst(sql.type(existence)`
          select exists (select from identity.setup)`)
      }
      return isKnownDone
    },
    async markDone() {
      await db.query(sql.type(noRow)`
        insert into identity.setup (version, initialized_at)
        values (${version}, ${timestamp(clock.now())}) on conflict do nothing`)
      isKnownDone = true
    },
    async alone(task) {
      // A second request of this process must not take a connection of the pool that the first one's task needs.
      if (isRunning) return { status: 'busy' }
      isRunning = true
      try {
        return await whileLocked(db, task)
      } finally {
        isRunning = false
      }
    },
  }
}

async function whileLocked<Result>(
  db: DatabasePool,
  task: () => Promise<Result>,
): Promise<{ readonly status: 'ran'; readonly result: Result } | { readonly status: 'busy' }> {
  const running: { task?: Promise<Result> } = {}
  const locked = db.connect(async (session) => {
    if (!(await session.oneFirst(TRY_LOCK))) return
    running.task = task()
    try {
      await running.task
    } finally {
      // Unlocked before anybody is answered; a connection that cannot say so is destroyed, and its lock with it.
      await session.query(UNLOCK)
    }
  })
  await locked.catch((error: unknown) => {
    if (running.task === undefined) throw error
  })
  // Once begun, the task itself says what became of it, also where the connection broke meanwhile.
  return running.task === undefined
    ? { status: 'busy' }
    : { status: 'ran', result: await running.task }
}

const TRY_LOCK = sql.type(z.object({ locked: z.boolean() }))`
  select pg_try_advisory_lock(${SETUP_LOCK}) as locked`
const UNLOCK = sql.type(called)`select pg_advisory_unlock(${SETUP_LOCK})`
