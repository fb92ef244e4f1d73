import {
  at,
  chargeOf,
  contextAfter,
  credited,
  expired,
  held,
  hold,
  issued,
  opened,
  place,
  refundOf,
  stateAfter,
  suspended,
  terms,
  token,
} from '@tollgate/tests/support/account-history.ts'
import { describe, expect, test } from 'vitest'
import { quota } from '../quota.ts'
import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import type { AccountCommand } from './commands.ts'
import { decide } from './decider.ts'
import type { AccountEvent } from './events.ts'
import { noteId } from '../ids.ts'
import { accept, hasAccepted, hasAllUpTo } from './state.ts'

function decideAfter(history: readonly AccountEvent[], command: AccountCommand, now = at) {
  return decide(stateAfter(history), command, contextAfter(history, now))
}

function eventsAfter(history: readonly AccountEvent[], command: AccountCommand, now = at) {
  const decision = decideAfter(history, command, now)
  return decision.status === 'decided' ? decision.events : []
}

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
    const charged = [...history, ...eventsAfter(history, chargeOf(20))]
    expect(decideAfter(charged, release)).toMatchObject({
      events: [{ type: 'HoldReleased', data: { amount: 10 } }],
    })
  })
})

test('given an expired token, when its owner extends it, then it is enabled with the change', () => {
  const history = [opened, credited(9), issued(9, { expiresAt: 500 }), expired]
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
    issued(50, { expiresAt: 5_000 }),
    held(50),
  ]
  const charged = [...usedUp, ...eventsAfter(usedUp, chargeOf(50))]
  const typesAfter = (history: readonly AccountEvent[], amount = 50, now = at) =>
    eventsAfter(history, refundOf(amount), now).map(({ type }) => type)

  test('when the charge is refunded, then the token is enabled with the refund and can pay again', () => {
    expect(typesAfter(charged)).toEqual(['UsageRefunded', 'TokenEnabled'])
    const refunded = [...charged, ...eventsAfter(charged, refundOf(50))]
    expect(decideAfter(refunded, place(50))).toMatchObject({ events: [{ type: 'QuotaHeld' }] })
  })

  test('when the token expired or its owner switched it off or deleted it, then the refund leaves it so', () => {
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

const note = noteId('7d9f4f0e-1f0a-4a51-9c1c-3b1b8f0a1c01')
const adjust = (from: number | null, to: number): AccountCommand => ({
  type: 'AdjustQuota',
  from: from === null ? null : quota(from),
  to: quota(to),
  note,
})

test.each([
  [null, 15, 'QuotaCredited', { amount: 5, source: 'grant', reason: '' }, 10],
  [null, 4, 'QuotaDebited', { amount: 6, source: 'adjustment' }, 10],
  [12, 15, 'QuotaCredited', { amount: 3, source: 'grant', reason: '' }, 12],
  [12, 4, 'QuotaDebited', { amount: 8, source: 'adjustment' }, 12],
] as const)(
  'given a balance of 10 shown as %s, when it is to be %d, then %s by the difference, with the facts',
  (shown, to, type, data, from) => {
    const adjustment = { from, to, reasonCode: 'balance_edited', note }
    expect(decideAfter([opened, credited(10)], adjust(shown, to))).toEqual({
      status: 'decided',
      events: [{ type, data: { at, ...data, adjustment } }],
    })
  },
)

test.each([[null, 10] as const, [7, 7] as const])(
  'given a balance of 10 shown as %s, when it is to be %d, then nothing happens',
  (shown, to) => {
    const decision = decideAfter([opened, credited(10)], adjust(shown, to))
    expect(decision).toEqual({ status: 'decided', events: [] })
  },
)

test('given a text in place of facts, when credited or debited, then only a grant’s is an adjustment', () => {
  const by = { type: 'CreditQuota', amount: quota(3) } as const
  const dataOf = (command: AccountCommand) => eventsAfter([opened, credited(9)], command)[0]?.data
  const legacyText = '管理员将…'
  expect(dataOf({ ...by, source: 'grant', reason: legacyText })).toMatchObject({
    reason: '',
    adjustment: { legacyText },
  })
  for (const [source, reason] of [['grant', ''] as const, ['redemption', '5'] as const]) {
    const data = dataOf({ ...by, source, reason })
    expect(data).toStrictEqual({ at, amount: quota(3), source, reason })
  }
  expect(dataOf({ type: 'DebitQuota', amount: quota(3), reason: legacyText })).toMatchObject({
    adjustment: { legacyText },
  })
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
