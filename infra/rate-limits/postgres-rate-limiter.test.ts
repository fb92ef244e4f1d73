import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../processes/runtime.ts'
import { postgresRateLimiter } from './postgres-rate-limiter.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('delete from coordination.rate_windows'))

const logger = { warn() {} }
const limiter = (attempts: number, windowMs: number, pool = database.pool) =>
  postgresRateLimiter({ pool, limit: { attempts, windowMs }, clock: systemClock, logger })

test('given two processes, when 40 attempts come at once, then 20 pass and the others hear when', async () => {
  const one = limiter(20, 60_000)
  const other = limiter(20, 60_000)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => [one.take('10.0.0.1'), other.take('10.0.0.1')]).flat(),
  )
  const refused = answers.filter((answer) => !answer.isAllowed)
  expect(refused).toHaveLength(20)
  for (const { retryAfterSeconds } of refused) {
    expect(retryAfterSeconds).toBeGreaterThan(50)
    expect(retryAfterSeconds).toBeLessThanOrEqual(60)
  }
  expect(await one.take('10.0.0.2')).toEqual({ isAllowed: true })
})

test('given a full window, when the oldest attempt leaves it, then one more is let through', async () => {
  const one = limiter(2, 400)
  await one.take('a')
  await one.take('a')
  const at = performance.now()
  expect(await one.take('a')).toEqual({ isAllowed: false, retryAfterSeconds: 1 })
  await until('one is let through', async () => (await one.take('a')).isAllowed)
  expect(performance.now() - at).toBeGreaterThan(200)
})

test('given a full window, when one process forgets its key, then all let it through again', async () => {
  const [one, other] = [limiter(2, 60_000), limiter(2, 60_000)]
  await one.take('a')
  await other.take('a')
  expect((await one.take('a')).isAllowed).toBe(false)
  await other.forget('a')
  expect(await one.take('a')).toEqual({ isAllowed: true })
  expect(await other.take('a')).toEqual({ isAllowed: true })
  expect((await other.take('a')).isAllowed).toBe(false)
})

test('given windows that are over, when others attempt, then they are cleared away', async () => {
  const short = limiter(5, 1)
  for (let i = 0; i < 20; i++) await short.take(`old-${i}`)
  const lasting = limiter(5, 60_000)
  for (let i = 0; i < 12; i++) await lasting.take(`new-${i}`)
  const { rows } = await database.pool.query<{ old: number }>(
    `select count(*) as old from coordination.rate_windows where key like 'old-%'`,
  )
  expect(rows).toEqual([{ old: 0 }])
})

test('given a database that goes away, when attempts go on, then those of this process are counted on', async () => {
  const other = await createMigratedDatabase()
  const one = limiter(2, 60_000, other.pool)
  expect(await one.take('a')).toEqual({ isAllowed: true })
  await other.drop()
  expect(await one.take('a')).toEqual({ isAllowed: true })
  expect(await one.take('a')).toMatchObject({ isAllowed: false })
})
