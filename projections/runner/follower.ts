import { type BareEvent, LOG_START, type Position } from '@tollgate/domain/event.ts'
import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import {
  advance,
  CheckpointHeld,
  CheckpointMoved,
  readCheckpoint,
  type Step,
  VersionMoved,
} from './checkpoints.ts'
import { createEventApplier } from './event-applier.ts'
import { FollowerProgress, type FollowerStatus } from './follower-progress.ts'
import { type LogPlace, markOf } from './log-mark.ts'
import type { RunnerLogger } from './logger.ts'
import type { AnyProjector, ModelCopy } from './projector.ts'

/** A part of the log, for a projector to see. */
export interface LogRange {
  readonly events: readonly BareEvent[]
  /** All that concerns the projector from behind this position on… */
  readonly after: Position
  /** …up to this one is among `events`. */
  readonly upTo: Position
}

export interface Follower {
  readonly name: string
  readonly streamPrefixes: readonly string[]
  status(): FollowerStatus
  /**
   * Applies what is new to this projector in a stretch of the log. Comes back when it is committed, when the projector
   * has stopped, or with 'moved' when the checkpoint turned out to lie before what was delivered up to now, so that
   * delivery must start again from `status().position`.
   */
  deliver(range: LogRange, signal: AbortSignal): Promise<'done' | 'moved'>
  /**
   * Its part of a transaction that several share, for a stretch as above. Resolves in its turn; nothing else happens to
   * it until `end` is called. Null when it has stopped, when it is before the stretch, and when it is past it, as its
   * checkpoint must not go back to there.
   */
  join(range: LogRange): Promise<SharedPart | null>
  /**
   * Writes the position down when events that do not concern this projector have moved it in memory only. 'moved' as of
   * `deliver`; 'held' when somebody else has the checkpoint, so that nothing was written and it is to be tried again.
   */
  persist(): Promise<'done' | 'moved' | 'held'>
  /**
   * For a stopped follower: true when another process has rebuilt its read model meanwhile, so that it can follow
   * again.
   */
  revive(): Promise<boolean>
}

/** One follower's part in a transaction that several share. */
export interface SharedPart {
  readonly step: Step
  /** False when nothing in the batch concerns it. */
  readonly hasEvents: boolean
  end(isCommitted: boolean): void
}

export interface FollowerOptions {
  readonly projector: AnyProjector
  readonly copy: ModelCopy
  /** The checkpoint's position. */
  readonly position: Position
  /** From where to follow, when that is another: nothing of the log lies between the two. Default `position`. */
  readonly from?: Position
  /** Why it must not follow; it then waits, stopped, until somebody has rebuilt it. Default null. */
  readonly problem?: string | null
  readonly store: Pick<EventStore, 'newestAt'>
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly logger: RunnerLogger
  /** Called whenever the position has grown or the projector has stopped. */
  readonly onChange: () => void
}

const RETRY: BackOff = { firstMs: 50, mostMs: 5_000 }

/** One projector on its way through the log, its position in memory backed by the checkpoint row. */
export function openFollower(options: FollowerOptions): Follower {
  const { projector, copy, store, pool, clock, logger } = options
  const progress = new FollowerProgress(projector.name, options, options.onChange)
  const applier = createEventApplier({ projector, copy, progress, pool, clock, logger })
  let queue: Promise<unknown> = Promise.resolve()

  /** One thing at a time: a delivery and the timer's persist must not race for the checkpoint. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.then(work)
    queue = turn.catch(() => undefined)
    return turn
  }

  async function deliver(
    { events, after, upTo }: LogRange,
    signal: AbortSignal,
  ): Promise<'done' | 'moved'> {
    // The checkpoint was found moved, or a stop was mended, after this stretch had been read.
    if (!progress.isStopped && progress.position < after) return 'moved'
    let failures = 0
    while (!progress.isStopped && !signal.aborted) {
      try {
        await applier.apply(applier.freshOf(events), events.at(-1), upTo)
        return 'done'
      } catch (error) {
        if (error instanceof CheckpointMoved) {
          const isMissing = error.position === progress.persisted
          if (progress.goOnFrom(error.position) === 'moved') return 'moved'
          if (isMissing) await clock.sleep(RETRY.mostMs, signal)
        } else if (error instanceof VersionMoved) {
          giveWay(error)
        } else if (isTransient(error)) {
          const waitMs = backOffMs(++failures, RETRY)
          logger.warn(
            { projector: copy.checkpoint, err: error, waitMs },
            'projector waits for the database',
          )
          await clock.sleep(waitMs, signal)
        } else {
          throw error
        }
      }
    }
    return 'done'
  }

  function giveWay(error: VersionMoved): void {
    progress.giveWay()
    logger.warn({ projector: copy.checkpoint, err: error }, 'projector gives way to another')
  }

  async function persist(): Promise<'done' | 'moved' | 'held'> {
    while (!progress.isStopped && progress.isToPersist) {
      const [from, to] = [progress.persisted, progress.position]
      try {
        // Never waits for whoever has the checkpoint: the other read models' next batch would wait behind it.
        await advance(pool, [applier.stepOf([])], await placeAt(to), 'skip')
        progress.notePersisted(to)
      } catch (error) {
        if (error instanceof CheckpointHeld) return 'held'
        if (error instanceof VersionMoved) giveWay(error)
        else if (!(error instanceof CheckpointMoved) || error.position === from) throw error
        else if (progress.goOnFrom(error.position) === 'moved') return 'moved'
      }
    }
    return 'done'
  }

  /** Where the log was searched up to without an event for this projector: what stands there is asked for. */
  async function placeAt(searched: Position): Promise<LogPlace> {
    const newest = searched === LOG_START ? null : await store.newestAt(searched)
    return { position: searched, mark: newest === null ? null : markOf(newest) }
  }

  async function join({ events, after, upTo }: LogRange): Promise<SharedPart | null> {
    const { promise: ended, resolve: endTurn } = Promise.withResolvers<undefined>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>()
    void inTurn(() => {
      begin(undefined)
      return ended
    })
    await begun
    if (progress.isStopped || progress.position < after || upTo <= progress.position) {
      endTurn(undefined)
      return null
    }
    const fresh = applier.freshOf(events)
    return {
      step: applier.stepOf(fresh),
      hasEvents: fresh.length > 0,
      end: (isCommitted) => {
        const newest = events.at(-1)
        if (isCommitted && newest !== undefined) {
          progress.noteCommitted(fresh, newest, { upTo, now: clock.now() })
        }
        endTurn(undefined)
      },
    }
  }

  return {
    name: projector.name,
    streamPrefixes: projector.streamPrefixes,
    status: () => progress.status(),
    deliver: (range, signal) => inTurn(() => deliver(range, signal)),
    join,
    persist: () => inTurn(persist),
    revive: () =>
      inTurn(async () => {
        const stored = await readCheckpoint(pool, copy)
        if (!progress.isStopped || stored?.version !== projector.version) return false
        if (stored.failure !== null) return false
        progress.revive(stored.position)
        return true
      }),
  }
}
