import type pg from 'pg'

/** What a user's ledger accounts hold. */
export interface LedgerBalances {
  readonly wallet: number
  readonly held: number
  readonly affiliate: number
}

/** Balances as of a moment (unix milliseconds): after the last posting that had taken effect by then. */
export async function balancesAsOf(
  pool: pg.Pool,
  userId: number,
  at: number,
): Promise<LedgerBalances> {
  const { rows } = await pool.query<LedgerBalances>(
    `select wallet, held, affiliate from journal.postings where user_id = $1 and effective_at <= $2
     order by effective_at desc, position desc, line desc limit 1`,
    [userId, at],
  )
  return rows[0] ?? { wallet: 0, held: 0, affiliate: 0 }
}

/**
 * Each ledger account's balance over all users: credits minus debits. They add up to zero, or the journal is broken.
 * Text, as sums over all users may pass 2^53.
 */
export async function trialBalance(
  pool: pg.Pool,
): Promise<readonly { readonly account: string; readonly balance: string }[]> {
  const { rows } = await pool.query<{ account: string; balance: string }>(
    `select account, sum(amount)::text as balance from (
       select to_account as account, amount from journal.postings
       union all select from_account, -amount from journal.postings
     ) as sides group by account order by account`,
  )
  return rows
}
