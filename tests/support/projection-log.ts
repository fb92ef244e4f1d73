import type { Actor, DomainEvent, Position } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import type { AuditableEventStore } from '@tollgate/infra/event-store/auditable-store.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import type { AnyProjector } from '@tollgate/projections/runner/projector.ts'
import {
  createProjectionRunner,
  type ProjectionRunner,
} from '@tollgate/projections/runner/runner.ts'
import type { Pool } from 'pg'
import type { DatabasePool } from 'slonik'
import { createMigratedDatabase } from './engines/database.ts'

/** A database of its own with an event log in it, and runners over the two. */
export interface ProjectionLog {
  /** Address of the database. */
  readonly url: string
  readonly pool: Pool
  /** Typed queries over the pool. */
  readonly reads: DatabasePool
  readonly store: AuditableEventStore
  /** Appends to the end of a stream; answers the position of the last event. */
  append(stream: string, ...events: readonly DomainEvent[]): Promise<Position>
  /** The same, caused by somebody: `user:12`, `relay:…`. */
  appendBy(actor: Actor, stream: string, ...events: readonly DomainEvent[]): Promise<Position>
  /** One event that a step has left. */
  appendCaused(stream: string, causationId: string, event: DomainEvent): Promise<Position>
  /** A runner that `close` stops; by default it has nobody to share with. */
  runner(
    projectors: readonly AnyProjector[],
    store?: EventStore,
    shareWork?: ShareWork,
  ): ProjectionRunner
  /** Starts a runner, waits until it has seen the whole log, and stops it. */
  project(projectors: readonly AnyProjector[]): Promise<void>
  close(): Promise<void>
}

export const testClock = systemClock
export const silentLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

const PROJECT_MS = 20_000

/** Opens one on a fresh test database. */
export async function openProjectionLog(): Promise<ProjectionLog> {
  const database = await createMigratedDatabase({ isPipelined: true })
  const { pool, db: reads } = database
  const store = openPostgresEventStore({
    pool,
    databaseUrl: database.url,
    logger: silentLogger,
    clock: testClock,
  })
  const heads = new Map<string, StreamHead>()
  const runners: ProjectionRunner[] = []

  async function write(
    stream: string,
    events: readonly DomainEvent[],
    cause: { readonly actor?: Actor; readonly causationId?: string } = {},
  ): Promise<Position> {
    const appended = await store.append(
      stream,
      events.map(({ type, data }) => ({
        id: crypto.randomUUID(),
        type,
        data,
        metadata: {
          actor: cause.actor ?? 'system',
          correlationId: 'test',
          causationId: cause.causationId ?? null,
          schemaVersion: schemaVersionOf(type),
        },
      })),
      heads.get(stream) ?? EMPTY_STREAM,
    )
    heads.set(stream, appended.head)
    return appended.position
  }

  function runner(
    projectors: readonly AnyProjector[],
    from: EventStore = store,
    shareWork: ShareWork = singletonLease(testClock),
  ): ProjectionRunner {
    const made = createProjectionRunner({
      store: from,
      pool,
      projectors,
      shareWork,
      clock: testClock,
      logger: silentLogger,
    })
    runners.push(made)
    return made
  }

  return {
    url: database.url,
    pool,
    reads,
    store,
    append: (stream, ...events) => write(stream, events),
    appendBy: (actor, stream, ...events) => write(stream, events, { actor }),
    appendCaused: (stream, causationId, event) => write(stream, [event], { causationId }),
    runner,
    async project(projectors) {
      const running = runner(projectors)
      await running.start()
      const names = projectors.map(({ name }) => name)
      const head = await store.headPosition()
      const isThere = await running.waitFor(names, head, PROJECT_MS)
      const status = running.status()
      await running.stop()
      if (!isThere) throw new Error(`projectors did not catch up: ${JSON.stringify(status)}`)
    },
    async close() {
      for (const running of runners) await running.stop()
      await store.close()
      await database.drop()
    },
  }
}
