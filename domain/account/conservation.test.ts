import {
  credited,
  held,
  hold,
  issued,
  opened,
  request,
  stateAfter,
  token,
} from '@tollgate/tests/support/account-history.ts'
import { expect, test } from 'vitest'
import { quota } from '../quota.ts'
import { checkHeld, evolveConserving } from './conservation.ts'
import type { AccountEvent } from './events.ts'

const holding = [opened, credited(100), issued(50), held(30)]
const charged = (amount: number, fromHold: number, fromWallet: number): AccountEvent => ({
  type: 'UsageCharged',
  data: {
    at: 1,
    hold,
    sequence: 1,
    token,
    amount: quota(amount),
    fromHold: quota(fromHold),
    fromWallet: quota(fromWallet),
    late: false,
    request,
    endedAt: 1,
  },
})
const released = (amount: number): AccountEvent => ({
  type: 'HoldReleased',
  data: { at: 1, hold, amount: quota(amount), accepted: [] },
})
const expired = (amount: number): AccountEvent => ({
  type: 'HoldExpired',
  data: { at: 1, hold, amount: quota(amount), accepted: [], cause: 'silence' },
})
const reduced = (amount: number): AccountEvent => ({
  type: 'HoldReduced',
  data: { at: 1, hold, sequence: 1, amount: quota(amount) },
})

test.each<[string, readonly AccountEvent[], AccountEvent, string]>([
  ['a charge pays less than it costs', holding, charged(20, 10, 9), 'balances'],
  ['a charge pays more than it costs', holding, charged(20, 20, 1), 'balances'],
  ['quota comes back from no hold', [opened, credited(100)], reduced(5), 'balances'],
  ['a hold is released with too much', holding, released(31), 'ends with 31'],
  ['a hold expires with too little', holding, expired(29), 'ends with 29'],
])('given an account, when %s, then an invariant is broken', (_, history, event, message) => {
  const fold = () => evolveConserving(stateAfter(history), [event])
  expect(fold).toThrow(message)
  expect(fold).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN', retryable: false }))
})

test.each([charged(20, 10, 10), reduced(5), released(30), expired(30)])(
  'given an open hold, when %# adds up, then it is folded',
  (event) => {
    checkHeld(evolveConserving(stateAfter(holding), [event]))
  },
)

test('given more held than open holds have left, when that is checked, then an invariant is broken', () => {
  const torn = { ...stateAfter(holding), held: quota(31) }
  expect(() => checkHeld(torn)).toThrow('31 is held; open holds have 30 left')
})
