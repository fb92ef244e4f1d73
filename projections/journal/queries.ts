import type pg from 'pg'

/** The balances of a user's ledger accounts. */
export interface LedgerBalances {
  readonly wallet: number
  readonly held: number
  readonly affiliate: number
}

/** The same with the position of the last posting that is in it; -1 before the first. */
export interface BalancesAsOf extends LedgerBalances {
  readonly position: number
}

/** As of a time: every event whose effective time (unix milliseconds) lies before it. As of a position: up to and with it. */
export type AsOf = { readonly before: number } | { readonly position: number }

/** A pool, or the connection of a transaction. */
export type Queries = pg.Pool | pg.PoolClient

/** Balances of an account as of a time or position: one row of an index, however many postings there are. */
export async function balancesAsOf(
  queries: Queries,
  userId: number,
  asOf: AsOf,
): Promise<BalancesAsOf> {
  const { rows } = await queries.query<BalancesAsOf>(
    `select ${COLUMNS} from journal.postings where user_id = $1 and ${lastOf(asOf)}`,
    [userId, boundOf(asOf)],
  )
  return rows[0] ?? NOTHING
}

/** The balances of one account among others. */
export interface AccountAsOf extends BalancesAsOf {
  readonly user_id: number
}

/** Sums over all accounts in decimal text, as they may pass 2^53. */
export interface TotalsAsOf {
  readonly accounts: number
  readonly wallet: string
  readonly held: string
  readonly affiliate: string
}

/** A page of the accounts that had a posting by then, by their ids, as of a time or position; `page` counts from 1. */
export async function accountsAsOf(
  queries: Queries,
  asOf: AsOf,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<readonly AccountAsOf[]> {
  const { rows } = await queries.query<AccountAsOf>(
    accountsSql(asOf, 'order by account.user_id limit $2 offset $3'),
    [boundOf(asOf), size, (page - 1) * size],
  )
  return rows
}

/** The accounts above an id, in order of their ids, as of a time or position. */
export async function accountsAfter(
  queries: Queries,
  asOf: AsOf,
  userId: number,
  limit: number,
): Promise<readonly AccountAsOf[]> {
  const { rows } = await queries.query<AccountAsOf>(
    accountsSql(asOf, 'where account.user_id > $2 order by account.user_id limit $3'),
    [boundOf(asOf), userId, limit],
  )
  return rows
}

/** The sums of all accounts' balances as of a time or position. */
export async function totalsAsOf(queries: Queries, asOf: AsOf): Promise<TotalsAsOf> {
  const { rows } = await queries.query<TotalsAsOf>(
    `select count(*) as accounts, coalesce(sum(last.wallet), 0)::text as wallet,
       coalesce(sum(last.held), 0)::text as held, coalesce(sum(last.affiliate), 0)::text as affiliate
     from journal.balances as account cross join lateral (${lastOfAccount(asOf)}) as last`,
    [boundOf(asOf)],
  )
  const [totals] = rows
  if (totals === undefined) throw new TypeError('a sum over all accounts came without a row')
  return totals
}

/** An account without a posting by then did not exist yet, and is left out. */
const accountsSql = (asOf: AsOf, which: string): string =>
  `select account.user_id, last.position, last.wallet, last.held, last.affiliate
   from journal.balances as account cross join lateral (${lastOfAccount(asOf)}) as last ${which}`

const COLUMNS = 'position, wallet, held, affiliate'
const NOTHING: BalancesAsOf = { position: -1, wallet: 0, held: 0, affiliate: 0 }

const boundOf = (asOf: AsOf): number => ('before' in asOf ? asOf.before : asOf.position)

/** Positions and effective times of one account run alike; each order has its index. */
const lastOf = (asOf: AsOf, bound = '$2'): string =>
  'before' in asOf
    ? `effective_at < ${bound} order by effective_at desc, position desc, line desc limit 1`
    : `position <= ${bound} order by position desc, line desc limit 1`

const lastOfAccount = (asOf: AsOf): string =>
  `select ${COLUMNS} from journal.postings where user_id = account.user_id and ${lastOf(asOf, '$1')}`

/** How far the journal is. */
export interface JournalReach {
  /** Everything up to this position of the log is in the journal. */
  readonly position: number
  /** The latest effective time of the account's events, and of anybody's; unix milliseconds, null without events. */
  readonly own: number | null
  readonly anybody: number | null
}

/** `userId` null: of no account. */
export async function journalReach(queries: Queries, userId: number | null): Promise<JournalReach> {
  const { rows } = await queries.query<JournalReach>(
    `select position, (select effective_at from journal.moments where user_id = $1) as own,
       (select max(effective_at) from journal.moments) as anybody
     from projections.checkpoints where name = 'journal'`,
    [userId],
  )
  return rows[0] ?? { position: -1, own: null, anybody: null }
}
