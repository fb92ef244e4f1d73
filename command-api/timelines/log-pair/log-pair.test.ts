import type { DomainEvent } from '@tollgate/domain/event.ts'
import { logId } from '@tollgate/domain/ids.ts'
import { LOG_CLAIMS_STREAM } from '@tollgate/domain/log-claim/events.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import { TIMELINE_STREAM } from '@tollgate/domain/timeline/events.ts'
import { currentTimeline } from '@tollgate/domain/timeline/timelines.ts'
import { openEventStoreDb } from '@tollgate/infra/event-store/eventstoredb/store.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { startEventStoreDbDouble } from '@tollgate/tests/support/engines/eventstoredb-double/double.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acceptRollback } from '../accept-rollback.ts'
import { newEvents } from '../../aggregates/cause.ts'
import { openTimeline, readTimelines } from '../timelines.ts'
import { checkClaims, claimLog, objectToClaims } from './log-claims.ts'
import type { PairPlaces } from './log-mismatch.ts'
import { pairTable, type PairTable } from './pair-table.ts'
import { pairUp } from './pair-up.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const randomness = systemRandomness
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const closings: (() => Promise<unknown>)[] = []
/** Seconds pass at once, but for those who look meanwhile. */
const clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 100,
  sleep: (ms: number) => systemClock.sleep(ms / 100),
}

afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
})

/** A database of its own, and how it calls the log and itself. */
async function openDatabase(places: PairPlaces = ELSEWHERE) {
  const database = await createMigratedDatabase()
  closings.push(() => database.drop())
  const table = pairTable(database.db)
  const { pool } = database
  return {
    ...database,
    table,
    places,
    register: () => pool.query(`insert into identity.users (username) values ('somebody')`),
    /** A copy of what the other knows of the log, and of its users. */
    async becomeCopyOf(other: Pick<TestDatabase, 'pool'> & { readonly table: PairTable }) {
      const { rows } = await other.pool.query('select claim from ledger.own_claims')
      for (const { claim } of rows as { claim: string }[]) await table.addClaim(claim)
      const pair = await other.table.read()
      if (pair !== null) await table.pairWith(pair.log)
      await pool.query(`insert into identity.users (username) values ('somebody')`)
    },
  }
}
type Database = Awaited<ReturnType<typeof openDatabase>>

const ELSEWHERE: PairPlaces = {
  log: 'the event log at EVENTSTORE_URL',
  database: 'the database at DATABASE_URL',
  isLogInDatabase: false,
}

async function embeddedLog(): Promise<EventStore> {
  const database = await openDatabase()
  const { pool, url } = database
  const store = openPostgresEventStore({
    pool,
    databaseUrl: url,
    logger: silent,
    clock: systemClock,
  })
  closings.push(() => store.close())
  return store
}

async function eventStoreDbLog(): Promise<EventStore> {
  const double = await startEventStoreDbDouble()
  const { connectionString } = double
  closings.push(() => double.close())
  const store = openEventStoreDb({ connectionString, logger: silent, clock: systemClock })
  closings.push(() => store.close())
  return store
}

const credit: DomainEvent = {
  type: 'QuotaCredited',
  data: { at: 1, amount: 1, source: 'grant', reason: '' } as unknown as DomainEvent['data'],
}

/** An account with one event; answers where it stands. */
async function use(store: EventStore) {
  const { head, position } = await store.append(
    'account-2',
    newEvents([credit], cause, randomness),
    EMPTY_STREAM,
  )
  return { stream: 'account-2', ...head, position }
}

const optionsOf = (store: EventStore, { table, places }: Database) => ({
  store,
  table,
  places,
  clock,
  randomness,
})

describe.each([
  ['the embedded log', embeddedLog],
  ['EventStoreDB', eventStoreDbLog],
])('given %s', (_, openLog) => {
  let store: EventStore
  let database: Database
  beforeEach(async () => {
    store = await openLog()
    database = await openDatabase()
  })

  test('and a new database, when both are started twice, then they are one pair, under the log’s identity', async () => {
    const first = await pairUp(optionsOf(store, database))
    expect(await pairUp(optionsOf(store, database))).toEqual(first)
    const [opened] = await Array.fromAsync(store.readStream(TIMELINE_STREAM))
    expect(await database.table.read()).toEqual({
      log: currentTimeline(first).log,
      seen: {
        stream: TIMELINE_STREAM,
        revision: 0,
        hash: opened?.metadata.hash,
        position: opened?.position,
      },
    })
    expect(first).toHaveLength(1)
  })

  test('and a start cut off before the log had its identity, when started again, then it gets the noted one', async () => {
    const log = logId(randomness.uuid())
    await database.table.begin(log)
    expect(currentTimeline(await pairUp(optionsOf(store, database))).log).toBe(log)
  })

  test('when an empty log stands in its place at the next start, then that is refused and gets no identity', async () => {
    await pairUp(optionsOf(store, database))
    const empty = await openLog()
    await expect(pairUp(optionsOf(empty, database))).rejects.toThrow(/EVENTSTORE_URL is empty/)
    expect(await readTimelines(empty)).toEqual([])
  })

  test('when its first start loses the connection to an empty log, then that log gets no identity', async () => {
    const empty = await openLog()
    let present = store
    const lossy: EventStore = {
      ...store,
      readStream: (...args) => present.readStream(...args),
      append(...args) {
        if (present === empty) return empty.append(...args)
        present = empty
        return Promise.reject(new StoreUnavailable('the connection is lost', 'unknown'))
      },
    }
    const starting = pairUp({ ...optionsOf(store, database), store: lossy })
    await expect(starting).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await readTimelines(empty)).toEqual([])
  })

  test('when an empty log takes its place while a process starts, then that gets no identity', async () => {
    await pairUp(optionsOf(store, database))
    const empty = await openLog()
    let reads = 0
    const readStream: EventStore['readStream'] = (...args) =>
      (reads++ < 2 ? store : empty).readStream(...args)
    await pairUp({ ...optionsOf(store, database), store: { ...empty, readStream } })
    expect(await readTimelines(empty)).toEqual([])
  })

  test('read at a node behind, when a rollback is accepted, then the database follows the new timeline', async () => {
    await database.register()
    await pairUp(optionsOf(store, database))
    const before = await Array.fromAsync(store.readStream(TIMELINE_STREAM))
    async function* readStream(...[stream, options]: Parameters<EventStore['readStream']>) {
      yield* stream === TIMELINE_STREAM ? before : store.readStream(stream, options)
    }
    const writer = { store: { ...store, readStream }, clock, randomness }
    await acceptRollback(writer, database.db, ELSEWHERE)
    const newest = (await readTimelines(store)).at(-1)
    expect(newest?.cause).toBe('accept-rollback')
    expect((await database.table.read())?.log).toBe(newest?.log)
  })

  test('that is in use, when an empty database is put beside it, then both are named and nothing is written', async () => {
    await database.register()
    const { log } = currentTimeline(await pairUp(optionsOf(store, database)))
    await use(store)
    const empty = await openDatabase()
    await expect(pairUp(optionsOf(store, empty))).rejects.toMatchObject({
      code: 'LOG_MISMATCH',
      message: expect.stringMatching(
        new RegExp(`database at DATABASE_URL is new.*EVENTSTORE_URL \\(${log}\\) is in use`),
      ) as string,
    })
    const writer = { store, clock, randomness }
    await expect(acceptRollback(writer, empty.db, ELSEWHERE)).rejects.toThrow(/is new/)
    expect(await empty.table.read()).toBeNull()
    expect(await readTimelines(store)).toHaveLength(1)
  })

  test('that is in use, when a database from before pairs is started on it, then it is taken for its own', async () => {
    await database.register()
    const { log } = currentTimeline(await pairUp(optionsOf(store, database)))
    await use(store)
    await database.pool.query('delete from ledger.pair')
    await pairUp(optionsOf(store, database))
    expect((await database.table.read())?.log).toBe(log)
    // One that has driven work under another log is not.
    await database.pool.query('delete from ledger.pair')
    await database.pool.query(
      `insert into process_manager.checkpoint (position, log) values (0, gen_random_uuid())`,
    )
    await expect(pairUp(optionsOf(store, database))).rejects.toThrow(/goes with the event log/)
  })

  test('and a database of another log, when started, then both identities are named', async () => {
    const own = currentTimeline(await pairUp(optionsOf(await openLog(), database))).log
    const other = await openDatabase()
    const { log } = currentTimeline(await pairUp(optionsOf(store, other)))
    await expect(pairUp(optionsOf(store, database))).rejects.toThrow(
      new RegExp(`goes with the event log ${own}, and .* is ${log}[^]*EVENTSTORE_URL`),
    )
  })

  test('that is empty, when a database is started on it that has seen events elsewhere, then it is refused', async () => {
    const used = await openLog()
    const { log } = currentTimeline(await pairUp(optionsOf(used, database)))
    await database.table.note(log, await use(used))
    await expect(pairUp(optionsOf(store, database))).rejects.toThrow(/EVENTSTORE_URL is empty/)
    expect(await readTimelines(store)).toEqual([])
  })

  test('that is empty, when a first start stands still while its own log is used, then nothing is written', async () => {
    let sleptMs = 0
    let reads = 0
    async function* readStream(
      ...args: Parameters<EventStore['readStream']>
    ): ReturnType<EventStore['readStream']> {
      // The first two compare a new database, and one that has a log to begin.
      if (args[0] === TIMELINE_STREAM && ++reads === 3) {
        const own = await database.table.read()
        if (own !== null) await database.table.note(own.log, await use(await openLog()))
        sleptMs = 60_000
      }
      yield* store.readStream(...args)
    }
    const halting = { ...clock, monotonicMs: () => clock.monotonicMs() + sleptMs }
    const options = { ...optionsOf({ ...store, readStream }, database), clock: halting }
    await expect(pairUp(options)).rejects.toThrow(/EVENTSTORE_URL is empty/)
    expect(await readTimelines(store)).toEqual([])
  })

  test('that has lost what was seen of it, when started, then it is refused until the rollback is accepted', async () => {
    await database.register()
    const { log } = currentTimeline(await pairUp(optionsOf(store, database)))
    const seen = await use(store)
    await database.table.note(log, seen)
    await pairUp(optionsOf(store, database))
    await database.table.note(log, { ...seen, revision: 7, position: seen.position + 1 })
    await expect(pairUp(optionsOf(store, database))).rejects.toThrow(
      /is older than .* account-2 revision 7, .* accept-rollback/s,
    )
    await acceptRollback({ store, clock, randomness }, database.db, ELSEWHERE)
    expect(await pairUp(optionsOf(store, database))).toHaveLength(2)
  })

  test('that was accepted with one database, when an earlier one is started, then it is told since when', async () => {
    await database.register()
    await pairUp(optionsOf(store, database))
    await use(store)
    const copy = await openDatabase()
    await copy.becomeCopyOf(database)
    await acceptRollback({ store, clock, randomness }, database.db, ELSEWHERE)
    await expect(pairUp(optionsOf(store, copy))).rejects.toThrow(
      /goes by .* since .* \(accept-rollback\), of which this database knows nothing/,
    )
    await pairUp(optionsOf(store, database))
  })

  test('that is accepted while a process starts, when its last step is late, then the process waits for it', async () => {
    await database.register()
    await pairUp(optionsOf(store, database))
    await use(store)
    const { log } = currentTimeline(
      await openTimeline({ store, clock, randomness }, 'accept-rollback'),
    )
    const asLastStepComes = { ...clock, sleep: () => database.table.pairWith(log) }
    const started = await pairUp({ ...optionsOf(store, database), clock: asLastStepComes })
    expect(currentTimeline(started).log).toBe(log)
  })

  test('claimed by a database whose process lives, when its copy claims it, then the copy is refused', async () => {
    const owner = optionsOf(store, database)
    await pairUp(owner)
    await claimLog(owner)
    const copy = await openDatabase()
    await copy.becomeCopyOf(database)
    const asOwnerLooks = { ...clock, sleep: async () => void (await objectToClaims(owner)) }
    const claiming = { ...optionsOf(store, copy), clock: asOwnerLooks }
    await expect(claimLog(claiming)).rejects.toThrow(/goes with another database/)
    await checkClaims(owner)
    // The next time it is known at once.
    await expect(checkClaims(optionsOf(store, copy))).rejects.toThrow(/goes with another database/)
    // Another process of the same database is no stranger.
    await claimLog(owner)
  })

  test('claimed by a database whose process hangs, when its copy claims it, then the copy has it', async () => {
    const owner = optionsOf(store, database)
    await pairUp(owner)
    await claimLog(owner)
    const copy = await openDatabase()
    await copy.becomeCopyOf(database)
    await claimLog(optionsOf(store, copy))
    await expect(objectToClaims(owner)).rejects.toThrow(/goes with another database/)
    await expect(checkClaims(owner)).rejects.toThrow(/goes with another database/)
    expect(await objectToClaims(optionsOf(store, copy))).toBe(0)
    await database.register()
    await acceptRollback({ store, clock, randomness }, database.db, ELSEWHERE)
    await checkClaims(owner)
    await expect(checkClaims(optionsOf(store, copy))).rejects.toThrow(/accept-rollback/)
  })

  test('when processes of one database claim it at the same time, then all have it', async () => {
    const owner = optionsOf(store, database)
    await pairUp(owner)
    await Promise.all([1, 2, 3].map(() => claimLog(owner)))
    await Promise.all([1, 2, 3].map(() => claimLog(owner)))
    await checkClaims(owner)
    const ofClaims = await Array.fromAsync(store.readStream(LOG_CLAIMS_STREAM))
    const times = ofClaims.map(({ data }) => data.at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })
})

test('given a log in the database itself, when it has accounts and no users, then it is a pair', async () => {
  const database = await openDatabase({ ...ELSEWHERE, isLogInDatabase: true })
  const { pool, url } = database
  const store = openPostgresEventStore({
    pool,
    databaseUrl: url,
    logger: silent,
    clock: systemClock,
  })
  closings.push(() => store.close())
  await use(store)
  expect(await pairUp(optionsOf(store, database))).toHaveLength(1)
})
