import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { holdId, userId } from '@tollgate/domain/ids.ts'
import type { TokenPrice } from '@tollgate/domain/pricing/price.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usageLog } from './projector.ts'
import { searchLog } from './search.ts'

let log: ProjectionLog

const BY_TOKENS: TokenPrice = {
  by: 'tokens',
  bookRevision: -1,
  groupRatio: '1',
  quotaPerUnit: '500000',
  modelRatio: '1.25',
  completionRatio: '4',
  cacheRatio: '0.5',
  cacheWriteRatio: '1.25',
  audioRatio: '20',
  audioCompletionRatio: '2',
  webSearchPrice: null,
  fileSearchPrice: null,
}

/** One by the call, one by tokens, and one of the same price with audio in it. */
const CHARGED = [
  exampleUsage('by-call'),
  exampleUsage('by-tokens', { price: BY_TOKENS, usage: { ...NO_USAGE, textIn: 9 } }),
  exampleUsage('with-audio', { price: BY_TOKENS, usage: { ...NO_USAGE, audioIn: 9 } }),
]

beforeAll(async () => {
  log = await openProjectionLog()
  const account = userId(7)
  const events = CHARGED.map((request, index): AccountEvent => ({
    type: 'UsageCharged',
    data: {
      at: 1_800_000_000_000 + index * 1000,
      hold: holdId(account, 1, null),
      sequence: index + 1,
      token: null,
      amount: quota(5),
      fromHold: quota(5),
      fromWallet: quota(0),
      late: false,
      endedAt: 1_800_000_000_000,
      request,
    },
  }))
  await log.append(accountStream(account), ...events)
  await log.project([usageLog])
})
afterAll(() => log.close())

test.each([
  ['模型', ['with-audio', 'by-tokens', 'by-call']],
  ['模型价格 0.10，分组', ['by-call']],
  ['模型倍率 1.25，补全倍率 4.00', ['with-audio', 'by-tokens']],
  ['模型倍率 1.25，补全倍率 4.00，分组倍率 1.00', ['by-tokens']],
  ['模型倍率 1.25，补全倍率 4.00，音频倍率 20.00', ['with-audio']],
  ['模型倍率 1.26', []],
  ['倍率', []],
  ['by-tokens', ['by-tokens']],
  ['2', ['with-audio', 'by-tokens', 'by-call']],
  ['', ['with-audio', 'by-tokens', 'by-call']],
])(
  'given charges, when searched for "%s", then those whose text begins so are found, newest first',
  async (keyword, found) => {
    const rows = await searchLog(log.reads, keyword, 100)
    expect(rows.map((row) => row.request_id)).toEqual(found)
  },
)

test('given more rows than are asked for, when searched, then the newest come', async () => {
  expect((await searchLog(log.reads, '模型', 1)).map((row) => row.request_id)).toEqual([
    'with-audio',
  ])
})
