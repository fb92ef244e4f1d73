import { expect, test } from 'vitest'
import { codedFailure } from './failure-code.ts'
import { FAILURE_TEXTS } from './failure-texts.ts'

test.each([
  ['余额不足', 'balance_exhausted', {}],
  ['record not found', 'not_found', {}],
  ['可用额度不足，当前可用额度为 -12', 'quota_insufficient', { available: -12 }],
  ['划转金额最低为 ＄1.000000 额度', 'transfer_below_least_amount', { amount: '1.000000' }],
  ['划转金额最低为 500000 点额度', 'transfer_below_least_quota', { quota: 500_000 }],
  ['兑换失败，该兑换码已被使用', 'redemption_code_used', {}],
  ['兑换失败，账户正忙，请稍后重试', 'redemption_failed', { reason: '账户正忙，请稍后重试' }],
  [
    'RetryTimes 必须是不小于 0 的整数',
    'option_whole_number_below',
    { key: 'RetryTimes', least: '0' },
  ],
  [
    "输入不合法 Key: 'User.Username' Error:Field validation for 'Username' failed on the 'max' tag",
    'user_field_too_long',
    { field: 'Username' },
  ],
  ['分组 a\nb 不存在，请重新选择', 'group_unknown', { group: 'a\nb' }],
  ['upstream says: no', 'foreign_words', { words: 'upstream says: no' }],
  ['', 'foreign_words', { words: '' }],
  ['constructor', 'foreign_words', { words: 'constructor' }],
] as const)('given the failure %j, when coded, then it is %s with %j', (message, code, params) => {
  expect(codedFailure(message)).toEqual({ code, params })
})

test('given two validations that failed, when coded, then both are in the values', () => {
  const one = "Key: 'User.Username' Error:Field validation for 'Username' failed on the 'max' tag"
  const other = "Key: 'User.Email' Error:Field validation for 'Email' failed on the 'max' tag"
  expect(codedFailure(`输入不合法 ${one}\n${other}`)).toEqual({
    code: 'user_fields_invalid',
    params: { failures: `${one}\n${other}` },
  })
})

test('given every text with values filled in, when coded, then its own code and these values come back', () => {
  for (const [code, text] of Object.entries(FAILURE_TEXTS)) {
    const params: Record<string, string | number> = {}
    const message = text.replaceAll(/\{([a-z]\w*)(#?)\}/gi, (_, name: string, mark: string) => {
      params[name] ??= mark === '#' ? 42 : `some ${name}`
      return String(params[name])
    })
    expect([message, codedFailure(message)]).toEqual([message, { code, params }])
  }
})

test('given all texts, when compared, then no two are the same and every code is in snake case', () => {
  const texts = Object.values(FAILURE_TEXTS)
  expect(new Set<string>(texts).size).toBe(texts.length)
  expect(Object.keys(FAILURE_TEXTS).filter((code) => !/^[a-z0-9_]+$/.test(code))).toEqual([])
})
