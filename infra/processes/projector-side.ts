import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import type { RunnerLogger } from '@tollgate/projections/runner/logger.ts'
import {
  createProjectionRunner,
  type LocalProjectionRunner,
} from '@tollgate/projections/runner/runner.ts'
import { openEventStoreDb } from '../event-store/eventstoredb/store.ts'
import { openPostgresEventStore } from '../event-store/postgres/store.ts'
import { openPool } from '../postgres/pool.ts'

/** Where the projectors find log and tables. Plain data, so that it can be handed to a thread. */
export interface ProjectorConfig {
  readonly databaseUrl: string
  /** Null = the log is in PostgreSQL. */
  readonly eventStoreUrl: string | null
}

/** What they take from outside besides. */
export interface ProjectorWorld {
  readonly clock: Clock
  readonly logger: RunnerLogger
  /** Called whenever the runner's status may have changed. */
  readonly onChange?: () => void
}

/** The projectors with connections of their own, following the log. */
export interface ProjectorSide {
  readonly runner: LocalProjectionRunner
  /** Ends following after the batches at hand and closes the connections. */
  stop(): Promise<void>
}

/** Two for each projector at most, and the one that holds the lock; reading the log takes one for each lane. */
const CONNECTIONS = { projections: 12, store: 4 } as const

/**
 * Composes the projectors: a thread of the all-in-one process, or a process of their own. Resolves when every table is
 * there to be read. The log's own tables must have been made before (openEngines).
 */
export async function composeProjector(
  config: ProjectorConfig,
  { clock, logger, onChange }: ProjectorWorld,
): Promise<ProjectorSide> {
  const { databaseUrl, eventStoreUrl } = config
  const onIdleError = (err: Error): void => logger.warn({ err }, 'a connection to PostgreSQL broke')
  // Read models and their checkpoints are lost and made again together: their commits need not wait for the disk,
  // which the log's appends then have for themselves.
  const pool = openPool(databaseUrl, {
    max: CONNECTIONS.projections,
    applicationName: 'tollgate-projections',
    isDurable: false,
    isPipelined: true,
    onIdleError,
  })
  const storePool = openPool(databaseUrl, {
    max: CONNECTIONS.store,
    applicationName: 'tollgate-projections-events',
    onIdleError,
  })
  const store =
    eventStoreUrl === null
      ? openPostgresEventStore({ pool: storePool, databaseUrl, logger, clock })
      : openEventStoreDb({ connectionString: eventStoreUrl, logger, clock })
  const close = async (): Promise<void> => {
    await store.close()
    await Promise.all([pool.end(), storePool.end()])
  }
  const runner = createProjectionRunner({
    store,
    pool,
    projectors: readModels,
    clock,
    logger,
    ...(onChange === undefined ? {} : { onChange }),
  })
  try {
    await runner.start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    runner,
    async stop() {
      await runner.stop()
      await close()
    },
  }
}
