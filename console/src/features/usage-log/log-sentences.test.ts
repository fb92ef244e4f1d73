import { expect, test } from 'vitest'
import type { Log } from '../../core/contract.ts'
import { sentenceOf } from './log-sentences.ts'

const row = (type: number, content: string) => ({ type, content }) as Log

test('given a price by tokens, when told, then its ratios are exact', () => {
  const price = {
    by: 'tokens',
    groupRatio: '0.9',
    modelRatio: '0.075',
    completionRatio: '4',
  } as const
  const content = '模型倍率 0.07，补全倍率 4.00，分组倍率 0.90'
  expect(sentenceOf(row(2, content), { price })).toEqual({
    type: 'factors',
    factors: [
      { name: 'model-ratio', value: '0.075' },
      { name: 'completion-ratio', value: '4' },
      { name: 'group-ratio', value: '0.9' },
    ],
    model: '',
  })
})

test('given a price for the call of a family’s model, when told, then price and model are named', () => {
  const content = '模型价格 0.10，分组倍率 1.50，模型 gpt-4-gizmo-g-abc'
  expect(sentenceOf(row(2, content), { model_price: 0.1, group_ratio: 1.5 })).toEqual({
    type: 'factors',
    factors: [
      { name: 'call-price', value: '0.1' },
      { name: 'group-ratio', value: '1.5' },
    ],
    model: 'gpt-4-gizmo-g-abc',
  })
})

test.each([
  ['新用户注册赠送 ＄0.200000 额度', 'signUp', {}],
  ['通过兑换码充值 ＄0.200000 额度，兑换码ID 7', 'redeemed', { id: '7' }],
  [
    '使用在线充值成功，充值金额: ＄1.000000 额度，支付金额：7.300000',
    'toppedUp',
    { paid: '7.300000' },
  ],
  [
    '管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度',
    'edited',
    { from: '$2.000000', to: '$3.000000' },
  ],
  [
    '管理员将用户额度从 1000 点额度修改为 3000 点额度，原因：误充，见邮件',
    'editedWhy',
    { from: '1000', to: '3000', reason: '误充，见邮件' },
  ],
  ['管理员增加用户额度 ＄200.000000 额度', 'granted', {}],
  ['异步任务执行失败 t-1，补偿 ＄0.100000 额度', 'taskRefunded', { task: 't-1' }],
  ['补偿 100 点额度，原因：too late', 'refundedWhy', { reason: 'too late' }],
  ['邀请额度划转 ＄1.000000 额度', 'transferred', {}],
])('given %j, when told, then it is %s with %j', (content, name, values) => {
  expect(sentenceOf(row(4, content), { amount: 1 })).toEqual({ type: 'booking', name, values })
})

test.each([
  ['', 'edited'],
  ['误充', 'editedWhy'],
])('given an edit with the reason %j, when told, then it is %s from its params', (reason, name) => {
  const params = { from: 5, to: 9, reason }
  const details = { amount: 4, code: 'balance_edited', params }
  expect(sentenceOf(row(3, '管理员将…'), details)).toEqual({ type: 'edit', name, ...params })
})

test('given a failure, when told, then Tollgate’s own by its code, an upstream’s in its own words', () => {
  const content = '用户额度不足 (insufficient quota)'
  const own = { error_type: 'new_api_error', error_code: 'insufficient_user_quota' }
  expect(sentenceOf(row(5, content), own)).toEqual({
    type: 'refusal',
    code: 'insufficient_user_quota',
  })
  const foreign = { error_type: 'upstream_error', error_code: 'insufficient_user_quota' }
  expect(sentenceOf(row(5, content), foreign)).toEqual({ type: 'words', words: content })
})

test.each([
  [3, '管理员手动补录'],
  [2, ''],
  [5, 'odd'],
])('given a row of type %d that says %j, when told, then it says that', (type, words) => {
  expect(sentenceOf(row(type, words), {})).toEqual({ type: 'words', words })
})
