import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditMigrations } from '@tollgate/command-api/audit/schema.ts'
import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { headOfSeal, type LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import { type NotedSeals, notedSeals } from '@tollgate/infra/audit/noted-seals.ts'
import { formatVerifyReport } from '@tollgate/infra/audit/format-verify-report.ts'
import { verifyLog } from '@tollgate/infra/audit/verify-log.ts'
import { openEventStoreDb } from '@tollgate/infra/event-store/eventstoredb/store.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { migrate } from '@tollgate/infra/postgres/migrate.ts'
import { systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { balances } from '@tollgate/projections/balances/projector.ts'
import { readCheckpoints } from '@tollgate/projections/runner/checkpoints.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import { options } from '@tollgate/projections/options/projector.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startEventStoreDbDouble } from '../support/engines/eventstoredb-double/double.ts'
import { until } from '../support/processes.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '../support/projection-log.ts'

/** A log whose end is cut off, by a restore of an older state or by somebody with access to the engine. */

const MODELS = [balances, options]
const KEPT = 10
const CUT = 8
const NEW = 12

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const credited = (amount: number): DomainEvent =>
  ({ type: 'QuotaCredited', data: { at: 1, amount, source: 'grant', reason: '' } }) as DomainEvent

async function appendAll(store: EventStore, stream: string, count: number): Promise<void> {
  let head: StreamHead = EMPTY_STREAM
  for await (const event of store.readStream(stream, { direction: 'backwards', limit: 1 })) {
    head = { revision: event.revision, hash: event.metadata.hash }
  }
  for (let i = 0; i < count; i++) {
    const { type, data } = head.revision < 0 ? opened : credited(1)
    const metadata = {
      actor: 'system',
      correlationId: 'attack',
      causationId: null,
      schemaVersion: schemaVersionOf(type),
    } as const
    const appended = await store.append(
      stream,
      [{ id: crypto.randomUUID(), type, data, metadata }],
      head,
    )
    head = appended.head
  }
}
const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }

const problemsOf = (runner: ProjectionRunner): readonly string[] =>
  runner.status().projectors.flatMap(({ problem }) => (problem === null ? [] : [problem]))

const wallet = async (): Promise<number | undefined> =>
  (
    await log.pool.query<{ wallet: number }>(
      'select wallet from balances.accounts where user_id = 1',
    )
  ).rows[0]?.wallet

async function followed(store: EventStore): Promise<ProjectionRunner> {
  const runner = log.runner(MODELS, store)
  await runner.start()
  return runner
}

async function caughtUp(store: EventStore): Promise<void> {
  const runner = await followed(store)
  const names = MODELS.map(({ name }) => name)
  expect(await runner.waitFor(names, await store.headPosition(), 20_000)).toBe(true)
  await runner.stop()
}

/** PostgreSQL as its owner can cut it: past the guard of the log's table. */
async function cutPostgres(after: number): Promise<void> {
  await log.pool.query(`begin;
    alter table ledger.events disable trigger events_are_append_only;
    delete from ledger.events where position > ${after};
    update ledger.head set position = ${after};
    alter table ledger.events enable trigger events_are_append_only;
    commit`)
}

/** Every read model stops, says why, keeps its figures, and follows again once it was rebuilt. */
async function expectStopAndRebuild(store: EventStore, reason: RegExp): Promise<void> {
  const before = await wallet()
  const runner = await followed(store)
  const stoppedAll = (): boolean => {
    const { projectors } = runner.status()
    return (
      projectors.length === MODELS.length && projectors.every(({ state }) => state === 'stopped')
    )
  }
  await until('all read models have stopped', stoppedAll)
  for (const { problem } of runner.status().projectors) expect(problem).toMatch(reason)
  for (const { failure } of await readCheckpoints(log.pool)) expect(failure).toMatch(reason)
  expect(await runner.waitFor(['balances'], await store.headPosition(), 10)).toBe(false)
  expect(await wallet()).toBe(before)
  for (const projector of MODELS) {
    const { pool } = log
    await rebuild({ store, pool, projector, clock: testClock, logger: silentLogger })
  }
  await until('they follow again', () => problemsOf(runner).length === 0)
  const names = MODELS.map(({ name }) => name)
  expect(await runner.waitFor(names, await store.headPosition(), 20_000)).toBe(true)
  expect(await wallet()).toBe(KEPT - 1 + NEW)
  await runner.stop()
}

describe('given a log in PostgreSQL whose end is cut off', () => {
  /** That of a process started afterwards: one that ran on would remember its own appends, which are gone. */
  let store: EventStore
  beforeEach(async () => {
    await appendAll(log.store, 'account-1', KEPT + CUT)
    await caughtUp(log.store)
    await cutPostgres(KEPT - 1)
    store = openPostgresEventStore({
      pool: log.pool,
      databaseUrl: log.url,
      logger: silentLogger,
      clock: testClock,
    })
  })
  afterEach(() => store.close())

  test('when it is shorter than what read models have seen, then they say so and stop', async () => {
    const runner = await followed(store)
    await until('both have stopped', () => problemsOf(runner).length === 2)
    expect(problemsOf(runner).toSorted()[0]).toBe(
      'ahead of the event log: it has seen position 17, the log ends at 9; to build it from this log: npm run projections -- rebuild balances',
    )
    await runner.stop()
  })

  test('when it has grown past what read models have seen, then they stop all the same', async () => {
    await appendAll(store, 'account-1', NEW)
    await expectStopAndRebuild(store, /another event stands there/)
  })

  test('when checkpoints have no hashes, then one beyond the end stops, one within gets its hash', async () => {
    await log.pool.query('alter table projections.checkpoints drop column mark')
    const runner = await followed(store)
    await until('both have stopped', () => problemsOf(runner).length === 2)
    await runner.stop()
    await log.pool.query('alter table projections.checkpoints drop column mark')
    await log.pool.query(`update projections.checkpoints set position = ${KEPT - 1}`)
    await caughtUp(store)
    for (const { position, mark } of await readCheckpoints(log.pool)) {
      expect(position).toBe(KEPT - 1)
      expect(mark).toMatchObject({ stream: 'account-1', revision: KEPT - 1 })
    }
  })
})

test('given a log put back in EventStoreDB (double), when it has grown again, then read models stop', async () => {
  const [one, other] = await Promise.all([startEventStoreDbDouble(), startEventStoreDbDouble()])
  const [store, restored] = [one, other].map(({ connectionString }) =>
    openEventStoreDb({ connectionString, logger: silentLogger, clock: testClock }),
  )
  if (store === undefined || restored === undefined) throw new TypeError('two stores were opened')
  try {
    await appendAll(store, 'account-1', KEPT)
    // The same bytes at the same positions: what a backup brings back.
    for (const { stream, ...event } of one.log.records.slice(1))
      other.log.append(stream, 'any', [event])
    await appendAll(store, 'account-1', CUT)
    await caughtUp(store)
    await appendAll(restored, 'account-1', NEW)
    await expectStopAndRebuild(restored, /ahead of the event log/)
  } finally {
    await Promise.all([store.close(), restored.close()])
    await Promise.all([one.close(), other.close()])
  }
})

describe('given a sealed log whose end is cut off together with its seals', () => {
  const cause = { actor: 'system', correlationId: 'attack', causationId: null } as const
  const seal = async (): Promise<LedgerHead> => {
    const writer = { store: log.store, clock: testClock, randomness: systemRandomness }
    const { seal: newest } = await sealLedger(writer, cause)
    if (newest === null) throw new TypeError('nothing was sealed')
    return headOfSeal(newest)
  }
  let dataDir: string
  let noted: NotedSeals
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tollgate-seals-'))
    await migrate(log.pool, auditMigrations)
    noted = notedSeals(dataDir, log.pool)
    await appendAll(log.store, 'account-1', 3)
    await noted.note(await seal())
    await appendAll(log.store, 'account-1', 3)
    await noted.note(await seal())
    await appendAll(log.store, 'account-1', 2)
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  /** Past the first seal, and grown again with new seals. */
  async function cutAndGrow(): Promise<void> {
    await cutPostgres(3)
    await appendAll(log.store, 'account-1', 9)
    await seal()
  }

  test('when verified by itself, then it looks whole, and says how old its seal is and what is unsealed', async () => {
    await cutPostgres(3)
    await appendAll(log.store, 'account-1', 2)
    const report = await verifyLog(log.store)
    expect(report).toMatchObject({ firstBreak: null, unsealed: 2, newestSeal: { number: 1 } })
    const now = (report.newestSeal?.at ?? 0) + 5 * 3_600_000
    expect(formatVerifyReport(report, null, now)).toContain(
      'The newest seal (1) is 5 hours old and covers everything up to position 2; 2 events after it not sealed yet: a cut there',
    )
    await cutPostgres(2)
    expect(formatVerifyReport(await verifyLog(log.store), null, now)).toContain(
      'There is no seal: 3 events',
    )
  })

  test('when verified with the seals below DATA_DIR, then the cut shows, also after new growth', async () => {
    const heads = await noted.read()
    expect(heads.map(({ seal: number }) => number)).toEqual([1, 2])
    expect((await verifyLog(log.store, { noted: heads })).firstBreak).toBeNull()
    await cutPostgres(3)
    expect((await verifyLog(log.store, { noted: heads })).firstBreak).toMatchObject({
      expected: 'seal 2 over everything up to position 6, as noted outside of the log',
      found: '1 seals',
    })
    await cutAndGrow()
    expect((await verifyLog(log.store, { noted: heads })).firstBreak).toMatchObject({
      type: 'LedgerSealed',
      expected: expect.stringContaining('seal 2') as string,
    })
  })

  test('when a seal is noted again, or by another database, then neither counts', async () => {
    await noted.note(await seal())
    await notedSeals(dataDir, log.pool).note(await seal())
    expect((await noted.read()).map(({ seal: number }) => number)).toEqual([1, 2, 3])
    await log.pool.query('update audit.database set id = gen_random_uuid()')
    expect(await noted.read()).toEqual([])
  })
})

test('given a stream that is not of Tollgate, well chained and sealed, when verified, then it is reported', async () => {
  await appendAll(log.store, 'account-1', 3)
  await appendAll(log.store, 'bank-1', 2)
  const writer = { store: log.store, clock: testClock, randomness: systemRandomness }
  await sealLedger(writer, { actor: 'system', correlationId: 'attack', causationId: null })
  expect((await verifyLog(log.store)).firstBreak).toMatchObject({
    position: 3,
    stream: 'bank-1',
    expected: 'a stream of Tollgate, whose alone the log is',
    found: 'stream bank-1',
  })
})
