import type { LeaseAnswer, Leases } from '@tollgate/domain/ports/leases.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { claimWorkOver } from './claim-work.ts'
import { postgresLeases } from './postgres-leases.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

const claimer = (leases: Leases = postgresLeases(database.pool), clock = systemClock) =>
  claimWorkOver({ leases, clock, randomness: systemRandomness })

test('given many that ask at once, when work is claimed, then one has it until it gives it back', async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimer()('tests')))
  const got = claims.filter((claim) => claim !== null)
  expect(got.length).toBe(1)
  expect(await claimer()('tests')).toBeNull()
  const other = await claimer()('balances')
  expect(other).not.toBeNull()
  await got[0]?.release()
  const next = await claimer()('tests')
  expect(next?.signal.aborted).toBe(false)
  await Promise.all([next?.release(), other?.release()])
})

test.each([
  ['another has it', async (): Promise<LeaseAnswer> => ({ members: [], held: [] })],
  ['the database is away for too long', () => Promise.reject(new Error('away'))],
])('given a claim, when %s, then its signal says so', async (_what, later) => {
  let rounds = 0
  let now = 0
  const leases: Leases = {
    async renew({ wanted }) {
      rounds += 1
      return rounds === 1 ? { members: [], held: [...wanted] } : later()
    },
    leave: async () => undefined,
    stepBack: async () => false,
  }
  const clock = {
    ...systemClock,
    monotonicMs: () => now,
    async sleep(ms: number) {
      now += ms
      // Others get their turn.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const claim = await claimer(leases, clock)('tests')
  const lost = new Promise((resolve) => claim?.signal.addEventListener('abort', resolve))
  await lost
  expect(rounds).toBe(_what === 'another has it' ? 2 : 6)
  await claim?.release()
})
