import type { HoldId } from '@tollgate/domain/ids.ts'
import { balances } from '@tollgate/projections/balances/projector.ts'
import { openHoldsOfPartitions } from '@tollgate/projections/balances/queries.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepOpenHolds } from './partition-sweep.ts'

let log: ProjectionLog

beforeAll(async () => {
  log = await openProjectionLog()
  await log.project([balances])
  for (const [account, hold] of HOLDS) {
    await log.pool.query(
      'insert into balances.holds (hold, user_id, token_id, relay, remaining, since) values ($1, $2, null, $3, 10, 0)',
      [hold, account, 'a-relay'],
    )
  }
})
afterAll(() => log.close())

const HOLDS = [
  [1, '1@4'],
  [33, '33@4'],
  [33, '33@9'],
  [34, '34@4'],
  [64, '64@4'],
  [65, '65@4'],
] as const

test('given open holds of all partitions, when swept in pages of two, then all of owned ones are reported', async () => {
  const noticed: HoldId[] = []
  const holdService = { noticeOpenHolds: (holds: Iterable<HoldId>) => void noticed.push(...holds) }
  const read = (asked: Parameters<typeof openHoldsOfPartitions>[1]) =>
    openHoldsOfPartitions(log.reads, asked)
  expect(await sweepOpenHolds(() => [0, 1], holdService, read, 2)).toBe(5)
  expect(noticed.toSorted()).toEqual(['1@4', '33@4', '33@9', '64@4', '65@4'])
  expect(await sweepOpenHolds(() => [], holdService, read, 2)).toBe(0)
})
