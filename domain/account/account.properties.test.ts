import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HoldId, relayId, type TokenId, tokenId, type UserId, userId } from '../ids.ts'
import { NO_QUOTA, plus, type Quota, quota } from '../quota.ts'
import { carryForward } from './carry-forward.ts'
import type { AccountCommand } from './commands.ts'
import { checkHeld, evolveConserving } from './conservation.ts'
import { decide } from './decider.ts'
import type { AccountEvent } from './events.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { evolve } from './evolve.ts'
import { type LedgerAccount, postings } from './postings.ts'
import { approximateTokenBytes, snapshotOf, stateOfSnapshot } from './snapshot.ts'
import { type AccountState, available, tokenAvailable, unopenedAccount } from './state.ts'

const account: UserId = userId(7)
const relay = relayId('relay-a')

/** A step of a random history; holds are named by how recently they were opened. */
type Step =
  | { kind: 'command'; command: AccountCommand }
  | { kind: 'place'; token: TokenId | null; nonce: string; need: Quota; want: Quota }
  | { kind: 'extend'; pick: number; ahead: number; need: Quota; want: Quota }
  | { kind: 'charge'; pick: number; sequence: number; amount: Quota; token: TokenId | null }
  | { kind: 'return'; pick: number; sequence: number; amount: Quota }
  | { kind: 'release'; pick: number; final: number }
  | { kind: 'expire'; pick: number }
  | { kind: 'carry' }

const amounts = fc.integer({ min: 0, max: 400 }).map(quota)
const positive = fc.integer({ min: 1, max: 900 }).map(quota)
const tokens = fc.integer({ min: 1, max: 3 }).map(tokenId)
const tokensOrNone = fc.option(tokens, { nil: null })
const picks = fc.integer({ min: 0, max: 5 })
const sequences = fc.integer({ min: 1, max: 6 })
const terms = fc.record({
  unlimited: fc.boolean(),
  expiresAt: fc.option(fc.integer({ min: 1, max: 300 }), { nil: null }),
  group: fc.constantFrom('', 'vip'),
  models: fc.constantFrom(null, ['gpt-4o']),
  allowedIps: fc.constantFrom([], ['10.0.0.0/8']),
})

const limitChanges = fc
  .tuple(fc.boolean(), fc.integer({ min: -300, max: 300 }).map(quota))
  .map(([isTarget, amount]) => (isTarget ? { to: amount } : amount))

const commands: fc.Arbitrary<AccountCommand> = fc.oneof(
  fc.constantFrom<AccountCommand>(
    { type: 'OpenAccount' },
    { type: 'SuspendAccount' },
    { type: 'ResumeAccount' },
  ),
  fc.record({
    type: fc.constant('CreditQuota' as const),
    amount: positive,
    source: fc.constantFrom('grant', 'sign-up', 'redemption', 'top-up', 'invitation', 'refund'),
    reason: fc.constant('because'),
  }),
  fc.record({
    type: fc.constant('DebitQuota' as const),
    amount: positive,
    reason: fc.constant('because'),
  }),
  fc.record({
    type: fc.constant('AdjustQuota' as const),
    from: fc.option(amounts),
    to: amounts,
    note: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('EarnAffiliateReward' as const),
    amount: positive,
    invitee: fc.constant(userId(9)),
  }),
  fc.record({ type: fc.constant('TransferAffiliateQuota' as const), amount: positive }),
  fc
    .tuple(tokens, positive, terms)
    .map(([token, remain, t]) => ({ type: 'IssueToken' as const, token, remain, ...t })),
  fc.tuple(tokens, limitChanges, terms).map(([token, remainChange, t]) => ({
    type: 'ReviseToken' as const,
    token,
    remainChange,
    ...t,
  })),
  fc.record({
    type: fc.constantFrom(
      'EnableToken' as const,
      'DisableToken' as const,
      'ExpireToken' as const,
      'DeleteToken' as const,
    ),
    token: tokens,
  }),
)

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('command' as const), command: commands }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      token: tokensOrNone,
      nonce: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      need: amounts,
      want: amounts,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('extend' as const),
      pick: picks,
      ahead: fc.integer({ min: 0, max: 2 }),
      need: amounts,
      want: amounts,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('charge' as const),
      pick: picks,
      sequence: sequences,
      amount: amounts,
      token: tokensOrNone,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('return' as const),
      pick: picks,
      sequence: sequences,
      amount: amounts,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('release' as const), pick: picks, final: sequences }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), pick: picks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('carry' as const) }) },
)

const histories = fc.array(steps, { maxLength: 80 }).map((list): Step[] => [
  { kind: 'command', command: { type: 'OpenAccount' } },
  {
    kind: 'command',
    command: { type: 'CreditQuota', amount: quota(1000), source: 'grant', reason: 'opening' },
  },
  {
    kind: 'command',
    command: {
      type: 'IssueToken',
      token: tokenId(1),
      remain: quota(300),
      unlimited: false,
      expiresAt: null,
      group: '',
      models: null,
      allowedIps: [],
    },
  },
  ...list,
])

const request = (token: TokenId | null, amount: Quota) =>
  exampleUsage(`r-${token ?? 'none'}-${amount}`)

/** Runs a history through the decider as the ledger writer would, and gives every event and the state they leave. */
function runHistory(history: readonly Step[]) {
  let state = unopenedAccount()
  const events: AccountEvent[] = []
  const opened: HoldId[] = []
  let allowedBelowZero = 0
  history.forEach((step, at) => {
    const command = commandOf(step, state, opened, events)
    if (command === null) return
    if (command === 'carry') {
      const carried = carryForward(state, at)
      events.push(carried)
      state = evolve(state, carried)
      return
    }
    const decision = decide(state, command, {
      account,
      at,
      nextRevision: events.length,
      timelines: exampleTimelines,
    })
    if (decision.status === 'rejected') return
    const before = available(state)
    for (const event of decision.events) {
      if (event.type === 'QuotaHeld') opened.unshift(event.data.hold)
      if (event.type === 'UsageCharged') allowedBelowZero += event.data.fromWallet
      events.push(event)
      state = evolve(state, event)
      expect(available(state)).toBeGreaterThanOrEqual(-allowedBelowZero)
      if (event.type === 'QuotaHeld' || event.type === 'HoldExtended') {
        expect(event.data.amount).toBeLessThanOrEqual(before)
        expect(available(state)).toBeGreaterThanOrEqual(0)
      }
      for (const hold of state.holds.values()) expect(hold.remaining).toBeGreaterThanOrEqual(0)
    }
  })
  return { state, events }
}

function commandOf(
  step: Step,
  state: AccountState,
  opened: readonly HoldId[],
  events: readonly AccountEvent[],
): AccountCommand | 'carry' | null {
  if (step.kind === 'command') return step.command
  if (step.kind === 'carry') return state.status === 'unopened' ? null : 'carry'
  if (step.kind === 'place') {
    const { token, nonce, need, want } = step
    return { type: 'PlaceHold', token, relay, nonce, need, want: quota(Math.max(need, want)) }
  }
  const hold = opened[step.pick]
  if (hold === undefined) return null
  switch (step.kind) {
    case 'extend': {
      const number = (state.holds.get(hold)?.extension.number ?? 0) + step.ahead
      return {
        type: 'ExtendHold',
        hold,
        number,
        need: step.need,
        want: quota(Math.max(step.need, step.want)),
      }
    }
    case 'charge': {
      const chargedBefore = events.some(
        (event) =>
          event.type === 'UsageCharged' &&
          event.data.hold === hold &&
          event.data.sequence === step.sequence,
      )
      const { sequence, token, amount } = step
      return {
        type: 'ChargeUsage',
        endedAt: 0,
        hold,
        sequence,
        token,
        amount,
        request: request(token, amount),
        chargedBefore,
      }
    }
    case 'return':
      return { type: 'ReturnHeldQuota', hold, sequence: step.sequence, amount: step.amount }
    case 'release':
      return { type: 'ReleaseHold', hold, finalSequence: step.final }
    case 'expire':
      return { type: 'ExpireHold', hold, cause: 'silence' }
    default:
      return step satisfies never
  }
}

/** As an account is loaded: every history adds up. */
function fold(events: readonly AccountEvent[]): AccountState {
  const state = evolveConserving(unopenedAccount(), events)
  checkHeld(state)
  return state
}

/** Ledger accounts as the journal would write them, from postings alone. */
function foldPostings(events: readonly AccountEvent[]): Map<LedgerAccount, Quota> {
  const ledger = new Map<LedgerAccount, Quota>()
  const move = (name: LedgerAccount, amount: number) =>
    ledger.set(name, plus(ledger.get(name) ?? NO_QUOTA, quota(amount)))
  for (const posting of events.flatMap((event) => postings(account, event))) {
    move(posting.from, 0 - posting.amount)
    move(posting.to, posting.amount)
  }
  return ledger
}

test('given any history, when its postings are folded, then they say what the state says and sum to zero', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { state, events } = runHistory(history)
      const ledger = foldPostings(events)
      expect(ledger.get(`wallet:${account}`) ?? 0).toBe(available(state))
      expect(ledger.get(`held:${account}`) ?? 0).toBe(state.held)
      expect(ledger.get(`affiliate:${account}`) ?? 0).toBe(state.affiliate)
      expect([...ledger.values()].reduce((sum, amount) => sum + amount, 0)).toBe(0)
      const holds = [...state.holds.values()]
      expect(holds.reduce((sum, hold) => sum + hold.remaining, 0)).toBe(state.held)
      for (const [id, token] of state.tokens) {
        const held = holds
          .filter((hold) => hold.token === id)
          .reduce((sum, hold) => sum + hold.remaining, 0)
        expect(held).toBe(token.held)
      }
    }),
    { numRuns: 400 },
  )
})

test('given any history, when it is replayed, then the fold gives the state that was decided upon', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { state, events } = runHistory(history)
      expect(snapshotOf(fold(events))).toEqual(snapshotOf(state))
      expect(snapshotOf(fold(structuredClone(events)))).toEqual(snapshotOf(state))
    }),
    { numRuns: 200 },
  )
})

test('given any history, when folded from its newest carry-forward, then it is as folded as a whole', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { state, events } = runHistory([...history, { kind: 'carry' }, ...history.slice(3)])
      const newest = events.findLastIndex((event) => event.type === 'BalanceCarriedForward')
      const stored = JSON.parse(JSON.stringify(events.slice(newest))) as AccountEvent[]
      expect(snapshotOf(fold(stored))).toEqual(snapshotOf(state))
      expect(fold(stored).held).toBe(state.held)
    }),
    { numRuns: 200 },
  )
})

test('given a snapshot, when a state is made of it, then tokens know what their holds reserve', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { state } = runHistory(history)
      const copy = stateOfSnapshot(snapshotOf(state))
      expect(copy).toEqual({ ...state, ended: new Map() })
    }),
    { numRuns: 200 },
  )
})

test('given any history, when its snapshot is weighed, then it is as if every token had been weighed', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { state } = runHistory(history)
      const each = [...state.tokens.values()].map(({ terms }) => approximateTokenBytes(terms))
      expect(state.tokenBytes).toBe(each.reduce((sum, bytes) => sum + bytes, 0))
    }),
    { numRuns: 200 },
  )
})

test('given any history, when a message of a hold comes again, then nothing is decided', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { state, events } = runHistory(history)
      for (const event of events) {
        const context = {
          account,
          at: 999,
          nextRevision: events.length,
          timelines: exampleTimelines,
        }
        if (event.type === 'UsageCharged') {
          const { hold, sequence, token, amount, request: facts } = event.data
          const again = {
            type: 'ChargeUsage',
            endedAt: 0,
            hold,
            sequence,
            token,
            amount,
            request: facts,
            chargedBefore: true,
          } as const
          expect(decide(state, again, context)).toEqual({ status: 'decided', events: [] })
        }
        if (event.type === 'HoldReduced') {
          const { hold, sequence, amount } = event.data
          expect(
            decide(state, { type: 'ReturnHeldQuota', hold, sequence, amount }, context),
          ).toEqual({ status: 'decided', events: [] })
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('given a limited token, when holds are placed on it, then they never reserve more than it may spend', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { events } = runHistory(history)
      let state = unopenedAccount()
      for (const event of events) {
        state = evolve(state, event)
        if (event.type !== 'QuotaHeld' || event.data.token === null) continue
        const token = state.tokens.get(event.data.token)
        const left = token === undefined ? null : tokenAvailable(token)
        if (left !== null && event.data.amount > 0) expect(left).toBeGreaterThanOrEqual(0)
      }
    }),
    { numRuns: 200 },
  )
})

test('given a hold name, when it is made, then it tells account, revision, timeline and relay', () => {
  const { events } = runHistory([
    { kind: 'command', command: { type: 'OpenAccount' } },
    {
      kind: 'command',
      command: { type: 'CreditQuota', amount: quota(10), source: 'grant', reason: '' },
    },
    { kind: 'place', token: null, nonce: 'a', need: quota(1), want: quota(1) },
  ])
  const held = events.at(-1)
  expect(held?.type === 'QuotaHeld' && held.data.hold).toBe(
    `${account}@2@${exampleTimelines[0].log}@relay-a`,
  )
})
