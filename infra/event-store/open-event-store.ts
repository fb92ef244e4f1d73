import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Pool } from 'pg'
import type { AuditableEventStore, LogHealth } from './auditable-store.ts'
import { openPostgresEventStore } from './postgres/store.ts'
import type { StoreLogger } from './store-logger.ts'

/** Where the event log is, and what it is opened with. */
export interface EventStorePlace {
  /** Null = the log is in PostgreSQL. */
  readonly eventStoreUrl: string | null
  /** For a log in PostgreSQL; see PostgresEventStoreOptions. */
  readonly pool: Pool
  readonly databaseUrl: string
  readonly logger: StoreLogger
  readonly clock: Clock
  /** For a log in PostgreSQL; see PostgresEventStoreOptions. */
  readonly readThreads?: number
}

/**
 * The event log in PostgreSQL or EventStoreDB. EventStoreDB's client and gRPC, a quarter of the modules of a projector's
 * thread, are loaded only for a log that is there.
 */
export async function openEventStore(
  place: EventStorePlace,
): Promise<AuditableEventStore & LogHealth> {
  const { eventStoreUrl, logger, clock } = place
  if (eventStoreUrl === null) return openPostgresEventStore(place)
  const { openEventStoreDb } = await import('./eventstoredb/store.ts')
  return openEventStoreDb({ connectionString: eventStoreUrl, logger, clock })
}
