import { type HoldId, relayId } from '@tollgate/domain/ids.ts'
import { balances } from '@tollgate/projections/balances/projector.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { closeFormerHolds } from './former-holds.ts'

let log: ProjectionLog
const relay = relayId('of-this-run')

beforeAll(async () => {
  log = await openProjectionLog()
  await log.project([balances])
})
afterAll(() => log.close())
beforeEach(() => log.pool.query('delete from balances.holds'))

async function addHold(hold: string, of: string, since: number): Promise<void> {
  await log.pool.query(
    'insert into balances.holds (hold, user_id, token_id, relay, remaining, since) values ($1, 1, null, $2, 10, $3)',
    [hold, of, since],
  )
}

test('given more holds of former runs than fit a page, when they are closed, then each is, once, and none of this run', async () => {
  const former = ['1-a', '1-b', '1-c', '1-d', '1-e']
  for (const hold of former) await addHold(hold, 'of-a-former-run', Date.now() + 5_000)
  await addHold('1-bb', relay, 0)
  const asked: HoldId[] = []
  const close = async (holds: readonly HoldId[]): Promise<number> => {
    asked.push(...holds)
    return holds.length
  }
  const { pool } = log
  expect(await closeFormerHolds({ pool, relay, grantedBefore: null, close }, 2)).toBe(5)
  expect(asked).toEqual(former)
})

test('given a young hold of another relay, when the sweep comes by, then it is left alone', async () => {
  await addHold('1-old', 'of-a-former-run', 1_000)
  await addHold('1-young', 'of-a-former-run', 2_000)
  const asked: HoldId[] = []
  const close = async (holds: readonly HoldId[]): Promise<number> => asked.push(...holds)
  await closeFormerHolds({ pool: log.pool, relay, grantedBefore: 2_000, close })
  expect(asked).toEqual(['1-old'])
})
