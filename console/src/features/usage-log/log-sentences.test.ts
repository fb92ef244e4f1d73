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
  ['code_redeemed', { id: '7' }, 'code_redeemed'],
  ['top_up_paid', { order: 'o', paid: '7.30' }, 'top_up_paid'],
  ['quota_added', undefined, 'quota_added'],
  ['quota_refunded', { reason: '' }, 'quota_refunded'],
  ['quota_refunded', { reason: 'too late' }, 'quota_refunded_why'],
  ['balance_edited', { from: 5, to: 9, reason: '' }, 'balance_edited'],
  ['balance_edited', { from: 5, to: 9, reason: '误充' }, 'balance_edited_why'],
])('given a booking %s with %j, when told, then it is %s from its params', (code, params, name) => {
  const details = { amount: 4, code, ...(params && { params }) }
  expect(sentenceOf(row(4, '…'), details)).toEqual({
    type: 'booking',
    name,
    values: { ...params, amount: 4 },
  })
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
