import { randomUUID } from 'node:crypto'
import { mayHaveBeenDone } from '@tollgate/domain/kernel/transient.ts'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reading } from './reading.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

test.each(['53300', '57P03', '57P01', 'ECONNREFUSED'])(
  'given a database that fails with %s, when read, then the failure says that it passes',
  async (code) => {
    await expect(reading(failing(code))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      cause: { code },
    })
  },
)

test('given a query that is wrong, when read, then its failure is left as it is', async () => {
  await expect(reading(failing('42P01'))).rejects.toMatchObject({ code: '42P01' })
  expect(await reading(() => Promise.resolve(7))).toBe(7)
})

test('given a PostgreSQL that has no connection left, when read, then it passes, and nothing was done', async () => {
  const role = `full_${randomUUID().replaceAll('-', '')}`
  await database.pool.query(`create role ${role} login password 'x' connection limit 0`)
  const url = new URL(database.url)
  url.username = role
  url.password = 'x'
  const pool = new Pool({ connectionString: url.href })
  try {
    const failure: unknown = await pool.query('select 1').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '53300' })
    expect(mayHaveBeenDone(failure)).toBe(false)
    await expect(reading(() => pool.query('select 1'))).rejects.toMatchObject({ retryable: true })
  } finally {
    await pool.end()
    await database.pool.query(`drop role ${role}`)
  }
})

test('given a statement ended by a shutdown, when it fails, then it is transient but may have been done', async () => {
  const client = await database.pool.connect()
  client.on('error', () => undefined)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const sleeping = reading(() => client.query('select pg_sleep(60)')).catch(
    (error: unknown) => error,
  )
  await expect
    .poll(async () => {
      const ended = await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where pid = $1 and query like '%pg_sleep%'`,
        [rows[0]?.pid],
      )
      return ended.rowCount
    })
    .toBe(1)
  const failure = await sleeping
  client.release(true)
  expect(failure).toMatchObject({ retryable: true, cause: { code: '57P01' } })
  expect(mayHaveBeenDone((failure as Error).cause)).toBe(true)
})
