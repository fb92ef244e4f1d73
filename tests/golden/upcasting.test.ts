import { LOG_START, type NewEvent, type RecordedEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import type { AuditableEventStore } from '@tollgate/infra/event-store/auditable-store.ts'
import { verifyStream } from '@tollgate/infra/event-store/chain.ts'
import { createUpcasters } from '@tollgate/infra/event-store/upcasters.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, takeUntil } from '../contract/events.ts'
import { type ContractServer, eventStoreDbServer, postgresServer } from '../contract/servers.ts'

type Data = NewEvent['data']
const dataOf = (data: Data & Readonly<Record<string, unknown>>): Data => data

/** A history that no event of Tollgate has gone through (yet): a field that came, then one that was renamed. */
const upcasters = createUpcasters([
  {
    type: 'QuotaCredited',
    fromVersion: 1,
    upcast: (data) => dataOf({ ...data, source: 'grant' }),
  },
  {
    type: 'QuotaCredited',
    fromVersion: 2,
    upcast(data) {
      const { amount, ...rest } = data as Data & { readonly amount: number }
      return dataOf({ ...rest, quota: amount })
    },
  },
])

const creditedOf = (schemaVersion: number, data: Readonly<Record<string, unknown>>): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'QuotaCredited',
  data: dataOf({ at: 1, ...data }),
  metadata: { actor: 'system', correlationId: 'upcasting', causationId: null, schemaVersion },
})

const VERSIONS = [
  creditedOf(1, { amount: 10 }),
  creditedOf(2, { amount: 20, source: 'top-up' }),
  creditedOf(3, { quota: 30, source: 'refund' }),
  // Written by a Tollgate newer than this one.
  creditedOf(4, { quota: 40, source: 'refund', reason: 'x' }),
]
const LIFTED = [
  [3, { at: 1, quota: 10, source: 'grant' }],
  [3, { at: 1, quota: 20, source: 'top-up' }],
  [3, { at: 1, quota: 30, source: 'refund' }],
  [4, { at: 1, quota: 40, source: 'refund', reason: 'x' }],
]
const liftedOf = (events: readonly RecordedEvent[]) =>
  events.map(({ metadata, data }) => [metadata.schemaVersion, data])

describe.each([
  { engine: 'PostgreSQL', start: postgresServer },
  { engine: 'EventStoreDB', start: eventStoreDbServer },
])('old versions in a log of $engine', ({ start }) => {
  const stream = `upcasting${crypto.randomUUID().slice(0, 8)}-1`
  const filter = { streamPrefixes: [stream] }
  let server: ContractServer
  let store: AuditableEventStore

  beforeAll(async () => {
    server = await start()
    const older = server.openStore()
    await older.append(stream, VERSIONS, EMPTY_STREAM)
    await older.close()
    store = server.openStore(upcasters)
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  test('given events of every version, when their stream is read, then all are lifted to the newest', async () => {
    expect(liftedOf(await collect(store.readStream(stream)))).toEqual(LIFTED)
    const backwards = await collect(store.readStream(stream, { direction: 'backwards' }))
    expect(liftedOf(backwards)).toEqual(LIFTED.toReversed())
  })

  test('given events of every version, when the log is read, then all are lifted to the newest', async () => {
    expect(liftedOf(await store.readAll(LOG_START, filter, 10))).toEqual(LIFTED)
  })

  test('given events of every version, when read bare where possible, then all are upcast', async () => {
    if (store.readBare === undefined) return
    const bare = { streamPrefixes: [stream], types: ['QuotaCredited'] }
    const events = await store.readBare(LOG_START, bare, 10)
    expect(events.map(({ data }) => data)).toEqual(LIFTED.map(([, data]) => data))
  })

  test('given events of every version, when the log is followed, then all are lifted to the newest', async () => {
    const ending = new AbortController()
    const batches = store.subscribeAll(LOG_START, filter, ending.signal)
    const events = await takeUntil(batches, (so) => so.length === VERSIONS.length)
    ending.abort()
    expect(liftedOf(events)).toEqual(LIFTED)
  })

  test('given lifted events, when the stored bytes are checked, then the chain is whole and goes on', async () => {
    const [newest] = await collect(store.readStream(stream, { direction: 'backwards', limit: 1 }))
    const head = { revision: newest?.revision ?? -1, hash: newest?.metadata.hash ?? '' }
    await store.append(stream, [creditedOf(3, { quota: 50, source: 'grant' })], head)
    const report = await verifyStream(store.readStoredStream(stream))
    expect(report).toMatchObject({ events: VERSIONS.length + 1, firstBreak: null })
  })
})
