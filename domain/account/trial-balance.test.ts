import { expect, test } from 'vitest'
import { holdId, relayId, userId } from '../ids.ts'
import { quota } from '../quota.ts'
import type { AccountEvent } from './events.ts'
import { openTrialBalance, totalOf } from './trial-balance.ts'

const credited = (amount: number): AccountEvent => ({
  type: 'QuotaCredited',
  data: { at: 1, amount: quota(amount), source: 'top-up', reason: '' },
})
const held = (amount: number): AccountEvent => ({
  type: 'QuotaHeld',
  data: {
    at: 1,
    hold: holdId(userId(7), 1, null),
    token: null,
    relay: relayId('r'),
    nonce: 'n',
    amount: quota(amount),
  },
})

test('given postings of several users, when summed, then debits equal credits and the total is zero', () => {
  const books = openTrialBalance()
  books.post(userId(10), credited(100))
  books.post(userId(7), credited(50))
  books.post(userId(7), held(20))
  const byKind = books.rows('by-kind')
  expect(byKind.slice(0, 2)).toEqual([
    { account: 'wallet', accounts: 2, debits: 20n, credits: 150n, balance: 130n },
    { account: 'held', accounts: 1, debits: 0n, credits: 20n, balance: 20n },
  ])
  expect(byKind.map(({ account }) => account)).toContain('promotions')
  expect(totalOf(byKind)).toEqual({
    account: 'total',
    accounts: 4,
    debits: 170n,
    credits: 170n,
    balance: 0n,
  })
  const each = books.rows('each')
  expect(each.map(({ account, balance }) => [account, balance])).toEqual([
    ['wallet:7', 30n],
    ['wallet:10', 100n],
    ['held:7', 20n],
    ['top-ups', -150n],
  ])
  expect(totalOf(each)).toEqual(totalOf(byKind))
})

test('given sums beyond 2^53, when summed, then they are exact', () => {
  const books = openTrialBalance()
  for (const user of [1, 2, 3]) books.post(userId(user), credited(Number.MAX_SAFE_INTEGER))
  expect(books.rows('by-kind')[0]?.balance).toBe(3n * (2n ** 53n - 1n))
})
