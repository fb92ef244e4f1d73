import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ClockWatch, watchClock } from './clock-watch.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createMigratedDatabase()
})
afterEach(() => database.drop())

/** A process whose wall clock is so far ahead of the machine's; it can be set. */
function processAhead(ms: number): { readonly watch: ClockWatch; set(ms: number): void } {
  let aheadMs = ms
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  return {
    watch: watchClock({ pool: database.pool, clock, member: crypto.randomUUID() }),
    set(to) {
      aheadMs = to
    },
  }
}

async function problemsOf(...ahead: readonly number[]): Promise<readonly (string | null)[]> {
  const processes = ahead.map(processAhead)
  for (const { watch } of processes) await watch.measure()
  // Those that came first had not seen the others.
  for (const { watch } of processes) await watch.measure()
  return processes.map(({ watch }) => watch.problem())
}

test('given clocks that agree within a second, when measured, then each may date events', async () => {
  expect(await problemsOf(0, 600, -300)).toEqual([null, null, null])
})

test('given a clock that disagrees with two others, when measured, then only that one may not hold leases', async () => {
  expect(await problemsOf(60_000, 60_200, 57_500)).toEqual([
    null,
    null,
    expect.stringMatching(/^the clock of this process is 2\.[4-6] s behind/),
  ])
})

test('given two clocks that disagree, when measured, then the one farther from the database’s may not', async () => {
  expect(await problemsOf(0, 3_000)).toEqual([null, expect.stringContaining('3.0 s ahead of')])
})

test('given a process alone, when measured, then it agrees with itself', async () => {
  expect(await problemsOf(-86_400_000)).toEqual([null])
})

test('given a clock that steps, when measured before and after it was set, then it is told and forgotten', async () => {
  const [one, other] = [processAhead(0), processAhead(0)]
  await one.watch.measure()
  await other.watch.measure()
  expect(other.watch.problem()).toBeNull()
  other.set(5_000)
  await other.watch.measure()
  expect(other.watch.problem()).toContain('ahead of')
  other.set(0)
  await other.watch.measure()
  expect(other.watch.problem()).toBeNull()
})
