import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { modelTables } from './model-tables.ts'
import { inTransaction } from './session.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
  await database.pool.query('create schema model; create table model.rows (n int)')
})
afterEach(() => database.drop())

test('given a connection that does not pipeline, when statements come together, then it gets one by one', async () => {
  let underWay = 0
  let most = 0
  await inTransaction(database.pool, 'begin', async (client) => {
    const query = client.query.bind(client) as (...call: unknown[]) => Promise<unknown>
    const counted = async (...call: unknown[]): Promise<unknown> => {
      most = Math.max(most, (underWay += 1))
      return query(...call).finally(() => (underWay -= 1))
    }
    client.query = counted as pg.PoolClient['query']
    const insert = (n: number) =>
      modelTables(client, 'model').query('insert into {rows} values ($1)', [n])
    await Promise.all([1, 2, 3].map(insert))
    Reflect.deleteProperty(client, 'query')
  })
  const { rows } = await database.pool.query('select n from model.rows')
  expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  expect(most).toBe(1)
})
