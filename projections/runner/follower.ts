import { type BareEvent, LOG_START, type Position } from '@tollgate/domain/event.ts'
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
  writeFailure,
} from './checkpoints.ts'
import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { type LogPlace, markOf, placeOf } from './log-mark.ts'
import type { RunnerLogger } from './logger.ts'
import { eventsOfTypes, type ProjectedType, type Recorded } from './projected-events.ts'
import type { AnyProjector, ModelCopy } from './projector.ts'

/** An event that a projector could not handle. */
export interface PoisonEvent {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly message: string
}

export interface FollowerStatus {
  readonly name: string
  readonly position: Position
  /** 'outdated': the tables are of another version of the projector, so that this one may not write them. */
  readonly state: 'following' | 'stopped' | 'outdated'
  /** Set when it stopped at an event. */
  readonly poison: PoisonEvent | null
  /** Why it stopped, in one line; null while it has not. */
  readonly problem: string | null
  /** Events handled since the start of the process. */
  readonly handledEvents: number
  /** Milliseconds from the recording of the newest handled event to its appearance here; null before the first. */
  readonly delayMs: number | null
}

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
  const { projector, copy, store, pool, clock, logger, onChange } = options
  const types: ReadonlySet<ProjectedType> = new Set(projector.eventTypes)
  let position = options.from ?? options.position
  let persisted = options.position
  let poison: PoisonEvent | null = null
  let problem = options.problem ?? null
  let isOutdated = false
  /** False while the stored checkpoint stands on an event whose hash was not read. */
  let isMarked = true
  let handledEvents = 0
  let delayMs: number | null = null
  let queue: Promise<unknown> = Promise.resolve()

  const isStopped = (): boolean => problem !== null || isOutdated

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
    if (!isStopped() && position < after) return 'moved'
    let failures = 0
    while (!isStopped() && !signal.aborted) {
      try {
        await apply(freshOf(events), events.at(-1), upTo)
        return 'done'
      } catch (error) {
        if (error instanceof CheckpointMoved) {
          const isMissing = error.position === persisted
          if (goOnFrom(error.position) === 'moved') return 'moved'
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

  /**
   * Takes over a checkpoint that somebody has moved to `stored`, where the tables have all events up to there and none
   * after it. Up to `persisted` they had been in the tables, so with an earlier one those between are to be delivered
   * again. From `persisted` to `position` there was none of this projector, so wherever `stored` lies there, following
   * goes on after `position`. A later one has what was not delivered yet, which `freshOf` then leaves out.
   */
  function goOnFrom(stored: Position): 'done' | 'moved' {
    const isEarlier = stored < persisted
    persisted = stored
    position = isEarlier ? stored : Math.max(position, stored)
    onChange()
    return isEarlier ? 'moved' : 'done'
  }

  function giveWay(error: VersionMoved): void {
    isOutdated = true
    logger.warn({ projector: copy.checkpoint, err: error }, 'projector gives way to another')
    onChange()
  }

  async function persist(): Promise<'done' | 'moved' | 'held'> {
    while (!isStopped() && (position > persisted || !isMarked)) {
      const [from, to] = [persisted, position]
      try {
        // Never waits for whoever has the checkpoint: the other read models' next batch would wait behind it.
        await advance(pool, [stepOf([])], await placeAt(to), 'skip')
        persisted = to
        isMarked = true
      } catch (error) {
        if (error instanceof CheckpointHeld) return 'held'
        if (error instanceof VersionMoved) giveWay(error)
        else if (!(error instanceof CheckpointMoved) || error.position === from) throw error
        else if (goOnFrom(error.position) === 'moved') return 'moved'
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
    if (isStopped() || position < after || upTo <= position) {
      endTurn(undefined)
      return null
    }
    const fresh = freshOf(events)
    return {
      step: stepOf(fresh),
      hasEvents: fresh.length > 0,
      end: (isCommitted) => {
        const newest = events.at(-1)
        if (isCommitted && newest !== undefined) committed(fresh, newest, upTo)
        endTurn(undefined)
      },
    }
  }

  const freshOf = (events: readonly BareEvent[]): readonly Recorded[] =>
    eventsOfTypes(events, types).filter((event) => event.position > position)

  const stepOf = (events: readonly Recorded[]): Step => ({
    copy,
    version: projector.version,
    from: persisted,
    work: async (tables) => {
      // Filtered by the projector's own types, which is what its handle is typed by.
      if (events.length > 0) await projector.handle(events as readonly never[], tables)
    },
  })

  /** Halves a batch that fails until the one event that is to blame stands alone. */
  async function apply(
    events: readonly Recorded[],
    newest: BareEvent | undefined,
    upTo: Position,
  ): Promise<void> {
    const last = events.at(-1)
    if (last === undefined || newest === undefined) {
      moveTo(upTo)
      return
    }
    try {
      await advance(pool, [stepOf(events)], placeOf(newest))
    } catch (error) {
      if (error instanceof CheckpointMoved || error instanceof VersionMoved || isTransient(error)) {
        throw error
      }
      if (events.length === 1) {
        await stop(last, error)
        return
      }
      const half = events.slice(0, events.length >> 1)
      await apply(half, half.at(-1), half.at(-1)?.position ?? upTo)
      if (!isStopped()) await apply(events.slice(half.length), newest, upTo)
      return
    }
    committed(events, newest, upTo)
  }

  function committed(events: readonly Recorded[], newest: BareEvent, upTo: Position): void {
    const place = placeOf(newest)
    persisted = place.position
    isMarked = place.mark !== null
    handledEvents += events.length
    const last = events.at(-1)
    if (last !== undefined && 'recordedAt' in last) {
      delayMs = Math.max(0, clock.now() - Number(last.recordedAt))
    }
    moveTo(upTo)
  }

  async function stop(event: Recorded, error: unknown): Promise<void> {
    poison = {
      position: event.position,
      stream: event.stream,
      revision: event.revision,
      type: event.type,
      message: error instanceof Error ? error.message : String(error),
    }
    problem = describePoison(poison)
    logger.error(
      { projector: copy.checkpoint, ...poison, err: error },
      'projector stopped at an event',
    )
    onChange()
    // A rebuild may have put a copy in place since the batch was rolled back; that one is further on.
    await writeFailure(pool, copy, problem, { position: persisted }).catch((failure: unknown) =>
      logger.warn(
        { projector: copy.checkpoint, err: failure },
        'the stop could not be written down',
      ),
    )
  }

  function moveTo(to: Position): void {
    if (to <= position) return
    position = to
    onChange()
  }

  return {
    name: projector.name,
    streamPrefixes: projector.streamPrefixes,
    status: () => ({
      name: projector.name,
      position,
      state: isOutdated ? 'outdated' : problem === null ? 'following' : 'stopped',
      poison,
      problem,
      handledEvents,
      delayMs,
    }),
    deliver: (range, signal) => inTurn(() => deliver(range, signal)),
    join,
    persist: () => inTurn(persist),
    revive: () =>
      inTurn(async () => {
        const stored = await readCheckpoint(pool, copy)
        if (!isStopped() || stored?.version !== projector.version) return false
        if (stored.failure !== null) return false
        poison = null
        problem = null
        isOutdated = false
        position = persisted = stored.position
        onChange()
        return true
      }),
  }
}

/** One line that says where and why: `UsageCharged at 812 (account-3, revision 17): …`. */
export const describePoison = (poison: PoisonEvent): string =>
  `${poison.type} at ${poison.position} (${poison.stream}, revision ${poison.revision}): ${poison.message}`
