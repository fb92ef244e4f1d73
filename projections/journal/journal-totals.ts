import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { isBySums, type JournalFilter, journalWhere } from './journal-filter.ts'

/** Sums over the postings that a filter lets through: whole numbers as text, since they may pass 2^53. */
export interface JournalTotals {
  /** The sum of all amounts. */
  readonly amount: string
  /** Sums for the ledger account that is filtered: the amounts that left it and that entered it; null without one. */
  readonly debits: string | null
  readonly credits: string | null
  /** How many postings; null where sums by day answered, which do not count them. */
  readonly postings: number | null
}

/** By the sums by day where they serve, with the postings of days in part; null where only the postings tell. */
export async function totalsBySums(
  reads: CommonQueryMethods,
  filter: JournalFilter,
): Promise<JournalTotals | null> {
  if (!isBySums(filter)) return null
  const { from, to, account, userId } = filter
  const days = wholeDays(from, to)
  const where = sql.and([
    days.from !== undefined && sql.fragment`day >= ${days.from}`,
    days.to !== undefined && sql.fragment`day < ${days.to}`,
    userId !== undefined && sql.fragment`user_id = ${userId}`,
  ])
  const table = sql.identifier(['journal', userId === undefined ? 'totals' : 'days'])
  const isCounted = sql.fragment`${account ?? ''} in ('', account)`
  const [whole, ...parts] = await Promise.all([
    debitAndCredit(
      reads,
      sql.fragment`select coalesce(sum(debits) filter (where ${isCounted}), 0) as debits,
          coalesce(sum(credits) filter (where ${isCounted}), 0) as credits
        from ${table} where ${where}`,
    ),
    ...days.edges.map((edge) => debitAndCreditOf(reads, { ...filter, ...edge })),
  ])
  const all = [whole, ...parts]
  const debits = sum(all.map((entry) => entry.debits))
  const credits = sum(all.map((entry) => entry.credits))
  return account === undefined
    ? { amount: String(debits), debits: null, credits: null, postings: null }
    : {
        amount: String(debits + credits),
        debits: String(debits),
        credits: String(credits),
        postings: null,
      }
}

const postingTotals = z.object({ amount: z.string(), postings: z.number() })

/** By reading every posting that the filter lets through. */
export async function totalsByPostings(
  reads: CommonQueryMethods,
  filter: JournalFilter,
): Promise<JournalTotals> {
  const totals = await reads.one(sql.type(postingTotals)`
    select coalesce(sum(amount), 0)::text as amount, count(*) as postings
    from journal.postings where ${journalWhere(filter)}`)
  return filter.account === undefined
    ? { ...totals, debits: null, credits: null }
    : { ...totals, ...(await debitAndCreditOf(reads, filter)) }
}

const debitAndCreditRow = z.object({ debits: z.string(), credits: z.string() })
type DebitAndCredit = Readonly<z.output<typeof debitAndCreditRow>>

/** The sums that the postings of a filter took from its ledger account and gave to it; without one, of all. */
function debitAndCreditOf(
  reads: CommonQueryMethods,
  filter: JournalFilter,
): Promise<DebitAndCredit> {
  const account = filter.account ?? ''
  return debitAndCredit(
    reads,
    sql.fragment`select coalesce(sum(amount) filter (where ${account} in ('', from_account)), 0) as debits,
        coalesce(sum(amount) filter (where ${account} in ('', to_account)), 0) as credits
      from journal.postings where ${journalWhere(filter)}`,
  )
}

const debitAndCredit = (
  reads: CommonQueryMethods,
  query: FragmentSqlToken,
): Promise<DebitAndCredit> =>
  reads.one(sql.type(debitAndCreditRow)`
    select debits::text as debits, credits::text as credits from (${query}) as sums`)

const sum = (texts: readonly string[]): bigint =>
  texts.reduce((total, text) => total + BigInt(text), 0n)

const DAY_MS = 86_400_000

/** The whole days (UTC) in a span of time, and what is left of it before and after them. */
function wholeDays(
  from: number | undefined,
  to: number | undefined,
): {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly edges: readonly Pick<JournalFilter, 'from' | 'to'>[]
} {
  const first = from === undefined ? undefined : Math.ceil(from / DAY_MS) * DAY_MS
  const end = to === undefined ? undefined : Math.floor(to / DAY_MS) * DAY_MS
  if (first !== undefined && end !== undefined && first > end) {
    // Within one day: no day is whole.
    return { from: 0, to: 0, edges: from !== undefined && to !== undefined ? [{ from, to }] : [] }
  }
  return {
    from: first,
    to: end,
    edges: [
      ...(from !== undefined && first !== undefined && from < first ? [{ from, to: first }] : []),
      ...(to !== undefined && end !== undefined && end < to ? [{ from: end, to }] : []),
    ],
  }
}
