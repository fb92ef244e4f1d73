import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rebuild } from '../runner/rebuild.ts'
import { dashboard } from './projector.ts'
import { chargedRequests, type DataRange, hourlyUse, TOP_DIMENSIONS, topUse } from './queries.ts'

const FROM = Date.UTC(2026, 9, 31) / 1000
const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
  for (const { stream, event } of randomHistory({ seed: 31, steps: 600 }).events) {
    await log.append(stream, event)
  }
  await log.project([dashboard])
})
afterEach(() => log.close())

/** All, whole days, days in part, less than one, and a range that ends before it begins. */
const SPANS: readonly Pick<DataRange, 'from' | 'to'>[] = [
  { from: 0, to: 2 ** 52 },
  { from: FROM, to: FROM + 2 * DAY_SECONDS - 1 },
  { from: FROM, to: FROM + DAY_SECONDS - HOUR_SECONDS - 1 },
  { from: FROM, to: FROM + DAY_SECONDS - HOUR_SECONDS },
  { from: FROM + 1, to: FROM + DAY_SECONDS + 7 * HOUR_SECONDS + 77 },
  { from: FROM + 5 * HOUR_SECONDS, to: FROM + 9 * HOUR_SECONDS },
  { from: FROM + DAY_SECONDS, to: 0 },
]

const told = () =>
  Promise.all(
    SPANS.map(async (span) => {
      const range = { ...span, userId: null }
      const tops = Object.keys(TOP_DIMENSIONS) as (keyof typeof TOP_DIMENSIONS)[]
      return {
        span,
        hourly: await hourlyUse(log.reads, range),
        charged: await chargedRequests(log.reads, range),
        top: await Promise.all(tops.map((by) => topUse(log.reads, range, by, 100))),
      }
    }),
  )

test('given sums and days, lacking as in version 1, or built anew, then the same is told', async () => {
  const summed = await told()
  const requests = summed.map(({ charged }) => charged)
  expect(requests[0]).toBeGreaterThan(50)
  // Each of the first spans holds something that the others do not.
  expect(new Set(requests).size).toBeGreaterThan(4)
  await log.pool.query('drop table dashboard.sums, dashboard.days')
  expect(await told()).toEqual(summed)

  await log.pool.query("update projections.checkpoints set version = 1 where name = 'dashboard'")
  const { comparison } = await rebuild({
    ...log,
    projector: dashboard,
    clock: testClock,
    logger: silentLogger,
  })
  expect(comparison).toEqual({ differing: 0, differences: [] })
  const { rows } = await log.pool.query('select sum(count)::int as count from dashboard.days')
  expect(rows).toEqual([{ count: requests[0] }])
  expect(await told()).toEqual(summed)
})
