import type { CreditSource } from '@tollgate/domain/account/events.ts'
import type { Adjustment } from '@tollgate/domain/account/adjustment.ts'
import { noteId, requestId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { refundReason } from '@tollgate/domain/task/refund.ts'
import { expect, test } from 'vitest'
import { type LoggedEvent, rowOf } from './row.ts'
import { DEFAULTS } from './settings.ts'

const ENVELOPE = {
  id: '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001',
  stream: 'account-7',
  revision: 1,
  position: 9,
  metadata: { actor: 'system' as const },
}
const AMOUNT = { at: 1_000, amount: quota(950_000) }

const contentOf = (source: CreditSource, reason: string, showsCurrency = true) => {
  const event: LoggedEvent = {
    ...ENVELOPE,
    type: 'QuotaCredited',
    data: { ...AMOUNT, source, reason },
  }
  const row = rowOf(event, { ...DEFAULTS, showsCurrency })
  const { code, params } = JSON.parse(row?.detail ?? '') as Record<string, unknown>
  return [row?.type, row?.content, code, params]
}

const ORDER = 'USR7NOa1B2c31767225600'
test.each<readonly [CreditSource, string, number, string, string, object | undefined]>([
  ['sign-up', '', 4, '新用户注册赠送 ＄1.900000 额度', 'sign_up_credited', undefined],
  ['invitation', '', 4, '使用邀请码赠送 ＄1.900000 额度', 'invitation_credited', undefined],
  [
    'redemption',
    '5',
    1,
    '通过兑换码充值 ＄1.900000 额度，兑换码ID 5',
    'code_redeemed',
    { id: '5' },
  ],
  [
    'top-up',
    `${ORDER} 13.87`,
    1,
    '使用在线充值成功，充值金额: ＄1.900000 额度，支付金额：13.870000',
    'top_up_paid',
    { order: ORDER, paid: '13.87' },
  ],
  [
    'top-up',
    'order 1',
    1,
    '使用在线充值成功，充值金额: ＄1.900000 额度，订单号：order 1',
    'top_up_ordered',
    { order: 'order 1' },
  ],
  ['refund', '', 4, '补偿 ＄1.900000 额度', 'quota_refunded', { reason: '' }],
  [
    'refund',
    'too late',
    4,
    '补偿 ＄1.900000 额度，原因：too late',
    'quota_refunded',
    { reason: 'too late' },
  ],
])(
  'given a credit of source %s from %j, when logged, then it has the contract’s text, code and params',
  (source, reason, ...row) => {
    expect(contentOf(source, reason)).toEqual(row)
  },
)

test.each([
  ['mj', 'drawing_refunded', '构图失败 mj-1，补偿 ＄1.900000 额度'],
  ['suno', 'task_refunded', '异步任务执行失败 mj-1，补偿 ＄1.900000 额度'],
] as const)(
  'given the refund of a failed task of %s, when logged, then its code is %s and params name the task',
  (platform, code, content) => {
    const failed = { platform, task: 'mj-1' } as const
    const row = rowOf(
      {
        ...ENVELOPE,
        type: 'UsageRefunded',
        data: {
          ...AMOUNT,
          request: requestId('r'),
          token: null,
          channel: null,
          reason: '',
          failed,
        },
      },
      { ...DEFAULTS, showsCurrency: true },
    )
    const detail: unknown = JSON.parse(row?.detail ?? '')
    expect(row).toMatchObject({ type: 4, content })
    expect(detail).toEqual({
      amount: 950_000,
      reason: refundReason(failed),
      code,
      params: { task: 'mj-1' },
    })
  },
)

test.each([
  ['AffiliateRewardEarned', 4, 'invitation_rewarded'],
  ['AffiliateQuotaTransferred', 1, 'affiliate_transferred'],
] as const)('given %s, when logged, then it is type %d with code %s', (type, number, code) => {
  const event = { ...ENVELOPE, type, data: { ...AMOUNT, invitee: userId(8) } } as LoggedEvent
  const row = rowOf(event, DEFAULTS)
  expect(row?.type).toBe(number)
  expect(JSON.parse(row?.detail ?? '')).toMatchObject({ amount: 950_000, code })
})

test.each([
  ['QuotaCredited', 'grant', '管理员增加用户额度 ＄1.900000 额度', 'quota_added'],
  ['QuotaDebited', 'adjustment', '管理员减少用户额度 ＄1.900000 额度', 'quota_removed'],
] as const)(
  'given a %s by an administrator, when logged, then by facts or its old text',
  (type, source, plain, code) => {
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
    expect(rowWith()).toEqual([3, plain, { amount: 950_000, reason: '', code }])
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
  expect(contentOf('top-up', `${ORDER} 13.87`, false)).toEqual([
    1,
    '使用在线充值成功，充值金额: 950000 点额度，支付金额：13.870000',
    'top_up_paid',
    { order: ORDER, paid: '13.87' },
  ])
})
