import type { UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import type { AccountEvent, CreditSource } from './events.ts'

/**
 * The double entry of one quota event: `amount` leaves `from` and enters `to`, so that the sum over all ledger
 * accounts is zero at every position by construction.
 */
export interface Posting {
  readonly from: LedgerAccount
  readonly to: LedgerAccount
  /** Above zero. */
  readonly amount: Quota
}

export type LedgerAccount =
  | `wallet:${number}`
  | `held:${number}`
  | `affiliate:${number}`
  | 'usage-revenue'
  | 'top-ups'
  | 'redemptions'
  | 'promotions'
  | 'adjustments'

/** Pure: the event alone determines its postings. */
export function postings(account: UserId, event: AccountEvent): readonly Posting[] {
  const wallet: LedgerAccount = `wallet:${account}`
  const held: LedgerAccount = `held:${account}`
  const affiliate: LedgerAccount = `affiliate:${account}`
  switch (event.type) {
    case 'QuotaCredited':
      return entry(sourceAccounts[event.data.source], wallet, event.data.amount)
    case 'QuotaDebited':
      return entry(wallet, 'adjustments', event.data.amount)
    case 'QuotaHeld':
    case 'HoldExtended':
      return entry(wallet, held, event.data.amount)
    case 'HoldReduced':
    case 'HoldReleased':
    case 'HoldExpired':
      return entry(held, wallet, event.data.amount)
    case 'UsageCharged':
      return [
        ...entry(held, 'usage-revenue', event.data.fromHold),
        ...entry(wallet, 'usage-revenue', event.data.fromWallet),
      ]
    case 'UsageRefunded':
      return entry('usage-revenue', wallet, event.data.amount)
    case 'AffiliateRewardEarned':
      return entry('promotions', affiliate, event.data.amount)
    case 'AffiliateQuotaTransferred':
      return entry(affiliate, wallet, event.data.amount)
    case 'AccountOpened':
    case 'AccountSuspended':
    case 'AccountResumed':
    case 'TokenIssued':
    case 'TokenRevised':
    case 'TokenEnabled':
    case 'TokenDisabled':
    case 'TokenExpired':
    case 'TokenExhausted':
    case 'TokenDeleted':
    case 'BalanceCarriedForward':
      return []
    default:
      return event satisfies never
  }
}

const sourceAccounts: Readonly<Record<CreditSource, LedgerAccount>> = {
  'sign-up': 'promotions',
  invitation: 'promotions',
  redemption: 'redemptions',
  'top-up': 'top-ups',
  grant: 'adjustments',
  refund: 'adjustments',
}

const entry = (from: LedgerAccount, to: LedgerAccount, amount: Quota): readonly Posting[] =>
  amount === 0 ? [] : [{ from, to, amount }]
