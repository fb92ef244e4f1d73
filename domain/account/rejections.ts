import type { Quota } from '../quota.ts'

/** Why a command on an account was refused. One name for each reason; texts for people are made at the edge. */
export type AccountRejection =
  | { readonly reason: PlainReason }
  | { readonly reason: 'insufficient-quota'; readonly available: Quota }
  | { readonly reason: 'insufficient-token-quota'; readonly available: Quota }
  | { readonly reason: 'insufficient-affiliate-quota'; readonly affiliate: Quota }

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
