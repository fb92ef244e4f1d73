import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { ensureCheckpointTable, readCheckpoints } from '@tollgate/projections/runner/checkpoints.ts'
import {
  type ProjectionRunner,
  type RunnerStatus,
  waitForCheckpoints,
} from '@tollgate/projections/runner/runner.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type Repeating, repeating } from './repeating.ts'

/** How often the checkpoints are looked at, for telling how fresh the read models are. */
const LOOK_MS = 1_000

/** Projectors that run in other processes, as far as their checkpoints tell. */
export function distantProjections(pool: Pool, clock: Clock, logger: Logger): ProjectionRunner {
  let status: RunnerStatus = {
    state: 'standby',
    isCaughtUp: true,
    projectors: [],
    unknownEvents: {},
  }
  let looking: Repeating | null = null

  async function look(): Promise<void> {
    const live = (await readCheckpoints(pool)).filter(({ name }) => !name.endsWith('/next'))
    const projectors = live.map(({ name, position, failure }) => ({
      name,
      position,
      state: failure === null ? ('following' as const) : ('stopped' as const),
      poison: null,
      handledEvents: 0,
      delayMs: null,
    }))
    status = { ...status, projectors }
  }

  return {
    async start() {
      await ensureCheckpointTable(pool)
      await look()
      looking = repeating(LOOK_MS, look, (err) =>
        logger.warn({ err }, 'the checkpoints of the read models were not seen'),
      )
    },
    status: () => status,
    waitFor: (names, position, timeoutMs) =>
      waitForCheckpoints(pool, clock, names, position, timeoutMs),
    async stop() {
      await looking?.stop()
    },
  }
}
