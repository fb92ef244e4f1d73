import type { AccountEvent } from './events.ts'

/** Every type of an account's events. A record, not a list, so that the compiler refuses a missing or misspelt type. */
export const ACCOUNT_EVENT_TYPES: Readonly<Record<AccountEvent['type'], true>> = {
  AccountOpened: true,
  AccountSuspended: true,
  AccountResumed: true,
  QuotaCredited: true,
  QuotaDebited: true,
  QuotaHeld: true,
  HoldExtended: true,
  HoldReduced: true,
  HoldReleased: true,
  HoldExpired: true,
  UsageCharged: true,
  UsageRefunded: true,
  AffiliateRewardEarned: true,
  AffiliateQuotaTransferred: true,
  TokenIssued: true,
  TokenRevised: true,
  TokenEnabled: true,
  TokenDisabled: true,
  TokenExpired: true,
  TokenExhausted: true,
  TokenDeleted: true,
  BalanceCarriedForward: true,
}

/**
 * Nearly all events are of these types. Consumers that need none of them name all of them as `exceptTypes`, so that those of
 * one thread share a subscription that the server keeps them out of.
 */
export const FREQUENT_EVENT_TYPES = [
  'UsageCharged',
  'QuotaHeld',
  'HoldExtended',
  'HoldReduced',
  'HoldReleased',
  'HoldExpired',
  'BalanceCarriedForward',
] as const satisfies readonly AccountEvent['type'][]

/** Whether a stored event is one of an account's; false for a type that a newer version wrote. */
export const isAccountEvent = <Stored extends { readonly type: string }>(
  event: Stored,
): event is Stored & AccountEvent => Object.hasOwn(ACCOUNT_EVENT_TYPES, event.type)
