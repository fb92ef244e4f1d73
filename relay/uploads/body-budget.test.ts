import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyBudget, bodyBudgetLimits, type UploadOwner } from './body-budget.ts'

const LIMITS = {
  processBytesMax: 100,
  accountBytesMax: 30,
  addressBytesMax: 50,
  strangerBytesMax: 10,
  strangersBytesMax: 20,
}
const owner = (account: number | null, address: string): UploadOwner => ({ account, address })

describe('each limit', () => {
  test.each([
    ['an account, whatever its addresses', [owner(1, 'a'), owner(1, 'b')], 30],
    ['an address, whoever sends', [owner(1, 'a'), owner(2, 'a'), owner(3, 'a')], 50],
    ['a stranger', [owner(null, 'a')], 10],
    ['all strangers', [owner(null, 'a'), owner(null, 'b'), owner(null, 'c')], 20],
    ['the process', [1, 2, 3, 4, 5].map((n) => owner(n, `${n}`)), 100],
  ])(
    'given %s, when bytes are taken one by one, then they end at the limit',
    (_who, owners, most) => {
      const budget = new BodyBudget(LIMITS)
      let taken = 0
      for (let round = 0; round < 200; round += 1) {
        for (const one of owners) if (budget.take(budget.linesOf(one), 1)) taken += 1
      }
      expect(taken).toBe(most)
      expect(budget.bytesInFlight).toBe(most)
    },
  )
})

test('given strangers who have taken all of theirs, when an account sends, then it has room', () => {
  const budget = new BodyBudget(LIMITS)
  for (const address of ['a', 'b', 'c']) budget.take(budget.linesOf(owner(null, address)), 10)
  expect(budget.take(budget.linesOf(owner(1, 'd')), 30)).toBe(true)
})

test('given bytes taken and given back in any order, when all are back, then all is free again', () => {
  const moves = fc.array(fc.record({ who: fc.integer({ min: 0, max: 4 }), bytes: fc.nat(40) }))
  fc.assert(
    fc.property(moves, (all) => {
      const budget = new BodyBudget(LIMITS)
      const owners = [
        owner(1, 'a'),
        owner(2, 'a'),
        owner(null, 'a'),
        owner(null, 'b'),
        owner(3, 'b'),
      ]
      const taken = all.flatMap(({ who, bytes }) => {
        const lines = budget.linesOf(owners[who] ?? owner(null, 'z'))
        return budget.take(lines, bytes) ? [{ lines, bytes }] : []
      })
      expect(budget.bytesInFlight).toBeLessThanOrEqual(LIMITS.processBytesMax)
      for (const { lines, bytes } of taken.toReversed()) budget.give(lines, bytes)
      expect(budget.bytesInFlight).toBe(0)
      expect(budget.take(budget.linesOf(owner(null, 'a')), 10)).toBe(true)
    }),
  )
})

test('given a larger limit on bodies, when limits are made, then one such body fits everywhere', () => {
  const bytes = 1024 ** 3
  const { processBytesMax, accountBytesMax, addressBytesMax } = bodyBudgetLimits(bytes)
  expect(Math.min(processBytesMax, accountBytesMax, addressBytesMax)).toBeGreaterThanOrEqual(
    2 * bytes,
  )
})
