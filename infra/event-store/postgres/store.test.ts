import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BareEvent, NewEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM, type StreamHead } from '@tollgate/domain/ports/event-store.ts'
import { systemClock } from '../../processes/runtime.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import type { AuditableEventStore, LogHealth } from '../auditable-store.ts'
import { verifyStream } from '../chain.ts'
import { createUpcasters } from '../upcasters.ts'
import { openPostgresEventStore } from './store.ts'

const clock = { ...systemClock, now: () => 1_700_000_000_123 }
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

let database: TestDatabase
const stores: AuditableEventStore[] = []

function openStore(pollMs = 60_000): AuditableEventStore & LogHealth {
  const store = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger: silent,
    clock,
    pollMs,
  })
  stores.push(store)
  return store
}

const newEvent = (amount: number): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'Counted',
  data: { at: 1, amount } as NewEvent['data'],
  metadata: { actor: 'system', correlationId: 'c', causationId: null, schemaVersion: 1 },
})

let streams = 0
const newStream = (): string => `account-${(streams += 1)}`

beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await database.drop()
})

describe('the log in PostgreSQL', () => {
  test('given two processes that append at once, when both are done, then no position or chain has a gap', async () => {
    const first = openStore()
    const second = openStore()
    const before = await first.headPosition()
    const names = Array.from({ length: 40 }, newStream)
    const appendTen = async (stream: string, index: number): Promise<void> => {
      let head: StreamHead = EMPTY_STREAM
      for (let round = 0; round < 10; round += 1) {
        const store = (index + round) % 2 === 0 ? first : second
        ;({ head } = await store.append(stream, [newEvent(round), newEvent(round)], head))
      }
    }
    await Promise.all(names.map(appendTen))

    const events = await first.readAll(before, 'all', 10_000)
    expect(events.map((event) => event.position)).toEqual(
      Array.from({ length: 800 }, (_, index) => before + 1 + index),
    )
    for (const name of names) {
      const report = await verifyStream(second.readStoredStream(name))
      expect(report).toMatchObject({ events: 20, firstBreak: null })
    }
  })

  test('given events of some kilobytes, when appended, then PostgreSQL keeps them uncompressed', async () => {
    const stream = newStream()
    const event = { ...newEvent(1), data: { at: 1, text: 'as it is '.repeat(700) } }
    await openStore().append(stream, [event], EMPTY_STREAM)
    const { rows } = await database.pool.query(
      `select length(data) > 6000 as is_long, pg_column_compression(data) as compression
       from ledger.events where stream = $1`,
      [stream],
    )
    expect(rows).toEqual([{ is_long: true, compression: null }])
  })

  test('given many events, when only the newest is wanted, then it is found and all before it is passed', async () => {
    const store = openStore()
    const before = await store.headPosition()
    const stream = newStream()
    let head: StreamHead = EMPTY_STREAM
    for (let round = 0; round < 26; round += 1) {
      const events = Array.from({ length: 400 }, (_, index) => newEvent(index))
      ;({ head } = await store.append(stream, events, head))
    }
    const { position } = await store.append(stream, [{ ...newEvent(7), type: 'Other' }], head)
    const wanted = { streamPrefixes: ['account-'], exceptTypes: ['Counted'] }
    const found = await store.readAll(before, wanted, 5)
    expect(found.map((event) => event.position)).toEqual([position])
    const bare = await store.readBare?.(
      before,
      { streamPrefixes: ['account-'], types: ['Other'] },
      5,
    )
    expect(bare?.map((event) => event.position)).toEqual([position])
    const stop = new AbortController()
    const batches: number[] = []
    for await (const batch of store.subscribeAll(before, wanted, stop.signal)) {
      batches.push(batch.position)
      expect(batch.caughtUp).toBe(batch.position === position)
      expect(batch.events.length).toBe(batch.caughtUp ? 1 : 0)
      if (batch.caughtUp) stop.abort()
    }
    expect(batches.length).toBe(2)
  })

  test('given another process that appends, when a subscriber waits, then it is woken before it would poll', async () => {
    const writer = openStore()
    const reader = openStore()
    const stop = new AbortController()
    const live = reader.subscribeAll(await reader.headPosition(), 'all', stop.signal)
    const batches = live[Symbol.asyncIterator]()
    expect(await batches.next()).toMatchObject({ value: { events: [], caughtUp: true } })
    const stream = newStream()
    const next = batches.next()
    await writer.append(stream, [newEvent(1)], EMPTY_STREAM)
    expect(await next).toMatchObject({
      value: { events: [{ stream, recordedAt: 1_700_000_000_123 }] },
    })
    stop.abort()
    expect(await batches.next()).toMatchObject({ done: true })
  })

  test('given the end of a stream with another hash, when appending behind it, then it is a conflict', async () => {
    const store = openStore()
    const stream = newStream()
    const { head } = await store.append(stream, [newEvent(1)], EMPTY_STREAM)
    await expect(
      store.append(stream, [newEvent(2)], { revision: head.revision, hash: 'f'.repeat(64) }),
    ).rejects.toMatchObject({ code: 'REVISION_CONFLICT', actual: 0 })
  })

  test('given a log asked to prove writing, when read, then nothing was added, and a full disk is told', async () => {
    const store = openStore()
    const before = await store.headPosition()
    for (let time = 0; time < 3; time++) await store.proveWrite()
    expect(await store.headPosition()).toBe(before)
    const { rows } = await database.pool.query('select count(*) as rows from ledger.write_probe')
    expect(rows).toEqual([{ rows: 1 }])

    await database.pool.query(`create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'no space' using errcode = '53100'; end $$;
      create trigger full_disk before insert on ledger.events for each statement execute function full_disk()`)
    await expect(store.append(newStream(), [newEvent(1)], EMPTY_STREAM)).rejects.toThrow('no space')
    expect(store.appendProblem()).toBe('the event log takes no writes')
    await database.pool.query('drop trigger full_disk on ledger.events')
    await store.append(newStream(), [newEvent(1)], EMPTY_STREAM)
    expect(store.appendProblem()).toBeNull()
  })

  test('given appends that leave together, when the server refuses one, then it alone fails', async () => {
    const store = openStore()
    await database.pool.query(
      `alter table ledger.events add constraint no_stream_of_this_name check (stream <> 'account-refused')`,
    )
    const fine = Array.from({ length: 20 }, newStream)
    const names = fine.toSpliced(13, 0, 'account-refused')
    const outcomes = await Promise.allSettled(
      names.map((name) => store.append(name, [newEvent(1)], EMPTY_STREAM)),
    )
    await database.pool.query('alter table ledger.events drop constraint no_stream_of_this_name')
    const failed = outcomes.flatMap((outcome, at) =>
      outcome.status === 'rejected' ? [[names[at], outcome.reason.code]] : [],
    )
    expect(failed).toEqual([['account-refused', 'APPEND_REFUSED']])
    expect(store.appendProblem()).toBeNull()
    for (const stream of fine) {
      expect((await verifyStream(store.readStoredStream(stream))).events).toBe(1)
    }
  })

  test('given stored events, when somebody changes or removes them in SQL, then the database refuses', async () => {
    const store = openStore()
    await store.append(newStream(), [newEvent(1)], EMPTY_STREAM)
    for (const sql of [
      "update ledger.events set data = '{}'",
      'delete from ledger.events',
      'truncate ledger.events',
    ]) {
      await expect(database.pool.query(sql)).rejects.toThrow('events are never changed or removed')
    }
  })
})

test('given a store that is closed while its listener still connects, when closing, then it ends', async () => {
  for (let round = 0; round < 30; round += 1) {
    const store = openStore()
    stores.pop()
    if (round % 3 === 1) await new Promise((resolve) => setImmediate(resolve))
    if (round % 3 === 2) await store.headPosition()
    await store.close()
  }
  const { rows } = await database.pool.query(
    "select from pg_stat_activity where application_name = 'tollgate-ledger-listen' and datname = current_database()",
  )
  expect(rows.length).toBeLessThanOrEqual(stores.length)
})

test('given several streams and types, when the log is read bare, then it equals readAll, upcast', async () => {
  const upcasters = createUpcasters([
    { type: 'Counted', fromVersion: 1, upcast: (data) => ({ ...data, source: 'grant' }) },
  ])
  const store = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger: silent,
    clock,
    upcasters,
  })
  stores.push(store)
  const before = await store.headPosition()
  const odd: NewEvent = {
    ...newEvent(1),
    data: { at: 1, reason: '"schemaVersion":7 \u00e9' } as NewEvent['data'],
    metadata: { ...newEvent(1).metadata, correlationId: '"schemaVersion":8' },
  }
  await store.append(newStream(), [newEvent(1), odd], EMPTY_STREAM)
  await store.append(`user-${newStream()}`, [newEvent(2)], EMPTY_STREAM)
  await store.append(newStream(), [{ ...newEvent(3), type: 'Other' }], EMPTY_STREAM)

  const streamPrefixes = ['channel-', 'account-']
  const all = await store.readAll(before, { streamPrefixes }, 100)
  const bare = await store.readBare?.(before, { streamPrefixes, types: ['Counted'] }, 100)
  expect(all).toHaveLength(3)
  expect(bare?.map(withoutRest)).toEqual(
    all.filter(({ type }) => type === 'Counted').map(withoutRest),
  )
  expect(bare?.[1]?.data).toEqual({ ...odd.data, source: 'grant' })
  expect(await store.readBare?.(before, { streamPrefixes, types: ['Counted'] }, 1)).toHaveLength(1)
})

const withoutRest = ({ id, type, stream, revision, position, data, metadata }: BareEvent) => ({
  id,
  type,
  stream,
  revision,
  position,
  data,
  actor: metadata.actor,
})
