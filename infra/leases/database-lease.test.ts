import { randomUUID } from 'node:crypto'
import { expect, type TestContext, test } from 'vitest'
import { createMigratedDatabase } from '@tollgate/tests/support/engines/database.ts'
import { LeasesInMemory } from '@tollgate/tests/support/engines/leases-in-memory.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { systemClock } from '../processes/runtime.ts'
import { DatabaseInUse, type DatabaseMode, leaseDatabase } from './database-lease.ts'
import { postgresLeases } from './postgres-leases.ts'

/** Starts on a database of the test's own. */
async function starter(ended: TestContext['onTestFinished']) {
  const database = await createMigratedDatabase()
  ended(() => database.drop())
  return (mode: DatabaseMode = 'alone') =>
    leaseDatabase({
      leases: postgresLeases(database.pool),
      mode,
      member: randomUUID(),
      clock: systemClock,
      onWaiting: () => undefined,
      onFailure: (error) => expect.unreachable(String(error)),
    })
}

// At once: both wait for rights to end.
test.concurrent('given a process alone on a database, when others start, then they are refused until it has stopped', async ({
  onTestFinished: ended,
}) => {
  const start = await starter(ended)
  const first = await start()
  await Promise.all([
    expect(start()).rejects.toThrow('Another Tollgate works on this database'),
    expect(start('embedded')).rejects.toThrow('Another Tollgate works on the embedded database'),
    expect(start('shared')).rejects.toThrow('A Tollgate without NATS works on this database'),
  ])
  await first.stop()
  const second = await start()
  await second.stop()
})

test.concurrent('given processes that share a database, when one without NATS starts, then it is refused', async ({
  onTestFinished: ended,
}) => {
  const start = await starter(ended)
  const several = await Promise.all([start('shared'), start('shared')])
  await several[0]?.stop()
  await expect(start()).rejects.toThrow('set the same NATS_URL and MASTER_KEY for all of them')
  await several[1]?.stop()
  // Nobody gives a shared lease back: it ends by itself, within the time that a start waits.
  const next = await start('embedded')
  await next.stop()
})

test('given a killed process on its embedded database, when the next one starts, then it does not wait', async () => {
  const clock = new ManualClock()
  const leases = new LeasesInMemory(() => clock.now())
  const begin = () =>
    leaseDatabase({
      leases,
      mode: 'embedded',
      member: randomUUID(),
      clock,
      onWaiting: () => expect.unreachable('it waits'),
      onFailure: (error) => expect.unreachable(String(error)),
    })
  await begin()
  await begin()
})

test('given a holder that stood still past its lease, when another works, then it learns that it must end', async () => {
  const clock = new ManualClock()
  const leases = new LeasesInMemory(() => clock.now())
  const failures: unknown[] = []
  const begin = (member: string, own = clock) =>
    leaseDatabase({
      leases,
      mode: 'alone',
      member,
      clock: own,
      onWaiting: () => undefined,
      onFailure: (error) => failures.push(error),
    })
  const stoppedClock = new ManualClock()
  const first = await begin('first', stoppedClock)
  await clock.pass(7_000)
  const second = await begin('second')
  let reason: unknown = null
  void first.lost.then((why) => (reason = why))
  await stoppedClock.pass(1_600)
  expect(reason).toBeInstanceOf(DatabaseInUse)
  expect(failures).toEqual([])
  const stopping = Promise.all([first.stop(), second.stop()])
  await clock.pass(2_000)
  await stoppedClock.pass(2_000)
  await stopping
})
