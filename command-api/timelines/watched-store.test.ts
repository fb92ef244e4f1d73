import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { LOG_START } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { createMigratedDatabase } from '@tollgate/tests/support/engines/database.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newEvents } from '../aggregates/cause.ts'
import { LogWatch } from './log-watch.ts'
import { ensureTimelines } from './timelines.ts'
import { watchedStore } from './watched-store.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
/** Seconds pass at once. */
const clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 100,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 100, signal),
}
const closings: (() => Promise<unknown>)[] = []

let ours: EventStore
let other: EventStore
/** The store that answers at the address of the log. */
let present: EventStore
let watch: LogWatch
let watched: EventStore

beforeEach(async () => {
  ours = await openLog(1)
  other = await openLog(3)
  present = ours
  const [first, ...others] = await ensureTimelines({
    store: ours,
    clock,
    randomness: systemRandomness,
  })
  const store: EventStore = {
    ...ours,
    readStream: (...args) => present.readStream(...args),
    readAll: (...args) => present.readAll(...args),
    newestAt: (...args) => present.newestAt(...args),
    append: (...args) => present.append(...args),
    // Over a lost connection it goes on by itself, with whatever answers then.
    async *subscribeAll(after, filter, signal) {
      let at = after
      while (!signal.aborted) {
        const from = present
        for await (const batch of from.subscribeAll(at, filter, signal)) {
          yield batch
          at = batch.position
          if (present !== from) break
        }
      }
    },
  }
  watch = new LogWatch({
    store,
    clock,
    timelines: [first, ...others],
    onChange: () => undefined,
  })
  watched = watchedStore(store, watch)
})
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
})

/** A log with an identity, and an account with so many events. */
async function openLog(events: number): Promise<EventStore> {
  const database = await createMigratedDatabase()
  const { pool, url } = database
  closings.push(() => database.drop())
  const store = openPostgresEventStore({ pool, databaseUrl: url, logger: silent, clock })
  closings.push(() => store.close())
  await ensureTimelines({ store, clock, randomness: systemRandomness })
  for (let i = 0; i < events; i++) await credit(store)
  return store
}

async function credit(store: EventStore): Promise<void> {
  const events = await Array.fromAsync(store.readStream('account-1'))
  const head = headOf(events.at(-1))
  const data = { at: 1, amount: 1, source: 'grant', reason: '' }
  await store.append(
    'account-1',
    newEvents([{ type: 'QuotaCredited', data }], cause, systemRandomness),
    head,
  )
}

const headOf = (event: RecordedEvent | undefined) =>
  event === undefined ? EMPTY_STREAM : { revision: event.revision, hash: event.metadata.hash }

test('given another log in place of ours, when it is read, then it is refused and ours is not blamed', async () => {
  await Array.fromAsync(watched.readStream('account-1'))
  const { seen } = watch
  expect(seen).toMatchObject({ stream: 'account-1', revision: 0 })
  present = other
  watch.suspect()
  const reads = [
    () => Array.fromAsync(watched.readStream('account-1')),
    () => watched.readAll(LOG_START, 'all', 10),
    () => watched.newestAt(1),
  ]
  for (const read of reads) await expect(read()).rejects.toBeInstanceOf(StoreUnavailable)
  expect(watch.seen).toEqual(seen)
  present = ours
  await watch.check()
  for (const read of reads) await read()
})

test('given a follower, when another log stands in for ours for a while, then it gets ours alone, once', async () => {
  const got: string[] = []
  const stopping = new AbortController()
  const following = (async () => {
    const filter = { streamPrefixes: ['account-'] }
    for await (const { events } of watched.subscribeAll(LOG_START, filter, stopping.signal)) {
      got.push(...events.map(({ id }) => id))
    }
  })()
  await until('the first event is there', () => got.length === 1)
  present = other
  watch.suspect()
  await credit(ours)
  await credit(other)
  await until('it is noticed', async () => {
    await watch.check()
    return watch.readinessProblem() !== null
  })
  present = ours
  await watch.check()
  await credit(ours)
  await until('what was missed is there', () => got.length >= 3)
  stopping.abort()
  await following
  const ids = (await Array.fromAsync(ours.readStream('account-1'))).map(({ id }) => id)
  expect(got).toEqual(ids)
})

test('given a comparison under way, when another log answers after a lost connection, then it is refused', async () => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>()
  let isHeld = false
  const held: EventStore = {
    ...ours,
    async *readStream(...args) {
      yield* ours.readStream(...args)
      isHeld = true
      await goOn
    },
  }
  present = held
  const checking = watch.check()
  await until('the log was read', () => isHeld)
  present = other
  watch.suspect()
  resolve()
  await checking
  expect(watch.readinessProblem()).toMatch(/does not know timeline/)
})
