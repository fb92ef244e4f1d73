import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { AsOf } from '../journal/queries.ts'

const trialBalanceLine = z.object({
  /** A kind, such as `wallet`, or one user's account of it, `wallet:7`. */
  account: z.string(),
  /** How many ledger accounts are summed here. */
  accounts: z.number(),
  debits: z.string(),
  credits: z.string(),
  balance: z.string(),
})
/** Debits, credits and balance (credits − debits) of ledger accounts, in decimal text: sums may pass 2^53. */
export type TrialBalanceLine = Readonly<z.output<typeof trialBalanceLine>>

/** Lines in the order of the kinds, then of the users; of kinds, those without a posting are there, too. */
export async function trialBalanceAsOf(
  reads: CommonQueryMethods,
  asOf: AsOf,
  detail: 'by-kind' | 'each',
): Promise<readonly TrialBalanceLine[]> {
  const day = await firstOpenDay(reads, asOf)
  return reads.any(sql.type(trialBalanceLine)`
    ${edgesSql(day, asOf)} ${detail === 'each' ? each(day) : byKind(day)}`)
}

/** Ledger accounts of users first, then those that their quota came from and went to. */
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

const DAY_MS = 86_400_000
/** Later than any day. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The daily sums before this day (unix milliseconds) are in the answer; of later days, single postings may be. */
async function firstOpenDay(reads: CommonQueryMethods, asOf: AsOf): Promise<number> {
  if ('before' in asOf) return Math.floor(asOf.before / DAY_MS) * DAY_MS
  const next = await reads.maybeOneFirst(sql.type(z.object({ at: z.number() }))`
    select effective_at as at from journal.postings where position > ${asOf.position}
    order by position limit 1`)
  return next === null ? NEVER : Math.floor(next / DAY_MS) * DAY_MS
}

/**
 * The postings that the days before `day` lack or have too much, up to the time or position asked for. Times and positions run
 * alike within one account only: as of a position, later ones may be of earlier days.
 */
function edgesSql(day: number, asOf: AsOf): FragmentSqlToken {
  const columns = sql.fragment`user_id, from_account, to_account`
  const edges =
    'before' in asOf
      ? sql.fragment`select ${columns}, amount, true as is_in
          from journal.postings where effective_at >= ${day} and effective_at < ${asOf.before}`
      : sql.fragment`select ${columns}, amount, true as is_in
          from journal.postings where effective_at >= ${day} and position <= ${asOf.position}
          union all select ${columns}, -amount, false
          from journal.postings where effective_at < ${day} and position > ${asOf.position}`
  return sql.fragment`with edge as (${edges}), side as (
      select user_id, from_account as account, amount as debits, 0::bigint as credits, is_in from edge
      union all select user_id, to_account, 0, amount, is_in from edge
    ), edges as (
      select user_id, account, sum(debits) as debits, sum(credits) as credits, bool_or(is_in) as is_in
      from side group by user_id, account
    ), kind as (select * from unnest(${sql.array(KINDS, 'text')}) with ordinality as kind (account, place))`
}

const OWN = sql.fragment`('wallet', 'held', 'affiliate')`
const FIGURES = sql.fragment`coalesce(sum(debits), 0)::text as debits, coalesce(sum(credits), 0)::text as credits,
  (coalesce(sum(credits), 0) - coalesce(sum(debits), 0))::text as balance`

/** An account is there when one of its postings is. */
const byKind = (day: number): FragmentSqlToken => sql.fragment`, own as (
    select account, count(*) as accounts
    from journal.balances cross join (values ('wallet'), ('held'), ('affiliate')) as own (account)
    left join edges using (user_id, account)
    where case
      when edges.is_in then true
      when edges.is_in is null then exists (
        select from journal.days as whole
        where whole.user_id = balances.user_id and whole.account = own.account and day < ${day})
      else 0 < edges.debits + edges.credits + (
        select coalesce(sum(whole.debits + whole.credits), 0) from journal.days as whole
        where whole.user_id = balances.user_id and whole.account = own.account and day < ${day})
      end
    group by account
  )
  select kind.account, coalesce(own.accounts,
      case when kind.account not in ${OWN} and sum(debits + credits) > 0 then 1 else 0 end) as accounts, ${FIGURES}
  from kind left join own using (account) left join (
    select account, debits, credits from journal.totals where day < ${day}
    union all select account, debits, credits from edges
  ) as sums on sums.account = kind.account
  group by kind.account, place, own.accounts order by place`

const each = (day: number): FragmentSqlToken => sql.fragment`
  select kind.account || coalesce(':' || owner, '') as account, 1 as accounts, ${FIGURES}
  from kind join (
    select user_id, account, debits, credits from journal.days where day < ${day}
    union all select user_id, account, debits, credits from edges
  ) as sums using (account)
  cross join lateral (select case when account in ${OWN} then user_id end as owner) as owned
  group by kind.account, place, owner having sum(debits + credits) > 0 order by place, owner`
