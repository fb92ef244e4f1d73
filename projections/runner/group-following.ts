import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { deliverBatch } from './delivery.ts'
import type { Follower } from './follower.ts'
import type { Gathering } from './gathering.ts'
import type { RunnerLogger } from './logger.ts'
import type { UnknownEvents } from './unknown-events.ts'

export interface GroupFollowingOptions {
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly logger: RunnerLogger
  readonly gathering: Gathering
  readonly unknownEvents: UnknownEvents
  /** Called whenever `isCaughtUp` may answer something new. */
  readonly onChange: () => void
}

/** Follows the log with many followers, those close to each other on one subscription. */
export interface GroupFollowing {
  /** Groups the followers by where they are, and follows the log with each group until they are to be grouped anew. */
  round(followers: readonly Follower[], active: AbortSignal): Promise<void>
  /** Ends the present round. */
  regroup(): void
  /** Resolves when the present round has ended. */
  roundEnded(): Promise<void>
  /** True when every group has seen the newest event of the log. */
  isCaughtUp(): boolean
}

/** Projectors closer to each other than this share a subscription; one far behind gets its own until it has caught up. */
const SHARED_GAP = 10_000
/** How long a failed round waits before the next, and a read model that could not be opened. */
export const RESTART_MS = 1_000

export function createGroupFollowing(options: GroupFollowingOptions): GroupFollowing {
  const { store, pool, clock, logger, gathering, unknownEvents, onChange } = options
  let regrouping = new AbortController()
  let present: Promise<void> = Promise.resolve()
  let isCaughtUp = false

  async function followInGroups(
    followers: readonly Follower[],
    active: AbortSignal,
  ): Promise<void> {
    regrouping = new AbortController()
    const signal = AbortSignal.any([active, regrouping.signal])
    const groups = groupByPosition(followers)
    if (groups.length === 0) await untilAborted(signal)
    const caughtUp = new Set<number>()
    const groupWork = groups.map((members, groupIndex) =>
      followGroup(members, signal, (isGroupCaughtUp) => {
        if (isGroupCaughtUp) caughtUp.add(groupIndex)
        else caughtUp.delete(groupIndex)
        isCaughtUp = caughtUp.size === groups.length
        onChange()
        if (isGroupCaughtUp && caughtUp.size > 1) regrouping.abort()
      }),
    )
    try {
      await Promise.all(groupWork)
    } catch (error) {
      regrouping.abort()
      await Promise.allSettled(groupWork)
      logger.warn({ err: error }, 'following the event log failed, trying again')
      await clock.sleep(RESTART_MS, active)
    }
  }

  async function followGroup(
    members: readonly Follower[],
    signal: AbortSignal,
    report: (isCaughtUp: boolean) => void,
  ): Promise<void> {
    let after = Math.min(...members.map((member) => member.status().position))
    const streamPrefixes = [...new Set(members.flatMap((member) => member.streamPrefixes))]
    for await (const batch of store.subscribeAll(after, { streamPrefixes }, signal)) {
      if (signal.aborted) return
      unknownEvents.count(batch.events)
      const range = { events: batch.events, after, upTo: batch.position }
      if ((await deliverBatch(pool, members, range, signal)) === 'moved') {
        regrouping.abort()
        return
      }
      after = batch.position
      report(batch.caughtUp)
      // Events that come in meanwhile are one transaction instead of many.
      if (batch.caughtUp && batch.events.length > 0) {
        await gathering.wait(batch.events.length, signal)
      }
    }
  }

  return {
    round(followers, active) {
      present = followInGroups(followers, active)
      return present
    },
    regroup: () => regrouping.abort(),
    roundEnded: () => present,
    isCaughtUp: () => isCaughtUp,
  }
}

function groupByPosition(followers: readonly Follower[]): Follower[][] {
  const running = followers.filter((follower) => follower.status().state === 'following')
  running.sort((a, b) => a.status().position - b.status().position)
  const groups: Follower[][] = []
  let first = Number.NEGATIVE_INFINITY
  for (const follower of running) {
    const { position } = follower.status()
    if (groups.length === 0 || position - first > SHARED_GAP) {
      groups.push([])
      first = position
    }
    groups.at(-1)?.push(follower)
  }
  return groups
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
