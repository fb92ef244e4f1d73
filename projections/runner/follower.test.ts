import type { DomainEvent, Position } from '@tollgate/domain/event.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIfMissing, ensureCheckpointTable, readCheckpoint } from './checkpoints.ts'
import { deliverBatch } from './delivery.ts'
import { type Follower, openFollower, type LogRange } from './follower.ts'
import { liveCopy, type Projector } from './projector.ts'
import { rebuild } from './rebuild.ts'
import { waitForCheckpoints } from './runner.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await log.close()
})

const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }
/** An event in a stream that a counter of accounts looks through, but of no type of its own. */
const foreign: DomainEvent = { type: 'SomethingElse', data: { at: 1 } }
const FAR_MS = 10_000
const { signal } = new AbortController()

const accountCounter = (name: string): Projector<'AccountOpened'> => ({
  name,
  version: 1,
  streamPrefixes: ['account-'],
  eventTypes: ['AccountOpened'],
  tables: 'create table counter (accounts int not null); insert into counter values (0)',
  indexes: '',
  comparison:
    "select 'all' as key, jsonb_build_object('accounts', accounts) as figures from {counter}",
  async handle(batch, tx) {
    await tx.query('update {counter} set accounts = accounts + $1', [batch.length])
  },
})

const accountsIn = async (schema: string): Promise<number | undefined> =>
  (await log.pool.query<{ accounts: number }>(`select accounts from ${schema}.counter`)).rows[0]
    ?.accounts
const storedPosition = async (name: string): Promise<Position | undefined> =>
  (await readCheckpoint(log.pool, liveCopy(name)))?.position

/** Puts another copy in place, as a rebuild or a restored backup would. */
const putInPlace = async (name: string, position: Position, accounts: number): Promise<unknown> =>
  log.pool.query(
    `begin; update ${name}.counter set accounts = ${accounts};
     update projections.checkpoints set position = ${position} where name = '${name}'; commit`,
  )

async function openCounter(name: string): Promise<Follower> {
  const projector = accountCounter(name)
  const copy = liveCopy(name)
  await ensureCheckpointTable(log.pool)
  await createIfMissing(log.pool, projector, copy, 'tables and indexes')
  const { pool } = log
  const onChange = (): void => undefined
  const position = -1
  return openFollower({
    projector,
    copy,
    position,
    store: log.store,
    pool,
    clock: testClock,
    logger: silentLogger,
    onChange,
  })
}

async function range(after: Position, upTo: Position): Promise<LogRange> {
  const events = await log.store.readAll(after, 'all', 100)
  return { events: events.filter(({ position }) => position <= upTo), after, upTo }
}

/** A log of two accounts, two other events and a third account, followed up to before the last. */
async function followedCounter(): Promise<{
  readonly follower: Follower
  readonly at: readonly Position[]
}> {
  const at: Position[] = []
  for (const [index, event] of [opened, opened, foreign, foreign, opened].entries()) {
    at.push(await log.append(`account-${index}`, event))
  }
  const follower = await openCounter('counter')
  const [, second = -1, , last = -1] = at
  await follower.deliver(await range(-1, second), signal)
  await follower.deliver(await range(second, last), signal)
  expect(await storedPosition('counter')).toBe(second)
  expect(follower.status().position).toBe(last)
  return { follower, at }
}

test('given a copy behind the noted position, when written down, then all after its end is delivered anew', async () => {
  const { follower, at } = await followedCounter()
  const [first = -1, , , seen = -1, newest = -1] = at
  await putInPlace('counter', first, 1)
  expect(await follower.persist()).toBe('moved')
  expect(follower.status().position).toBe(first)
  // Read before it was known: between the copy's end and this stretch is an account.
  expect(await follower.deliver(await range(seen, newest), signal)).toBe('moved')
  expect(await deliverBatch(log.pool, [follower], await range(seen, newest), signal)).toBe('moved')
  expect(await accountsIn('counter')).toBe(1)
  expect(await follower.deliver(await range(first, newest), signal)).toBe('done')
  expect(await accountsIn('counter')).toBe(3)
})

test('given a copy between the noted and the seen position, when written down, then it goes on from there', async () => {
  const { follower, at } = await followedCounter()
  const [, , between = -1, seen = -1, newest = -1] = at
  await putInPlace('counter', between, 2)
  expect(await follower.persist()).toBe('done')
  expect(await storedPosition('counter')).toBe(seen)
  expect(await follower.deliver(await range(seen, newest), signal)).toBe('done')
  expect(await accountsIn('counter')).toBe(3)
})

test('given a copy beyond the seen position, when written down, then what it has is not applied twice', async () => {
  const { follower, at } = await followedCounter()
  const [, , , seen = -1, newest = -1] = at
  await putInPlace('counter', newest, 3)
  expect(await follower.persist()).toBe('done')
  expect(follower.status().position).toBe(newest)
  expect(await follower.deliver(await range(seen, newest), signal)).toBe('done')
  expect([await accountsIn('counter'), await storedPosition('counter')]).toEqual([3, newest])
})

test('given tables of another version, when the position is to be written down, then it gives way', async () => {
  const { follower, at } = await followedCounter()
  await log.pool.query('update projections.checkpoints set version = 2')
  expect(await follower.persist()).toBe('done')
  expect(follower.status().state).toBe('outdated')
  expect(await storedPosition('counter')).toBe(at[1])
})

test('given two read models, when a batch comes that the further one has seen, then that does not go back', async () => {
  const first = await log.append('account-1', opened)
  const second = await log.append('account-2', opened)
  const [further, behind] = [await openCounter('further'), await openCounter('behind')]
  await further.deliver(await range(-1, second), signal)
  const batch = await range(-1, first)
  expect(await deliverBatch(log.pool, [further, behind], batch, signal)).toBe('done')
  expect([await storedPosition('further'), await storedPosition('behind')]).toEqual([second, first])
  expect([await accountsIn('further'), await accountsIn('behind')]).toEqual([2, 1])
})

/** Rebuilds while others write: `event` is appended at each look for the log's end, the last with the follower held. */
async function rebuildUnder(name: string, event: DomainEvent): Promise<number> {
  let appended = 0
  const store = {
    ...log.store,
    async headPosition() {
      await log.append(`account-during-${(appended += 1)}`, event)
      return log.store.headPosition()
    },
  }
  const projector = accountCounter(name)
  await rebuild({ store, pool: log.pool, projector, clock: testClock, logger: silentLogger })
  return appended
}

test.each([
  ['none', foreign],
  ['some', opened],
])(
  'given a rebuild under writes of which %s concern it, when none follow, then it ends without a gap',
  async (_, during) => {
    const runner = log.runner([accountCounter('quiet'), accountCounter('other')])
    await runner.start()
    const before = await log.append('account-1', opened)
    expect(await runner.waitFor(['quiet', 'other'], before, FAR_MS)).toBe(true)
    const warn = vi.spyOn(silentLogger, 'warn')
    const appended = await rebuildUnder('quiet', during)
    const accounts = during === opened ? 1 + appended : 1
    for (let count = 0; count < 3; count += 1) {
      const last = await log.append(`account-2`, foreign)
      expect(await runner.waitFor(['quiet', 'other'], last, FAR_MS)).toBe(true)
      expect(
        await waitForCheckpoints(log.pool, testClock, {
          names: ['quiet', 'other'],
          position: last,
          timeoutMs: FAR_MS,
        }),
      ).toBe(true)
    }
    const own = await log.append('account-3', opened)
    expect(await runner.waitFor(['quiet', 'other'], own, FAR_MS)).toBe(true)
    expect([await accountsIn('quiet'), await accountsIn('other')]).toEqual([
      accounts + 1,
      accounts + 1,
    ])
    const said = warn.mock.calls as unknown as readonly (readonly unknown[])[]
    expect(said.filter(([, message]) => message !== UNKNOWN_SAID)).toEqual([])
  },
)
const UNKNOWN_SAID = 'events of an unknown type are skipped'

test('given an earlier copy put in place, when only other events follow, then what it lacks is applied', async () => {
  const runner = log.runner([accountCounter('counter')])
  await runner.start()
  const first = await log.append('account-1', opened)
  const second = await log.append('account-2', opened)
  expect(
    await waitForCheckpoints(log.pool, testClock, {
      names: ['counter'],
      position: second,
      timeoutMs: FAR_MS,
    }),
  ).toBe(true)
  await putInPlace('counter', first, 1)
  const last = await log.append('account-3', foreign)
  await until(
    'it has what the copy lacked',
    async () => (await accountsIn('counter')) === 2,
    FAR_MS,
  )
  expect(
    await waitForCheckpoints(log.pool, testClock, {
      names: ['counter'],
      position: last,
      timeoutMs: FAR_MS,
    }),
  ).toBe(true)
})
