import { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { readTimelines } from '@tollgate/command-api/timelines/timelines.ts'
import { watchedStore } from '@tollgate/command-api/timelines/watched-store.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { offerReport } from '@tollgate/projections/report/views.ts'
import type { RunnerLogger } from '@tollgate/projections/runner/logger.ts'
import { REBUILD_CONNECTIONS } from '@tollgate/projections/runner/rebuild.ts'
import {
  createProjectionRunner,
  type LocalProjectionRunner,
} from '@tollgate/projections/runner/runner.ts'
import { dropSetAside } from '@tollgate/projections/runner/set-aside.ts'
import { openEventStore } from '../../event-store/open-event-store.ts'
import type { StoreLogger } from '../../event-store/store-logger.ts'
import { singletonLease } from '../../leases/singleton-lease.ts'
import { postgresLeases } from '../../leases/postgres-leases.ts'
import { shareWork } from '../../leases/share-work.ts'
import { type IdleError, openPool } from '../../postgres/pool.ts'
import { LOG_ANSWER_MS } from '../engines/engines.ts'
import { repeating } from '../timers/repeating.ts'

/** Where the projectors find log and tables. Plain data, so that it can be handed to a thread. */
export interface ProjectorConfig {
  readonly databaseUrl: string
  /** Null = the log is in PostgreSQL. */
  readonly eventStoreUrl: string | null
  /** The log's timeline, as its process compared it with the database; nothing is taken from another log. */
  readonly log: LogId
  /** This process among those that share the read models between them, new at each start; null = it has them all. */
  readonly member: string | null
}

/** The runtime that they take from outside besides. */
export interface ProjectorRuntime {
  readonly clock: Clock
  readonly logger: RunnerLogger
  /** Called whenever the runner's status may have changed. */
  readonly onChange?: () => void
}

/** The projectors with connections of their own, following the log. */
export interface ComposedProjector {
  readonly runner: LocalProjectionRunner
  /** Ends following after the batches at hand and closes the connections. */
  stop(): Promise<void>
}

/** One for each projector, and those of three rebuilds at a time; reading the log takes one for each group. */
const CONNECTIONS = {
  projections: 12,
  rebuilds: 3 * REBUILD_CONNECTIONS + 1,
  store: 4,
  leases: 1,
} as const
/** Far beyond what one statement of a batch of events may take; meanwhile a connection that fell silent holds them up. */
const BATCH_ANSWER_MS = 20_000
/** How often the log is compared with what was seen of it, besides after every failure. */
const COMPARE_MS = 5_000

/**
 * Composes the projectors: a thread of the all-in-one process, or a process of their own. Resolves when every table is
 * there to be read. The log's own tables must have been made before (openEngines).
 */
export async function composeProjector(
  config: ProjectorConfig,
  { clock, logger, onChange }: ProjectorRuntime,
): Promise<ComposedProjector> {
  const { databaseUrl, eventStoreUrl } = config
  const onIdleError = (err: IdleError): void =>
    logger.warn({ err }, 'a connection to PostgreSQL broke')
  // Read models and their checkpoints are lost and made again together: their commits need not wait for the disk,
  // which the log's appends then have for themselves.
  const ofReadModels = { isDurable: false, isPipelined: true, onIdleError } as const
  const pool = openPool(databaseUrl, {
    ...ofReadModels,
    max: CONNECTIONS.projections,
    applicationName: 'tollgate-projections',
    answerTimeoutMs: BATCH_ANSWER_MS,
  })
  const rebuildPool = openPool(databaseUrl, {
    ...ofReadModels,
    max: CONNECTIONS.rebuilds,
    applicationName: 'tollgate-rebuilds',
  })
  const storePool = openPool(databaseUrl, {
    max: CONNECTIONS.store,
    applicationName: 'tollgate-projections-events',
    answerTimeoutMs: LOG_ANSWER_MS,
    onIdleError,
  })
  let watch: LogWatch | null = null
  // A store's warning is a connection that was lost: behind another may be another log.
  const storeLogger: StoreLogger = {
    info: (details, text) => logger.info(details, text),
    error: (details, text) => logger.error(details, text),
    warn(details, text) {
      watch?.suspect()
      logger.warn(details, text)
    },
  }
  const store = await openEventStore({
    eventStoreUrl,
    pool: storePool,
    databaseUrl,
    logger: storeLogger,
    clock,
  })
  const leasePool = openPool(databaseUrl, {
    max: CONNECTIONS.leases,
    applicationName: 'tollgate-projections-leases',
    onIdleError,
  })
  const close = async (): Promise<void> => {
    await store.close()
    await Promise.all([pool, rebuildPool, storePool, leasePool].map((each) => each.end()))
  }
  const { member } = config
  const leases = postgresLeases(leasePool)
  watch = await watchOf(store, config.log, clock).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const comparing = repeating(
    COMPARE_MS,
    () => watch.check(),
    () => undefined,
  )
  const runner = createProjectionRunner({
    store: watchedStore(store, watch),
    pool,
    rebuildPool,
    projectors: readModels,
    shareWork:
      member === null
        ? singletonLease(clock)
        : (work) => shareWork({ ...work, leases, member, clock, logger }),
    clock,
    logger,
    ...(onChange === undefined ? {} : { onChange }),
  })
  try {
    await runner.start()
    await offerReport(rebuildPool, logger)
    // Not waited for: somebody may read what was replaced.
    void dropSetAside(rebuildPool)
  } catch (error) {
    await comparing.stop()
    await close()
    throw error
  }
  return {
    runner,
    async stop() {
      await runner.stop()
      await comparing.stop()
      await close()
    },
  }
}

/** Watches for another log, and only sees to it that nothing is taken from it: the process itself says so. */
async function watchOf(
  store: Pick<EventStore, 'readStream'>,
  log: LogId,
  clock: Clock,
): Promise<LogWatch> {
  const [first, ...others] = await readTimelines(store)
  const newest = others.at(-1) ?? first
  if (first === undefined || newest?.log !== log) {
    throw new Error(`the event log goes by timeline ${newest?.log ?? 'none'}, not by ${log}`)
  }
  return new LogWatch({ store, clock, timelines: [first, ...others], onChange: () => undefined })
}
