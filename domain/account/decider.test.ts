import { exampleTimelines } from '../timeline/example-timelines.ts'
import { describe, expect, test } from 'vitest'
import { holdId, relayId, tokenId, userId } from '../ids.ts'
import { quota } from '../quota.ts'
import type { AccountCommand } from './commands.ts'
import { decide } from './decider.ts'
import type { AccountEvent } from './events.ts'
import { exampleUsage } from './example-usage.ts'
import { evolve } from './evolve.ts'
import { HOLDS_MAX, QUOTA_MAX, TOKENS_MAX } from './limits.ts'
import { accept, hasAccepted, hasAllUpTo, unopenedAccount } from './state.ts'

const account = userId(7)
const relay = relayId('relay-a')
const token = tokenId(1)
const hold = holdId(account, 3, null)
const at = 1_000
const terms = { unlimited: false, expiresAt: null, group: '', models: null, allowedIps: [] }
const notation = { showsCurrency: false, quotaPerUnit: 500_000 }

const opened: AccountEvent = { type: 'AccountOpened', data: { at: 1 } }
const credited = (amount: number): AccountEvent => ({
  type: 'QuotaCredited',
  data: { at: 1, amount: quota(amount), source: 'grant', reason: '' },
})
const issued = (remain: number, more: Partial<typeof terms> = {}, id = token): AccountEvent => ({
  type: 'TokenIssued',
  data: { at: 1, token: id, remain: quota(remain), ...terms, ...more },
})
const held = (amount: number, id = hold): AccountEvent => ({
  type: 'QuotaHeld',
  data: { at: 1, hold: id, token, relay, nonce: id, amount: quota(amount) },
})
const suspended: AccountEvent = { type: 'AccountSuspended', data: { at: 1 } }

const request = exampleUsage('r1')

const place = (
  need: number,
  more: Partial<Extract<AccountCommand, { type: 'PlaceHold' }>> = {},
): AccountCommand => ({
  type: 'PlaceHold',
  token,
  relay,
  nonce: 'new',
  need: quota(need),
  want: quota(need),
  ...more,
})
const extend = (number: number, need: number): AccountCommand => ({
  type: 'ExtendHold',
  hold,
  number,
  need: quota(need),
  want: quota(need),
})
const chargeOf = (
  amount: number,
  sequence = 1,
  chargedBefore: boolean | null = null,
): AccountCommand => ({
  type: 'ChargeUsage',
  endedAt: 0,
  hold,
  sequence,
  token,
  amount: quota(amount),
  request,
  chargedBefore,
})

function decideAfter(history: readonly AccountEvent[], command: AccountCommand, now = at) {
  const state = history.reduce(evolve, unopenedAccount())
  return decide(state, command, {
    account,
    at: now,
    nextRevision: history.length,
    timelines: exampleTimelines,
  })
}

function eventsAfter(history: readonly AccountEvent[], command: AccountCommand, now = at) {
  const decision = decideAfter(history, command, now)
  return decision.status === 'decided' ? decision.events : []
}

const many = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i))

describe('given a history, when a command cannot be followed, then the first failing guard names the rejection:', () => {
  test.each<[string, AccountEvent[], AccountCommand, object]>([
    [
      'an account that is open already',
      [opened],
      { type: 'OpenAccount' },
      { reason: 'account-already-open' },
    ],
    [
      'an account that was never opened',
      [],
      { type: 'SuspendAccount' },
      { reason: 'account-not-open' },
    ],
    [
      'a credit of nothing',
      [opened],
      { type: 'CreditQuota', amount: quota(0), source: 'grant', reason: '' },
      { reason: 'amount-not-positive' },
    ],
    [
      'a debit above what is available, held quota apart',
      [opened, credited(10), issued(9), held(4)],
      { type: 'DebitQuota', amount: quota(7), reason: '' },
      { reason: 'insufficient-quota', available: 6, balance: 10 },
    ],
    [
      'a new balance below what is held',
      [opened, credited(10), issued(9), held(4)],
      { type: 'AdjustQuota', to: quota(3), notation },
      { reason: 'insufficient-quota', available: 6, balance: 10 },
    ],
    [
      'a new balance beyond what an account may have',
      [opened],
      { type: 'AdjustQuota', to: quota(QUOTA_MAX + 1), notation },
      { reason: 'amount-too-large' },
    ],
    [
      'a transfer above the affiliate balance',
      [opened],
      { type: 'TransferAffiliateQuota', amount: quota(1) },
      { reason: 'insufficient-affiliate-quota', affiliate: 0 },
    ],
    [
      'a token number that is in use',
      [opened, credited(1), issued(1)],
      { type: 'IssueToken', token, remain: quota(1), ...terms },
      { reason: 'token-already-issued' },
    ],
    [
      'a token for an empty account',
      [opened],
      { type: 'IssueToken', token, remain: quota(1), ...terms },
      { reason: 'balance-exhausted' },
    ],
    [
      'one token more than an account may have, be it the first',
      [opened, credited(1), ...many(TOKENS_MAX, (i) => issued(1, {}, tokenId(i + 10)))],
      { type: 'IssueToken', token, remain: quota(1), ...terms, isFirst: true },
      { reason: 'too-many-tokens' },
    ],
    [
      'one token more than an account may have',
      [opened, credited(1), ...many(TOKENS_MAX, (i) => issued(1, {}, tokenId(i + 10)))],
      { type: 'IssueToken', token, remain: quota(1), ...terms },
      { reason: 'too-many-tokens' },
    ],
    [
      'a change of a token that is not there',
      [opened],
      { type: 'ReviseToken', token, remainChange: quota(1), ...terms },
      { reason: 'token-unknown' },
    ],
    [
      'enabling a token whose time is up',
      [
        opened,
        credited(1),
        issued(5, { expiresAt: 999 as never }),
        { type: 'TokenExpired', data: { at: 1, token } },
      ],
      { type: 'EnableToken', token },
      { reason: 'token-expired' },
    ],
    [
      'enabling a token with nothing left',
      [opened, credited(1), issued(0), { type: 'TokenExhausted', data: { at: 1, token } }],
      { type: 'EnableToken', token },
      { reason: 'token-exhausted' },
    ],
    [
      'a hold on a suspended account',
      [opened, credited(9), issued(9), suspended],
      place(1),
      { reason: 'account-suspended' },
    ],
    [
      'a hold for a token that is not there',
      [opened, credited(9)],
      place(1),
      { reason: 'token-unknown' },
    ],
    [
      'a hold for a disabled token',
      [opened, credited(9), issued(9), { type: 'TokenDisabled', data: { at: 1, token } }],
      place(1),
      { reason: 'token-not-active' },
    ],
    [
      'a hold for a token whose time is up',
      [opened, credited(9), issued(9, { expiresAt: 1000 as never })],
      place(1),
      { reason: 'token-expired' },
    ],
    [
      'one hold more than an account may have',
      [
        opened,
        credited(900),
        issued(900),
        ...many(HOLDS_MAX, (i) => held(1, holdId(account, 10 + i, null))),
      ],
      place(1),
      { reason: 'too-many-holds' },
    ],
    [
      'a hold above what the account has',
      [opened, credited(5), issued(9)],
      place(6),
      { reason: 'insufficient-quota', available: 5, balance: 5 },
    ],
    [
      'a hold above what the token may spend',
      [opened, credited(50), issued(9), held(4)],
      place(6),
      { reason: 'insufficient-token-quota', available: 5, balance: 9 },
    ],
    ['an extension of a hold that has ended', [opened], extend(1, 1), { reason: 'hold-ended' }],
    [
      'an extension out of its turn',
      [opened, credited(9), issued(9), held(1)],
      extend(2, 1),
      { reason: 'extension-out-of-order' },
    ],
    [
      'a charge of an ended hold that nobody looked for',
      [opened, credited(9)],
      chargeOf(1),
      { reason: 'hold-ended' },
    ],
    [
      'a refund of a request that was not charged',
      [opened],
      {
        type: 'RefundUsage',
        request: request.id,
        token,
        channel: null,
        reason: '',
        charged: null,
        refundedBefore: false,
      },
      { reason: 'charge-unknown' },
    ],
  ])('%s', (_, history, command, rejection) => {
    expect(decideAfter(history, command)).toEqual({ status: 'rejected', rejection })
  })
})

describe('given an open hold,', () => {
  const history = [opened, credited(100), issued(50), held(30)]

  test('when a charge fits, then the hold pays', () => {
    expect(decideAfter(history, chargeOf(20))).toMatchObject({
      events: [{ type: 'UsageCharged', data: { fromHold: 20, fromWallet: 0, late: false } }],
    })
  })

  test('when a charge is higher than the hold, then the wallet pays the rest', () => {
    expect(decideAfter(history, chargeOf(45))).toMatchObject({
      events: [{ type: 'UsageCharged', data: { fromHold: 30, fromWallet: 15 } }],
    })
  })

  test('when a charge uses up its token, then the token is exhausted with it', () => {
    expect(decideAfter(history, chargeOf(50))).toMatchObject({
      events: [{ type: 'UsageCharged' }, { type: 'TokenExhausted', data: { token } }],
    })
  })

  test('when the account is suspended, then charges still come in', () => {
    expect(decideAfter([...history, suspended], chargeOf(5))).toMatchObject({ status: 'decided' })
  })

  test('when the same hold is asked for again, then nothing is decided', () => {
    expect(decideAfter(history, place(30, { nonce: hold }))).toEqual({
      status: 'decided',
      events: [],
    })
  })

  test('when more is wanted than a share of what is left, then the share or the need is granted', () => {
    expect(decideAfter(history, place(1, { want: quota(1000) }))).toMatchObject({
      events: [{ data: { amount: 10, hold: `7@4@${exampleTimelines[0].log}@relay-a` } }],
    })
    expect(decideAfter(history, place(15, { want: quota(1000) }))).toMatchObject({
      events: [{ data: { amount: 15 } }],
    })
  })

  test('when its final number is named, then it ends once all numbers are in', () => {
    const release: AccountCommand = { type: 'ReleaseHold', hold, finalSequence: 1 }
    expect(decideAfter(history, release)).toEqual({ status: 'decided', events: [] })
    const state = [...history].reduce(evolve, unopenedAccount())
    const charged = decide(state, chargeOf(20), {
      account,
      at,
      nextRevision: 4,
      timelines: exampleTimelines,
    })
    const events = charged.status === 'decided' ? charged.events : []
    expect(decideAfter([...history, ...events], release)).toMatchObject({
      events: [{ type: 'HoldReleased', data: { amount: 10 } }],
    })
  })
})

test('given an expired token, when its owner extends it, then it is enabled with the change', () => {
  const history = [
    opened,
    credited(9),
    issued(9, { expiresAt: 500 as never }),
    { type: 'TokenExpired', data: { at: 600, token } } as const,
  ]
  const revise: AccountCommand = {
    type: 'ReviseToken',
    token,
    remainChange: quota(0),
    ...terms,
    expiresAt: 2_000,
  }
  expect(decideAfter(history, revise)).toMatchObject({
    events: [{ type: 'TokenRevised' }, { type: 'TokenEnabled' }],
  })
})

describe('given a token that a charge used up,', () => {
  const usedUp: readonly AccountEvent[] = [
    opened,
    credited(200),
    issued(50, { expiresAt: 5_000 as never }),
    held(50),
  ]
  const charged = [...usedUp, ...eventsAfter(usedUp, chargeOf(50))]
  const refund = (amount: number): AccountCommand => ({
    type: 'RefundUsage',
    request: request.id,
    token,
    channel: null,
    reason: 'failed',
    charged: quota(amount),
    refundedBefore: false,
  })
  const typesAfter = (history: readonly AccountEvent[], amount = 50, now = at) =>
    eventsAfter(history, refund(amount), now).map(({ type }) => type)

  test('when the charge is refunded, then the token is enabled with the refund and can pay again', () => {
    expect(typesAfter(charged)).toEqual(['UsageRefunded', 'TokenEnabled'])
    const refunded = [...charged, ...eventsAfter(charged, refund(50))]
    expect(decideAfter(refunded, place(50))).toMatchObject({ events: [{ type: 'QuotaHeld' }] })
  })

  test('when nothing comes back, it has expired, its owner has switched it off or deleted it, then the refund leaves it so', () => {
    expect(typesAfter(charged, 0)).toEqual(['UsageRefunded'])
    expect(typesAfter(charged, 50, 5_000)).toEqual(['UsageRefunded'])
    for (const type of ['TokenDisabled', 'TokenDeleted'] as const) {
      const changed = [...charged, { type, data: { at, token } }]
      expect(typesAfter(changed)).toEqual(['UsageRefunded'])
    }
  })

  test('when its owner has lowered the limit meanwhile, then it stays used up as long as nothing is left', () => {
    const lowered = (by: number): readonly AccountEvent[] => [
      ...charged,
      { type: 'TokenRevised', data: { at, token, remainChange: quota(-by), ...terms } },
    ]
    expect(typesAfter(lowered(50))).toEqual(['UsageRefunded'])
    expect(typesAfter(lowered(49))).toEqual(['UsageRefunded', 'TokenEnabled'])
  })
})

test.each([
  [15, 'QuotaCredited', { amount: 5, source: 'grant', reason: /从 10 点额度修改为 15 点额度$/ }],
  [4, 'QuotaDebited', { amount: 6, source: 'adjustment', reason: /从 10 点额度修改为 4 点额度$/ }],
] as const)(
  'given a balance of 10, when it is to be %d, then %s by the difference, with what it was as the reason',
  (to, type, { reason, ...data }) => {
    const adjust: AccountCommand = { type: 'AdjustQuota', to: quota(to), notation }
    expect(decideAfter([opened, credited(10)], adjust)).toMatchObject({
      events: [{ type, data: { ...data, reason: expect.stringMatching(reason) } }],
    })
  },
)

test('given a balance, when it is to be what it is, then nothing happens', () => {
  const adjust: AccountCommand = { type: 'AdjustQuota', to: quota(10), notation }
  expect(decideAfter([opened, credited(10)], adjust)).toEqual({ status: 'decided', events: [] })
})

test.each([
  [quota(-3), -3],
  [{ to: quota(20) }, 15],
  [{ to: quota(5) }, 0],
])(
  'given a token with 5 left, when its limit changes by %j, then the event says by %d',
  (remainChange, by) => {
    const revise: AccountCommand = { type: 'ReviseToken', token, remainChange, ...terms }
    expect(decideAfter([opened, credited(9), issued(5)], revise)).toMatchObject({
      events: [{ type: 'TokenRevised', data: { remainChange: by } }],
    })
  },
)

test('given accepted numbers, when more come in any order, then the ranges join and know what is missing', () => {
  const accepted = [5, 1, 3, 2, 9].reduce(accept, [] as ReturnType<typeof accept>)
  expect(accepted).toEqual([
    [1, 3],
    [5, 5],
    [9, 9],
  ])
  expect(hasAccepted(accepted, 4)).toBe(false)
  expect(hasAllUpTo(accepted, 3)).toBe(true)
  expect(hasAllUpTo(accepted, 5)).toBe(false)
  expect(accept(accepted, 4)).toEqual([
    [1, 5],
    [9, 9],
  ])
})
