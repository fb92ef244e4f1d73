import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { QUOTA_MAX } from '../account/limits.ts'
import { groupRatioText, type OrderedAmount, priceOrder } from './order.ts'

const ORDER: OrderedAmount = {
  amount: 1,
  unit: 'usd',
  price: '7.3',
  groupRatio: '1',
  quotaPerUnit: '500000',
  minUsd: 1,
}
const inQuota = { ...ORDER, unit: 'quota' } as const

describe('pricing an order', () => {
  test.each<readonly [string, Partial<OrderedAmount>, number, string]>([
    ['a dollar', {}, 500_000, '7.30'],
    ['dollars of a group that pays less', { amount: 3, groupRatio: '0.85' }, 1_500_000, '18.62'],
    ['a price that no binary fraction is', { amount: 3, price: '0.1' }, 1_500_000, '0.30'],
    ['half a cent', { amount: 1, price: '0.125' }, 500_000, '0.13'],
    ['just below half a cent', { amount: 1, price: '0.1249999999999999999' }, 500_000, '0.12'],
    ['a unit that is no whole number', { amount: 3, quotaPerUnit: '0.5' }, 2, '21.90'],
    ['a cent', { price: '0.01' }, 500_000, '0.01'],
  ])('given %s, when priced, then quota and money are exact', (_name, order, quota, money) => {
    expect(priceOrder({ ...ORDER, ...order })).toMatchObject({ status: 'priced', quota, money })
  })

  test('given 1.9 units ordered in quota, when priced, then all of them are paid and credited', () => {
    expect(priceOrder({ ...inQuota, amount: 950_000 })).toEqual({
      status: 'priced',
      quota: 950_000,
      money: '13.87',
      isOverACent: true,
    })
  })

  test('given exactly a cent, when priced, then it is not over a cent', () => {
    expect(priceOrder({ ...ORDER, price: '0.01' })).toMatchObject({ isOverACent: false })
    expect(priceOrder({ ...ORDER, price: '0.0101' })).toMatchObject({ isOverACent: true })
  })

  test.each<readonly [string, OrderedAmount, object]>([
    ['none', { ...ORDER, amount: 0 }, { status: 'too-few', least: 1 }],
    ['less than none', { ...ORDER, amount: -5 }, { status: 'too-few', least: 1 }],
    ['below the least', { ...ORDER, amount: 9, minUsd: 10 }, { status: 'too-few', least: 10 }],
    [
      'below the least in quota',
      { ...inQuota, amount: 499_999 },
      { status: 'too-few', least: 500_000 },
    ],
    [
      'more than an account can hold',
      { ...inQuota, amount: QUOTA_MAX + 1 },
      { status: 'too-many' },
    ],
    ['more dollars than that', { ...ORDER, amount: 2_000_000_001 }, { status: 'too-many' }],
    ['less than a cent', { ...ORDER, price: '0.0099' }, { status: 'too-cheap' }],
    ['less than one quota', { ...ORDER, quotaPerUnit: '0.1' }, { status: 'too-cheap' }],
  ])('given %s, when priced, then it is refused', (_name, order, refusal) => {
    expect(priceOrder(order)).toEqual(refusal)
  })

  test('given any amount in either unit, when priced, then the same worth costs the same money', () => {
    const usd = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(usd, fc.integer({ min: 1, max: 100_000 }), (amount, milli) => {
        const price = String(milli / 1000)
        const inDollars = priceOrder({ ...ORDER, amount, price })
        const asQuota = priceOrder({ ...inQuota, amount: amount * 500_000, price })
        expect(asQuota).toEqual(inDollars)
      }),
    )
  })
})

test.each([
  [undefined, '1'],
  [0, '1'],
  [-1, '1'],
  ['nonsense', '1'],
  [0.5, '0.5'],
  ['1.2', '1.2'],
])('given the group ratio %j, when read, then it is %s', (stored, text) => {
  expect(groupRatioText(stored)).toBe(text)
})
