import type { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { type HoldId, relayId } from '@tollgate/domain/ids.ts'
import { balances } from '@tollgate/projections/balances/projector.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pino } from 'pino'
import { systemClock as clock } from '../runtime.ts'
import { closeFormerHolds, closeHoldsOfFormerRuns } from './former-holds.ts'

let log: ProjectionLog

beforeAll(async () => {
  log = await openProjectionLog()
  await log.project([balances])
})
afterAll(() => log.close())
beforeEach(() => log.pool.query('delete from balances.holds'))

async function addHold(hold: string, relay: string, since: number): Promise<void> {
  await log.pool.query(
    'insert into balances.holds (hold, user_id, token_id, relay, remaining, since) values ($1, 1, null, $2, 10, $3)',
    [hold, relay, since],
  )
}

test('given pages of former holds, when they are closed, then each is, once, and none of this run', async () => {
  const former = ['1-a', '1-b', '1-c', '1-d', '1-e']
  for (const hold of former) await addHold(hold, 'former', 1_999)
  await addHold('1-bbb', 'a later one', 2_000)
  // Granted after the clock was put back.
  await addHold('1-bb', 'present', 1_000)
  const asked: HoldId[] = []
  const close = async (holds: readonly HoldId[]): Promise<number> => {
    asked.push(...holds)
    return holds.length
  }
  const { reads } = log
  const run = { relay: relayId('present'), startedAt: 2_000 }
  expect(await closeFormerHolds({ reads, run, close }, 2)).toBe(5)
  expect(asked).toEqual(former)
})

test('given balances that lag, when a process starts, then it goes on and closes the holds afterwards', async () => {
  await addHold('1-a', 'former', 1_999)
  const asked: HoldId[] = []
  const holds = {
    closeHoldsOfFormerRuns: async (page: readonly HoldId[]) => {
      asked.push(...page)
      return page.length
    },
  } as unknown as HoldService
  const caughtUp = Promise.withResolvers<boolean>()
  const sweeping = await closeHoldsOfFormerRuns(
    {
      run: { relay: relayId('present'), startedAt: 2_000 },
      store: log.store,
      reads: log.reads,
      holds,
      projections: { waitFor: () => caughtUp.promise },
    },
    { clock, logger: pino({ level: 'silent' }) },
  )
  expect(asked).toEqual([])
  caughtUp.resolve(true)
  await expect.poll(() => asked).toEqual(['1-a'])
  await sweeping.stop()
})

test('given balances of another version, when a process starts, then the log says how long it waited', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const sweeping = await closeHoldsOfFormerRuns(
    {
      run: { relay: relayId('present'), startedAt: 2_000 },
      store: log.store,
      reads: log.reads,
      holds: { closeHoldsOfFormerRuns: async () => 0 } as unknown as HoldService,
      projections: { waitFor: () => Promise.resolve(false) },
    },
    { clock: { ...clock, monotonicMs: () => 5 }, logger },
  )
  await sweeping.stop()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ waitedMs: 0 }])
})
