import type { Position } from '@tollgate/domain/event.ts'
import { readCheckpoint } from './checkpoints.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import type { LimitFunction } from 'p-limit'
import { liveCopy, nextCopy } from './projector.ts'
import { rebuild, type RebuildOptions, SwapRefused } from './rebuild.ts'

/** A rebuild that failed for another reason than the database's absence fails again soon after, mostly. */
const AGAIN_MS = 30_000
const AGAIN_SOON_MS = 1_000
/** How often a copy that waits for an operator is looked at. */
const LOOK_MS = 1_000

export interface ReplacementOptions extends RebuildOptions {
  readonly signal: AbortSignal
  /** Lets as many rebuilds run at a time as the pool has connections for: REBUILD_CONNECTIONS each. */
  readonly limit: LimitFunction
}

/**
 * Builds a read model for the present version of its projector beside the tables of another, which go on being read:
 * in a rolling deploy a process of the other version goes on following them until they are replaced; where there is
 * none, they stay as they are and the status says so. Answers the position from which to follow the new tables, also
 * when somebody else put them in place; null when the signal aborts.
 */
export async function replaceWhenBuilt(options: ReplacementOptions): Promise<Position | null> {
  const { projector, clock, logger, signal } = options
  while (!signal.aborted) {
    try {
      const there = await positionIfThere(options)
      if (there !== null) return there
      if (!(await isWaiting(options))) return await inTurn(options)
      await clock.sleep(LOOK_MS, signal)
    } catch (error) {
      if (signal.aborted) return null
      // The rebuild has said what differs; now it waits for an operator.
      if (error instanceof SwapRefused) continue
      logger.error(
        { projector: projector.name, err: error },
        'a read model could not be built anew',
      )
      await clock.sleep(isTransient(error) ? AGAIN_SOON_MS : AGAIN_MS, signal)
    }
  }
  return null
}

/** Builds when the others leave room; null when the signal aborts before. What has begun ends by itself. */
const inTurn = (options: ReplacementOptions): Promise<Position | null> =>
  new Promise((resolve, reject) => {
    const { signal, limit } = options
    const giveUp = (): void => resolve(null)
    signal.addEventListener('abort', giveUp, { once: true })
    limit(async () => {
      signal.removeEventListener('abort', giveUp)
      return signal.aborted ? null : buildUnlessThere(options)
    }).then(resolve, reject)
  })

/** Answers the position of the read model; somebody else may have put it in place while this one waited its turn. */
async function buildUnlessThere(options: ReplacementOptions): Promise<Position> {
  const { projector, logger } = options
  const there = await positionIfThere(options)
  if (there !== null) return there
  logger.info(
    { projector: projector.name, version: projector.version },
    'a read model is built anew',
  )
  return (await rebuild(options)).position
}

/** The position of the read model, where its tables are of this version. */
async function positionIfThere({ pool, projector }: RebuildOptions): Promise<Position | null> {
  const live = await readCheckpoint(pool, liveCopy(projector.name))
  return live?.version === projector.version ? live.position : null
}

/** A copy of this version was built and refused. */
async function isWaiting({ pool, projector }: RebuildOptions): Promise<boolean> {
  const next = await readCheckpoint(pool, nextCopy(projector.name))
  return next?.version === projector.version && next.failure !== null
}
