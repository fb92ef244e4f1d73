import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { LeasesInMemory } from '@tollgate/tests/support/engines/leases-in-memory.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { migrate } from '../postgres/migrate.ts'
import { systemClock } from '../processes/world.ts'
import { leaseMigrations } from './migrations.ts'
import { beOnlyOne, NotAlone } from './only-one.ts'
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

test('given one that stood still for longer than its right lasts, when another works by then, then the first learns that it must end', async () => {
  const clock = new ManualClock()
  const leases = new LeasesInMemory(() => clock.now())
  const failures: unknown[] = []
  const begin = (member: string, own = clock) =>
    beOnlyOne({ leases, member, clock: own, onFailure: (error) => failures.push(error) })
  const standing = new ManualClock()
  const first = await begin('first', standing)
  await clock.pass(7_000)
  const second = await begin('second')
  let reason: unknown = null
  void first.lost.then((why) => (reason = why))
  await standing.pass(1_600)
  expect(reason).toBeInstanceOf(NotAlone)
  expect(failures).toEqual([])
  const stopping = Promise.all([first.stop(), second.stop()])
  await clock.pass(2_000)
  await standing.pass(2_000)
  await stopping
})
