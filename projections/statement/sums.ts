import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { EntrySource } from '../journal/entry-facts.ts'
import { POSTED_CHANGE } from '../journal/sums.ts'
import { hasTable } from '../runner/has-table.ts'
import { filterSql, type LineFilter, sourcesOf, type Term } from './line-filter.ts'
import type { Period } from './period.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const sumRow = z.object({
  part: z.number(),
  source: z.custom<EntrySource>((value) => typeof value === 'string'),
  token_id: z.number(),
  model: z.string(),
  credit: z.number(),
  debit: z.number(),
  events: z.number(),
  first_position: z.number(),
  last_position: z.number(),
})
/** The change of an account's posted balance in a part of a period, or between cuts in it; `part` counts from 0. */
export type Sum = Readonly<z.output<typeof sumRow>>

export type SumKey = 'source' | 'token_id' | 'model'

/** Which postings are summed, and by what. */
export interface WantedSums {
  readonly userId: number
  readonly period: Period
  readonly starts: readonly number[]
  readonly keys: readonly SumKey[]
  readonly filter: LineFilter
  /** Sources that pass besides the filter; absent = all that change the posted balance. */
  readonly sources?: readonly EntrySource[]
  /** Events of the account that part the sums: what comes before and after one of them is summed apart. */
  readonly cuts?: readonly Cut[]
}

/** An event by its effective time and position; along an account, both only grow. */
export interface Cut {
  readonly at: number
  readonly position: number
}

/**
 * Sums of a period by its parts and some keys; the keys that are not asked for are '' or 0. UTC days that lie whole in
 * one part come from the journal's sums by day, of the others (at the ends, and at the midnights of other zones) whole
 * hours from those by hour, and the rest (in zones such as UTC+5:30) from postings.
 */
export async function sumsOf(
  reads: CommonQueryMethods,
  {
    userId,
    period,
    starts,
    keys,
    filter,
    sources = sourcesOf(filter, false),
    cuts = [],
  }: WantedSums,
): Promise<readonly Sum[]> {
  if (sources.length === 0) return []
  const hasDays = await hasTable(reads, 'journal.source_days')
  const days = hasDays
    ? splitUnits(period, starts, cuts, DAY_MS).map(({ from }) => from - mod(from, DAY_MS))
    : daysIn(period)
  const hours = splitUnits(period, starts, cuts, HOUR_MS)
  const where = filterSql(filter, sources)
  const key = (name: SumKey, none: FragmentSqlToken): FragmentSqlToken =>
    keys.includes(name) ? sql.fragment`${sql.identifier([name])}` : none
  const numbers = (values: readonly number[]) => sql.array(values, 'int8')
  const between =
    cuts.length === 0
      ? sql.fragment``
      : sql.fragment`, width_bucket(first_position, ${numbers(cuts.map(({ position }) => position))})`
  const ofDays = sql.fragment`
    select day as at, source, token_id, model, change, events, first_position, last_position
    from journal.source_days
    where user_id = ${userId} and day >= ${period.from} and day < ${period.to}
      and not (day = any(${numbers(days)})) and ${where}
    union all`
  // Without `offset 0`, PostgreSQL joins the spans with all postings of the user instead of looking each span up.
  return reads.any(sql.type(sumRow)`
    select width_bucket(at, ${numbers(starts)}) - 1 as part, ${key('source', sql.fragment`''`)} as source,
      ${key('token_id', sql.fragment`0::bigint`)} as token_id, ${key('model', sql.fragment`''`)} as model,
      sum(greatest(change, 0))::bigint as credit, sum(-least(change, 0))::bigint as debit, sum(events)::bigint as events,
      min(first_position) as first_position, max(last_position) as last_position
    from (
      ${hasDays ? ofDays : sql.fragment``}
      select hour as at, source, token_id, model, change, events, first_position, last_position
      from unnest(${numbers(days)}) as split (day) cross join lateral (
        select * from journal.hours
        where user_id = ${userId} and hour >= greatest(day, ${period.from})
          and hour < least(day + ${DAY_MS}::bigint, ${period.to})
        offset 0) as hours
      where not (hour = any(${numbers(hours.map((span) => span.from - mod(span.from, HOUR_MS)))})) and ${where}
      union all
      select min(effective_at), source, token_id, model, sum(${POSTED_CHANGE}), 1, position, position
      from unnest(${numbers(hours.map((span) => span.from))}, ${numbers(hours.map((span) => span.to))}) as span (since, until)
      cross join lateral (
        select * from journal.postings where user_id = ${userId} and effective_at >= since and effective_at < until
        offset 0) as postings
      where ${where} group by position, source, token_id, model
    ) as changes where change <> 0 group by 1, 2, 3, 4 ${between}`)
}

/** Starts of the UTC days of a period. */
function daysIn({ from, to }: Period): readonly number[] {
  const first = from - mod(from, DAY_MS)
  return Array.from(
    { length: Math.max(0, Math.ceil((to - first) / DAY_MS)) },
    (_, index) => first + index * DAY_MS,
  )
}

/** The UTC hours or days in which a bound or cut lies: the share of the period that each has. */
function splitUnits(
  { from, to }: Period,
  starts: readonly number[],
  cuts: readonly Cut[],
  unitMs: number,
): readonly Period[] {
  const units = new Set<number>()
  for (const bound of [...starts, to]) {
    const into = mod(bound, unitMs)
    if (into !== 0) units.add(bound - into)
  }
  // Events of the very first moment of a unit may stand before a cut at the same moment.
  for (const { at } of cuts) units.add(at - mod(at, unitMs))
  return [...units].map((unit) => ({
    from: Math.max(unit, from),
    to: Math.min(unit + unitMs, to),
  }))
}

const accountSums = z.object({ account: z.string(), debits: z.number(), credits: z.number() })

/**
 * The charges, refunds and deductions of a period. Whole days come from the daily sums of the ledger accounts, so that
 * years of a busy account are a few thousand rows.
 */
export async function termsOf(
  reads: CommonQueryMethods,
  userId: number,
  period: Period,
): Promise<Readonly<Record<Exclude<Term, 'credits'>, number>>> {
  const from = period.from + mod(-period.from, DAY_MS)
  const to = period.to - mod(period.to, DAY_MS)
  const edges =
    from < to
      ? [
          { from: period.from, to: from },
          { from: to, to: period.to },
        ]
      : [period]
  const terms = { charges: 0, refunds: 0, deductions: 0 }
  for (const edge of edges.filter((one) => one.from < one.to)) {
    for (const sum of await sumsOf(reads, {
      userId,
      period: edge,
      starts: [edge.from],
      keys: ['source'],
      filter: ANYTHING,
    })) {
      if (sum.source === 'usage') terms.charges += sum.debit
      else if (sum.source === 'usage-refund') terms.refunds += sum.credit
      else if (sum.source === 'adjustment') terms.deductions += sum.debit
    }
  }
  if (from >= to) return terms
  const rows = await reads.any(sql.type(accountSums)`
    select account, sum(debits)::bigint as debits, sum(credits)::bigint as credits from journal.days
    where user_id = ${userId} and day >= ${from} and day < ${to} and account in ('usage-revenue', 'adjustments')
    group by account`)
  for (const { account, debits, credits } of rows) {
    if (account === 'adjustments') terms.deductions += credits
    else {
      terms.charges += credits
      terms.refunds += debits
    }
  }
  return terms
}

export const ANYTHING: LineFilter = { term: null, source: null, tokenId: null, model: null }

/** Also of moments before 1970. */
const mod = (value: number, by: number): number => ((value % by) + by) % by
