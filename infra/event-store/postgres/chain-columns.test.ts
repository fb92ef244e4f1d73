import type { NewEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { collect } from '@tollgate/tests/contract/events.ts'
import { CHAIN_STREAM, readChain } from '@tollgate/tests/golden/chain-file.ts'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyLog } from '../../audit/verify-log.ts'
import { migrate } from '../../postgres/migrate.ts'
import { systemClock as clock } from '../../processes/runtime.ts'
import type { AuditableEventStore } from '../auditable-store.ts'
import { chainEvents } from '../chain.ts'
import type { StoredEvent } from '../stored-event.ts'
import { postgresEventStoreMigrations as migrations } from './migrations.ts'
import { openPostgresEventStore } from './store.ts'

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
const COLUMNS_ADDED = migrations.findIndex(({ id }) => id === 'ledger-0005-chain-columns')

let database: TestDatabase
let store: AuditableEventStore
beforeEach(async () => {
  database = await createTestDatabase()
  const { pool, url } = database
  store = openPostgresEventStore({ pool, databaseUrl: url, logger, clock })
})
afterEach(async () => {
  await store.close()
  await database.drop()
})

const newEvent = (): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'AccountOpened',
  data: { at: 1 },
  metadata: { actor: 'system', correlationId: 'c', causationId: null, schemaVersion: 1 },
})

/** Both versions of the chain in one account, and a hundred accounts beside it. */
const before = async (): Promise<readonly StoredEvent[]> => {
  const beside = Array.from({ length: 100 }, (_, account) => {
    const stream = `account-${account + 100}`
    const { events } = chainEvents(stream, [newEvent(), newEvent()], EMPTY_STREAM)
    return events.map((event) => ({ ...event, stream, position: 0, recordedAt: 0 }))
  })
  return [...(await readChain()), ...beside.flat()]
}

/** Appends as a process of the version before the columns does. */
async function appendAsBefore(
  events: readonly StoredEvent[],
  { revision, hash } = EMPTY_STREAM,
): Promise<boolean> {
  const { rows } = await database.pool.query<{ is: boolean[] }>(
    `select are_accepted as is from ledger.append(array[$1], array[$2::int], array[$3],
      array_fill(1, array[$4::int]), $5, $6, $7, $8, $9, now())`,
    [
      events[0]?.stream,
      revision,
      hash,
      events.length,
      events.map((event) => event.revision),
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => event.dataText),
      events.map((event) => event.metadataText),
    ],
  )
  return rows[0]?.is[0] ?? false
}

async function writeBefore(): Promise<void> {
  await migrate(database.pool, migrations.slice(0, COLUMNS_ADDED))
  for (const events of Map.groupBy(await before(), ({ stream }) => stream).values()) {
    await appendAsBefore(events)
  }
}

const columnsOf = async (stream: string) =>
  (await collect(store.readStoredStream(stream))).map(({ columns }) => columns)

test('given a log from before the columns, when migrated, then the last event of each stream has them', async () => {
  await writeBefore()
  await migrate(database.pool, migrations)
  const events = await before()
  const hash = JSON.parse(events[5]?.metadataText ?? '').hash as string
  const none = { hash: null, chainVersion: null }
  expect(await columnsOf(CHAIN_STREAM)).toEqual([
    ...Array.from({ length: 5 }, () => none),
    { hash, chainVersion: 2 },
  ])
  const { rows } = await database.pool.query(
    'select revision, count(*)::int from ledger.events where hash is not null group by 1 order by 1',
  )
  expect(rows).toEqual([
    { revision: 1, count: 100 },
    { revision: 5, count: 1 },
  ])
})

test('given a log from before the columns, when migrated and gone on with, then it is whole', async () => {
  await writeBefore()
  await migrate(database.pool, migrations)
  const last = (await collect(store.readStoredStream('account-123'))).at(-1)
  const head = { revision: 1, hash: last?.columns?.hash ?? '' }
  await store.append('account-123', [newEvent(), newEvent()], head)
  expect(await verifyLog(store)).toMatchObject({ firstBreak: null, events: 208, streams: 101 })
})

test('given an end of version 1, when migrated, then its columns say version 1', async () => {
  await migrate(database.pool, migrations.slice(0, COLUMNS_ADDED))
  await appendAsBefore(await readChain(1))
  await migrate(database.pool, migrations)
  expect((await columnsOf(CHAIN_STREAM)).at(-1)).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    chainVersion: 1,
  })
  expect(await verifyLog(store)).toMatchObject({ firstBreak: null, events: 3 })
})

test('given an end of another client, when migrated, then its columns are empty', async () => {
  await migrate(database.pool, migrations.slice(0, COLUMNS_ADDED))
  const [event] = await readChain(1)
  if (event === undefined) throw new Error('no event')
  for (const [stream, metadataText] of [
    ['account-1', 'x'],
    ['account-2', ''],
    ['account-3', `{"hash":"${'g'.repeat(64)}"}`],
    ['account-4', `{"a":1,"hash":"abc"}`],
    ['account-5', `é,"hash":"${'A'.repeat(64)}"}`],
  ] as const) {
    await appendAsBefore([{ ...event, stream, metadataText }])
  }
  await migrate(database.pool, migrations)
  const { rows } = await database.pool.query(
    'select hash, chain_version from ledger.events group by 1, 2',
  )
  expect(rows).toEqual([{ hash: null, chain_version: null }])
})

test('given a migration stopped before the ends are filled, when it goes on, then the log is whole', async () => {
  await writeBefore()
  await migrate(database.pool, migrations.slice(0, COLUMNS_ADDED + 1))
  const [event] = chainEvents('account-500', [newEvent()], EMPTY_STREAM).events
  if (event === undefined) throw new Error('no event')
  const opened = { ...event, stream: 'account-500', position: 0, recordedAt: 0 }
  expect(await appendAsBefore([opened])).toBe(true)
  await migrate(database.pool, migrations)
  expect(await verifyLog(store)).toMatchObject({ firstBreak: null, events: 207 })
})

test('given a reader amid the filling, when the ends are filled, then reads answer and appends wait', async () => {
  await writeBefore()
  await migrate(database.pool, migrations.slice(0, COLUMNS_ADDED + 1))
  const filling = await database.pool.connect()
  let isAppended = false
  try {
    await filling.query('begin')
    await filling.query(migrations[COLUMNS_ADDED + 1]?.sql ?? '')
    expect(await store.readAll(-1, 'all', 1_000)).toHaveLength(206)
    const appending = appendAsBefore(await readChain(1)).then(() => (isAppended = true))
    await waitsForLock(filling)
    expect(isAppended).toBe(false)
    await filling.query('commit')
    await appending
  } finally {
    filling.release()
  }
})

async function waitsForLock(client: PoolClient): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await client.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows.length
    })
    .toBe(1)
}

test('given a process of the version before, when it appends, then its events have the columns', async () => {
  await migrate(database.pool, migrations)
  const chain = await readChain()
  expect(await appendAsBefore(chain.slice(0, 3))).toBe(true)
  const hash = JSON.parse(chain[2]?.metadataText ?? '').hash as string
  const [first] = chain.slice(3)
  if (first === undefined) throw new Error('no event')
  expect(await appendAsBefore([first], { revision: 2, hash: 'f'.repeat(64) })).toBe(false)
  expect(await appendAsBefore([first], { revision: 2, hash })).toBe(true)
  expect((await columnsOf(CHAIN_STREAM)).map((columns) => columns?.chainVersion)).toEqual([
    1, 1, 1, 2,
  ])
  expect(await verifyLog(store)).toMatchObject({ firstBreak: null, events: 4 })
})
