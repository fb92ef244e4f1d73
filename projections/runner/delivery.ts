import type pg from 'pg'
import { advance } from './checkpoints.ts'
import { placeOf } from './log-mark.ts'
import type { Follower, SharedPart, LogRange } from './follower.ts'

/**
 * Batches up to this size are one transaction for all read models: beginning, committing and going to and fro is much
 * of their cost, at 1,000 events still a tenth. Larger ones, of stores that deliver such, go to each read model by
 * itself, on as many connections.
 */
const TOGETHER_EVENTS_MOST = 1_000

/** Applies a stretch of the log to all followers; see Follower.deliver for what comes back. */
export async function deliverBatch(
  pool: pg.Pool,
  followers: readonly Follower[],
  range: LogRange,
  signal: AbortSignal,
): Promise<'done' | 'moved'> {
  const { length } = range.events
  const left =
    length > 0 && length <= TOGETHER_EVENTS_MOST
      ? await deliverTogether(pool, followers, range)
      : followers
  const outcomes = await Promise.all(left.map((follower) => follower.deliver(range, signal)))
  return outcomes.includes('moved') ? 'moved' : 'done'
}

/**
 * Answers whom it did not come to: those that could not join and, when it did not come to pass, for whatever reason,
 * all; each alone then finds out why.
 */
async function deliverTogether(
  pool: pg.Pool,
  followers: readonly Follower[],
  range: LogRange,
): Promise<readonly Follower[]> {
  const joined = await Promise.all(followers.map((follower) => follower.join(range)))
  const parts = joined.filter((part) => part !== null)
  const isCommitted = await commit(pool, parts, range)
  for (const part of parts) part.end(isCommitted)
  return isCommitted ? followers.filter((_, index) => joined[index] === null) : followers
}

async function commit(
  pool: pg.Pool,
  parts: readonly SharedPart[],
  { events }: LogRange,
): Promise<boolean> {
  const last = events.at(-1)
  if (last === undefined || !parts.some(({ hasEvents }) => hasEvents)) return false
  const steps = parts.map(({ step }) => step)
  return advance(pool, steps, placeOf(last), 'skip').then(
    () => true,
    () => false,
  )
}
