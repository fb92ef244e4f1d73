import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { holdId, type UserId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { distinctRows } from './export-rows.ts'
import { sqlFilter } from './filter.ts'
import { usageLog } from './projector.ts'

const ACCOUNT = userId(7)
const AT = 1_800_000_000_000
let log: ProjectionLog
let sequence = 0

beforeAll(async () => {
  log = await openProjectionLog()
})
afterAll(() => log.close())

/** Charges of one model, a second after each other, each with the next request id. */
const charge = (...models: readonly string[]): Promise<void> =>
  chargeTo(ACCOUNT, { at: AT, apartMs: 1_000 }, models)

async function chargeTo(
  account: UserId,
  { at, apartMs }: { readonly at: number; readonly apartMs: number },
  models: readonly string[],
): Promise<void> {
  const events = models.map((model): AccountEvent => {
    sequence += 1
    return {
      type: 'UsageCharged',
      data: {
        at: at + sequence * apartMs,
        hold: holdId(account, 1, null),
        sequence,
        token: null,
        amount: quota(5),
        fromHold: quota(5),
        fromWallet: quota(0),
        late: false,
        endedAt: at,
        request: exampleUsage(`request-${sequence}`, { model }),
      },
    }
  })
  await log.append(accountStream(account), ...events)
  await log.project([usageLog])
}

test('given calls logged meanwhile, when the distinct rows are read, then each model is in once', async () => {
  await charge('a', 'b', 'c', 'd', 'e', 'a')
  const read: string[] = []
  for await (const rows of distinctRows(log.reads, await sqlFilter(log.reads, {}), 2)) {
    read.push(...rows.map(({ model, request_id: id }) => `${model} ${id}`))
    // The newest of these is now above what was read.
    await charge('b', 'e', 'f')
  }
  expect(read).toEqual(['a request-6', 'e request-5', 'd request-4', 'c request-3', 'b request-2'])
})

test.each([
  ['midday', AT + 43_200_000],
  ['the last second of a day', Math.ceil(AT / 86_400_000) * 86_400_000 - 1_000],
])(
  'given calls logged in the same second (%s), when the distinct rows go on, then no model is missed',
  async (_when, at) => {
    const account = userId(sequence + 100)
    const chargeAt = (...models: readonly string[]) => chargeTo(account, { at, apartMs: 0 }, models)
    await chargeAt('a', 'b', 'c', 'd')
    const read: string[] = []
    const filter = await sqlFilter(log.reads, { userId: account })
    for await (const rows of distinctRows(log.reads, filter, 2)) {
      read.push(...rows.map(({ model }) => model))
      await chargeAt('a', 'b', 'e')
    }
    expect(read).toEqual(['d', 'c', 'b', 'a'])
  },
)
