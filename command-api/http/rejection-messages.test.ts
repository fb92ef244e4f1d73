import type { ChannelRejection } from '@tollgate/domain/channel/decider.ts'
import { expect, test } from 'vitest'
import { channelRejectionMessage } from './rejection-messages.ts'

test.each<[ChannelRejection, string]>([
  [{ reason: 'type-not-offered', type: 0 }, '不支持的渠道类型：0，请选择其他类型'],
  [{ reason: 'model-name-too-long', name: 'm' }, '模型名称过长: m'],
  [{ reason: 'group-name-too-long', name: 'g' }, '分组名称过长: g'],
  [{ reason: 'balance-invalid', balanceUsd: '1,5' }, '上游返回的余额不是数字：1,5'],
  [{ reason: 'priority-out-of-range' }, '优先级必须是整数，且不小于 -999！'],
])('given %o, when an admin is told, then in the words of the contract', (rejection, message) => {
  expect(channelRejectionMessage(rejection)).toBe(message)
})
