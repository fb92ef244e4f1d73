import { expect, test } from 'vitest'
import {
  forcedAmount,
  isWholeAmount,
  leastAmount,
  presetAmounts,
  quotaOf,
} from './top-up-amount.ts'

const DOLLARS = { isDollars: true, quotaPerUnit: 500_000, minTopUp: 2 }
const QUOTA = { ...DOLLARS, isDollars: false }

test.each([
  ['0', '1'],
  ['-5', '1'],
  ['00', '1'],
  ['007', '7'],
  ['1,000', '1000'],
  ['', ''],
  ['120', '120'],
])('given %j typed, when forced, then it is %j', (text, amount) => {
  expect(forcedAmount(text)).toBe(amount)
})

test.each(['12.5', '0.5', '1e3', 'ten', ''])(
  'given %j typed, when forced, then it stays for the form to refuse',
  (text) => {
    expect(forcedAmount(text)).toBe(text)
    expect(isWholeAmount(text)).toBe(false)
  },
)

test('given dollars, when presets are offered, then those of the seeds from the minimum on', () => {
  expect(leastAmount(DOLLARS)).toBe(2)
  expect(presetAmounts(DOLLARS)).toEqual([10, 50, 100, 500, 1000])
  expect(quotaOf(10, DOLLARS)).toBe(5_000_000)
})

test('given quota, when presets are offered, then minimum and presets are quota', () => {
  expect(leastAmount(QUOTA)).toBe(1_000_000)
  expect(presetAmounts(QUOTA)[0]).toBe(5_000_000)
  expect(quotaOf(5_000_000, QUOTA)).toBe(5_000_000)
})
