import {
  at,
  chargeOf,
  contextAfter,
  credited,
  disabled,
  exhausted,
  expired,
  extend,
  account,
  held,
  hold,
  issued,
  opened,
  place,
  refundOf,
  relay,
  stateAfter,
  suspended,
  terms,
  token,
} from '@tollgate/tests/support/account-history.ts'
import { expect, test } from 'vitest'
import { holdId, logId, tokenId, userId } from '../ids.ts'
import { quota } from '../quota.ts'
import type { AccountCommand } from './commands.ts'
import { decide } from './decider.ts'
import type { AccountEvent } from './events.ts'
import { HOLDS_MAX, QUOTA_MAX, TOKENS_MAX } from './limits.ts'
import type { AccountRejection } from './rejections.ts'

/** Repeats what is so already: decided, without events. */
const NOTHING = 'nothing'
type Answer = typeof NOTHING | AccountRejection['reason']
type Row = readonly [what: string, history: readonly AccountEvent[], AccountCommand, Answer]

const many = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i))

const lost = holdId(account, 3, { log: logId('ffffffff-0000-4000-8000-000000000000'), relay })
const credit = (amount: number): AccountCommand => ({
  type: 'CreditQuota',
  amount: quota(amount),
  source: 'grant',
  reason: '',
})
const debit = (amount: number): AccountCommand => ({
  type: 'DebitQuota',
  amount: quota(amount),
  reason: '',
})
const adjustTo = (to: number): AccountCommand => ({
  type: 'AdjustQuota',
  from: null,
  to: quota(to),
  note: null,
})
const earn = (amount: number): AccountCommand => ({
  type: 'EarnAffiliateReward',
  amount: quota(amount),
  invitee: userId(9),
})
const earned = (amount: number): AccountEvent => ({
  type: 'AffiliateRewardEarned',
  data: { at: 1, amount: quota(amount), invitee: userId(9) },
})
const transfer = (amount: number): AccountCommand => ({
  type: 'TransferAffiliateQuota',
  amount: quota(amount),
})
const issue = (remain: number, more: Partial<typeof terms> = {}): AccountCommand => ({
  type: 'IssueToken',
  token,
  remain: quota(remain),
  ...terms,
  ...more,
})
const issueFirst = (remain: number): AccountCommand => ({
  type: 'IssueToken',
  token,
  remain: quota(remain),
  ...terms,
  isFirst: true,
})
const revise = (to: number, more: Partial<typeof terms> = {}): AccountCommand => ({
  type: 'ReviseToken',
  token,
  remainChange: { to: quota(to) },
  ...terms,
  ...more,
})
const change = (type: 'EnableToken' | 'DisableToken' | 'ExpireToken' | 'DeleteToken') =>
  ({ type, token }) as const
const giveBack = (amount: number, id = hold): AccountCommand => ({
  type: 'ReturnHeldQuota',
  hold: id,
  sequence: 1,
  amount: quota(amount),
})
const release: AccountCommand = { type: 'ReleaseHold', hold, finalSequence: 0 }
const expire: AccountCommand = { type: 'ExpireHold', hold, cause: 'silence' }

const over = { expiresAt: at }
/** One token may take so many bytes; a thousand such fill an account. */
const long = { group: 'x'.repeat(700) }
const fullOfBytes = many(975, (i) => issued(1, long, tokenId(i + 10)))
const manyTokens = many(TOKENS_MAX, (i) => issued(1, {}, tokenId(i + 10)))
const manyHolds = many(HOLDS_MAX, (i) => held(1, holdId(account, 10 + i, null)))
const rich = [opened, credited(100), issued(50)]
const holding = [...rich, held(30)]
const extended: AccountEvent = {
  type: 'HoldExtended',
  data: { at: 1, hold, number: 1, amount: quota(1) },
}

test.each<Row>([
  ['open: an open account', [opened], { type: 'OpenAccount' }, 'account-already-open'],
  ['any: an account never opened', [], { type: 'SuspendAccount' }, 'account-not-open'],
  ['suspend: a suspended account', [opened, suspended], { type: 'SuspendAccount' }, NOTHING],
  ['resume: an active account', [opened], { type: 'ResumeAccount' }, NOTHING],
  ['credit: nothing', [opened], credit(0), 'amount-not-positive'],
  ['credit: too much', [opened, credited(1)], credit(QUOTA_MAX), 'amount-too-large'],
  ['debit: nothing', [opened], debit(0), 'amount-not-positive'],
  ['debit: more than is available beside holds', holding, debit(71), 'insufficient-quota'],
  ['adjust: to what it is', [opened, credited(10)], adjustTo(10), NOTHING],
  ['adjust: below what is held', holding, adjustTo(29), 'insufficient-quota'],
  ['adjust: too high', [opened], adjustTo(QUOTA_MAX + 1), 'amount-too-large'],
  ['earn: nothing', [opened], earn(0), 'amount-not-positive'],
  ['earn: too much', [opened, earned(1)], earn(QUOTA_MAX), 'amount-too-large'],
  ['transfer: nothing', [opened], transfer(0), 'amount-not-positive'],
  ['transfer: more than was earned', [opened], transfer(1), 'insufficient-affiliate-quota'],
  [
    'transfer: too much for the balance',
    [opened, credited(QUOTA_MAX), earned(1)],
    transfer(1),
    'amount-too-large',
  ],
  ['issue: a number in use', rich, issue(1), 'token-already-issued'],
  ['issue: too high a limit', [opened, credited(1)], issue(QUOTA_MAX + 1), 'amount-too-large'],
  ['issue: too low a limit', [opened, credited(1)], issue(-QUOTA_MAX - 1), 'amount-too-large'],
  ['issue: an empty account', [opened], issue(1), 'balance-exhausted'],
  [
    'issue: too many bytes',
    [opened, credited(1), ...fullOfBytes],
    issue(1, long),
    'too-many-tokens',
  ],
  ['revise: no such token', [opened], revise(1), 'token-unknown'],
  ['revise: too high a limit', rich, revise(QUOTA_MAX + 1), 'amount-too-large'],
  ['revise: too many bytes', [...rich, ...fullOfBytes], revise(1, long), 'too-many-tokens'],
  ['enable: no such token', [opened], change('EnableToken'), 'token-unknown'],
  ['enable: enabled', rich, change('EnableToken'), NOTHING],
  [
    'enable: its time is up',
    [opened, issued(5, over), expired],
    change('EnableToken'),
    'token-expired',
  ],
  [
    'enable: nothing left',
    [opened, issued(0), exhausted],
    change('EnableToken'),
    'token-exhausted',
  ],
  ['disable: no such token', [opened], change('DisableToken'), 'token-unknown'],
  ['disable: disabled', [...rich, disabled], change('DisableToken'), NOTHING],
  ['expire: no such token', [opened], change('ExpireToken'), 'token-unknown'],
  ['expire: in its time', rich, change('ExpireToken'), NOTHING],
  [
    'expire: disabled, its time up',
    [opened, issued(5, over), disabled],
    change('ExpireToken'),
    NOTHING,
  ],
  ['delete: no such token', [opened], change('DeleteToken'), 'token-unknown'],
  ['place: asked before', holding, place(1, { nonce: hold }), NOTHING],
  ['place: a suspended account', [...rich, suspended], place(1), 'account-suspended'],
  ['place: no such token', [opened, credited(9)], place(1), 'token-unknown'],
  ['place: an exhausted token', [...rich, exhausted], place(1), 'token-exhausted'],
  ['place: an expired token', [...rich, expired], place(1), 'token-expired'],
  [
    'place: a token whose time is up',
    [opened, credited(9), issued(9, over)],
    place(1),
    'token-expired',
  ],
  ['place: a disabled token', [...rich, disabled], place(1), 'token-not-active'],
  [
    'place: too many holds',
    [opened, credited(9999), issued(9999), ...manyHolds],
    place(1),
    'too-many-holds',
  ],
  ['place: above the balance', [opened, credited(5), issued(9)], place(6), 'insufficient-quota'],
  ["place: above the token's limit", holding, place(21), 'insufficient-token-quota'],
  ['extend: a hold of another timeline', holding, extend(1, 1, lost), 'other-timeline'],
  ['extend: an ended hold', rich, extend(1, 1), 'hold-ended'],
  ['extend: extended so', [...holding, extended], extend(1, 1), NOTHING],
  ['extend: out of its turn', holding, extend(2, 1), 'extension-out-of-order'],
  ['extend: a suspended account', [...holding, suspended], extend(1, 1), 'account-suspended'],
  ['extend: a disabled token', [...holding, disabled], extend(1, 1), 'token-not-active'],
  ['extend: above the balance', holding, extend(1, 71), 'insufficient-quota'],
  ['return: a hold of another timeline', holding, giveBack(1, lost), 'other-timeline'],
  ['return: an ended hold', rich, giveBack(1), NOTHING],
  [
    'return: returned before',
    [...holding, { type: 'HoldReduced', data: { at: 1, hold, sequence: 1, amount: quota(1) } }],
    giveBack(1),
    NOTHING,
  ],
  ['release: an ended hold', rich, release, NOTHING],
  ['release: a number is missing', holding, { ...release, finalSequence: 1 }, NOTHING],
  ['expire: an ended hold', rich, expire, NOTHING],
  ['charge: an ended hold, the stream not scanned', rich, chargeOf(1), 'hold-ended'],
  ['charge: an ended hold, charged before', rich, chargeOf(1, 1, true), NOTHING],
  ['refund: refunded before', rich, refundOf(5, true), NOTHING],
  ['refund: not charged', rich, refundOf(null), 'charge-unknown'],
])(
  'given one guard that fails, when decided, then it answers: %s',
  (_, history, command, answer) => {
    expect(answerTo(history, command)).toBe(answer)
  },
)

test.each<Row>([
  ['open comes before all', [], credit(0), 'account-not-open'],
  ['adjust: the same, though held', holding, adjustTo(100), NOTHING],
  ['transfer: nothing, of nothing', [opened], transfer(-1), 'amount-not-positive'],
  [
    'transfer: not earned, too much',
    [opened, credited(QUOTA_MAX)],
    transfer(1),
    'insufficient-affiliate-quota',
  ],
  ['issue: in use, too high', rich, issue(QUOTA_MAX + 1), 'token-already-issued'],
  ['issue: too high, an empty account', [opened], issue(QUOTA_MAX + 1), 'amount-too-large'],
  ['issue: an empty account, too many', [opened, ...manyTokens], issue(1), 'balance-exhausted'],
  ['issue: too many, be it the first', [opened, ...manyTokens], issueFirst(1), 'too-many-tokens'],
  [
    'revise: too high, too many bytes',
    [...rich, ...fullOfBytes],
    revise(QUOTA_MAX + 1, long),
    'amount-too-large',
  ],
  ['enable: enabled, its time up', [opened, issued(5, over)], change('EnableToken'), NOTHING],
  [
    'enable: its time up, nothing left',
    [opened, issued(0, over), exhausted],
    change('EnableToken'),
    'token-expired',
  ],
  ['place: asked before, suspended', [...holding, suspended], place(1, { nonce: hold }), NOTHING],
  ['place: suspended, no such token', [opened, suspended], place(1), 'account-suspended'],
  [
    'place: exhausted, its time up',
    [opened, issued(0, over), exhausted],
    place(1),
    'token-exhausted',
  ],
  ['place: disabled, its time up', [opened, issued(9, over), disabled], place(1), 'token-expired'],
  ['place: no such token, too many holds', [opened, ...manyHolds], place(1), 'token-unknown'],
  [
    'place: too many holds, an empty account',
    [opened, issued(9), ...manyHolds],
    place(1),
    'too-many-holds',
  ],
  ['place: above balance and limit', holding, place(71), 'insufficient-quota'],
  ['extend: another timeline, ended', rich, extend(1, 1, lost), 'other-timeline'],
  ['extend: extended so, suspended', [...holding, extended, suspended], extend(1, 1), NOTHING],
  [
    'extend: out of its turn, suspended',
    [...holding, suspended],
    extend(2, 1),
    'extension-out-of-order',
  ],
  [
    'extend: suspended, disabled',
    [...holding, disabled, suspended],
    extend(1, 1),
    'account-suspended',
  ],
  [
    'extend: disabled, above the balance',
    [...holding, disabled],
    extend(1, 71),
    'token-not-active',
  ],
  ['return: another timeline, ended', rich, giveBack(1, lost), 'other-timeline'],
  ['refund: refunded before, not charged', rich, refundOf(null, true), NOTHING],
])(
  'given two guards that fail, when decided, then the first answers: %s',
  (_, history, command, answer) => {
    expect(answerTo(history, command)).toBe(answer)
  },
)

test('given as many tokens as there may be, when one more is issued, then there are too many', () => {
  const history = [opened, credited(1), ...manyTokens]
  // So that their bytes alone do not stand in the way.
  const state = { ...stateAfter(history), tokenBytes: 0 }
  expect(decide(state, issue(1), contextAfter(history))).toEqual({
    status: 'rejected',
    rejection: { reason: 'too-many-tokens' },
  })
})

test.each<readonly [readonly AccountEvent[], AccountCommand, AccountRejection]>([
  [holding, debit(71), { reason: 'insufficient-quota', available: quota(70), balance: quota(100) }],
  [
    holding,
    place(21),
    { reason: 'insufficient-token-quota', available: quota(20), balance: quota(50) },
  ],
  [
    [opened, earned(3)],
    transfer(4),
    { reason: 'insufficient-affiliate-quota', affiliate: quota(3) },
  ],
])(
  'given too little, when %# is refused, then the rejection says how much there is',
  (history, command, rejection) => {
    expect(decide(stateAfter(history), command, contextAfter(history))).toEqual({
      status: 'rejected',
      rejection,
    })
  },
)

test('given a disabled token, when the playground asks for a hold, then no token stands in its way', () => {
  expect(answerTo([...rich, disabled], place(51, { token: null }))).toBe('QuotaHeld')
})

function answerTo(history: readonly AccountEvent[], command: AccountCommand): string {
  const decision = decide(stateAfter(history), command, contextAfter(history))
  if (decision.status === 'rejected') return decision.rejection.reason
  return decision.events.length === 0 ? NOTHING : decision.events.map(({ type }) => type).join()
}
