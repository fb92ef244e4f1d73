import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { SchemaValidationError, sql } from 'slonik'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openPool } from './pool.ts'
import { openTypedQueries } from './typed-queries.ts'

describe('openTypedQueries', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  test('given rows as their type says, when read, then they come checked, 64-bit integers as numbers', async () => {
    const row = z.object({ id: z.number(), name: z.string().nullable() })
    const wanted = [2, 1]
    const rows = await database.db.any(sql.type(row)`
      select id::int8, name, now() as other from (values (1, 'one'), (2, null), (3, 'three')) as v (id, name)
      where id = any(${sql.array(wanted, 'int4')}) order by id`)
    expect(rows).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: null },
    ])
  })

  test('given a row that is not as its type says, when read, then the query fails and says what is wrong', async () => {
    const query = database.db.any(sql.type(z.object({ id: z.string() }))`select 1 as id`)
    const error = await query.catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(SchemaValidationError)
    expect(JSON.stringify(error)).toContain('"path":["id"]')
    expect(isTransient(error)).toBe(false)
  })

  test('given more readers than connections, when all read, then all are answered and the pool is whole', async () => {
    const pool = openPool(database.url, { max: 2, applicationName: 'few' })
    const db = await openTypedQueries(pool)
    const one = z.object({ one: z.number() })
    const both = await Promise.all([
      ...Array.from({ length: 20 }, () => db.oneFirst(sql.type(one)`select 1 as one`)),
      ...Array.from({ length: 20 }, async () => (await pool.query('select 1 as one')).rows[0].one),
    ])
    expect(both).toEqual(Array.from({ length: 40 }, () => 1))
    await expect.poll(() => pool.idleCount).toBe(pool.totalCount)
    await pool.end()
  })

  test('given a failed query in a transaction, when the next reads, then it is in none', async () => {
    const pool = openPool(database.url, { max: 1, applicationName: 'failing' })
    const db = await openTypedQueries(pool)
    const broken = db.transaction((tx) => tx.any(sql.unsafe`select 1 / 0`))
    await expect(broken).rejects.toThrow('division by zero')
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  test('given a transaction, when another connection reads amid it, then both are answered', async () => {
    const pool = openPool(database.url, { max: 2, applicationName: 'amid' })
    const db = await openTypedQueries(pool)
    const one = sql.type(z.object({ one: z.number() }))`select 1 as one`
    const both = await db.transaction(async (tx) => [
      await tx.oneFirst(one),
      await db.oneFirst(one),
    ])
    expect(both).toEqual([1, 1])
    await pool.end()
  })

  test('given a connection ended under way, when read, then the failure is transient and the next succeeds', async () => {
    const pool = openPool(database.url, { max: 1, applicationName: 'ended' })
    const db = await openTypedQueries(pool)
    const sleeping = db.any(sql.unsafe`select pg_sleep(30)`).catch((error: unknown) => error)
    await expect
      .poll(
        async () =>
          (
            await database.pool.query(
              `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ended' and query like '%pg_sleep%'`,
            )
          ).rowCount,
      )
      .toBe(1)
    expect(isTransient(await sleeping)).toBe(true)
    const one = await db.oneFirst(sql.type(z.object({ one: z.number() }))`select 1 as one`)
    expect(one).toBe(1)
    await pool.end()
  })

  test('given no server, when more read than there are connections, then all fail, transiently', async () => {
    const pool = openPool('postgresql://127.0.0.1:1/none', { max: 1, applicationName: 'none' })
    const db = await openTypedQueries(pool)
    const errors = await Promise.all(
      Array.from({ length: 5 }, () =>
        db.any(sql.unsafe`select 1`).catch((problem: unknown) => problem),
      ),
    )
    expect(errors.map(isTransient)).toEqual([true, true, true, true, true])
    await pool.end()
  })

  test('given a connection that answers too late in a transaction, when given up, then that is the failure', async () => {
    const pool = openPool(database.url, { max: 1, applicationName: 'late', answerTimeoutMs: 300 })
    const db = await openTypedQueries(pool)
    const late = db.transaction((tx) => tx.any(sql.unsafe`select pg_sleep(5)`))
    await expect(late).rejects.toThrow('Query read timeout')
    expect(pool.totalCount).toBe(0)
    await pool.end()
  })

  test('given prepared queries, when one is asked again, then it was planned once, and values differ', async () => {
    const pool = openPool(database.url, { max: 1, applicationName: 'prepared' })
    const db = await openTypedQueries(pool, { arePrepared: true })
    const number = z.object({ number: z.number() })
    const ask = (value: number) =>
      db.transaction((tx) => tx.oneFirst(sql.type(number)`select ${value}::int + 1 as number`))
    expect(await Promise.all([1, 2, 3].map(ask))).toEqual([2, 3, 4])
    const { rows } = await pool.query(
      'select name from pg_prepared_statements where statement like $1',
      ['%::int + 1 as number'],
    )
    expect(rows).toHaveLength(1)
    await pool.end()
  })

  test('given a prepared query, when its tables are swapped for others, then it reads those', async () => {
    const pool = openPool(database.url, { max: 1, applicationName: 'swapped' })
    const db = await openTypedQueries(pool, { arePrepared: true })
    const place = z.object({ place: z.string() })
    const ask = () => db.oneFirst(sql.type(place)`select place from seat.taken`)
    const take = (schema: string, type: string) =>
      pool.query(
        `create schema ${schema}; create table ${schema}.taken as select 'of ${schema}'::${type} as place`,
      )
    await take('seat', 'text')
    await take('next', 'text')
    for (let time = 0; time < 7; time += 1) expect(await ask()).toBe('of seat')
    await pool.query('drop schema seat cascade; alter schema next rename to seat')
    expect(await ask()).toBe('of next')
    await take('other', 'varchar')
    await pool.query('drop schema seat cascade; alter schema other rename to seat')
    // A plan whose rows have other types is of no use; its connection is given up, and the next one plans anew.
    await expect(ask()).rejects.toThrow('cached plan must not change result type')
    expect(await ask()).toBe('of other')
    await pool.end()
  })
})
