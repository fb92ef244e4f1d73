import { describe, expect, test } from 'vitest'
import { batchNames, formOf, newToken, tokenErrors, tokenPayload } from './token-form.ts'

const NEW_TOKEN = newToken('currency', 500_000)
const named = { ...NEW_TOKEN, name: 'ci' }

test.each([
  ['quota', '500000'],
  ['currency', '1'],
] as const)(
  'given a new token and the unit %s, when its limit is switched on, then it may spend 500000 quota',
  (unit, remain) => {
    const limited = { ...newToken(unit, 500_000), name: 'ci', isUnlimited: false }
    expect(limited.remain).toBe(remain)
    expect(tokenPayload(limited, unit, 500_000)).toMatchObject({ remain_quota: 500_000 })
  },
)

describe('tokenErrors', () => {
  test.each([
    [named, {}],
    [NEW_TOKEN, { name: 'required' }],
    [{ ...named, name: 'x'.repeat(31) }, { name: 'long' }],
    [{ ...named, count: '0' }, { count: 'count' }],
    [{ ...named, count: '1.5' }, { count: 'count' }],
    [{ ...named, isUnlimited: false, remain: 'many' }, { remain: 'amount' }],
    [{ ...named, isUnlimited: false, remain: '-1' }, { remain: 'amount' }],
    [{ ...named, expiry: 'tomorrow' }, { expiry: 'expiry' }],
  ])('given %j, then %j', (form, errors) => {
    expect(tokenErrors(form, 'currency', 500_000)).toEqual(errors)
  })
})

test.each([true, false])(
  'given a token whose model list limits or not (%s), when sent back unchanged, then nothing is lost',
  (isLimited) => {
    const token = {
      id: 1,
      user_id: 1,
      DeletedAt: null,
      name: 'ci',
      key: 'k',
      status: 1,
      remain_quota: 1_234_567,
      used_quota: 5,
      unlimited_quota: false,
      created_time: 1,
      accessed_time: 1,
      expired_time: 1_790_000_123,
      model_limits_enabled: isLimited,
      model_limits: 'gpt-4o,o3-mini',
      allow_ips: '10.0.0.0/8',
      group: 'vip',
    }
    for (const unit of ['currency', 'quota'] as const)
      expect(tokenPayload(formOf(token, unit, 500_000), unit, 500_000)).toMatchObject({
        model_limits_enabled: isLimited,
        remain_quota: token.remain_quota,
        expired_time: token.expired_time,
        model_limits: token.model_limits,
        allow_ips: token.allow_ips,
        group: token.group,
      })
  },
)

test('given a batch, when named, then the first keeps its name and the others differ from it', () => {
  let byte = 0
  const names = batchNames('ci', 3, () => byte++)
  expect(names).toEqual(['ci', 'ci-ABCDEF', 'ci-GHIJKL'])
})
