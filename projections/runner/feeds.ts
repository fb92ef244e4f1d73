import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import pLimit from 'p-limit'
import type pg from 'pg'
import { type Checkpoint, readCheckpoint, writeFailure, writeMark } from './checkpoints.ts'
import { type Follower, type FollowerOptions, openFollower } from './follower.ts'
import { type GroupFollowing, RESTART_MS } from './group-following.ts'
import { footingOf } from './log-mark.ts'
import type { RunnerLogger } from './logger.ts'
import { type AnyProjector, liveCopy, type ModelCopy } from './projector.ts'
import { REBUILD_CONNECTIONS } from './rebuild.ts'
import { replaceWhenBuilt } from './replacement.ts'

export interface FeedsOptions {
  readonly store: EventStore
  readonly pool: pg.Pool
  /** For replacements by a new version. */
  readonly rebuildPool: pg.Pool
  readonly projectors: readonly AnyProjector[]
  readonly clock: Clock
  readonly logger: RunnerLogger
  readonly groups: Pick<GroupFollowing, 'regroup' | 'roundEnded'>
  /** Ends all feeds. */
  readonly signal: AbortSignal
  /** Called whenever a position has grown, or a read model has stopped or turned out to be outdated. */
  readonly onChange: () => void
  /** Called when a feed begins, and when the last one has ended. */
  readonly onState: (state: 'active' | 'standby') => void
}

/** The read models that this process has the right to feed, each with its follower. */
export interface Feeds {
  /** By the read model's name. */
  readonly followers: ReadonlyMap<string, Follower>
  /** Read models whose tables are of another version: they are read as they are while new ones are built. */
  readonly outdated: ReadonlyMap<string, Position>
  readonly begin: (right: string) => void
  /** Ends feeding a read model; what was delivered to it is committed or will never be. */
  readonly end: (right: string) => Promise<void>
}

interface Feed {
  readonly stopping: AbortController
  /** Resolves when its follower is open, or will not be any more. */
  readonly opening: Promise<void>
}

export function createFeeds(options: FeedsOptions): Feeds {
  const { store, pool, rebuildPool, projectors, clock, logger, groups, onChange } = options
  const rebuilding = pLimit(rebuildsAtOnce(rebuildPool))
  const followers = new Map<string, Follower>()
  const outdated = new Map<string, Position>()
  const feeds = new Map<string, Feed>()

  function begin(right: string): void {
    const projector = projectors.find((one) => rightOf(one) === right)
    if (projector === undefined) return
    const stopping = new AbortController()
    const signal = AbortSignal.any([options.signal, stopping.signal])
    feeds.set(right, { stopping, opening: open(projector, signal) })
    options.onState('active')
  }

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
    groups.regroup()
    await groups.roundEnded()
    // Events that others wait for are then in the checkpoint; when it cannot be written, they are read again.
    await ended?.persist().catch(() => undefined)
    if (feeds.size === 0) options.onState('standby')
  }

  /** Opens the follower of a read model, of tables that were built for it when the present ones are of another version. */
  async function open(projector: AnyProjector, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const start = await startOf(projector, signal)
        if (start === null || signal.aborted) return
        outdated.delete(projector.name)
        const copy = liveCopy(projector.name)
        followers.set(
          projector.name,
          openFollower({ projector, copy, ...start, store, pool, clock, logger, onChange }),
        )
        groups.regroup()
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
    if (stored?.version === projector.version) return checkedStart(options, copy, stored)
    outdated.set(projector.name, stored?.position ?? LOG_START)
    onChange()
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

  return { followers, outdated, begin, end }
}

type Start = Pick<FollowerOptions, 'position' | 'from' | 'problem'>

/** From where to go on, or why not to: what a read model has seen of a log that is no more stays in its figures. */
async function checkedStart(
  { store, pool, logger }: Pick<FeedsOptions, 'store' | 'pool' | 'logger'>,
  copy: ModelCopy,
  stored: Checkpoint,
): Promise<Start> {
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

/**
 * The right to feed one read model. A process of another version has another right: it goes on following the tables of
 * its version while those of the new one are built.
 */
export const rightOf = ({ name, version }: AnyProjector): string => `${name}@${version}`

/** One connection stays free for those that only look whether a read model is there. */
const rebuildsAtOnce = ({ options: { max } }: pg.Pool): number =>
  Math.max(1, Math.floor((max - 1) / REBUILD_CONNECTIONS))
