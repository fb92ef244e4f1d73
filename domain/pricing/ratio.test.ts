import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compare,
  parseRatio,
  printRatio,
  ratio,
  roundHalfUp,
  roundUp,
  sum,
  times,
} from './ratio.ts'

const decimals = fc
  .tuple(
    fc.oneof(fc.maxSafeNat(), fc.nat(10_000), fc.bigInt({ min: 0n, max: 10n ** 24n })),
    fc.integer({ min: 0, max: 20 }),
  )
  .map(([digits, scale]) => ({ digits, scale }))

describe('ratio', () => {
  test.each([
    ['1.25', '1.25'],
    ['0.50', '0.5'],
    ['100', '100'],
    ['1e-7', '0.0000001'],
    ['1.5E+3', '1500'],
    ['-0.5', '-0.5'],
    ['0', '0'],
    ['5e-324', `0.${'0'.repeat(323)}5`],
  ])('given the text %s, when parsed and printed, then it reads %s', (text, printed) => {
    expect(printRatio(ratio(text))).toBe(printed)
  })

  test.each(['', ' 1', 'NaN', 'Infinity', '.5', '1,5', '4/3', '0x10', '1e99999'])(
    'given the text "%s", when parsed, then it is no ratio',
    (text) => {
      expect(parseRatio(text)).toBeNull()
      expect(() => ratio(text)).toThrow(RangeError)
    },
  )

  test('given any ratio, when printed and parsed, then it is the same', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(compare(ratio(printRatio(value)), value)).toBe(0)
      }),
    )
  })

  test('given any finite number, when its text is parsed, then the ratio is that number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(printRatio(ratio(String(value))))).toBe(value === 0 ? 0 : value)
      }),
    )
  })

  test('given any ratios, when multiplied and added, then products distribute over sums', () => {
    fc.assert(
      fc.property(decimals, decimals, decimals, (a, b, c) => {
        expect(compare(times(a, sum(b, c)), sum(times(a, b), times(a, c)))).toBe(0)
      }),
    )
  })

  test('given any ratio, when rounded, then it moves by half at most, and up by less than one', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        const half = { digits: roundHalfUp(value), scale: 0 }
        const up = { digits: roundUp(value), scale: 0 }
        expect(compare(half, sum(value, ratio('0.5')))).not.toBe(1)
        expect(compare(sum(half, ratio('0.5')), value)).toBe(1)
        expect(compare(up, value)).not.toBe(-1)
        expect(compare(up, sum(value, ratio('1')))).toBe(-1)
      }),
    )
  })

  test('given any ratios, when added, multiplied and rounded, then digits are those of whole bigints', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const [x, y] = [BigInt(a.digits), BigInt(b.digits)]
        const scale = Math.max(a.scale, b.scale)
        const [left, right] = [
          x * 10n ** BigInt(scale - a.scale),
          y * 10n ** BigInt(scale - b.scale),
        ]
        const unit = 10n ** BigInt(a.scale)
        expect(sum(a, b)).toEqual({ digits: shortest(left + right), scale })
        expect(times(a, b)).toEqual({ digits: shortest(x * y), scale: a.scale + b.scale })
        expect(compare(a, b)).toBe(left === right ? 0 : left < right ? -1 : 1)
        expect(roundHalfUp(a)).toBe(shortest((2n * x + unit) / (2n * unit)))
        expect(roundUp(a)).toBe(shortest((x + unit - 1n) / unit))
      }),
      { numRuns: 1_000 },
    )
  })
})

/** A number where it holds the whole exactly. */
const shortest = (whole: bigint): number | bigint =>
  whole <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(whole) : whole
