import { type Decision, type DecisionContext, decided, rejected } from '../decision.ts'
import { type HoldId, holdId, type TokenId, type UserId } from '../ids.ts'
import { greater, lesser, minus, NO_QUOTA, plus, type Quota, quota } from '../quota.ts'
import { legacyAdjustment, originOf } from './adjustment.ts'
import type {
  AccountCommand,
  ChargeUsage,
  ExtendHold,
  PlaceHold,
  RefundUsage,
  RemainChange,
  ReturnHeldQuota,
} from './commands.ts'
import type { AccountEvent, QuotaCredited, QuotaDebited } from './events.ts'
import { HOLDS_MAX, QUOTA_MAX, SHARE_OF_AVAILABLE, TOKEN_BYTES_MAX, TOKENS_MAX } from './limits.ts'
import type { AccountRejection, PlainReason } from './rejections.ts'
import { approximateTokenBytes } from './snapshot.ts'
import {
  type AccountState,
  available,
  hasAccepted,
  hasAllUpTo,
  type HoldState,
  tokenAvailable,
  type TokenState,
} from './state.ts'
import {
  currentTimeline,
  isOfAnotherTimeline,
  logOfHold,
  type Timelines,
} from '../timeline/timelines.ts'
import type { TokenTerms } from './token-terms.ts'

/** Whose account it is, and in which log. */
export interface AccountContext extends DecisionContext {
  readonly account: UserId
  /** The timelines of the log: holds are named after the present one, and those of others are not worked with. */
  readonly timelines: Timelines
}

type Refusal = Decision<never, AccountRejection>

/** No events: the command changes nothing, being a repetition. */
export type AccountDecision = Decision<AccountEvent, AccountRejection>

/**
 * Decides one command on one account. Pure. Guards stand in the order in which they are documented to answer; the
 * first that fails names the rejection.
 */
export function decide(
  state: AccountState,
  command: AccountCommand,
  context: AccountContext,
): AccountDecision {
  const { at } = context
  if (command.type === 'OpenAccount') {
    if (state.status !== 'unopened') return refuse('account-already-open')
    return decided({ type: 'AccountOpened', data: { at } })
  }
  if (state.status === 'unopened') return refuse('account-not-open')
  switch (command.type) {
    case 'SuspendAccount':
      if (state.status === 'suspended') return decided()
      return decided({ type: 'AccountSuspended', data: { at } })
    case 'ResumeAccount':
      if (state.status === 'active') return decided()
      return decided({ type: 'AccountResumed', data: { at } })
    case 'CreditQuota': {
      const { amount, source, reason } = command
      return credit(state, { at, amount, ...originOf(source, reason) })
    }
    case 'DebitQuota': {
      const { amount, reason } = command
      return debit(state, {
        at,
        amount,
        source: 'adjustment',
        ...legacyAdjustment(reason),
      })
    }
    case 'AdjustQuota': {
      const { to, note } = command
      const from = command.from ?? state.posted
      const change = minus(to, from)
      if (change === 0) return decided()
      const adjustment = { from, to, reasonCode: 'balance_edited', note } as const
      return change > 0
        ? credit(state, { at, amount: change, source: 'grant', reason: '', adjustment })
        : debit(state, { at, amount: minus(NO_QUOTA, change), source: 'adjustment', adjustment })
    }
    case 'EarnAffiliateReward': {
      const { amount, invitee } = command
      if (amount <= 0) return refuse('amount-not-positive')
      if (state.affiliate + amount > QUOTA_MAX) return refuse('amount-too-large')
      return decided({ type: 'AffiliateRewardEarned', data: { at, amount, invitee } })
    }
    case 'TransferAffiliateQuota': {
      const { amount } = command
      if (amount <= 0) return refuse('amount-not-positive')
      if (amount > state.affiliate) return insufficientAffiliateQuota(state)
      if (state.posted + amount > QUOTA_MAX) return refuse('amount-too-large')
      return decided({ type: 'AffiliateQuotaTransferred', data: { at, amount } })
    }
    case 'IssueToken': {
      const { token, remain, isFirst = false } = command
      if (state.tokens.has(token)) return refuse('token-already-issued')
      if (Math.abs(remain) > QUOTA_MAX) return refuse('amount-too-large')
      if (state.posted <= 0 && !isFirst) return refuse('balance-exhausted')
      if (state.tokens.size >= TOKENS_MAX) return refuse('too-many-tokens')
      const grown = approximateTokenBytes(command)
      if (state.tokenBytes + grown > TOKEN_BYTES_MAX) return refuse('too-many-tokens')
      return decided({ type: 'TokenIssued', data: { at, token, remain, ...termsOf(command) } })
    }
    case 'ReviseToken': {
      const { token: id } = command
      const token = state.tokens.get(id)
      if (token === undefined) return refuse('token-unknown')
      const remainChange = differenceTo(token.remain, command.remainChange)
      if (Math.abs(token.remain + remainChange) > QUOTA_MAX) return refuse('amount-too-large')
      const grown = approximateTokenBytes(command) - approximateTokenBytes(token.terms)
      const isTooLarge = grown > 0 && state.tokenBytes + grown > TOKEN_BYTES_MAX
      if (isTooLarge) return refuse('too-many-tokens')
      const revised = {
        type: 'TokenRevised',
        data: { at, token: id, remainChange, ...termsOf(command) },
      } as const
      return isRevived(token, command, plus(token.remain, remainChange), at)
        ? decided<AccountEvent>(revised, { type: 'TokenEnabled', data: { at, token: id } })
        : decided(revised)
    }
    case 'EnableToken': {
      const token = state.tokens.get(command.token)
      if (token === undefined) return refuse('token-unknown')
      if (token.status === 'enabled') return decided()
      if (hasExpired(token, at)) return refuse('token-expired')
      if (isSpent(token)) return refuse('token-exhausted')
      return decided({ type: 'TokenEnabled', data: { at, token: command.token } })
    }
    case 'DisableToken': {
      const token = state.tokens.get(command.token)
      if (token === undefined) return refuse('token-unknown')
      if (token.status === 'disabled') return decided()
      return decided({ type: 'TokenDisabled', data: { at, token: command.token } })
    }
    case 'ExpireToken': {
      const token = state.tokens.get(command.token)
      if (token === undefined) return refuse('token-unknown')
      if (token.status !== 'enabled' || !hasExpired(token, at)) return decided()
      return decided({ type: 'TokenExpired', data: { at, token: command.token } })
    }
    case 'DeleteToken': {
      if (!state.tokens.has(command.token)) return refuse('token-unknown')
      return decided({ type: 'TokenDeleted', data: { at, token: command.token } })
    }
    case 'PlaceHold':
      return placeHold(state, command, context)
    case 'ExtendHold':
      return extendHold(state, command, context)
    case 'ReturnHeldQuota':
      return returnHeldQuota(state, command, context)
    case 'ReleaseHold': {
      const { hold: id, finalSequence } = command
      const hold = state.holds.get(id)
      if (hold === undefined || !hasAllUpTo(hold.accepted, finalSequence)) return decided()
      return decided({ type: 'HoldReleased', data: { at, ...endOf(id, hold) } })
    }
    case 'ExpireHold': {
      const { hold: id, cause } = command
      const hold = state.holds.get(id)
      if (hold === undefined) return decided()
      return decided({ type: 'HoldExpired', data: { at, ...endOf(id, hold), cause } })
    }
    case 'ChargeUsage':
      return chargeUsage(state, command, context)
    case 'RefundUsage':
      return refundUsage(state, command, at)
    default:
      return command satisfies never
  }
}

/** Rule 6: needs an active account and token with enough left; a grant may be smaller than wanted, never than needed. */
function placeHold(
  state: AccountState,
  command: PlaceHold,
  context: AccountContext,
): AccountDecision {
  const { token, relay, nonce, need, want } = command
  const { account, at, nextRevision, timelines } = context
  if (openHoldOf(state, command) !== undefined) return decided()
  if (state.status === 'suspended') return refuse('account-suspended')
  const refused = checkToken(state, token, at)
  if (refused !== null) return refused
  if (state.holds.size >= HOLDS_MAX) return refuse('too-many-holds')
  const grant = grantOf(state, token, need, want)
  if (typeof grant !== 'number') return grant
  const hold = holdId(account, nextRevision, { log: currentTimeline(timelines).log, relay })
  return decided({ type: 'QuotaHeld', data: { at, hold, token, relay, nonce, amount: grant } })
}

/** Rule 5: a nonce that was asked with before names the hold that it opened, while that hold is open. */
export function openHoldOf(state: AccountState, { relay, nonce }: PlaceHold) {
  for (const [id, hold] of state.holds) {
    if (hold.nonce === nonce && hold.relay === relay) return { id, hold }
  }
  return undefined
}

/** Rule 5: extensions are numbered; the repetition of the last one changes nothing. */
function extendHold(
  state: AccountState,
  command: ExtendHold,
  { at, timelines }: AccountContext,
): AccountDecision {
  const { hold: id, number, need, want } = command
  if (isOfAnotherTimeline(id, timelines)) return otherTimeline(id, timelines)
  const hold = state.holds.get(id)
  if (hold === undefined) return refuse('hold-ended')
  if (number === hold.extension.number) return decided()
  if (number !== hold.extension.number + 1) return refuse('extension-out-of-order')
  if (state.status === 'suspended') return refuse('account-suspended')
  const refused = checkToken(state, hold.token, at)
  if (refused !== null) return refused
  const grant = grantOf(state, hold.token, need, want)
  if (typeof grant !== 'number') return grant
  return decided({ type: 'HoldExtended', data: { at, hold: id, number, amount: grant } })
}

function returnHeldQuota(
  state: AccountState,
  command: ReturnHeldQuota,
  { at, timelines }: AccountContext,
): AccountDecision {
  const { hold: id, sequence, amount } = command
  if (isOfAnotherTimeline(id, timelines)) return otherTimeline(id, timelines)
  const hold = state.holds.get(id)
  // The rest of an ended hold went back to the wallet when it ended.
  if (hold === undefined || hasAccepted(hold.accepted, sequence)) return decided()
  const returned = lesser(amount, hold.remaining)
  return decided({ type: 'HoldReduced', data: { at, hold: id, sequence, amount: returned } })
}

/**
 * Rules 9 and 10: a charge is accepted once, for ever, and never refused; the wallet pays the part that the hold
 * cannot. A charge of another timeline is late: this log does not know how far its hold was drawn down there.
 */
function chargeUsage(
  state: AccountState,
  command: ChargeUsage,
  { at, timelines }: AccountContext,
): AccountDecision {
  const { hold: id, sequence, token, amount, request, endedAt, chargedBefore } = command
  const hold = state.holds.get(id)
  const accepted = hold?.accepted ?? state.ended.get(id)
  const isRepeated = accepted === undefined ? chargedBefore : hasAccepted(accepted, sequence)
  if (isRepeated === null) return refuse('hold-ended')
  if (isRepeated) return decided()
  const late = hold === undefined || isOfAnotherTimeline(id, timelines)
  const fromHold = late ? NO_QUOTA : lesser(amount, hold.remaining)
  const fromWallet = minus(amount, fromHold)
  const paid = { amount, fromHold, fromWallet, late }
  const data = { at, hold: id, sequence, token, ...paid, request, endedAt }
  const charged: AccountEvent = { type: 'UsageCharged', data }
  const present = token === null ? undefined : state.tokens.get(token)
  const isUsedUp = present !== undefined && isUsedUpBy(present, amount)
  if (token === null || !isUsedUp) return decided(charged)
  return decided<AccountEvent>(charged, { type: 'TokenExhausted', data: { at, token } })
}

/** Rule 11: a refund waits for its charge, and is given once. A token that the charge used up is of use again. */
function refundUsage(state: AccountState, command: RefundUsage, at: number): AccountDecision {
  const { request, token, channel, charged, refundedBefore } = command
  if (refundedBefore) return decided()
  if (charged === null) return refuse('charge-unknown')
  const data = { at, amount: charged, request, token, channel, ...refundReasonOf(command) }
  const refunded: AccountEvent = { type: 'UsageRefunded', data }
  const present = token === null ? undefined : state.tokens.get(token)
  if (token === null || present === undefined) return decided(refunded)
  return isRevived(present, present.terms, plus(present.remain, charged), at)
    ? decided<AccountEvent>(refunded, { type: 'TokenEnabled', data: { at, token } })
    : decided(refunded)
}

const refundReasonOf = ({ reason, failed }: RefundUsage) =>
  failed === undefined ? { reason } : { reason: '', failed }

function checkToken(state: AccountState, id: TokenId | null, at: number): Refusal | null {
  if (id === null) return null
  const token = state.tokens.get(id)
  if (token === undefined) return refuse('token-unknown')
  if (token.status === 'exhausted') return refuse('token-exhausted')
  if (token.status === 'expired' || hasExpired(token, at)) return refuse('token-expired')
  if (token.status !== 'enabled') return refuse('token-not-active')
  return null
}

function grantOf(
  state: AccountState,
  id: TokenId | null,
  need: Quota,
  want: Quota,
): Quota | Refusal {
  const ofAccount = available(state)
  if (ofAccount < need) return insufficientQuota(state)
  const token = id === null ? undefined : state.tokens.get(id)
  const ofToken = token === undefined ? null : tokenAvailable(token)
  const isShort = token !== undefined && ofToken !== null && ofToken < need
  if (isShort) return insufficientTokenQuota(token, ofToken)
  const most = ofToken === null ? ofAccount : lesser(ofAccount, ofToken)
  return greater(need, lesser(want, quota(Math.floor(most / SHARE_OF_AVAILABLE))))
}

function credit(state: AccountState, data: QuotaCredited['data']): AccountDecision {
  const { amount } = data
  if (amount <= 0) return refuse('amount-not-positive')
  if (state.posted + amount > QUOTA_MAX) return refuse('amount-too-large')
  return decided({ type: 'QuotaCredited', data })
}

function debit(state: AccountState, data: QuotaDebited['data']): AccountDecision {
  const { amount } = data
  if (amount <= 0) return refuse('amount-not-positive')
  if (amount > available(state)) return insufficientQuota(state)
  return decided({ type: 'QuotaDebited', data })
}

const refuse = (reason: PlainReason): Refusal => rejected({ reason })

const otherTimeline = (hold: HoldId, timelines: Timelines): Refusal =>
  rejected({ reason: 'other-timeline', log: logOfHold(hold, timelines) })

/** The facts of an event that ends a hold. */
const endOf = (id: HoldId, { remaining, accepted }: HoldState) => ({
  hold: id,
  amount: remaining,
  accepted,
})

const insufficientQuota = (state: AccountState): Refusal =>
  rejected({
    reason: 'insufficient-quota',
    available: greater(available(state), NO_QUOTA),
    balance: state.posted,
  })

const insufficientTokenQuota = (token: TokenState, ofToken: Quota): Refusal =>
  rejected({
    reason: 'insufficient-token-quota',
    available: greater(ofToken, NO_QUOTA),
    balance: token.remain,
  })

const insufficientAffiliateQuota = ({ affiliate }: AccountState): Refusal =>
  rejected({ reason: 'insufficient-affiliate-quota', affiliate })

const hasExpired = (token: TokenState, at: number): boolean =>
  token.terms.expiresAt !== null && token.terms.expiresAt <= at

const differenceTo = (remain: Quota, change: RemainChange): Quota =>
  typeof change === 'number' ? change : minus(change.to, remain)

const isSpent = (token: TokenState): boolean => !token.terms.unlimited && token.remain <= 0

const isUsedUpBy = (token: TokenState, amount: Quota): boolean =>
  token.status === 'enabled' && !token.terms.unlimited && token.remain - amount <= 0

/** Decision 8: an expired or exhausted token comes back when its owner, or a refund, lifts what stopped it. */
function isRevived(token: TokenState, terms: TokenTerms, remain: Quota, at: number): boolean {
  if (token.status !== 'expired' && token.status !== 'exhausted') return false
  const isInTime = terms.expiresAt === null || terms.expiresAt > at
  return isInTime && (terms.unlimited || remain > 0)
}

const termsOf = ({ unlimited, expiresAt, group, models, allowedIps }: TokenTerms): TokenTerms => ({
  unlimited,
  expiresAt,
  group,
  models,
  allowedIps,
})
