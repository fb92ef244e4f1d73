/** The commodity of every book: whole quota, never a currency, which prices lead to. */
export const COMMODITY = 'QUOTA'

/** Credits that a period begins with. */
export const OPENING = 'Equity:Opening'

const OWN = { wallet: 'Wallet', held: 'Held', affiliate: 'Affiliate' } as const
export type OwnAccount = keyof typeof OWN
export const OWN_ACCOUNTS = ['wallet', 'held', 'affiliate'] as const satisfies OwnAccount[]

const SHARED: Readonly<Record<string, string>> = {
  'usage-revenue': 'Income:Usage',
  'top-ups': 'Assets:TopUps',
  redemptions: 'Assets:Redemptions',
  promotions: 'Expenses:Promotions',
  adjustments: 'Equity:Adjustments',
}

/** A user's own ledger account as hledger and beancount name it: what Tollgate owes the user is a liability. */
export const ownAccount = (account: OwnAccount, userId: number): string =>
  `Liabilities:${OWN[account]}:U${userId}`

/** A ledger account of the journal as hledger and beancount name it. Throws on a name that the journal does not have. */
export function bookAccount(account: string, userId: number): string {
  if (account === 'wallet' || account === 'held' || account === 'affiliate') {
    return ownAccount(account, userId)
  }
  const shared = SHARED[account]
  if (shared === undefined) throw new TypeError(`the journal has no ledger account ${account}`)
  return shared
}

/** Every ledger account of one user's book, which strict readers want declared. */
export const accountsOfBook = (userId: number): readonly string[] => [
  ...OWN_ACCOUNTS.map((account) => ownAccount(account, userId)),
  ...Object.values(SHARED),
  OPENING,
]
