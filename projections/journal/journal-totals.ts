import type pg from 'pg'
import { isBySums, type JournalFilter, journalSql } from './journal-filter.ts'

/** A pool, or a connection inside a transaction. */
type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

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
  client: Queryable,
  filter: JournalFilter,
): Promise<JournalTotals | null> {
  if (!isBySums(filter)) return null
  const { from, to, account, userId } = filter
  const days = wholeDays(from, to)
  const conditions = [
    ...(days.from === undefined ? [] : [`day >= ${days.from}`]),
    ...(days.to === undefined ? [] : [`day < ${days.to}`]),
    ...(userId === undefined ? [] : [`user_id = ${userId}`]),
  ]
  const table = userId === undefined ? 'journal.totals' : 'journal.days'
  const [whole, ...parts] = await Promise.all([
    oneRow(
      client,
      `select coalesce(sum(debits) filter (where $1 in ('', account)), 0) as debits,
              coalesce(sum(credits) filter (where $1 in ('', account)), 0) as credits
       from ${table} where ${conditions.join(' and ') || 'true'}`,
      [account ?? ''],
    ),
    ...days.edges.map((edge) => debitAndCreditOf(client, { ...filter, ...edge })),
  ])
  const debitAndCredit = [whole, ...parts]
  const debits = sum(debitAndCredit.map((entry) => entry.debits))
  const credits = sum(debitAndCredit.map((entry) => entry.credits))
  return account === undefined
    ? { amount: String(debits), debits: null, credits: null, postings: null }
    : {
        amount: String(debits + credits),
        debits: String(debits),
        credits: String(credits),
        postings: null,
      }
}

/** By reading every posting that the filter lets through. */
export async function totalsByPostings(
  client: Queryable,
  filter: JournalFilter,
): Promise<JournalTotals> {
  const { where, values } = journalSql(filter)
  const { rows } = await client.query<{ amount: string; postings: number }>(
    `select coalesce(sum(amount), 0)::text as amount, count(*) as postings
     from journal.postings where ${where}`,
    [...values],
  )
  const { amount = '0', postings = 0 } = rows[0] ?? {}
  if (filter.account === undefined) return { amount, debits: null, credits: null, postings }
  const { debits, credits } = await debitAndCreditOf(client, filter)
  return { amount, debits, credits, postings }
}

interface DebitAndCredit {
  readonly debits: string
  readonly credits: string
}

/** The sums that the postings of a filter took from its ledger account and gave to it; without one, of all. */
async function debitAndCreditOf(client: Queryable, filter: JournalFilter): Promise<DebitAndCredit> {
  const { where, values } = journalSql(filter)
  const account = `$${values.length + 1}`
  return oneRow(
    client,
    `select coalesce(sum(amount) filter (where ${account} in ('', from_account)), 0) as debits,
            coalesce(sum(amount) filter (where ${account} in ('', to_account)), 0) as credits
     from journal.postings where ${where}`,
    [...values, filter.account ?? ''],
  )
}

async function oneRow(
  client: Queryable,
  sql: string,
  values: readonly (string | number)[],
): Promise<DebitAndCredit> {
  const { rows } = await client.query<DebitAndCredit>(
    `select debits::text as debits, credits::text as credits from (${sql}) as sums`,
    [...values],
  )
  return rows[0] ?? { debits: '0', credits: '0' }
}

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
