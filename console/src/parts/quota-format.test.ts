import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  abbreviate,
  abbreviateRound,
  columnQuota,
  exactQuota,
  grouped,
  moneyString,
  moneyText,
  parseQuota,
  signedPercent,
} from './quota-format.ts'

describe('moneyString', () => {
  test.each([
    [500_000, '$1.00'],
    [6_170_000, '$12.34'],
    [99_998_583, '$199.997166'],
    [0, '$0.00'],
    [3250, '$0.006500'],
    [177, '$0.000354'],
    [-250_000, '−$0.50'],
    [617_000_000, '$1,234.00'],
  ])('given %d in currency, then %s', (quota, text) => {
    expect(moneyString(quota, 'currency', 500_000)).toBe(text)
  })

  test.each([
    [9999, '9,999'],
    [10_000, '10.0k'],
    [1_500_000, '1.5M'],
    [2_000_000_000, '2.0B'],
    [-1_500_000, '-1.5M'],
  ])('given %d raw, then %s', (quota, text) => {
    expect(moneyString(quota, 'quota', 500_000)).toBe(text)
    expect(abbreviate(quota)).toBe(text)
  })

  test('given an amount over a dollar, when written, then the digits after the cents stand back', () => {
    expect(moneyText(99_998_583, 'currency', 500_000)).toEqual({ head: '$199.99', tail: '7166' })
  })

  test('given any balance and unit, when written, then it never looks larger than it is', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.integer({ min: 1, max: 5_000_000 }),
        (balance, quotaPerUnit) => {
          const text = moneyString(balance, 'currency', quotaPerUnit, 'balance')
          const micros = BigInt(text.replaceAll(/[−$,]/gu, '').replace('.', ''))
          const digits = text.split('.')[1]?.length ?? 0
          const shown = (text.startsWith('−') ? -micros : micros) * 10n ** BigInt(6 - digits)
          expect(shown * BigInt(quotaPerUnit) <= BigInt(balance) * 1_000_000n).toBe(true)
          expect((shown + 1n) * BigInt(quotaPerUnit) > BigInt(balance) * 1_000_000n).toBe(true)
        },
      ),
    )
  })

  test.each([
    [99_998_583, '99.9M'],
    [1_999_999_999, '1.9B'],
    [19_999, '19.9k'],
  ])('given a balance of %d raw, when written, then it is cut to %s', (balance, text) => {
    expect(moneyString(balance, 'quota', 500_000, 'balance')).toBe(text)
  })
})

test.each([
  [0, 0, '0'],
  [999, 0, '999'],
  [1000, 0, '1,000'],
  [-1234, 0, '-1,234'],
  [-123, 0, '-123'],
  [1_234_567.891, 3, '1,234,567.891'],
  [0.123_456, 6, '0.123456'],
  [12_345.000_01, 6, '12,345.000010'],
  [Number.MAX_SAFE_INTEGER, 0, '9,007,199,254,740,991'],
  [-0, 2, '0.00'],
  [-0.004, 2, '0.00'],
  [-0.006, 2, '-0.01'],
])('given %d with %d digits, when grouped, then %s', (value, digits, text) => {
  expect(grouped(value, digits)).toBe(text)
})

test('given an amount beyond exact numbers, when written, then its dollars have commas', () => {
  expect(moneyString(Number.MAX_SAFE_INTEGER, 'currency', 1)).toBe('$9,007,199,254,740,991.00')
})

test('given a column, when shown in either unit, then no digit is lost', () => {
  expect(columnQuota(1, 'currency', 500_000)).toBe('0.000002')
  expect(columnQuota(1_234_567, 'quota', 500_000)).toBe('1,234,567')
})

test('given an amount, when hovered, then both units are exact', () => {
  expect(exactQuota(6_170_001, 500_000)).toEqual({ currency: '$12.340002', quota: '6,170,001' })
})

describe('parseQuota', () => {
  test.each([
    ['1', 'currency', 500_000],
    ['0.000002', 'currency', 1],
    ['1,000', 'quota', 1000],
    ['1.5', 'quota', null],
    ['1e5', 'quota', null],
    ['', 'currency', null],
    ['0.0000001', 'currency', null],
    ['99999999999999999', 'quota', null],
  ] as const)('given %s in %s, then %s', (text, unit, quota) => {
    expect(parseQuota(text, unit, 500_000)).toBe(quota)
  })
})

describe('abbreviateRound', () => {
  test.each([
    [500_000, '500k'],
    [1_500_000, '1.5M'],
    [20_000_000, '20M'],
    [7500, '7,500'],
    [2.5, '2.5'],
    [0.25, '0.25'],
    [0, '0'],
  ])('given %d, chosen round, then it reads %s', (value, text) => {
    expect(abbreviateRound(value)).toBe(text)
  })
})

test.each([
  [-14.66, '−14.7'],
  [-7, '−7.0'],
  [0, '0.0'],
  [1234.5, '+1,234.5'],
])('given a change of %d %%, when shown, then it is %s', (percent, text) => {
  expect(signedPercent(percent, 'en')).toBe(text)
})
