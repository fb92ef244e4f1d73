import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { ShareWork, WorkShare } from '@tollgate/domain/ports/leases.ts'
import type pg from 'pg'
import { createIfMissing, ensureCheckpointTable, haveReached } from './checkpoints.ts'
import { createFeeds, rightOf } from './feeds.ts'
import type { FollowerStatus } from './follower-progress.ts'
import { createGathering } from './gathering.ts'
import { createGroupFollowing } from './group-following.ts'
import type { RunnerLogger } from './logger.ts'
import { type AnyProjector, liveCopy } from './projector.ts'
import { createUnknownEvents } from './unknown-events.ts'
import { createWaiters } from './waiters.ts'

export interface RunnerOptions {
  readonly store: EventStore
  /** Best a pool of its own (6 connections or more), so that projectors and readers do not wait for each other. */
  readonly pool: pg.Pool
  /**
   * For replacements by a new version, of which a statement may take minutes; default: `pool`. As many run at a time as
   * it has REBUILD_CONNECTIONS for, but one.
   */
  readonly rebuildPool?: pg.Pool
  readonly projectors: readonly AnyProjector[]
  /** Which of them this process feeds, and until when. */
  readonly shareWork: ShareWork
  readonly clock: Clock
  readonly logger: RunnerLogger
  /** Called whenever `status()` may answer something new: often, so it should only take note. */
  readonly onChange?: () => void
}

export interface ProjectionRunner {
  /** Makes missing tables, then feeds its share until `stop`. Resolves when every table is there to be read. */
  start(): Promise<void>
  status(): RunnerStatus
  /**
   * Resolves to true when all the named read models have reached `position`, to false when they have not within
   * `timeoutMs` or one of them has stopped. This is how a session reads its own writes.
   */
  waitFor(names: readonly string[], position: Position, timeoutMs: number): Promise<boolean>
  /** Ends following after the batches at hand; idempotent. */
  stop(): Promise<void>
}

/** A runner beside its readers. */
export interface LocalProjectionRunner extends ProjectionRunner {
  /** A reader elsewhere begins to wait for what was written last: it is applied without gathering more. */
  readonly hurry: () => void
}

export interface RunnerStatus {
  /** 'active' when this process feeds any read model; 'standby': others feed them all, and this one would take over. */
  readonly state: 'starting' | 'active' | 'standby' | 'stopped'
  /** True when every projector that runs here has seen the newest event of the log. */
  readonly isCaughtUp: boolean
  /** The projectors that this process feeds. */
  readonly projectors: readonly FollowerStatus[]
  /** Events of types that this version does not know, by type; they were skipped. */
  readonly unknownEvents: Readonly<Record<string, number>>
}

/** How often positions that only moved in memory are written down. */
const PERSIST_EVERY_MS = 100
const POLL_MS = 20

/**
 * Feeds projectors from the event log, each with its own checkpoint and fate: those that this process has the right to.
 * Whoever holds a right too long (a paused process) is fenced by the checkpoints.
 */
export function createProjectionRunner(options: RunnerOptions): LocalProjectionRunner {
  const { store, pool, rebuildPool = pool, projectors, clock, logger } = options
  const ending = new AbortController()
  const gathering = createGathering(clock)
  const unknownEvents = createUnknownEvents(logger)
  const shared = { store, pool, clock, logger, onChange: changed }
  const groups = createGroupFollowing({ ...shared, gathering, unknownEvents })
  const feeds = createFeeds({
    ...shared,
    rebuildPool,
    projectors,
    groups,
    signal: ending.signal,
    onState: become,
  })
  const { followers, outdated } = feeds
  const waiters = createWaiters((name) => followers.get(name)?.status(), gathering.hurry)
  let state: RunnerStatus['state'] = 'starting'
  let following: Promise<void> = Promise.resolve()
  let shares: readonly WorkShare[] = []

  function changed(): void {
    waiters.check()
    options.onChange?.()
  }

  function become(next: RunnerStatus['state']): void {
    state = next
    changed()
  }

  async function start(): Promise<void> {
    await ensureCheckpointTable(pool)
    for (const projector of projectors) {
      await createIfMissing(pool, projector, liveCopy(projector.name), 'tables and indexes')
    }
    become('standby')
    const { begin, end } = feeds
    // A group for each: a process of another version, which has other rights, must not count as one that takes these.
    shares = projectors.map((projector) => {
      const right = rightOf(projector)
      return options.shareWork({ group: `projectors/${right}`, names: [right], begin, end })
    })
    following = follow()
  }

  /** Until `stop`: feeds what this process has the right to. */
  async function follow(): Promise<void> {
    const persisting = setInterval(() => void persistAll(), PERSIST_EVERY_MS).unref()
    while (!ending.signal.aborted) await groups.round([...followers.values()], ending.signal)
    clearInterval(persisting)
  }

  /** Writes positions down, and lets projectors that were rebuilt after a stop follow again. */
  async function persistAll(): Promise<void> {
    const results = await Promise.allSettled(
      [...followers.values()].map(async (follower) => {
        const isFollowing = follower.status().state === 'following'
        const isElsewhere = isFollowing
          ? (await follower.persist()) === 'moved'
          : await follower.revive()
        if (isElsewhere) groups.regroup()
      }),
    )
    // A position that could not be written down is tried again, after a crash delivered again: nothing is lost.
    for (const result of results) {
      if (result.status === 'rejected') logger.warn({ err: result.reason }, 'a checkpoint waits')
    }
  }

  async function waitFor(
    names: readonly string[],
    position: Position,
    timeoutMs: number,
  ): Promise<boolean> {
    const isHere = names.every((name) => followers.has(name))
    if (isHere || names.some((name) => outdated.has(name))) {
      return waiters.wait(names, position, timeoutMs)
    }
    return waitForCheckpoints(pool, clock, { names, position, timeoutMs })
  }

  async function stop(): Promise<void> {
    await Promise.all(shares.map((share) => share.stop()))
    ending.abort()
    await following
    become('stopped')
  }

  return {
    start,
    waitFor,
    hurry: gathering.hurry,
    stop,
    status: () => ({
      state,
      isCaughtUp: groups.isCaughtUp(),
      projectors: [
        ...[...followers.values()].map((follower) => follower.status()),
        ...[...outdated].map(([name, position]) => outdatedStatus(name, position)),
      ],
      unknownEvents: unknownEvents.byType(),
    }),
  }
}

/** The same as a runner's `waitFor`, in a process that has none: looks at the checkpoints again and again. */
export async function waitForCheckpoints(
  pool: pg.Pool,
  clock: Clock,
  {
    names,
    position,
    timeoutMs,
  }: { readonly names: readonly string[]; readonly position: Position; readonly timeoutMs: number },
): Promise<boolean> {
  const deadline = clock.monotonicMs() + timeoutMs
  while (!(await haveReached(pool, names, position))) {
    if (clock.monotonicMs() >= deadline) return false
    await clock.sleep(POLL_MS)
  }
  return true
}

const outdatedStatus = (name: string, position: Position): FollowerStatus => ({
  name,
  position,
  state: 'outdated',
  poison: null,
  problem: null,
  handledEvents: 0,
  delayMs: null,
})
