import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const ledgerBalances = z.object({
  wallet: z.number(),
  held: z.number(),
  affiliate: z.number(),
})
/** The balances of a user's ledger accounts. */
export type LedgerBalances = Readonly<z.output<typeof ledgerBalances>>

const balancesRow = ledgerBalances.extend({ position: z.number() })
/** The same with the position of the last posting that is in it; -1 before the first. */
export type BalancesAsOf = Readonly<z.output<typeof balancesRow>>

/** As of a time: every event whose effective time (unix milliseconds) lies before it. As of a position: up to and with it. */
export type AsOf = { readonly before: number } | { readonly position: number }

/** Balances of an account as of a time or position: one row of an index, however many postings there are. */
export async function balancesAsOf(
  reads: CommonQueryMethods,
  userId: number,
  asOf: AsOf,
): Promise<BalancesAsOf> {
  const found = await reads.maybeOne(sql.type(balancesRow)`
    select ${COLUMNS} from journal.postings where user_id = ${userId} and ${lastOf(asOf)}`)
  return found ?? NOTHING
}

const accountRow = balancesRow.extend({ user_id: z.number() })
/** The balances of one account among others. */
export type AccountAsOf = Readonly<z.output<typeof accountRow>>

const totalsRow = z.object({
  accounts: z.number(),
  wallet: z.string(),
  held: z.string(),
  affiliate: z.string(),
})
/** Sums over all accounts in decimal text, as they may pass 2^53. */
export type TotalsAsOf = Readonly<z.output<typeof totalsRow>>

/** A page of the accounts that had a posting by then, by their ids, as of a time or position; `page` counts from 1. */
export const accountsAsOf = (
  reads: CommonQueryMethods,
  asOf: AsOf,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<readonly AccountAsOf[]> =>
  reads.any(sql.type(accountRow)`
    ${accounts(asOf)} order by account.user_id limit ${size} offset ${(page - 1) * size}`)

/** The accounts above an id, in order of their ids, as of a time or position. */
export const accountsAfter = (
  reads: CommonQueryMethods,
  asOf: AsOf,
  userId: number,
  limit: number,
): Promise<readonly AccountAsOf[]> =>
  reads.any(sql.type(accountRow)`
    ${accounts(asOf)} where account.user_id > ${userId} order by account.user_id limit ${limit}`)

/** The sums of all accounts' balances as of a time or position. */
export const totalsAsOf = (reads: CommonQueryMethods, asOf: AsOf): Promise<TotalsAsOf> =>
  reads.one(sql.type(totalsRow)`
    select count(*) as accounts, coalesce(sum(last.wallet), 0)::text as wallet,
      coalesce(sum(last.held), 0)::text as held, coalesce(sum(last.affiliate), 0)::text as affiliate
    from journal.balances as account cross join lateral (${lastOfAccount(asOf)}) as last`)

/** An account without a posting by then did not exist yet, and is left out. */
const accounts = (asOf: AsOf): FragmentSqlToken =>
  sql.fragment`select account.user_id, last.position, last.wallet, last.held, last.affiliate
    from journal.balances as account cross join lateral (${lastOfAccount(asOf)}) as last`

const COLUMNS = sql.fragment`position, wallet, held, affiliate`
const NOTHING: BalancesAsOf = { position: -1, wallet: 0, held: 0, affiliate: 0 }

/** Positions and effective times of one account run alike; each order has its index. */
const lastOf = (asOf: AsOf): FragmentSqlToken =>
  'before' in asOf
    ? sql.fragment`effective_at < ${asOf.before} order by effective_at desc, position desc, line desc limit 1`
    : sql.fragment`position <= ${asOf.position} order by position desc, line desc limit 1`

const lastOfAccount = (asOf: AsOf): FragmentSqlToken =>
  sql.fragment`select ${COLUMNS} from journal.postings where user_id = account.user_id and ${lastOf(asOf)}`

const reachRow = z.object({
  /** Everything up to this position of the log is in the journal. */
  position: z.number(),
  /** The latest effective time of the account's events, and of anybody's; unix milliseconds, null without events. */
  own: z.number().nullable(),
  anybody: z.number().nullable(),
})
/** How far the journal is. */
export type JournalReach = Readonly<z.output<typeof reachRow>>

/** `userId` null: of no account. */
export async function journalReach(
  reads: CommonQueryMethods,
  userId: number | null,
): Promise<JournalReach> {
  const reach = await reads.maybeOne(sql.type(reachRow)`
    select position, (select effective_at from journal.moments where user_id = ${userId}) as own,
      (select max(effective_at) from journal.moments) as anybody
    from projections.checkpoints where name = 'journal'`)
  return reach ?? { position: -1, own: null, anybody: null }
}
