import type { CreditSource } from '@tollgate/domain/account/events.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { expect, test } from 'vitest'
import { type LoggedEvent, rowOf } from './row.ts'
import { DEFAULTS } from './settings.ts'

const contentOf = (source: CreditSource, reason: string, showsCurrency = true) => {
  const event: LoggedEvent = {
    id: '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001',
    type: 'QuotaCredited',
    stream: 'account-7',
    revision: 1,
    position: 9,
    data: { at: 1_000, amount: quota(950_000), source, reason },
  }
  const row = rowOf(event, { ...DEFAULTS, showsCurrency })
  return [row?.type, row?.content]
}

test.each<readonly [CreditSource, string, string]>([
  ['redemption', '5', '通过兑换码充值 ＄1.900000 额度，兑换码ID 5'],
  [
    'top-up',
    'USR7NOa1B2c31767225600 13.87',
    '使用在线充值成功，充值金额: ＄1.900000 额度，支付金额：13.870000',
  ],
  ['top-up', 'order 1', '使用在线充值成功，充值金额: ＄1.900000 额度，订单号：order 1'],
])(
  'given a credit of source %s from %j, when logged, then it is type 1 with the text of the contract',
  (source, reason, text) => {
    expect(contentOf(source, reason)).toEqual([1, text])
  },
)

test('given quota shown in units, when logged, then the amount is in units and the money stays money', () => {
  expect(contentOf('top-up', 'USR7NOa1B2c31767225600 13.87', false)).toEqual([
    1,
    '使用在线充值成功，充值金额: 950000 点额度，支付金额：13.870000',
  ])
})
