import type { EntryFacts } from '../journal/entry-facts.ts'
import type { Queries } from '../journal/queries.ts'
import { POSTED_CHANGE_SQL } from '../journal/sums.ts'
import { filterSql, type LineFilter, sourcesOf } from './line-filter.ts'
import type { Period } from './period.ts'

/** One event of an account as a statement shows it: its postings together. Times in unix milliseconds. */
export interface PostedEvent extends EntryFacts {
  readonly position: number
  readonly effective_at: number
  readonly at: number
  readonly event_id: string
  readonly event_type: string
  /** The change of the posted balance. */
  readonly change: number
  /** The change of the quota that holds reserve. */
  readonly held_change: number
  /** Posted and held right after it. */
  readonly posted: number
  readonly held: number
}

export interface WantedEvents {
  readonly userId: number
  readonly period: Period
  readonly filter: LineFilter
  /** After this event; null = from the beginning. */
  readonly after: { readonly at: number; readonly position: number } | null
  readonly limit: number
}

/** Every event of a period that passes a filter, in the order of time, with or without those that only move holds. */
export function eventsOf(
  queries: Queries,
  wanted: WantedEvents,
  withHolds: boolean,
): Promise<readonly PostedEvent[]> {
  const sources = sourcesOf(wanted.filter, withHolds)
  const isRare = sources.every((source) => source !== 'usage' && source !== 'hold')
  return isRare
    ? readEvents(queries, wanted, sources, RARE)
    : readEvents(queries, wanted, sources, FREQUENT)
}

/** The same without charges and holds: few, and found among many by an index of their own. */
export const rareEventsOf = (
  queries: Queries,
  wanted: WantedEvents,
): Promise<readonly PostedEvent[]> =>
  readEvents(
    queries,
    wanted,
    sourcesOf(wanted.filter, false).filter((source) => source !== 'usage'),
    RARE,
  )

/** The sum of the changes that rare events of a period made to the posted balance, up to a position. */
export async function rareChange(
  queries: Queries,
  { userId, period, filter }: Pick<WantedEvents, 'userId' | 'period' | 'filter'>,
  upTo: number,
): Promise<number> {
  const { where, values } = filterSql(filter, sourcesOf(filter, false), 5)
  const { rows } = await queries.query<{ change: number }>(
    `select coalesce(sum(${POSTED_CHANGE_SQL}), 0)::bigint as change from journal.postings
     where user_id = $1 and effective_at >= $2 and effective_at < $3 and position <= $4 and ${RARE.where} and ${where}`,
    [userId, period.from, period.to, upTo, ...values],
  )
  return rows[0]?.change ?? 0
}

/** How a query finds its rows: one account's positions and effective times run alike, and each order has its index. */
interface Way {
  readonly where: string
  readonly order: string
  readonly after: string
}
const RARE: Way = {
  where: `source not in ('usage', 'hold')`,
  order: 'position, line',
  after: 'effective_at >= $4::bigint and position > $5::bigint',
}
const FREQUENT: Way = {
  where: 'true',
  order: 'effective_at, position, line',
  after: '(effective_at, position) > ($4::bigint, $5::bigint)',
}

/** A charge from hold and wallet has two postings. */
const POSTINGS_MOST = 2

async function readEvents(
  queries: Queries,
  { userId, period, filter, after, limit }: WantedEvents,
  sources: ReturnType<typeof sourcesOf>,
  way: Way,
): Promise<readonly PostedEvent[]> {
  if (sources.length === 0) return []
  const { where, values } = filterSql(filter, sources, 7)
  const { rows } = await queries.query<PostedEvent>(
    `select position, effective_at, at, event_id, event_type, ${POSTED_CHANGE_SQL} as change,
       amount * ((to_account = 'held')::int - (from_account = 'held')::int) as held_change,
       wallet + held as posted, held, actor, source, token_id, channel, model, request_id, reason, adjustment, late
     from journal.postings
     where user_id = $1 and effective_at >= $2 and effective_at < $3 and ${way.after}
       and ${way.where} and ${where}
     order by ${way.order} limit $6`,
    [
      userId,
      period.from,
      period.to,
      after?.at ?? period.from,
      after?.position ?? -1,
      limit * POSTINGS_MOST,
      ...values,
    ],
  )
  return together(rows).slice(0, limit)
}

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
