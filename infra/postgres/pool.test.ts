import type { TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { createTestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPool } from './pool.ts'

describe('openPool', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  test('given a 64-bit integer, when selected, then it is a number, also in sums of integers', async () => {
    const { rows } = await database.pool.query(
      'select 9007199254740991::int8 as largest, sum(x) as total from (values (1::int4), (2)) as v(x)',
    )
    expect(rows).toEqual([{ largest: Number.MAX_SAFE_INTEGER, total: 3 }])
  })

  test('given an integer beyond 2^53, when selected, then the query fails instead of rounding', async () => {
    await expect(database.pool.query('select 9007199254740993::int8')).rejects.toThrow(
      /9007199254740993.*select it as text/,
    )
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('given a client hung in a transaction, when another waits for its lock, then it is ended after 10 s', async () => {
    const { rows } = await database.pool.query('show idle_in_transaction_session_timeout')
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }])
  })

  test('given a connection in use, when the server ends it, then the next query fails and the process lives', async () => {
    const { pool } = database
    const client = await pool.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // Node ends a process where nobody listens.
    expect(client.listenerCount('error')).toBeGreaterThan(0)
    const ended = new Promise((resolve) => client.once('end', resolve))
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await ended
    await expect(client.query('select 1')).rejects.toThrow(/not queryable|was closed/)
    client.release()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('given an idle connection, when the server ends it, then only message and code are told', async () => {
    const told: unknown[] = []
    const pool = openPool(database.url, {
      max: 1,
      applicationName: 'idle',
      onIdleError: (error) => told.push(error),
    })
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await expect.poll(() => told).toHaveLength(1)
    expect(told).toStrictEqual([
      { message: 'terminating connection due to administrator command', code: '57P01' },
    ])
    await pool.end()
  })
})
