import type { BareEvent, Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type pg from 'pg'
import {
  advance,
  CheckpointMoved,
  readCheckpoint,
  type Step,
  VersionMoved,
  writeFailure,
} from './checkpoints.ts'
import { isPassing } from './database-failures.ts'
import type { RunnerLogger } from './logger.ts'
import { eventsOfTypes, type ProjectedType, type Recorded } from './projected-events.ts'
import type { AnyProjector, Slot } from './projector.ts'

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
  /** Set when stopped. */
  readonly poison: PoisonEvent | null
  /** Events handled since the start of the process. */
  readonly handledEvents: number
  /** Milliseconds from the recording of the newest handled event to its appearance here; null before the first. */
  readonly delayMs: number | null
}

export interface Follower {
  readonly name: string
  readonly streamPrefixes: readonly string[]
  status(): FollowerStatus
  /**
   * Applies what is new to this projector in a batch whose last position is `upTo`. Comes back when it is committed,
   * when the projector has stopped, or with 'moved' when the checkpoint turned out to lie before what was delivered
   * up to now, so that delivery must start again from `status().position`.
   */
  deliver(
    events: readonly BareEvent[],
    upTo: Position,
    signal: AbortSignal,
  ): Promise<'done' | 'moved'>
  /**
   * Its part of a transaction that several share, for a batch as above. Resolves in its turn; nothing else happens to
   * it until `end` is called. Null when it has stopped.
   */
  join(events: readonly BareEvent[], upTo: Position): Promise<SharedPart | null>
  /** Writes the position down when events that do not concern this projector have moved it in memory only. */
  persist(): Promise<void>
  /** Of one that does not follow: true when somebody has rebuilt it meanwhile, so that it can follow again. */
  revive(): Promise<boolean>
}

/** What one follower does in a transaction that several share. */
export interface SharedPart {
  readonly step: Step
  /** False when nothing in the batch concerns it. */
  readonly hasEvents: boolean
  end(isCommitted: boolean): void
}

export interface FollowerOptions {
  readonly projector: AnyProjector
  readonly slot: Slot
  readonly position: Position
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly logger: RunnerLogger
  /** Called whenever the position has grown or the projector has stopped. */
  readonly onChange: () => void
}

const RETRY_FIRST_MS = 50
const RETRY_MOST_MS = 5_000

/** One projector on its way through the log, its position in memory backed by the checkpoint row. */
export function openFollower(options: FollowerOptions): Follower {
  const { projector, slot, pool, clock, logger, onChange } = options
  const types: ReadonlySet<ProjectedType> = new Set(projector.eventTypes)
  let position = options.position
  let persisted = options.position
  let poison: PoisonEvent | null = null
  let isOutdated = false
  let handledEvents = 0
  let delayMs: number | null = null
  let queue: Promise<unknown> = Promise.resolve()

  const isStopped = (): boolean => poison !== null || isOutdated

  /** One thing at a time: a delivery and the timer's persist must not race for the checkpoint. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.then(work)
    queue = turn.catch(() => undefined)
    return turn
  }

  async function deliver(
    events: readonly BareEvent[],
    upTo: Position,
    signal: AbortSignal,
  ): Promise<'done' | 'moved'> {
    let waitMs = RETRY_FIRST_MS
    while (!isStopped() && !signal.aborted) {
      try {
        await apply(freshOf(events), upTo)
        return 'done'
      } catch (error) {
        if (error instanceof CheckpointMoved) {
          const wasBehind = error.position < position
          const isMissing = error.position === persisted
          position = persisted = error.position
          if (wasBehind) return 'moved'
          if (isMissing) await clock.sleep(RETRY_MOST_MS, signal)
        } else if (error instanceof VersionMoved) {
          isOutdated = true
          logger.warn({ projector: slot.checkpoint, err: error }, 'projector gives way to another')
          onChange()
        } else if (isPassing(error)) {
          logger.warn(
            { projector: slot.checkpoint, err: error, waitMs },
            'projector waits for the database',
          )
          await clock.sleep(waitMs, signal)
          waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)
        } else {
          throw error
        }
      }
    }
    return 'done'
  }

  async function join(events: readonly BareEvent[], upTo: Position): Promise<SharedPart | null> {
    const { promise: ended, resolve: endTurn } = Promise.withResolvers<undefined>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>()
    void inTurn(() => {
      begin(undefined)
      return ended
    })
    await begun
    if (isStopped()) {
      endTurn(undefined)
      return null
    }
    const fresh = freshOf(events)
    return {
      step: stepOf(fresh),
      hasEvents: fresh.length > 0,
      end: (isCommitted) => {
        if (isCommitted) committed(fresh, upTo)
        endTurn(undefined)
      },
    }
  }

  const freshOf = (events: readonly BareEvent[]): readonly Recorded[] =>
    eventsOfTypes(events, types).filter((event) => event.position > position)

  const stepOf = (events: readonly Recorded[]): Step => ({
    slot,
    version: projector.version,
    from: persisted,
    work: async (tables) => {
      // Filtered by the projector's own types, which is what its handle is typed by.
      if (events.length > 0) await projector.handle(events as readonly never[], tables)
    },
  })

  /** Halves a batch that fails until the one event that is to blame stands alone. */
  async function apply(events: readonly Recorded[], upTo: Position): Promise<void> {
    const last = events.at(-1)
    if (last === undefined) {
      moveTo(upTo)
      return
    }
    try {
      await advance(pool, [stepOf(events)], upTo)
    } catch (error) {
      if (error instanceof CheckpointMoved || error instanceof VersionMoved || isPassing(error)) {
        throw error
      }
      if (events.length === 1) {
        await stop(last, error)
        return
      }
      const half = events.slice(0, events.length >> 1)
      await apply(half, half.at(-1)?.position ?? upTo)
      if (!isStopped()) await apply(events.slice(half.length), upTo)
      return
    }
    committed(events, upTo)
  }

  function committed(events: readonly Recorded[], upTo: Position): void {
    persisted = upTo
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
    logger.error(
      { projector: slot.checkpoint, ...poison, err: error },
      'projector stopped at an event',
    )
    onChange()
    await writeFailure(pool, slot, describePoison(poison)).catch((failure: unknown) =>
      logger.warn(
        { projector: slot.checkpoint, err: failure },
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
      state: isOutdated ? 'outdated' : poison === null ? 'following' : 'stopped',
      poison,
      handledEvents,
      delayMs,
    }),
    deliver: (events, upTo, signal) => inTurn(() => deliver(events, upTo, signal)),
    join,
    persist: () =>
      inTurn(async () => {
        if (isStopped() || position <= persisted) return
        const to = position
        // Never waits for whoever has the checkpoint: the other read models' next batch would wait behind it.
        await advance(pool, [stepOf([])], to, 'skip')
        persisted = to
      }),
    revive: () =>
      inTurn(async () => {
        const stored = await readCheckpoint(pool, slot)
        if (!isStopped() || stored?.version !== projector.version) return false
        if (stored.failure !== null) return false
        poison = null
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
