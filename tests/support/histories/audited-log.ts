import type { SealOutcome } from '@tollgate/command-api/audit/seal-ledger.ts'
import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM, type StreamHead } from '@tollgate/domain/ports/event-store.ts'
import type { AuditableEventStore, LogHealth } from '@tollgate/infra/event-store/auditable-store.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import { chainEvents } from '@tollgate/infra/event-store/chain.ts'
import { openEventStoreDb } from '@tollgate/infra/event-store/eventstoredb/store.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { createMigratedDatabase, type TestDatabase } from '../engines/database.ts'
import { startEventStoreDbDouble } from '../engines/eventstoredb-double/double.ts'
import type { DoubleLog } from '../engines/eventstoredb-double/log.ts'

/** An event log that somebody with access to the engine can tamper with. */
export interface AuditedLog {
  readonly store: AuditableEventStore & LogHealth
  append(stream: string, ...events: readonly DomainEvent[]): Promise<void>
  /** One event that a step has left. */
  appendCaused(stream: string, causationId: string, event: DomainEvent): Promise<void>
  seal(streamsMax?: number): Promise<SealOutcome>
  /** The same log, as a process opens it that has just been started; `close` closes it, too. */
  openAgain(): AuditableEventStore & LogHealth
  /** One event as another client would write it, at the end of a stream, past every guard. */
  forge(stream: string, event: ForgedEvent): Promise<void>
  /** Replaces a text in the stored data of the event at one place, past every guard. */
  tamper(stream: string, revision: number, from: string, to: string): Promise<void>
  close(): Promise<void>
}

/** An event that Tollgate has not written. */
export interface ForgedEvent {
  readonly type: string
  readonly data: string
  readonly metadata: string
  readonly id: string
}

/** One that can be read, as Tollgate would write it, and whose own hash is right; it follows `prevHash`. */
export function forgedEvent(
  stream: string,
  { type, data }: DomainEvent,
  prevHash = 'f'.repeat(64),
): ForgedEvent {
  const [event] = chainEvents(
    stream,
    [
      {
        id: systemRandomness.uuid(),
        type,
        data,
        metadata: { ...CAUSE, schemaVersion: schemaVersionOf(type) },
      },
    ],
    { revision: 0, hash: prevHash },
  ).events
  if (event === undefined) throw new Error('nothing was chained')
  return { id: event.id, type, data: event.dataText, metadata: event.metadataText }
}

/** One that is no event of Tollgate's at all. */
export const strangeEvent = (): ForgedEvent => ({
  id: systemRandomness.uuid(),
  type: 'QuotaCredited',
  data: '{"at":1,"amount":1000000}',
  metadata: '',
})

export interface PostgresAuditedLog extends AuditedLog {
  readonly database: TestDatabase
  /** `readThreads` as the store's option. */
  openAgain(readThreads?: number): AuditableEventStore & LogHealth
  /** Runs SQL as the database's owner would, with the guard of the log's table off. */
  meddle(sql: string): Promise<void>
}

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
const clock = systemClock

export async function postgresAuditedLog(): Promise<PostgresAuditedLog> {
  const database = await createMigratedDatabase()
  const { pool, url } = database
  const stores = openings((readThreads: number) =>
    openPostgresEventStore({ pool, databaseUrl: url, logger, clock, readThreads }),
  )
  const store = stores.open(0)
  const meddle = async (sql: string): Promise<void> => {
    await pool.query(unguarded(sql))
  }
  return {
    ...writingTo(store),
    database,
    meddle,
    async forge(stream, event) {
      await pool.query(forgingSql(stream, event))
    },
    tamper: (stream, revision, from, to) =>
      meddle(`update ledger.events set data = replace(data, '${from}', '${to}')
        where stream = '${stream}' and revision = ${revision}`),
    openAgain: (readThreads = 0) => stores.open(readThreads),
    async close() {
      await stores.close()
      await database.drop()
    },
  }
}

/** SQL that writes an event at the end of a stream, past the guard of the log's table. */
export function forgingSql(stream: string, { id, type, data, metadata }: ForgedEvent): string {
  const texts = [id, stream, type, data, metadata].map((text) => `'${text.replaceAll("'", "''")}'`)
  const [uuid, name, kind, dataText, metadataText] = texts
  return unguarded(`
    insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata)
    select head.position + 1, ${name},
      (select coalesce(max(revision), -1) + 1 from ledger.events where stream = ${name}),
      ${uuid}, ${kind}, now(), ${dataText}, ${metadataText} from ledger.head;
    update ledger.head set position = position + 1`)
}

const unguarded = (sql: string): string => `begin;
  alter table ledger.events disable trigger events_are_append_only;
  ${sql};
  alter table ledger.events enable trigger events_are_append_only;
  commit`

/** The same on the protocol double of EventStoreDB. */
export async function eventStoreDbAuditedLog(): Promise<AuditedLog & { readonly log: DoubleLog }> {
  const double = await startEventStoreDbDouble()
  const { connectionString, log } = double
  const stores = openings(() => openEventStoreDb({ connectionString, logger, clock }))
  const store = stores.open()
  return {
    ...writingTo(store),
    log,
    forge(stream, { data, metadata, ...event }) {
      const bytes = { data: Buffer.from(data), metadata: Buffer.from(metadata) }
      log.append(stream, 'any', [{ ...event, contentType: 'application/json', ...bytes }])
      return Promise.resolve()
    },
    async tamper(stream, revision, from, to) {
      const record = log.streamOf(stream)[revision]
      if (record === undefined) throw new Error(`no event ${revision} in ${stream}`)
      const data = Buffer.from(Buffer.from(record.data).toString('utf8').replace(from, to))
      Object.assign(record, { data })
    },
    openAgain: () => stores.open(),
    async close() {
      await stores.close()
      await double.close()
    },
  }
}

const CAUSE = { actor: 'system', correlationId: 'test', causationId: null } as const

function openings<Store extends AuditableEventStore, Options extends readonly unknown[]>(
  open: (...options: Options) => Store,
) {
  const opened: Store[] = []
  return {
    open(...options: Options): Store {
      const store = open(...options)
      opened.push(store)
      return store
    },
    async close(): Promise<void> {
      for (const store of opened) await store.close()
    },
  }
}

type Writing = Pick<AuditedLog, 'store' | 'append' | 'appendCaused' | 'seal'>

function writingTo(store: AuditedLog['store']): Writing {
  const heads = new Map<string, StreamHead>()
  const write = async (
    stream: string,
    events: readonly DomainEvent[],
    causationId: string | null,
  ): Promise<void> => {
    const written = events.map(({ type, data }) => ({
      id: systemRandomness.uuid(),
      type,
      data,
      metadata: { ...CAUSE, causationId, schemaVersion: schemaVersionOf(type) },
    }))
    const { head } = await store.append(stream, written, heads.get(stream) ?? EMPTY_STREAM)
    heads.set(stream, head)
  }
  return {
    store,
    append: (stream, ...events) => write(stream, events, null),
    appendCaused: (stream, causationId, event) => write(stream, [event], causationId),
    seal: (streamsMax) =>
      sealLedger(
        { store, clock, randomness: systemRandomness },
        CAUSE,
        streamsMax === undefined ? {} : { streamsMax },
      ),
  }
}
