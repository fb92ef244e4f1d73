import type { TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { createTestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate, MigrationChanged, MigrationFailed } from './migrate.ts'

const people = { id: 'people-0001', sql: 'create table people (id int primary key)' }
const pets = { id: 'pets-0001', sql: 'create table pets (owner int references people)' }

describe('migrate', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.drop())

  test('given a new database, when migrated twice, then each migration runs once and in order', async () => {
    expect(await migrate(database.pool, [people, pets])).toEqual(['people-0001', 'pets-0001'])
    expect(await migrate(database.pool, [people, pets])).toEqual([])
  })

  test('given eight processes, when all migrate at once, then each migration runs once', async () => {
    const runs = await Promise.all(
      Array.from({ length: 8 }, () => migrate(database.pool, [people, pets])),
    )
    expect(runs.flat()).toEqual(['people-0001', 'pets-0001'])
  })

  test('given a migration that ran, when its text changes, then it is refused by name', async () => {
    await migrate(database.pool, [people])
    const changed = migrate(database.pool, [{ ...people, sql: 'create table people (id text)' }])
    await expect(changed).rejects.toThrow(MigrationChanged)
    await expect(changed).rejects.toThrow(/people-0001 .*new migration/)
  })

  test('given a migration that fails halfway, when migrated, then it leaves nothing and earlier ones stay', async () => {
    const broken = { id: 'broken-0001', sql: 'create table half (id int); select 1/0' }
    await expect(migrate(database.pool, [people, broken])).rejects.toThrow(MigrationFailed)
    const { rows } = await database.pool.query(
      `select to_regclass('half') is null as gone, to_regclass('people') is not null as stays`,
    )
    expect(rows).toEqual([{ gone: true, stays: true }])
    // The lock is free again and the mended migration runs.
    expect(await migrate(database.pool, [people, { ...broken, sql: 'select 1' }])).toEqual([
      'broken-0001',
    ])
  })

  test('given the same id twice, when migrated, then nothing runs', async () => {
    await expect(migrate(database.pool, [people, people])).rejects.toThrow(/people-0001/)
  })
})
