import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { entryFactsRow, type EntrySource } from '../journal/entry-facts.ts'
import { POSTED_CHANGE } from '../journal/sums.ts'
import { filterSql, type LineFilter, sourcesOf } from './line-filter.ts'
import type { Period } from './period.ts'

const postedEvent = entryFactsRow.extend({
  position: z.number(),
  effective_at: z.number(),
  at: z.number(),
  event_id: z.string(),
  event_type: z.string(),
  /** The change of the posted balance. */
  change: z.number(),
  /** The change of the quota that holds reserve. */
  held_change: z.number(),
  /** Posted and held right after it. */
  posted: z.number(),
  held: z.number(),
})
/** One event of an account as a statement shows it: its postings together. Times in unix milliseconds. */
export type PostedEvent = Readonly<z.output<typeof postedEvent>>

/** A range of positions, both ends included; null = without an end. */
export interface Positions {
  readonly first: number | null
  readonly last: number | null
}

export interface WantedEvents {
  readonly userId: number
  readonly period: Period
  readonly filter: LineFilter
  /** From the first to the last of these positions; absent = all. */
  readonly positions?: Positions
  /** After this event; null = from the beginning. */
  readonly after: { readonly at: number; readonly position: number } | null
  readonly limit: number
}

/** Every event of a period that passes a filter, in the order of time, with or without those that only move holds. */
export function eventsOf(
  reads: CommonQueryMethods,
  wanted: WantedEvents,
  withHolds: boolean,
): Promise<readonly PostedEvent[]> {
  const sources = sourcesOf(wanted.filter, withHolds)
  const isRare = sources.every((source) => source !== 'usage' && source !== 'hold')
  return isRare
    ? readEvents(reads, wanted, sources, RARE)
    : readEvents(reads, wanted, sources, FREQUENT)
}

/** Sources whose events are lines of their own also where lines are gathered by day and model: they are few. */
const singleSources = (filter: LineFilter): readonly EntrySource[] =>
  sourcesOf(filter, false).filter((source) => source !== 'usage' && source !== 'usage-refund')

/** The same without charges, their refunds and holds: few, and found among many by an index of their own. */
export const singleEventsOf = (
  reads: CommonQueryMethods,
  wanted: WantedEvents,
): Promise<readonly PostedEvent[]> => readEvents(reads, wanted, singleSources(wanted.filter), RARE)

const placeRow = z.object({ at: z.number(), position: z.number(), change: z.number() })

/** The places of all of these events of a period, in their order, each with its change of the posted balance. */
export function singlePlacesOf(
  reads: CommonQueryMethods,
  { userId, period, filter }: Pick<WantedEvents, 'userId' | 'period' | 'filter'>,
): Promise<readonly z.output<typeof placeRow>[]> {
  const sources = singleSources(filter)
  if (sources.length === 0) return Promise.resolve([])
  return reads.any(sql.type(placeRow)`
    select effective_at as at, position, sum(${POSTED_CHANGE})::bigint as change from journal.postings
    where user_id = ${userId} and effective_at >= ${period.from} and effective_at < ${period.to}
      and ${RARE.where} and ${filterSql(filter, sources)}
    group by effective_at, position order by position`)
}

/** How a query finds its rows: one account's positions and effective times run alike, and each order has its index. */
interface Way {
  readonly where: FragmentSqlToken
  readonly order: FragmentSqlToken
  after(at: number, position: number): FragmentSqlToken
}
const RARE: Way = {
  where: sql.fragment`source not in ('usage', 'hold')`,
  order: sql.fragment`position, line`,
  after: (at, position) =>
    sql.fragment`effective_at >= ${at}::bigint and position > ${position}::bigint`,
}
const FREQUENT: Way = {
  where: sql.fragment`true`,
  order: sql.fragment`effective_at, position, line`,
  after: (at, position) =>
    sql.fragment`(effective_at, position) > (${at}::bigint, ${position}::bigint)`,
}

/** A charge from hold and wallet has two postings. */
const POSTINGS_MOST = 2

async function readEvents(
  reads: CommonQueryMethods,
  { userId, period, filter, positions, after, limit }: WantedEvents,
  sources: ReturnType<typeof sourcesOf>,
  way: Way,
): Promise<readonly PostedEvent[]> {
  if (sources.length === 0) return []
  const rows = await reads.any(sql.type(postedEvent)`
    select position, effective_at, at, event_id, event_type, ${POSTED_CHANGE} as change,
      amount * ((to_account = 'held')::int - (from_account = 'held')::int) as held_change,
      wallet + held as posted, held, actor, source, token_id, channel, model, request_id, reason, adjustment, late
    from journal.postings
    where user_id = ${userId} and effective_at >= ${period.from} and effective_at < ${period.to}
      and ${way.after(after?.at ?? period.from, after?.position ?? -1)}
      and ${way.where} and ${filterSql(filter, sources)} and ${within(positions)}
    order by ${way.order} limit ${limit * POSTINGS_MOST}`)
  return together(rows).slice(0, limit)
}

const within = ({ first, last }: Positions = { first: null, last: null }) =>
  sql.and([
    sql.fragment`true`,
    first !== null && sql.fragment`position >= ${first}::bigint`,
    last !== null && sql.fragment`position <= ${last}::bigint`,
  ])

/** Postings of one event as one: changes added, balances as after the last. */
function together(rows: readonly PostedEvent[]): readonly PostedEvent[] {
  const events: PostedEvent[] = []
  for (const row of rows) {
    const last = events.at(-1)
    if (last === undefined || last.position !== row.position) {
      events.push(row)
      continue
    }
    events[events.length - 1] = {
      ...row,
      change: last.change + row.change,
      held_change: last.held_change + row.held_change,
    }
  }
  return events
}
