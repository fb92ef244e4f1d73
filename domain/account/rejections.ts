import type { LogId } from '../ids.ts'
import type { Quota } from '../quota.ts'

/** Why a command on an account was refused. One name for each reason; texts for people are made at the edge. */
export type AccountRejection =
  | { readonly reason: PlainReason }
  | LackOfQuota<'insufficient-quota'>
  | LackOfQuota<'insufficient-token-quota'>
  | { readonly reason: 'insufficient-affiliate-quota'; readonly affiliate: Quota }
  /** The hold was opened in a timeline that is not the log's present one. */
  | { readonly reason: 'other-timeline'; readonly log: LogId }

interface LackOfQuota<Reason extends string> {
  readonly reason: Reason
  /** The quota that can still be held or debited; not below 0. */
  readonly available: Quota
  /** The same if all open holds were returned whole; may be below 0. */
  readonly balance: Quota
}

/** Reasons that say everything by their name. */
export type PlainReason =
  | 'account-not-open'
  | 'account-already-open'
  | 'account-suspended'
  | 'amount-not-positive'
  | 'amount-too-large'
  | 'balance-exhausted'
  | 'token-unknown'
  | 'token-already-issued'
  | 'token-not-active'
  | 'token-expired'
  | 'token-exhausted'
  | 'too-many-tokens'
  | 'too-many-holds'
  | 'hold-ended'
  | 'extension-out-of-order'
  | 'charge-unknown'
