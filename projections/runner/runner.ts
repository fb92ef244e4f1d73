import { LOG_START, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { ShareWork, WorkShare } from '@tollgate/domain/ports/leases.ts'
import pLimit from 'p-limit'
import type pg from 'pg'
import {
  type Checkpoint,
  createIfMissing,
  ensureCheckpointTable,
  haveReached,
  readCheckpoint,
  writeFailure,
  writeMark,
} from './checkpoints.ts'
import { deliverBatch } from './delivery.ts'
import {
  type Follower,
  type FollowerOptions,
  type FollowerStatus,
  openFollower,
} from './follower.ts'
import { createGathering } from './gathering.ts'
import { footingOf } from './log-mark.ts'
import type { RunnerLogger } from './logger.ts'
import { isProjectedType } from './projected-events.ts'
import { type AnyProjector, liveCopy, type ModelCopy } from './projector.ts'
import { REBUILD_CONNECTIONS } from './rebuild.ts'
import { replaceWhenBuilt } from './replacement.ts'
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

/** Projectors closer to each other than this share a subscription; one far behind gets its own until it has caught up. */
const SHARED_GAP = 10_000
const RESTART_MS = 1_000
/** How often positions that only moved in memory are written down. */
const PERSIST_EVERY_MS = 100
const POLL_MS = 20

/**
 * Feeds projectors from the event log, each with its own checkpoint and fate: those that this process has the right to.
 * Whoever holds a right too long (a paused process) is fenced by the checkpoints.
 */
export function createProjectionRunner(options: RunnerOptions): LocalProjectionRunner {
  const { store, pool, rebuildPool = pool, projectors, clock, logger } = options
  const rebuilding = pLimit(rebuildsAtOnce(rebuildPool))
  const ending = new AbortController()
  const followers = new Map<string, Follower>()
  /** Read models whose tables are of another version: they are read as they are while new ones are built. */
  const outdated = new Map<string, Position>()
  const gathering = createGathering(clock)
  const waiters = createWaiters((name) => followers.get(name)?.status(), gathering.hurry)
  const unknown = new Map<string, number>()
  let state: RunnerStatus['state'] = 'starting'
  let isCaughtUp = false
  let following: Promise<void> = Promise.resolve()
  /** The present round of following; it ends when the followers are to be grouped anew. */
  let groupWork: Promise<void> = Promise.resolve()
  let shares: readonly WorkShare[] = []
  /** The read models that this process has the right to feed. */
  const feeds = new Map<string, Feed>()
  /** Ends the present lanes, so that followers are grouped anew. */
  let regroup = new AbortController()

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
    while (!ending.signal.aborted) {
      groupWork = followInGroups(ending.signal)
      await groupWork
    }
    clearInterval(persisting)
  }

  function begin(right: string): void {
    const projector = projectors.find((one) => rightOf(one) === right)
    if (projector === undefined) return
    const stopping = new AbortController()
    const signal = AbortSignal.any([ending.signal, stopping.signal])
    feeds.set(right, { stopping, opening: open(projector, signal) })
    become('active')
  }

  /** Ends feeding a read model; what was delivered to it is committed or will never be. */
  async function end(right: string): Promise<void> {
    const feed = feeds.get(right)
    const projector = projectors.find((one) => rightOf(one) === right)
    if (feed === undefined || projector === undefined) return
    feeds.delete(right)
    feed.stopping.abort()
    await feed.opening
    // The right came back meanwhile: what is there now is the new feed's.
    if (feeds.has(right)) return
    outdated.delete(projector.name)
    const ended = followers.get(projector.name)
    followers.delete(projector.name)
    regroup.abort()
    await groupWork
    // Events that others wait for are then in the checkpoint; when it cannot be written, they are read again.
    await ended?.persist().catch(() => undefined)
    if (feeds.size === 0) become('standby')
  }

  /** Opens the follower of a read model, of tables that were built for it when the present ones are of another version. */
  async function open(projector: AnyProjector, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const start = await startOf(projector, signal)
        if (start === null || signal.aborted) return
        outdated.delete(projector.name)
        follower(projector, start)
        regroup.abort()
        return
      } catch (error) {
        logger.warn(
          { projector: projector.name, err: error },
          'a read model cannot be followed yet',
        )
        await clock.sleep(RESTART_MS, signal)
      }
    }
  }

  /** From where to follow; null when the signal aborts. */
  async function startOf(projector: AnyProjector, signal: AbortSignal): Promise<Start | null> {
    const copy = liveCopy(projector.name)
    const stored = await readCheckpoint(pool, copy)
    if (stored?.version === projector.version) return checkedStart(copy, stored)
    outdated.set(projector.name, stored?.position ?? LOG_START)
    changed()
    const position = await replaceWhenBuilt({
      store,
      pool: rebuildPool,
      projector,
      clock,
      logger,
      signal,
      limit: rebuilding,
    })
    return position === null ? null : { position }
  }

  /** From where to go on, or why not to: what a read model has seen of a log that is no more stays in its figures. */
  async function checkedStart(copy: ModelCopy, stored: Checkpoint): Promise<Start> {
    const { position } = stored
    const footing = await footingOf(store, stored)
    if (!footing.isFirm) {
      const { problem } = footing
      logger.error({ projector: copy.checkpoint, position }, `read model stopped: ${problem}`)
      await writeFailure(pool, copy, problem, stored)
      return { position, problem }
    }
    // A stop is tried again at each start: the new process may know better.
    await writeFailure(pool, copy, null, stored)
    if (stored.mark === null && footing.mark !== null) {
      await writeMark(pool, copy, { position, mark: footing.mark })
    }
    return { position, from: footing.event }
  }

  function follower(projector: AnyProjector, start: Start): void {
    const copy = liveCopy(projector.name)
    const onChange = changed
    followers.set(
      projector.name,
      openFollower({ projector, copy, ...start, store, pool, clock, logger, onChange }),
    )
  }

  /** Groups the followers by where they are, and follows the log with each group until they are to be grouped anew. */
  async function followInGroups(active: AbortSignal): Promise<void> {
    regroup = new AbortController()
    const signal = AbortSignal.any([active, regroup.signal])
    const groups = groupByPosition([...followers.values()])
    if (groups.length === 0) await untilAborted(signal)
    const caughtUp = new Set<number>()
    const groupWork = groups.map((members, groupIndex) =>
      followGroup(members, signal, (isGroupCaughtUp) => {
        if (isGroupCaughtUp) caughtUp.add(groupIndex)
        else caughtUp.delete(groupIndex)
        isCaughtUp = caughtUp.size === groups.length
        changed()
        if (isGroupCaughtUp && caughtUp.size > 1) regroup.abort()
      }),
    )
    try {
      await Promise.all(groupWork)
    } catch (error) {
      regroup.abort()
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
      countUnknown(batch.events)
      const range = { events: batch.events, after, upTo: batch.position }
      if ((await deliverBatch(pool, members, range, signal)) === 'moved') {
        regroup.abort()
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

  function countUnknown(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (isProjectedType(event.type) || isSetAside(event)) continue
      const count = (unknown.get(event.type) ?? 0) + 1
      unknown.set(event.type, count)
      if (count === 1) {
        const { type, stream, position } = event
        logger.warn({ type, stream, position }, 'events of an unknown type are skipped')
      }
    }
  }

  /** Writes positions down, and lets projectors that were rebuilt after a stop follow again. */
  async function persistAll(): Promise<void> {
    const results = await Promise.allSettled(
      [...followers.values()].map(async (follower) => {
        const isFollowing = follower.status().state === 'following'
        const isElsewhere = isFollowing
          ? (await follower.persist()) === 'moved'
          : await follower.revive()
        if (isElsewhere) regroup.abort()
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
    return waitForCheckpoints(pool, clock, names, position, timeoutMs)
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
      isCaughtUp,
      projectors: [
        ...[...followers.values()].map((follower) => follower.status()),
        ...[...outdated].map(([name, position]) => outdatedStatus(name, position)),
      ],
      unknownEvents: Object.fromEntries(unknown),
    }),
  }
}

/** The same as a runner's `waitFor`, in a process that has none: looks at the checkpoints again and again. */
export async function waitForCheckpoints(
  pool: pg.Pool,
  clock: Clock,
  names: readonly string[],
  position: Position,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = clock.monotonicMs() + timeoutMs
  while (!(await haveReached(pool, names, position))) {
    if (clock.monotonicMs() >= deadline) return false
    await clock.sleep(POLL_MS)
  }
  return true
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

type Start = Pick<FollowerOptions, 'position' | 'from' | 'problem'>

interface Feed {
  readonly stopping: AbortController
  /** Resolves when its follower is open, or will not be any more. */
  readonly opening: Promise<void>
}

/**
 * The right to feed one read model. A process of another version has another right: it goes on following the tables of
 * its version while those of the new one are built.
 */
const rightOf = ({ name, version }: AnyProjector): string => `${name}@${version}`

/** One connection stays free for those that only look whether a read model is there. */
const rebuildsAtOnce = ({ options: { max } }: pg.Pool): number =>
  Math.max(1, Math.floor((max - 1) / REBUILD_CONNECTIONS))

const outdatedStatus = (name: string, position: Position): FollowerStatus => ({
  name,
  position,
  state: 'outdated',
  poison: null,
  problem: null,
  handledEvents: 0,
  delayMs: null,
})

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
