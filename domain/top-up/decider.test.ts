import { describe, expect, test } from 'vitest'
import { readTradeNo, tradeNo, userId } from '../ids.ts'
import { quota } from '../quota.ts'
import {
  decideTopUp,
  evolveTopUp,
  topUpDecider,
  type TopUpCommand,
  type TopUpState,
} from './decider.ts'
import type { TopUpEvent, TopUpTerms } from './events.ts'

const at = 5
const context = { at, nextRevision: 0 }
const TERMS: TopUpTerms = {
  user: userId(7),
  quota: quota(500_000),
  money: '7.30',
  method: 'zfb',
  amount: 1,
  unit: 'usd',
  price: '7.3',
  group: 'default',
  groupRatio: '1',
  quotaPerUnit: '500000',
}
const requested: TopUpEvent = { type: 'TopUpRequested', data: { at, ...TERMS } }
const paid: TopUpEvent = {
  type: 'TopUpPaid',
  data: { at, user: TERMS.user, quota: TERMS.quota, money: '7.30', gatewayTradeNo: 'G1' },
}
const abandoned: TopUpEvent = { type: 'TopUpAbandoned', data: { at } }
const request: TopUpCommand = { type: 'RequestTopUp', terms: TERMS }
const pay = (money: string, gatewayTradeNo = 'G1'): TopUpCommand => ({
  type: 'PayTopUp',
  money,
  gatewayTradeNo,
})
const paidAgain = (gatewayTradeNo: string): TopUpEvent => ({
  type: 'TopUpPaidAgain',
  data: { at, user: TERMS.user, money: '7.30', gatewayTradeNo },
})
const paidOften = Array.from({ length: 99 }, (_, n) => paidAgain(`again-${n}`))
const abandon: TopUpCommand = { type: 'AbandonTopUp' }

const given = (...events: readonly TopUpEvent[]): TopUpState =>
  events.reduce(evolveTopUp, topUpDecider.initial)

describe('deciding a top-up', () => {
  test.each<readonly [string, TopUpState, TopUpCommand, string]>([
    ['an order that is there', given(requested), request, 'order-exists'],
    ['none', given(), pay('7.30'), 'order-unknown'],
    ['none', given(), abandon, 'order-unknown'],
    ['an order and less money', given(requested), pay('7.29'), 'money-differs'],
    ['an order and more money', given(requested), pay('7.31'), 'money-differs'],
    ['an order and no number', given(requested), pay('7,30'), 'money-differs'],
    ['a paid order and less money', given(requested, paid), pay('1'), 'money-differs'],
    ['too many', given(requested, paid, ...paidOften), pay('7.30', 'G101'), 'too-many-payments'],
  ])('given %s, when commanded (%#), then it is rejected', (_name, state, command, reason) => {
    const decision = decideTopUp(state, command, context)
    expect(decision.status === 'rejected' ? decision.rejection.reason : decision).toBe(reason)
  })

  test.each<readonly [string, TopUpState, TopUpCommand, readonly TopUpEvent[]]>([
    ['none', given(), request, [requested]],
    ['an order', given(requested), pay('7.30'), [paid]],
    ['an order and the same money in other words', given(requested), pay('7.3'), [paid]],
    ['an abandoned order', given(requested, abandoned), pay('7.300'), [paid]],
    ['a paid order', given(requested, paid), pay('7.30'), []],
    [
      'a paid order and another payment',
      given(requested, paid),
      pay('7.30', 'G2'),
      [paidAgain('G2')],
    ],
    ['an order paid twice', given(requested, paid, paidAgain('G2')), pay('7.30', 'G2'), []],
    ['an order', given(requested), abandon, [abandoned]],
    ['a paid order', given(requested, paid), abandon, []],
    ['an abandoned order', given(requested, abandoned), abandon, []],
  ])('given %s, when commanded (%#), then this is decided', (_name, state, command, events) => {
    expect(decideTopUp(state, command, context)).toEqual({ status: 'decided', events })
  })
})

test('given no order, when a payment of it is folded, then there is still none', () => {
  expect(given(paid)).toEqual(topUpDecider.initial)
})

test('given an order number, when read, then only what can be one of ours is taken', () => {
  const made = tradeNo(userId(7), 'aB3xYz', 1_767_225_600_999)
  expect(made).toBe('USR7NOaB3xYz1767225600')
  expect(readTradeNo(made)).toBe(made)
  for (const text of [
    '',
    'USR7',
    'XUSR7NOaB3xYz1767225600',
    `${made} `,
    'USR7NOaB3x-z1767225600',
  ]) {
    expect(readTradeNo(text)).toBeNull()
  }
})
