import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { migrate } from '../postgres/migrate.ts'
import { systemClock } from '../processes/world.ts'
import { leaseMigrations } from './migrations.ts'
import { beOnlyOne } from './only-one.ts'
import { postgresLeases } from './postgres-leases.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await migrate(database.pool, leaseMigrations)
})
afterAll(() => database.drop())

const start = () =>
  beOnlyOne({
    leases: postgresLeases(database.pool),
    member: randomUUID(),
    clock: systemClock,
    onFailure: (error) => expect.unreachable(String(error)),
  })

test('given one that works on a database, when another starts, then it is told so; and it may once the first has stopped', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow('Another Tollgate works on this database')
  await first.stop()
  const second = await start()
  await second.stop()
})
