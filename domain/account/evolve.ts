import type { HoldId, TokenId } from '../ids.ts'
import { minus, NO_QUOTA, plus, type Quota } from '../quota.ts'
import type { AccountEvent, UsageCharged } from './events.ts'
import { ENDED_HOLDS_MAX } from './limits.ts'
import { approximateTokenBytes, stateOfSnapshot } from './snapshot.ts'
import {
  type AcceptedSequences,
  accept,
  type AccountState,
  type HoldState,
  type TokenState,
} from './state.ts'
import type { TokenTerms } from './token-terms.ts'

/**
 * The state after one more event. Total: an event about a token or hold that is gone changes the balances it names and
 * nothing else. Consumes `state` (see AccountState).
 */
export function evolve(state: AccountState, event: AccountEvent): AccountState {
  switch (event.type) {
    case 'AccountOpened':
    case 'AccountResumed':
      return { ...state, status: 'active' }
    case 'AccountSuspended':
      return { ...state, status: 'suspended' }
    case 'QuotaCredited':
      return { ...state, posted: plus(state.posted, event.data.amount) }
    case 'QuotaDebited':
      return { ...state, posted: minus(state.posted, event.data.amount) }
    case 'QuotaHeld': {
      const { hold, token, relay, nonce, amount } = event.data
      const extension = { number: 0, amount: NO_QUOTA }
      const opened = {
        token,
        relay,
        nonce,
        remaining: NO_QUOTA,
        granted: amount,
        accepted: [],
        extension,
      }
      state.holds.set(hold, opened)
      return drawInto(state, hold, opened, amount)
    }
    case 'HoldExtended': {
      const { hold: id, number, amount } = event.data
      const hold = state.holds.get(id)
      if (hold === undefined) return state
      return drawInto(state, id, { ...hold, extension: { number, amount } }, amount)
    }
    case 'HoldReduced': {
      const { hold: id, sequence, amount } = event.data
      const hold = state.holds.get(id)
      if (hold === undefined) return state
      return drawInto(
        state,
        id,
        { ...hold, accepted: accept(hold.accepted, sequence) },
        negative(amount),
      )
    }
    case 'HoldReleased':
    case 'HoldExpired': {
      const hold = state.holds.get(event.data.hold)
      if (hold === undefined) return state
      const freed = drawInto(state, event.data.hold, hold, negative(hold.remaining))
      freed.holds.delete(event.data.hold)
      noteEnd(freed, event.data.hold, hold.accepted)
      return freed
    }
    case 'UsageCharged':
      return chargeUsage(state, event)
    case 'UsageRefunded': {
      const { amount, token } = event.data
      changeToken(state, token, (present) => ({
        ...present,
        remain: present.terms.unlimited ? present.remain : plus(present.remain, amount),
        used: minus(present.used, amount),
      }))
      return {
        ...state,
        posted: plus(state.posted, amount),
        usedQuota: minus(state.usedQuota, amount),
        requestCount: state.requestCount - 1,
      }
    }
    case 'AffiliateRewardEarned':
      return { ...state, affiliate: plus(state.affiliate, event.data.amount) }
    case 'AffiliateQuotaTransferred':
      return {
        ...state,
        affiliate: minus(state.affiliate, event.data.amount),
        posted: plus(state.posted, event.data.amount),
      }
    case 'TokenIssued': {
      const { token, remain, unlimited, expiresAt, group, models, allowedIps } = event.data
      const terms = { unlimited, expiresAt, group, models, allowedIps }
      const weighed = weigh(state, token, terms)
      weighed.tokens.set(token, {
        status: 'enabled',
        terms,
        remain,
        used: NO_QUOTA,
        held: NO_QUOTA,
      })
      return weighed
    }
    case 'TokenRevised': {
      const { token, remainChange, unlimited, expiresAt, group, models, allowedIps } = event.data
      const terms = { unlimited, expiresAt, group, models, allowedIps }
      if (!state.tokens.has(token)) return state
      return changeToken(weigh(state, token, terms), token, (present) => ({
        ...present,
        terms,
        remain: plus(present.remain, remainChange),
      }))
    }
    case 'TokenEnabled':
      return changeToken(state, event.data.token, (token) => ({ ...token, status: 'enabled' }))
    case 'TokenDisabled':
      return changeToken(state, event.data.token, (token) => ({ ...token, status: 'disabled' }))
    case 'TokenExpired':
      return changeToken(state, event.data.token, (token) => ({ ...token, status: 'expired' }))
    case 'TokenExhausted':
      return changeToken(state, event.data.token, (token) => ({ ...token, status: 'exhausted' }))
    case 'TokenDeleted': {
      const weighed = weigh(state, event.data.token, null)
      weighed.tokens.delete(event.data.token)
      return weighed
    }
    case 'BalanceCarriedForward':
      return { ...stateOfSnapshot(event.data.account), ended: state.ended }
    default:
      return event satisfies never
  }
}

function chargeUsage(state: AccountState, event: UsageCharged): AccountState {
  const { hold: id, sequence, token, amount, fromHold } = event.data
  changeToken(state, token, (present) => ({
    ...present,
    remain: present.terms.unlimited ? present.remain : minus(present.remain, amount),
    used: plus(present.used, amount),
  }))
  const charged = {
    ...state,
    posted: minus(state.posted, amount),
    usedQuota: plus(state.usedQuota, amount),
    requestCount: state.requestCount + 1,
  }
  const hold = charged.holds.get(id)
  if (hold === undefined) {
    const accepted = charged.ended.get(id)
    if (accepted !== undefined) charged.ended.set(id, accept(accepted, sequence))
    return charged
  }
  return drawInto(
    charged,
    id,
    { ...hold, accepted: accept(hold.accepted, sequence) },
    negative(fromHold),
  )
}

/** Remembers the charges that an ended hold had accepted; beyond the bound it forgets the hold that ended first. */
function noteEnd({ ended }: AccountState, hold: HoldId, accepted: AcceptedSequences): void {
  ended.set(hold, accepted)
  if (ended.size <= ENDED_HOLDS_MAX) return
  const [oldest] = ended.keys()
  if (oldest !== undefined) ended.delete(oldest)
}

/** The state with a token's terms counted instead of those it had; null = none. */
function weigh(state: AccountState, id: TokenId, terms: TokenTerms | null): AccountState {
  const before = state.tokens.get(id)
  const less = before === undefined ? 0 : approximateTokenBytes(before.terms)
  const more = terms === null ? 0 : approximateTokenBytes(terms)
  return { ...state, tokenBytes: state.tokenBytes - less + more }
}

/** Puts quota into a hold (or takes it out, when negative) and keeps the sums of account and token in step. */
function drawInto(state: AccountState, id: HoldId, hold: HoldState, amount: Quota): AccountState {
  state.holds.set(id, { ...hold, remaining: plus(hold.remaining, amount) })
  changeToken(state, hold.token, (token) => ({ ...token, held: plus(token.held, amount) }))
  return { ...state, held: plus(state.held, amount) }
}

function changeToken(
  state: AccountState,
  id: TokenId | null,
  change: (token: TokenState) => TokenState,
): AccountState {
  const token = id === null ? undefined : state.tokens.get(id)
  if (id !== null && token !== undefined) state.tokens.set(id, change(token))
  return state
}

const negative = (amount: Quota): Quota => minus(NO_QUOTA, amount)
