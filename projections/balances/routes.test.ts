import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { callerWith, csvBatches } from '@tollgate/tests/support/command-api.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balances } from './projector.ts'
import { holdReadRoutes } from './routes.ts'

const COUNT = 1_500
let log: ProjectionLog
let routes: readonly ApiRoute[]

beforeAll(async () => {
  log = await openProjectionLog()
  await log.project([balances])
  const noNames = async () => new Map<number, string>()
  routes = holdReadRoutes({ reads: log.reads, names: { users: noNames, tokens: noNames } })
  await log.pool.query(
    `insert into balances.holds
     select '7@' || n, 7 + n % 2, null, 'relay', 1, 1000 * (n / 10) from generate_series(1, ${COUNT}) n`,
  )
  await log.pool.query(
    `insert into balances.expired_holds
     select '7@' || n, 7 + n % 2, null, 'relay', 1, 'lost', 1000 * (n / 10)
     from generate_series(1, ${COUNT}) n`,
  )
})
afterAll(() => log.close())

/** Reads all of a list; after each batch, `between` gets the holds that were in it. */
async function exported(
  query: Readonly<Record<string, string>>,
  between: (holds: readonly unknown[]) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const all: unknown[] = []
  const batches = csvBatches(routes, 'GET /api/ledger/holds', { query, caller: callerWith(1, 10) })
  for await (const rows of batches) {
    const holds = rows.map((row) => row['hold'])
    all.push(...holds)
    await between(holds)
  }
  return all
}

test('given expired holds, when exported, then each comes once, of one user or of all', async () => {
  const nothing = () => Promise.resolve()
  const all = await exported({ status: 'expired' }, nothing)
  expect([all.length, new Set(all).size]).toEqual([COUNT, COUNT])
  expect(await exported({ status: 'expired', user_id: '7' }, nothing)).toHaveLength(COUNT / 2)
})

test('given open holds that end during their export, when it goes on, then no other is skipped', async () => {
  const all = await exported({}, (holds) =>
    log.pool.query('delete from balances.holds where hold = any($1)', [holds.slice(0, 400)]),
  )
  expect([all.length, new Set(all).size]).toEqual([COUNT, COUNT])
})
