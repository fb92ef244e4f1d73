import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { QUOTA_MAX } from '../account/limits.ts'
import { userId } from '../ids.ts'
import { quota } from '../quota.ts'
import { decideRedemption, type RedemptionCommand, redemptionDecider } from './decider.ts'
import type { RedemptionEvent } from './events.ts'
import { evolveRedemption } from './evolve.ts'
import type { RedemptionState } from './state.ts'

const at = 5
const context = { at, nextRevision: 0 }
const creator = userId(1)
const user = userId(7)
const issued: RedemptionEvent = { type: 'CodeIssued', data: { at: 1, quota: quota(100), creator } }
const disabled: RedemptionEvent = { type: 'CodeDisabled', data: { at: 2 } }
const used: RedemptionEvent = { type: 'CodeRedeemed', data: { at: 2, user, quota: quota(100) } }
const deleted: RedemptionEvent = { type: 'CodeDeleted', data: { at: 3 } }
const issue = (amount: number): RedemptionCommand => ({
  type: 'IssueCode',
  quota: quota(amount),
  creator,
})
const revise = (amount: number): RedemptionCommand => ({
  type: 'ReviseCode',
  quota: quota(amount),
})
const disable: RedemptionCommand = { type: 'DisableCode' }
const enable: RedemptionCommand = { type: 'EnableCode' }
const redeem: RedemptionCommand = { type: 'RedeemCode', user }
const remove: RedemptionCommand = { type: 'DeleteCode' }

const given = (...events: readonly RedemptionEvent[]): RedemptionState =>
  events.reduce(evolveRedemption, redemptionDecider.initial)

describe('deciding a redemption code', () => {
  test.each<readonly [string, RedemptionState, RedemptionCommand, string]>([
    ['one that is there', given(issued), issue(100), 'code-exists'],
    ['one that was deleted', given(issued, deleted), issue(100), 'code-exists'],
    ['none and no quota', given(), issue(0), 'quota-not-positive'],
    ['none and too much quota', given(), issue(QUOTA_MAX + 1), 'quota-too-large'],
    ['none', given(), redeem, 'code-unknown'],
    ['one that was deleted', given(issued, deleted), redeem, 'code-unknown'],
    ['one that was deleted', given(issued, deleted), remove, 'code-unknown'],
    ['a used one', given(issued, used), revise(7), 'code-not-unused'],
    ['a disabled one', given(issued, disabled), revise(7), 'code-not-unused'],
    ['an unused one', given(issued), revise(-1), 'quota-not-positive'],
    ['an unused one', given(issued), revise(QUOTA_MAX + 1), 'quota-too-large'],
    ['a used one', given(issued, used), disable, 'code-used'],
    ['a used one', given(issued, used), enable, 'code-used'],
    ['a used one', given(issued, used), redeem, 'code-used'],
    ['a disabled one', given(issued, disabled), redeem, 'code-used'],
  ])('given %s, when commanded (%#), then it is rejected', (_name, state, command, reason) => {
    const decision = decideRedemption(state, command, context)
    expect(decision.status === 'rejected' ? decision.rejection.reason : decision).toBe(reason)
  })

  test.each<readonly [string, RedemptionState, RedemptionCommand, readonly RedemptionEvent[]]>([
    ['none', given(), issue(3), [{ type: 'CodeIssued', data: { at, quota: quota(3), creator } }]],
    [
      'an unused one',
      given(issued),
      revise(3),
      [{ type: 'CodeRevised', data: { at, quota: quota(3) } }],
    ],
    ['an unused one', given(issued), revise(100), []],
    ['one of which only the name is edited', given(issued), { type: 'ReviseCode' }, []],
    ['an unused one', given(issued), disable, [{ type: 'CodeDisabled', data: { at } }]],
    ['a disabled one', given(issued, disabled), disable, []],
    ['a disabled one', given(issued, disabled), enable, [{ type: 'CodeEnabled', data: { at } }]],
    ['an unused one', given(issued), enable, []],
    [
      'a revised one',
      given(issued, { type: 'CodeRevised', data: { at: 2, quota: quota(9) } }),
      redeem,
      [{ type: 'CodeRedeemed', data: { at, user, quota: quota(9) } }],
    ],
    ['a used one', given(issued, used), remove, [{ type: 'CodeDeleted', data: { at } }]],
  ])('given %s, when commanded (%#), then this is decided', (_name, state, command, events) => {
    expect(decideRedemption(state, command, context)).toEqual({ status: 'decided', events })
  })

  test('given any commands in any order, when decided in turn, then a code is redeemed at most once', () => {
    const commands = fc.array(
      fc.constantFrom(issue(100), revise(7), revise(8), disable, enable, redeem, remove),
    )
    fc.assert(
      fc.property(commands, (sequence) => {
        let state = redemptionDecider.initial
        let redeemed = 0
        for (const command of sequence) {
          const decision = decideRedemption(state, command, context)
          if (decision.status === 'rejected') continue
          redeemed += decision.events.filter(({ type }) => type === 'CodeRedeemed').length
          state = decision.events.reduce(evolveRedemption, state)
        }
        expect(redeemed).toBeLessThanOrEqual(1)
      }),
    )
  })
})
