import type { UserId } from '../ids.ts'
import type { AccountEvent } from './events.ts'
import { type LedgerAccount, postings } from './postings.ts'

/**
 * One line of a trial balance, in quota. A posting debits the account that it takes from and credits the account that
 * it gives to. A wallet's balance is therefore its user's quota, that of `usage-revenue` the charges less the refunds.
 */
export interface TrialBalanceRow {
  readonly account: string
  /** How many ledger accounts are summed here: 1, or those of all users of a kind. */
  readonly accounts: number
  readonly debits: bigint
  readonly credits: bigint
  /** Credits − debits. */
  readonly balance: bigint
}

/** Gathers postings. Sums over all users may pass 2^53, so they are bigint. */
export interface TrialBalance {
  post(account: UserId, event: AccountEvent): void
  /** Users' accounts summed by kind (`wallet`, `held`, `affiliate`), or each alone (`wallet:7`). */
  rows(detail: 'by-kind' | 'each'): readonly TrialBalanceRow[]
}

interface Totals {
  debits: bigint
  credits: bigint
}

/** The order in which they are shown: users' quota first, then its origins and uses. */
const KINDS = [
  'wallet',
  'held',
  'affiliate',
  'usage-revenue',
  'top-ups',
  'redemptions',
  'promotions',
  'adjustments',
] as const

export function openTrialBalance(): TrialBalance {
  const totals = new Map<LedgerAccount, Totals>()
  const totalsOf = (account: LedgerAccount): Totals => {
    const known = totals.get(account) ?? { debits: 0n, credits: 0n }
    totals.set(account, known)
    return known
  }
  return {
    post(account, event) {
      for (const { from, to, amount } of postings(account, event)) {
        totalsOf(from).debits += BigInt(amount)
        totalsOf(to).credits += BigInt(amount)
      }
    },
    rows: (detail) =>
      KINDS.flatMap((kind) => {
        const own = [...totals].filter(([account]) => kindOf(account) === kind)
        if (detail === 'by-kind')
          return [
            sumOf(
              kind,
              own.map(([, sums]) => sums),
            ),
          ]
        return own.length === 0
          ? []
          : own.toSorted(byUser).map(([account, sums]) => sumOf(account, [sums]))
      }),
  }
}

/** All rows together; its balance is zero, by construction. */
export const totalOf = (rows: readonly TrialBalanceRow[]): TrialBalanceRow => ({
  ...sumOf('total', rows),
  accounts: rows.reduce((sum, { accounts }) => sum + accounts, 0),
})

function sumOf(account: string, parts: readonly Totals[]): TrialBalanceRow {
  const debits = parts.reduce((sum, part) => sum + part.debits, 0n)
  const credits = parts.reduce((sum, part) => sum + part.credits, 0n)
  return { account, accounts: parts.length, debits, credits, balance: credits - debits }
}

const kindOf = (account: LedgerAccount): string => account.split(':', 1)[0] ?? account

const byUser = ([a]: readonly [string, Totals], [b]: readonly [string, Totals]): number =>
  Number(a.split(':')[1] ?? 0) - Number(b.split(':')[1] ?? 0)
