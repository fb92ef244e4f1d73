import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type pg from 'pg'
import { advance, CheckpointMoved, readCheckpoint, writeFailure } from './checkpoints.ts'
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
  readonly state: 'following' | 'stopped'
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
    events: readonly RecordedEvent[],
    upTo: Position,
    signal: AbortSignal,
  ): Promise<'done' | 'moved'>
  /** Writes the position down when events that do not concern this projector have moved it in memory only. */
  persist(): Promise<void>
  /** Of a stopped projector: true when somebody has rebuilt it meanwhile, so that it can follow again. */
  revive(): Promise<boolean>
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
  let handledEvents = 0
  let delayMs: number | null = null
  let queue: Promise<unknown> = Promise.resolve()

  const isStopped = (): boolean => poison !== null

  /** One thing at a time: a delivery and the timer's persist must not race for the checkpoint. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.then(work)
    queue = turn.catch(() => undefined)
    return turn
  }

  async function deliver(
    events: readonly RecordedEvent[],
    upTo: Position,
    signal: AbortSignal,
  ): Promise<'done' | 'moved'> {
    let waitMs = RETRY_FIRST_MS
    while (!isStopped() && !signal.aborted) {
      const fresh = eventsOfTypes(events, types).filter((event) => event.position > position)
      try {
        await apply(fresh, upTo)
        return 'done'
      } catch (error) {
        if (error instanceof CheckpointMoved) {
          const wasBehind = error.position < position
          position = persisted = error.position
          if (wasBehind) return 'moved'
        } else if (isPassing(error)) {
          logger.warn(
            { projector: slot.checkpoint, err: error, waitMs },
            'projector waits for the database',
          )
          await pause(waitMs, signal)
          waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)
        } else {
          throw error
        }
      }
    }
    return 'done'
  }

  /** Halves a batch that fails until the one event that is to blame stands alone. */
  async function apply(events: readonly Recorded[], upTo: Position): Promise<void> {
    const last = events.at(-1)
    if (last === undefined) {
      moveTo(upTo)
      return
    }
    try {
      // Filtered by the projector's own types above, which is what its handle is typed by.
      const own = events as readonly never[]
      await advance(pool, slot, persisted, upTo, (tx) => projector.handle(own, tx))
    } catch (error) {
      if (error instanceof CheckpointMoved || isPassing(error)) throw error
      if (events.length === 1) {
        await stop(last, error)
        return
      }
      const half = events.slice(0, events.length >> 1)
      await apply(half, half.at(-1)?.position ?? upTo)
      if (poison === null) await apply(events.slice(half.length), upTo)
      return
    }
    persisted = upTo
    handledEvents += events.length
    delayMs = Math.max(0, clock.now() - last.recordedAt)
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
      state: poison === null ? 'following' : 'stopped',
      poison,
      handledEvents,
      delayMs,
    }),
    deliver: (events, upTo, signal) => inTurn(() => deliver(events, upTo, signal)),
    persist: () =>
      inTurn(async () => {
        if (poison !== null || position <= persisted) return
        const to = position
        await advance(pool, slot, persisted, to, async () => undefined)
        persisted = to
      }),
    revive: () =>
      inTurn(async () => {
        const stored = await readCheckpoint(pool, slot)
        if (poison === null || stored === null || stored.failure !== null) return false
        poison = null
        position = persisted = stored.position
        onChange()
        return true
      }),
  }
}

/** One line that says where and why: `UsageCharged at 812 (account-3, revision 17): …`. */
export const describePoison = (poison: PoisonEvent): string =>
  `${poison.type} at ${poison.position} (${poison.stream}, revision ${poison.revision}): ${poison.message}`

/** Waits, but not past an abort. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
