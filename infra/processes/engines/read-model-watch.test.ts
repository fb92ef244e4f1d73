import type { DomainEvent } from '@tollgate/domain/event.ts'
import type { Checkpoint } from '@tollgate/projections/runner/checkpoints.ts'
import type { Projector } from '@tollgate/projections/runner/projector.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { waitForCheckpoints } from '@tollgate/projections/runner/runner.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import {
  openProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { expect, test } from 'vitest'
import {
  describeWithoutProjector,
  type ReadModelProgress,
  progressIn,
  watchReadModelsWithoutProjector,
} from './read-model-watch.ts'

const MODELS = [{ name: 'tokens', version: 2 }]
const TOKENS: Checkpoint = { name: 'tokens', version: 2, position: 66, mark: null, failure: null }

/** The message after four looks that have found these rows, one after the other. */
function saidAfter(rows: readonly (readonly Checkpoint[])[], head = 1_000): string | null {
  let seen: readonly ReadModelProgress[] = []
  for (const stored of rows) seen = progressIn(stored, head, MODELS, seen)
  return describeWithoutProjector(seen)
}
const fourTimes = (...rows: readonly Checkpoint[]): string | null =>
  saidAfter([rows, rows, rows, rows])

test('given a read model that stands still, when it has for some looks, then it is named with its lag', () => {
  expect(saidAfter([[TOKENS], [TOKENS], [TOKENS]])).toBeNull()
  expect(fourTimes(TOKENS)).toBe(
    'read models stand still behind the event log: tokens by 934 (no projector feeds it: start one, or see the log of those that run)',
  )
})

test('given tables of another version, when nobody feeds them, then both versions are named', () => {
  const said = fourTimes({ ...TOKENS, version: 3 })
  expect(said).toContain('tables are of version 3 and this process is of version 2')
  expect(said).toContain('start a projector of version 3')
  expect(said).toContain('npm run projections -- rebuild tokens')
})

test('given a new copy that was refused, when the present one stands still, then it says where to look', () => {
  const next = { ...TOKENS, name: 'tokens/next', failure: 'waits: 1 key differs' }
  expect(fourTimes({ ...TOKENS, version: 1 }, next)).toContain('npm run projections -- status')
})

test.each<[string, readonly (readonly Checkpoint[])[]]>([
  ['moves, however slowly', [66, 66, 66, 67].map((position) => [{ ...TOKENS, position }])],
  ['is at the end of the log', Array.from({ length: 5 }, () => [{ ...TOKENS, position: 1_000 }])],
  [
    'has stopped for a reason of its own',
    Array.from({ length: 5 }, () => [{ ...TOKENS, failure: 'odd' }]),
  ],
  [
    'is being built anew',
    [1, 2, 3, 4, 5].map((position) => [
      { ...TOKENS, version: 1 },
      { ...TOKENS, name: 'tokens/next', position },
    ]),
  ],
  ['is not there yet', [[], [], [], []]],
])('given a read model that %s, when it is looked at, then nothing is said', (_, rows) => {
  expect(saidAfter(rows)).toBeNull()
})

const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }
const counter = (version: number): Projector<'AccountOpened'> => ({
  name: 'counter',
  version,
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

test('given a newer version’s tables, when it goes away, then they are reported until somebody feeds them', async () => {
  const log = await openProjectionLog()
  const { pool, store } = log
  const models = [counter(1)]
  const watch = watchReadModelsWithoutProjector({
    pool,
    store,
    models,
    logger: silentLogger,
    everyMs: 50,
  })
  try {
    const old = log.runner(models)
    await old.start()
    const first = await log.append('account-1', opened)
    expect(await old.waitFor(['counter'], first, 10_000)).toBe(true)
    const building = { store, pool, clock: testClock, logger: silentLogger }
    await rebuild({ ...building, projector: counter(2) })
    await log.append('account-2', opened)
    await until('it is reported', () => watch.warning() !== null, 10_000)
    expect(watch.warning()).toContain('counter by 1 (its tables are of version 2')
    await rebuild({ ...building, projector: counter(1), onDifference: 'swap' })
    await until('it is fed again', () => watch.warning() === null, 10_000)
    const last = await log.append('account-3', opened)
    expect(
      await waitForCheckpoints(pool, testClock, {
        names: ['counter'],
        position: last,
        timeoutMs: 10_000,
      }),
    ).toBe(true)
  } finally {
    await watch.stop()
    await log.close()
  }
})
