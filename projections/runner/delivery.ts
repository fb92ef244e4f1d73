import type { SubscriptionBatch } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { advance } from './checkpoints.ts'
import type { Follower, SharedPart } from './follower.ts'

/**
 * Batches up to this size are one transaction for all read models: beginning, committing and going to and fro is much
 * of their cost, at 1,000 events still a tenth. Larger ones, of stores that deliver such, go to each read model by
 * itself, on as many connections.
 */
const TOGETHER_EVENTS_MOST = 1_000

/** Applies a batch to all followers; see Follower.deliver for what comes back. */
export async function deliverBatch(
  pool: pg.Pool,
  followers: readonly Follower[],
  { events, position }: SubscriptionBatch,
  signal: AbortSignal,
): Promise<'done' | 'moved'> {
  if (events.length > 0 && events.length <= TOGETHER_EVENTS_MOST) {
    if (await deliveredTogether(pool, followers, { events, position })) return 'done'
  }
  const outcomes = await Promise.all(
    followers.map((follower) => follower.deliver(events, position, signal)),
  )
  return outcomes.includes('moved') ? 'moved' : 'done'
}

/** False when it did not come to pass, for whatever reason: each follower alone then finds out whose it is. */
async function deliveredTogether(
  pool: pg.Pool,
  followers: readonly Follower[],
  { events, position }: Pick<SubscriptionBatch, 'events' | 'position'>,
): Promise<boolean> {
  const joined = await Promise.all(followers.map((follower) => follower.join(events, position)))
  const parts = joined.filter((part) => part !== null)
  const isCommitted = await commit(pool, parts, position)
  for (const part of parts) part.end(isCommitted)
  return isCommitted
}

async function commit(
  pool: pg.Pool,
  parts: readonly SharedPart[],
  position: number,
): Promise<boolean> {
  if (!parts.some(({ hasEvents }) => hasEvents)) return false
  const steps = parts.map(({ step }) => step)
  return advance(pool, steps, position, 'skip').then(
    () => true,
    () => false,
  )
}
