import type { BareEvent, Position } from '@tollgate/domain/event.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type pg from 'pg'
import { advance, CheckpointMoved, type Step, VersionMoved, writeFailure } from './checkpoints.ts'
import type { FollowerProgress, PoisonEvent } from './follower-progress.ts'
import { placeOf } from './log-mark.ts'
import type { RunnerLogger } from './logger.ts'
import { eventsOfTypes, type ProjectedType, type Recorded } from './projected-events.ts'
import type { AnyProjector, ModelCopy } from './projector.ts'

export interface EventApplierOptions {
  readonly projector: AnyProjector
  readonly copy: ModelCopy
  readonly progress: FollowerProgress
  readonly pool: pg.Pool
  readonly clock: Pick<Clock, 'now'>
  readonly logger: RunnerLogger
}

/** Brings events into a projector's tables, and stops it at one that it cannot handle. */
export interface EventApplier {
  /** The projector's own events of a batch that are not in the tables yet. */
  freshOf(events: readonly BareEvent[]): readonly Recorded[]
  /** The step of a transaction that brings the events into the tables. */
  stepOf(events: readonly Recorded[]): Step
  /**
   * Applies events up to `upTo`, of a batch whose newest event is `newest`. Halves a batch that fails until the one
   * event that is to blame stands alone. Fails with what `advance` fails with, and when the database is unavailable.
   */
  apply(events: readonly Recorded[], newest: BareEvent | undefined, upTo: Position): Promise<void>
}

export function createEventApplier(options: EventApplierOptions): EventApplier {
  const { projector, copy, progress, pool, clock, logger } = options
  const types: ReadonlySet<ProjectedType> = new Set(projector.eventTypes)

  const stepOf = (events: readonly Recorded[]): Step => ({
    copy,
    version: projector.version,
    from: progress.persisted,
    work: async (tables) => {
      // Filtered by the projector's own types, which is what its handle is typed by.
      if (events.length > 0) await projector.handle(events as readonly never[], tables)
    },
  })

  async function apply(
    events: readonly Recorded[],
    newest: BareEvent | undefined,
    upTo: Position,
  ): Promise<void> {
    const last = events.at(-1)
    if (last === undefined || newest === undefined) {
      progress.moveTo(upTo)
      return
    }
    try {
      await advance(pool, [stepOf(events)], placeOf(newest))
    } catch (error) {
      if (error instanceof CheckpointMoved || error instanceof VersionMoved || isTransient(error)) {
        throw error
      }
      if (events.length === 1) {
        await stopAt(last, error)
        return
      }
      const half = events.slice(0, events.length >> 1)
      await apply(half, half.at(-1), half.at(-1)?.position ?? upTo)
      if (!progress.isStopped) await apply(events.slice(half.length), newest, upTo)
      return
    }
    progress.noteCommitted(events, newest, { upTo, now: clock.now() })
  }

  async function stopAt(event: Recorded, error: unknown): Promise<void> {
    const poison = {
      position: event.position,
      stream: event.stream,
      revision: event.revision,
      type: event.type,
      message: error instanceof Error ? error.message : String(error),
    }
    const problem = describePoison(poison)
    logger.error(
      { projector: copy.checkpoint, ...poison, err: error },
      'projector stopped at an event',
    )
    progress.stopAt(poison, problem)
    // A rebuild may have put a copy in place since the batch was rolled back; that one is further on.
    await writeFailure(pool, copy, problem, { position: progress.persisted }).catch(
      (failure: unknown) =>
        logger.warn(
          { projector: copy.checkpoint, err: failure },
          'the stop could not be written down',
        ),
    )
  }

  return {
    freshOf: (events) =>
      eventsOfTypes(events, types).filter((event) => event.position > progress.position),
    stepOf,
    apply,
  }
}

/** One line that says where and why: `UsageCharged at 812 (account-3, revision 17): …`. */
export const describePoison = (poison: PoisonEvent): string =>
  `${poison.type} at ${poison.position} (${poison.stream}, revision ${poison.revision}): ${poison.message}`
