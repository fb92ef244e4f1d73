import type { DomainEvent } from '@tollgate/domain/event.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import pLimit from 'p-limit'
import { Pool } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCheckpoints } from './checkpoints.ts'
import type { AnyProjector, Projector } from './projector.ts'
import {
  rebuild,
  REBUILD_CONNECTIONS,
  type RebuildOptions,
  SwapRefused,
  swapRefused,
} from './rebuild.ts'
import { replaceWhenBuilt } from './replacement.ts'
import { createProjectionRunner, waitForCheckpoints } from './runner.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }

/** Counts the opened accounts, from a number of its own; `column` is where. */
const counter = (version: number, from = 0, column = 'accounts'): Projector<'AccountOpened'> => ({
  name: 'counter',
  version,
  streamPrefixes: ['account-'],
  eventTypes: ['AccountOpened'],
  tables: `create table counter (${column} int not null); insert into counter values (${from})`,
  indexes: '',
  comparison: `select 'all' as key, jsonb_build_object('accounts', ${column}) as figures from {counter}`,
  async handle(batch, tx) {
    await tx.query(`update {counter} set ${column} = ${column} + $1`, [batch.length])
  },
})

const counted = async (): Promise<unknown> =>
  (await log.pool.query('select * from counter.counter')).rows[0]
const failureOf = async (name: string): Promise<string | null | undefined> =>
  (await readCheckpoints(log.pool)).find((row) => row.name === name)?.failure
const options = (
  projector: AnyProjector,
  onDifference?: RebuildOptions['onDifference'],
): RebuildOptions => ({
  store: log.store,
  pool: log.pool,
  projector,
  clock: testClock,
  logger: silentLogger,
  ...(onDifference === undefined ? {} : { onDifference }),
})
const reaches = (position: number): Promise<boolean> =>
  waitForCheckpoints(log.pool, testClock, { names: ['counter'], position, timeoutMs: 10_000 })

test('given a new version with the same figures, when the runner starts, then it is swapped in', async () => {
  await log.append('account-1', opened)
  await log.project([counter(1)])
  await log.append('account-2', opened)
  await log
    .runner([{ ...counter(2), tables: `${counter(2).tables}; create table more (id int)` }])
    .start()
  const last = await log.append('account-3', opened)
  expect(await reaches(last)).toBe(true)
  expect(await counted()).toEqual({ accounts: 3 })
  const { rows } = await log.pool.query(
    "select to_regclass('counter.more') as more, to_regclass('counter_next.counter') as next",
  )
  expect(rows).toEqual([{ more: 'counter.more', next: null }])
})

test('given more new versions than connections, when the runner starts, then it builds a few at a time', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `counter_${index}`)
  const ofVersion = (version: number): AnyProjector[] =>
    names.map((name) => ({ ...counter(version), name }))
  const last = await log.append('account-1', opened)
  await log.project(ofVersion(1))
  const rebuildPool = new Pool({
    connectionString: log.url,
    max: REBUILD_CONNECTIONS + 1,
    connectionTimeoutMillis: 2_000,
  })
  // Its end does not wait for the connections' ends: the removal of the database may end them first.
  rebuildPool.on('error', () => undefined)
  const failures: unknown[] = []
  const runner = createProjectionRunner({
    store: log.store,
    pool: log.pool,
    rebuildPool,
    projectors: ofVersion(2),
    shareWork: singletonLease(testClock),
    clock: testClock,
    logger: { ...silentLogger, error: (fields) => failures.push(fields) },
  })
  try {
    await runner.start()
    await until('all are of the new version', async () => {
      const checkpoints = await readCheckpoints(log.pool)
      return checkpoints.every(({ version, position }) => version === 2 && position === last)
    })
    expect(failures).toEqual([])
  } finally {
    await runner.stop()
    await rebuildPool.end()
  }
})

test('given a rebuild that waits its turn, when its right ends, then it waits no longer', async () => {
  await log.append('account-1', opened)
  await log.project([counter(1)])
  const limit = pLimit(1)
  const other = Promise.withResolvers<void>()
  void limit(() => other.promise)
  const stopping = new AbortController()
  const waiting = replaceWhenBuilt({ ...options(counter(2)), signal: stopping.signal, limit })
  await until('it waits', () => limit.pendingCount === 1)
  stopping.abort()
  expect(await waiting).toBeNull()
  other.resolve()
})

test('given a new version with other figures, when started, then the old one stays until accepted', async () => {
  const before = await log.append('account-1', opened)
  await log.project([counter(1)])
  const runner = log.runner([counter(2, 1_000)])
  await runner.start()
  await until(
    'the new copy waits',
    async () => typeof (await failureOf('counter/next')) === 'string',
    10_000,
  )
  expect(await failureOf('counter/next')).toContain(
    '1 key differs; all: {"accounts": 1} → {"accounts": 1001}',
  )
  expect(await counted()).toEqual({ accounts: 1 })
  expect(runner.status().projectors).toMatchObject([
    { name: 'counter', state: 'outdated', position: before },
  ])
  expect(await runner.waitFor(['counter'], before + 1, 5_000)).toBe(false)

  await log.append('account-2', opened)
  const report = await swapRefused({ ...options(counter(2, 1_000)), onDifference: 'swap' })
  expect(report.comparison?.differing).toBe(1)
  expect(await counted()).toEqual({ accounts: 1_002 })
  const last = await log.append('account-3', opened)
  expect(await reaches(last)).toBe(true)
  expect(await counted()).toEqual({ accounts: 1_003 })
  expect(runner.status().projectors).toMatchObject([{ state: 'following' }])
})

test('given a follower of the old version, when a newer one is swapped in, then it writes no more', async () => {
  const old = log.runner([counter(1)])
  await old.start()
  await log.append('account-1', opened)
  await rebuild(options(counter(2)))
  await log.append('account-2', opened)
  await until(
    'the old one gives way',
    () => old.status().projectors[0]?.state === 'outdated',
    10_000,
  )
  expect(await counted()).toEqual({ accounts: 1 })
})

test('given tables unfit for comparison, when a new version is rebuilt, then the refusal has the reason', async () => {
  await log.append('account-1', opened)
  await log.project([counter(1)])
  const refusal = await rebuild(options(counter(2, 0, 'number_of_accounts'))).catch(
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(SwapRefused)
  expect(refusal).toMatchObject({
    message: expect.stringContaining('column "number_of_accounts" does not exist') as string,
  })
  expect(await counted()).toEqual({ accounts: 1 })
})

test('given a damaged read model, when rebuilt, then it stays if strict, else it is mended and reported', async () => {
  await log.append('account-1', opened)
  await log.project([counter(1)])
  await log.pool.query('update counter.counter set accounts = 7')
  await expect(rebuild(options(counter(1), 'refuse'))).rejects.toThrow(
    '{"accounts": 7} → {"accounts": 1}',
  )
  expect(await counted()).toEqual({ accounts: 7 })
  const { comparison } = await rebuild(options(counter(1)))
  expect(comparison).toEqual({
    differing: 1,
    differences: [{ key: 'all', present: '{"accounts": 7}', rebuilt: '{"accounts": 1}' }],
  })
  expect(await counted()).toEqual({ accounts: 1 })
})

test('given a refused rebuild, when the next one begins at once, then it is not taken for under way', async () => {
  await log.append('account-1', opened)
  await log.project([counter(1)])
  await log.pool.query('update counter.counter set accounts = 7')
  const observer = await log.pool.connect()
  try {
    for (let round = 0; round < 5; round += 1) {
      await expect(rebuild(options(counter(1), 'refuse'))).rejects.toThrow(SwapRefused)
      const { rows } = await observer.query(
        `select classid from pg_locks join pg_database as d on d.oid = database
         where locktype = 'advisory' and classid = 7301003 and datname = current_database()`,
      )
      expect(rows).toEqual([])
    }
  } finally {
    observer.release()
  }
})

test.each([
  [
    'given another version',
    "update projections.checkpoints set version = 9 where name = 'counter/next'",
  ],
  ['begun anew', "update projections.checkpoints set position = -1 where name = 'counter/next'"],
] as const)(
  'given a copy that is %s by another process, when it ends, then the rebuild fails and swaps nothing',
  async (_, takenOver) => {
    for (const newest of [opened, { type: 'SomethingElse', data: { at: 1 } }] as const) {
      await log.append('account-1', opened)
      await log.project([counter(1)])
      const before = await counted()
      let looks = 0
      const store = {
        ...log.store,
        async headPosition() {
          looks += 1
          if (looks === 1) {
            await log.append('account-2', newest)
            await log.pool.query(takenOver)
          }
          return log.store.headPosition()
        },
      }
      await expect(rebuild({ ...options(counter(1)), store })).rejects.toThrow(/from outside/)
      expect(await counted()).toEqual(before)
    }
  },
)

test('given no copy that waits, when one is to be swapped in, then it fails and says what to do', async () => {
  await log.project([counter(1)])
  await expect(swapRefused({ ...options(counter(1)), onDifference: 'swap' })).rejects.toThrow(
    'rebuild it',
  )
})
