import type { PairPlaces } from '@tollgate/command-api/timelines/log-pair/log-mismatch.ts'
import type { Leases } from '@tollgate/domain/ports/leases.ts'
import type { Pool } from 'pg'
import type { DatabasePool } from 'slonik'

import type { AuditableEventStore, LogHealth } from '../../event-store/auditable-store.ts'
import { openEventStore } from '../../event-store/open-event-store.ts'
import type { StoreLogger } from '../../event-store/store-logger.ts'
import { postgresLeases } from '../../leases/postgres-leases.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../postgres/embedded.ts'
import { migrate } from '../../postgres/migrate.ts'
import { openPool, type PoolOptions } from '../../postgres/pool.ts'
import { openTypedQueries } from '../../postgres/typed-queries.ts'
import { sourceMigrations } from '../../postgres/source-migrations.ts'
import type { Config } from '../config.ts'
import { openInOrder } from '../opening.ts'
import { waitForEventStore } from './wait-for-event-store.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'

/** The real engines behind the ports: PostgreSQL and the event log, embedded or by address. */
export interface Engines {
  /** Where PostgreSQL is, embedded or not; the same for as long as the engines are open. */
  readonly databaseUrl: string
  /** Log and database as the settings name them. */
  readonly places: PairPlaces
  /** For bulk work and for what listens. */
  readonly pool: Pool
  /** Typed queries, over the connections of `pool`. */
  readonly db: DatabasePool
  /** The same, which plans each query once: for short queries with few texts. */
  readonly preparedDb: DatabasePool
  /** For work of minutes on read models (rebuilds, audits): answers may take as long as they like. */
  readonly batchPool: Pool
  readonly store: AuditableEventStore & LogHealth
  /** Kept in PostgreSQL, over connections of their own. */
  readonly leases: Leases
  /** Called whenever a connection to one of them was lost. */
  onConnectionLost(listener: () => void): void
  /** Null when all answer, else which one does not. */
  readinessProblem(): string | null
  close(): Promise<void>
}

/** Connections of a process, at most. */
export interface Connections {
  readonly store: number
  readonly api: number
  /** Threads that read the log as columns, each over one more; see PostgresEventStoreOptions. */
  readonly readThreads?: number
}

/** All in one; what listens for events and what projects hold some more. The embedded server takes 150 in all. */
const OF_ALL_IN_ONE: Connections = { store: 8, api: 12 }
const OF_API: Connections = { store: 6, api: 8 }
/** Relays and projectors ask PostgreSQL seldom: there may be many of them. */
const OF_OTHERS: Connections = { store: 3, api: 3 }
export const CONNECTIONS = { allInOne: OF_ALL_IN_ONE, api: OF_API, others: OF_OTHERS } as const
const PATIENT_MAX = 12
const LEASES_MAX = 2
/** How long what was asked of an engine may take when all is closed: an engine that hangs must not keep the process. */
const CLOSE_MS = 2_000
/** Far beyond any read of the log, which is paged, and what a page or a list of the console may take. */
export const LOG_ANSWER_MS = 10_000
const API_ANSWER_MS = 30_000

/** Opens PostgreSQL, brings its source tables up to date, and opens the event log. */
export function openEngines(
  config: Config,
  runtime: Runtime,
  connections: Connections = CONNECTIONS.allInOne,
): Promise<Engines> {
  return openInOrder(runtime, async (opening) => {
    const starting =
      config.databaseUrl === null
        ? startEmbeddedPostgres({
            dataDir: config.dataDir,
            logger: runtime.logger,
            // A demo makes its data anew at its next start.
            isDurable: runtime.isDemo !== true,
          })
        : Promise.resolve(null)
    opening.opened(['embedded PostgreSQL', async () => (await starting.catch(() => null))?.stop()])
    const embedded = await starting
    const url = embedded?.url ?? config.databaseUrl ?? ''
    await waitForDatabase(url, () => bringUpToDate(url), runtime)
    const engines = await connectEngines(url, config, runtime, connections)
    opening.opened(['connections', () => engines.close()])
    const { eventStoreUrl } = config
    if (eventStoreUrl !== null) await waitForEventStore(eventStoreUrl, engines.store, runtime)
    return {
      ...engines,
      readinessProblem: () => databaseProblem(embedded),
      close: () => opening.close(),
    }
  })
}

/** Closes engines that may still be opening; those that did not open have closed themselves. */
export async function closeOnceOpen(opening: Promise<Engines>): Promise<void> {
  const engines = await opening.catch(() => null)
  await engines?.close()
}

/** The engines at addresses, taken as they are: nothing is asked and nothing changed in them. */
export async function connectEngines(
  url: string,
  { eventStoreUrl, databaseUrl }: Pick<Config, 'eventStoreUrl' | 'databaseUrl'>,
  { logger, clock }: Pick<Runtime, 'logger' | 'clock'>,
  connections: Connections = CONNECTIONS.allInOne,
): Promise<Engines> {
  const lostListeners = new Set<() => void>()
  const tellLost = (): void => {
    for (const listener of lostListeners) listener()
  }
  const open = (applicationName: string, max: number, extra: Partial<PoolOptions> = {}): Pool =>
    openPool(url, {
      ...extra,
      max,
      applicationName,
      onIdleError(err) {
        tellLost()
        logger.warn({ err }, 'a connection to PostgreSQL broke')
      },
    })
  const pool = open('tollgate', connections.api, { answerTimeoutMs: API_ANSWER_MS })
  const db = await openTypedQueries(pool)
  const preparedDb = await openTypedQueries(pool, { arePrepared: true })
  // Read models and their checkpoints are lost and made again together: their commits need not wait for the disk,
  // which the log's appends then have for themselves.
  const batchPool = open('tollgate-patient', PATIENT_MAX, { isDurable: false, isPipelined: true })
  const storePool = open('tollgate-events', connections.store, { answerTimeoutMs: LOG_ANSWER_MS })
  const leasePool = open('tollgate-leases', LEASES_MAX)
  // A store's warning is a connection that was lost: behind another may be a log that was put back.
  const storeLogger: StoreLogger = {
    info: (details, text) => logger.info(details, text),
    error: (details, text) => logger.error(details, text),
    warn(details, text) {
      tellLost()
      logger.warn(details, text)
    },
  }
  const store = await openEventStore({
    eventStoreUrl,
    pool: storePool,
    databaseUrl: url,
    logger: storeLogger,
    clock,
    readThreads: connections.readThreads ?? 0,
  })
  return {
    databaseUrl: url,
    places: {
      log:
        eventStoreUrl === null ? 'the event log in PostgreSQL' : 'the event log at EVENTSTORE_URL',
      database: databaseUrl === null ? 'the database in DATA_DIR' : 'the database at DATABASE_URL',
      isLogInDatabase: eventStoreUrl === null,
    },
    pool,
    db,
    preparedDb,
    batchPool,
    store,
    leases: postgresLeases(leasePool),
    onConnectionLost: (listener) => void lostListeners.add(listener),
    readinessProblem: () => null,
    async close() {
      await within(store.close(), CLOSE_MS)
      const pools = [pool, batchPool, storePool, leasePool]
      await within(Promise.all(pools.map((each) => each.end())), CLOSE_MS)
    },
  }
}

async function bringUpToDate(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, applicationName: 'tollgate-migrations' })
  try {
    await migrate(pool, sourceMigrations)
  } finally {
    await pool.end()
  }
}

function databaseProblem(embedded: EmbeddedPostgres | null): string | null {
  const state = embedded?.state()
  if (state === undefined || state.status === 'ready') return null
  return state.status === 'restarting' ? 'PostgreSQL is starting again' : 'PostgreSQL has stopped'
}
