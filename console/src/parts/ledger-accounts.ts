/** Kinds of ledger accounts, as the journal names them; the first three are a user's own. */
export const LEDGER_ACCOUNTS = [
  'wallet',
  'held',
  'affiliate',
  'usage-revenue',
  'top-ups',
  'redemptions',
  'promotions',
  'adjustments',
] as const
/** One of them. */
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number]

/** Whether each user has one of their own. */
export const isOwnAccount = (account: LedgerAccount): account is 'wallet' | 'held' | 'affiliate' =>
  account === 'wallet' || account === 'held' || account === 'affiliate'
