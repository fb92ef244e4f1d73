import type { Position } from '@tollgate/domain/event.ts'
import { readCheckpoint } from './checkpoints.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { liveCopy, nextCopy } from './projector.ts'
import { rebuild, type RebuildOptions, SwapRefused } from './rebuild.ts'

/** A rebuild that failed for another reason than the database's absence fails again soon after, mostly. */
const AGAIN_MS = 30_000
const AGAIN_SOON_MS = 1_000
/** How often a copy that waits for an operator is looked at. */
const LOOK_MS = 1_000

/**
 * Builds a read model for the present version of its projector beside the tables of another, which go on being read:
 * in a rolling deploy a process of the other version goes on following them until they are replaced; where there is
 * none, they stay as they are and the status says so. Answers the position from which to follow the new tables, also
 * when somebody else put them in place; null when the signal aborts.
 */
export async function replaceWhenBuilt(
  options: RebuildOptions & { readonly signal: AbortSignal },
): Promise<Position | null> {
  const { pool, projector, clock, logger, signal } = options
  const { name: projected, version } = projector
  while (!signal.aborted) {
    try {
      const live = await readCheckpoint(pool, liveCopy(projected))
      if (live?.version === version) return live.position
      if (await isWaiting(options)) {
        await clock.sleep(LOOK_MS, signal)
        continue
      }
      logger.info({ projector: projected, version }, 'a read model is built anew')
      return (await rebuild(options)).position
    } catch (error) {
      if (signal.aborted) return null
      // The rebuild has said what differs; now it waits for an operator.
      if (error instanceof SwapRefused) continue
      logger.error({ projector: projected, err: error }, 'a read model could not be built anew')
      await clock.sleep(isTransient(error) ? AGAIN_SOON_MS : AGAIN_MS, signal)
    }
  }
  return null
}

/** A copy of this version was built and refused. */
async function isWaiting({ pool, projector }: RebuildOptions): Promise<boolean> {
  const next = await readCheckpoint(pool, nextCopy(projector.name))
  return next?.version === projector.version && next.failure !== null
}
