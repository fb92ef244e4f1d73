import { describe, expect, test } from 'vitest'
import { abbreviate, columnQuota, exactQuota, parseQuota, shortQuota } from './quota-format.ts'

describe('shortQuota', () => {
  test.each([
    [500_000, '$1.00'],
    [6_170_000, '$12.34'],
    [0, '$0.00'],
    [177, '$0.000354'],
    [-250_000, '−$0.50'],
    [617_000_000, '$1,234.00'],
  ])('given %d in currency, then %s', (quota, text) => {
    expect(shortQuota(quota, 'currency', 500_000)).toBe(text)
  })

  test.each([
    [9999, '9999'],
    [10_000, '10.0k'],
    [1_500_000, '1.5M'],
    [2_000_000_000, '2.0B'],
    [-1_500_000, '-1.5M'],
  ])('given %d raw, then %s', (quota, text) => {
    expect(shortQuota(quota, 'quota', 500_000)).toBe(text)
    expect(abbreviate(quota)).toBe(text)
  })
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
