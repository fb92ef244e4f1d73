import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ModelTables, modelTables } from './model-tables.ts'
import { ensureMonths, monthOf } from './months.ts'
import { inTransaction } from './session.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase({ isPipelined: true })
  await database.pool.query(
    'create schema model; create table model.rows (at bigint not null) partition by range (at); create index on model.rows (at)',
  )
})
afterEach(() => database.drop())

const inTables = <Result>(work: (tables: ModelTables) => Promise<Result>): Promise<Result> =>
  inTransaction(database.pool, 'begin', (client) => work(modelTables(client, 'model')))
const insert = (at: number): Promise<unknown> =>
  inTables(async (tables) => {
    await ensureMonths(tables, 'rows', [at], 'milliseconds')
    await tables.query('insert into {rows} values ($1)', [at])
  })
const partitions = async (): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    "select relname as name from pg_class where relispartition and relkind = 'r' order by 1",
  )
  return rows.map(({ name }) => name)
}

test('given moments at both ends of a year, when their months are named, then UTC’s calendar counts', () => {
  expect(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toEqual({
    name: '2026_12',
    from: Date.UTC(2026, 11),
    to: Date.UTC(2027, 0),
  })
  expect(monthOf(Date.UTC(2027, 0)).name).toBe('2027_01')
})

test('given no partitions, when rows of two months are written, then theirs are made, with their indexes', async () => {
  await insert(Date.UTC(2026, 11, 5))
  await insert(Date.UTC(2019, 1, 5))
  await insert(Date.UTC(2026, 11, 6))
  expect(await partitions()).toEqual([
    'rows_2019_02',
    'rows_2019_03',
    'rows_2026_12',
    'rows_2027_01',
  ])
  const { rows } = await database.pool.query<{ indexes: number }>(
    "select count(*)::int as indexes from pg_indexes where schemaname = 'model' and tablename like 'rows_%'",
  )
  expect(rows).toEqual([{ indexes: 4 }])
})

test('given a reader that takes long, when a month begins, then writing waits for nobody', async () => {
  await insert(Date.UTC(2026, 0, 5))
  const reader = await database.pool.connect()
  try {
    await reader.query('begin; select count(*) from model.rows')
    await insert(Date.UTC(2026, 5, 5))
    expect((await reader.query('select count(*)::int as count from model.rows')).rows).toEqual([
      { count: 2 },
    ])
  } finally {
    reader.release(true)
  }
})
