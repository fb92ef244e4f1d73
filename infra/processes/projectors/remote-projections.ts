import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { ensureCheckpointTable, readCheckpoints } from '@tollgate/projections/runner/checkpoints.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import type { FollowerStatus } from '@tollgate/projections/runner/follower-progress.ts'
import {
  type ProjectionRunner,
  type RunnerStatus,
  waitForCheckpoints,
} from '@tollgate/projections/runner/runner.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type Repeating, repeating } from '../timers/repeating.ts'

/** How often the checkpoints are looked at, for telling how fresh the read models are. */
const LOOK_MS = 1_000

/** How often a database without read models is looked at again. */
const AWAIT_MS = 500

/** Tables of another version are read as they are until those of this one are in place. */
function stateOf(name: string, version: number, failure: string | null): FollowerStatus['state'] {
  if (failure !== null) return 'stopped'
  const own = readModels.find((projector) => projector.name === name)
  return own === undefined || own.version === version ? 'following' : 'outdated'
}

/**
 * Projectors that run in other processes, as far as their checkpoints tell. On a new database `start` waits until a
 * projector has made the read models.
 */
export function remoteProjections(pool: Pool, clock: Clock, logger: Logger): ProjectionRunner {
  let status: RunnerStatus = {
    state: 'standby',
    isCaughtUp: true,
    projectors: [],
    unknownEvents: {},
  }
  let looking: Repeating | null = null

  async function look(): Promise<void> {
    const live = (await readCheckpoints(pool)).filter(({ name }) => !name.endsWith('/next'))
    const projectors = live.map(({ name, version, position, failure }) => ({
      name,
      position,
      state: stateOf(name, version, failure),
      poison: null,
      problem: failure,
      handledEvents: 0,
      delayMs: null,
    }))
    status = { ...status, projectors }
  }

  async function untilMade(): Promise<void> {
    let isTold = false
    for (;;) {
      await look()
      const made = new Set(status.projectors.map(({ name }) => name))
      const missing = readModels.map(({ name }) => name).filter((name) => !made.has(name))
      if (missing.length === 0) return
      if (!isTold) logger.warn({ missing }, 'read models are missing: waiting for a projector')
      isTold = true
      await clock.sleep(AWAIT_MS)
    }
  }

  return {
    async start() {
      await ensureCheckpointTable(pool)
      await untilMade()
      looking = repeating(LOOK_MS, look, (err) =>
        logger.warn({ err }, 'the checkpoints of the read models were not seen'),
      )
    },
    status: () => status,
    waitFor: (names, position, timeoutMs) =>
      waitForCheckpoints(pool, clock, { names, position, timeoutMs }),
    async stop() {
      await looking?.stop()
    },
  }
}
