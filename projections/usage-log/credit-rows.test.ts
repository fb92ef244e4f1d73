import type { CreditSource } from '@tollgate/domain/account/events.ts'
import type { Adjustment } from '@tollgate/domain/account/adjustment.ts'
import { noteId } from '@tollgate/domain/ids.ts'
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

test.each([
  ['QuotaCredited', 'grant', '管理员增加用户额度 ＄1.900000 额度'],
  ['QuotaDebited', 'adjustment', '管理员减少用户额度 ＄1.900000 额度'],
] as const)(
  'given a %s by an administrator, when logged, then by facts or its old text',
  (type, source, plain) => {
    const rowWith = (adjustment?: Adjustment) => {
      const data = {
        at: 1_000,
        amount: quota(950_000),
        reason: '',
        ...(adjustment && { adjustment }),
      }
      const common = { id: '0b0e5f0c', stream: 'account-7', revision: 1, position: 9 }
      const event = { ...common, type, data: { ...data, source } } as LoggedEvent
      const row = rowOf(event, { ...DEFAULTS, showsCurrency: true })
      return [row?.type, row?.content, JSON.parse(row?.detail ?? '')]
    }
    expect(rowWith()).toEqual([3, plain, { amount: 950_000, reason: '' }])
    const old = '管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度，原因：误充'
    expect(rowWith({ legacyText: old })).toEqual([3, old, { amount: 950_000, reason: old }])
    const edit = {
      from: quota(50_000),
      to: quota(1_000_000),
      reasonCode: 'balance_edited',
      note: noteId('n1'),
    } as const
    const text = '管理员将用户额度从 ＄0.100000 额度修改为 ＄2.000000 额度'
    expect(rowWith(edit)).toEqual([3, text, { amount: 950_000, edit }])
  },
)

test('given quota shown in units, when logged, then the amount is in units and the money stays money', () => {
  expect(contentOf('top-up', 'USR7NOa1B2c31767225600 13.87', false)).toEqual([
    1,
    '使用在线充值成功，充值金额: 950000 点额度，支付金额：13.870000',
  ])
})
