import { type CommonQueryMethods, type FragmentSqlToken, type QuerySqlToken, sql } from 'slonik'
import { z } from 'zod'
import { counted, inOneState } from '../runner/reads.ts'
import { type LogFilter, type SqlFilter, sqlFilter } from './filter.ts'
import { CONSUMPTION, FAILURE, type LogRow, logRow, SUPPRESSED } from './row.ts'
import { type Counts, DAYS } from './sums.ts'

export interface LogPage {
  readonly rows: readonly LogRow[]
  readonly total: number
}

/** A page of the log, newest first, with the exact number of all rows that fit. `page` counts from 1. */
export async function logPage(
  reads: CommonQueryMethods,
  filter: LogFilter,
  page: number,
  size: number,
): Promise<LogPage> {
  const fitting = await sqlFilter(reads, filter)
  if (fitting.isEmpty) return { rows: [], total: 0 }
  const offset = (page - 1) * size
  // No row is counted that cannot be listed yet.
  return inOneState(reads, async (snapshot) => {
    const { count } = await sumsOf(snapshot, fitting)
    const rows = await newestRows(snapshot, await skipSpans(snapshot, fitting, offset), size)
    return { rows, total: count }
  })
}

interface Place {
  readonly filter: SqlFilter
  readonly offset: number
}

/** Skipping this many rows one by one is quicker than looking for a better place to start. */
const OFFSET_SKIPPED_DIRECTLY = 5_000
const spanStart = z.object({ start: z.number(), skipped: z.number() })

/** For a page far down: the end of the span that it begins in, and how many of that span's rows come before it. */
async function skipSpans(
  reads: CommonQueryMethods,
  filter: SqlFilter,
  offset: number,
): Promise<Place> {
  if (offset <= OFFSET_SKIPPED_DIRECTLY) return { filter, offset }
  const { counts } = filter
  const whole = wholeSpans(filter, counts)
  if (whole === null) return { filter, offset }
  const later = await sumsOfRows(reads, filter, whole.until, filter.until)
  if (later.count > offset) return { filter, offset }
  const found = await reads.maybeOne(sql.type(spanStart)`
    select start, skipped from (
      select ${counts.start} as start,
             (sum(sum(count)) over (order by ${counts.start} desc) - sum(count))::bigint as skipped
      from ${counts.table} where ${spansWhere(filter, counts, whole)} group by 1
    ) as spans
    where skipped <= ${offset - later.count} order by start limit 1`)
  if (found === null) return { filter, offset }
  return {
    filter: { ...filter, until: Math.min(filter.until, found.start + counts.seconds) },
    offset: offset - later.count - found.skipped,
  }
}

const newestRows = (
  reads: CommonQueryMethods,
  { filter, offset }: Place,
  limit: number,
): Promise<readonly LogRow[]> =>
  reads.any(
    withPrice(sql.fragment`
      select * from usage_log.rows where ${rowsWhere(filter, filter.from, filter.until)}
      order by created_at desc, id desc limit ${limit} offset ${offset}`),
  )

/** The rows that a query finds, with their prices, newest first. */
export const withPrice = (query: FragmentSqlToken): QuerySqlToken<typeof logRow> =>
  sql.type(logRow)`
    select found.*, coalesce(prices.price, '') as price
    from (${query}) as found left join usage_log.prices using (price_key)
    order by found.created_at desc, found.id desc`

/** One page of the distinct rows by user, token, model and channel, the newest of each (decision 20). */
export async function distinctPage(
  reads: CommonQueryMethods,
  filter: LogFilter,
  page: number,
  size: number,
): Promise<LogPage> {
  const fitting = await sqlFilter(reads, filter)
  if (fitting.isEmpty) return { rows: [], total: 0 }
  // A row that is logged meanwhile does not take the place of one of the filter's time.
  return inOneState(reads, async (snapshot) => {
    await snapshot.query(ROOM_TO_COUNT)
    const candidates = await newestCandidates(snapshot, fitting)
    const offset = (page - 1) * size
    for (let looked = CANDIDATES_A_ROW * page * size; ; looked *= CANDIDATES_MORE) {
      const places = await snapshot.any(sql.type(countedPlace)`
        with candidates as not materialized (${candidates}),
        newest as (
          select distinct on (${COMBINATION}) last_created_at, last_id
          from (
            select * from candidates order by last_created_at desc, last_id desc limit ${looked}
          ) as looked
          order by ${COMBINATION}, last_created_at desc, last_id desc
        )
        select last_created_at as created_at, last_id as id, (${combinationsOf(CANDIDATES)}) as total
        from newest order by last_created_at desc, last_id desc limit ${size} offset ${offset}`)
      const total =
        places[0]?.total ??
        (await snapshot.oneFirst(
          sql.type(counted)`${combinationsOf(sql.fragment`(${candidates}) as candidates`)}`,
        ))
      if (places.length >= Math.min(size, total - offset)) {
        return { rows: await rowsAt(snapshot, places), total }
      }
    }
  })
}

/** The columns of which distinct rows have each combination once. */
const COMBINATION = sql.fragment`user_id, token_id, model, channel`
const CANDIDATES = sql.fragment`candidates`
const combinationsOf = (rows: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`select count(*) as count from (select from ${rows} group by ${COMBINATION}) as combinations`

/** A month of a busy system has half a million combinations, which are counted twice as fast in memory. */
const ROOM_TO_COUNT = sql.type(z.never())`set local work_mem = '32MB'`
/**
 * Candidates looked through for each row up to the page's last, and how many times more when these are too few: among
 * the newest candidates the first of each combination is its newest row.
 */
const CANDIDATES_A_ROW = 2
const CANDIDATES_MORE = 8

type LogPlace = Pick<LogRow, 'created_at' | 'id'>
const logPlace = logRow.pick({ created_at: true, id: true })
/** A place with how many there are in all. */
const countedPlace = logPlace.extend({ total: z.number() })

/** The rows at places, newest first. */
async function rowsAt(
  reads: CommonQueryMethods,
  places: readonly LogPlace[],
): Promise<readonly LogRow[]> {
  if (places.length === 0) return []
  const times = places.map((place) => place.created_at)
  const ids = places.map((place) => place.id)
  return reads.any(
    withPrice(sql.fragment`
      select rows.* from unnest(${sql.array(times, 'int8')}, ${sql.array(ids, 'int8')}) as page (created_at, id)
      join usage_log.rows using (created_at, id)`),
  )
}

/**
 * The newest distinct rows below a place in the log (null = of all). A row that is logged meanwhile takes the place of
 * an older one, which would be missed: a caller that reads on leaves out what stands above the first row (`top`).
 */
export async function distinctBelow(
  reads: CommonQueryMethods,
  filter: SqlFilter,
  { place, top }: { readonly place: LogPlace | null; readonly top: LogPlace | null },
  limit: number,
): Promise<readonly LogRow[]> {
  if (filter.isEmpty) return []
  const isBelow = place && sql.fragment`place < ${sql.array([place.created_at, place.id], 'int8')}`
  return inOneState(reads, async (snapshot) => {
    const places = await snapshot.any(sql.type(logPlace)`
      select place[1] as created_at, place[2] as id
      from (${await newestPlaces(snapshot, filter, top)}) as newest
      where ${sql.and([isBelow])} order by place desc limit ${limit}`)
    return rowsAt(snapshot, places)
  })
}

/** The query of when the newest row of each user, token, model and channel was logged, with its id. */
const newestPlaces = async (
  reads: CommonQueryMethods,
  filter: SqlFilter,
  top: LogPlace | null,
): Promise<FragmentSqlToken> =>
  sql.fragment`select max(array[last_created_at, last_id]) as place
    from (${await newestCandidates(reads, filter, top)}) as candidates group by ${COMBINATION}`

/** The query of rows among which the newest of each user, token, model and channel is its newest of all. */
const newestCandidates = async (
  reads: CommonQueryMethods,
  filter: SqlFilter,
  top: LogPlace | null = null,
): Promise<FragmentSqlToken> =>
  (await isUpToNow(reads, filter, top)) ? newestUpToNow(filter) : newestWithin(filter, top)

/** Whether no row stands behind the filter's time or above `top`, as tables before version 7 cannot tell quickly. */
async function isUpToNow(
  reads: CommonQueryMethods,
  { cube, until, isCounted }: SqlFilter,
  top: LogPlace | null,
): Promise<boolean> {
  if (cube !== DAYS || !isCounted) return false
  const last = await reads.maybeOne(sql.type(logPlace)`
    select created_at, id from usage_log.rows order by created_at desc, id desc limit 1`)
  if (last === null) return true
  return last.created_at < until && (top === null || !isAbove(last, top))
}

const isAbove = (one: LogPlace, other: LogPlace): boolean =>
  one.created_at > other.created_at || (one.created_at === other.created_at && one.id > other.id)

/** Then the newest row of a combination is the newest of all times, when it is dated in the filter's. */
const newestUpToNow = ({ where, from }: SqlFilter): FragmentSqlToken =>
  sql.fragment`select user_id, token_id, model, channel, last_created_at, last_id
    from usage_log.newest where ${where} and last_created_at >= ${from}`

/** Whole days from their counts; the rows of the edges one by one. */
function newestWithin(filter: SqlFilter, top: LogPlace | null): FragmentSqlToken {
  const { cube, from } = filter
  // Counts do not tell which rows of the last second stand above `top`.
  const until = Math.min(filter.until, top?.created_at ?? filter.until)
  const whole = wholeSpans({ ...filter, until }, cube)
  const isBelowTop = top && sql.fragment`(created_at, id) <= (${top.created_at}, ${top.id})`
  const isOutsideWhole =
    whole && sql.fragment`not (created_at >= ${whole.from} and created_at < ${whole.until})`
  const rows = sql.fragment`select user_id, token_id, model, channel,
      created_at as last_created_at, id as last_id
    from usage_log.rows where ${sql.and([rowsWhere(filter, from, filter.until), isBelowTop, isOutsideWhole])}`
  if (whole === null) return rows
  return sql.fragment`select user_id, token_id, model, channel, last_created_at, last_id
    from ${cube.table} where ${spansWhere(filter, cube, whole)}
    union all ${rows}`
}

export interface LogStatistics {
  /** Quota of the consumption that fits the filter, whatever type it asks for. */
  readonly quota: number
  readonly tokens: number
  /** Consumption rows of the last minute, and their tokens; the filter's time does not matter. */
  readonly rpm: number
  readonly tpm: number
  /** Requests that failed, those included that are not logged one by one. */
  readonly failed: number
}

/** Figures over the log (console-api 2.10). `now` in unix milliseconds. */
export async function logStatistics(
  reads: CommonQueryMethods,
  filter: LogFilter,
  now: number,
): Promise<LogStatistics> {
  const charges = await sqlFilter(reads, { ...filter, type: CONSUMPTION })
  if (charges.isEmpty) return { quota: 0, tokens: 0, rpm: 0, tpm: 0, failed: 0 }
  const failures = await sqlFilter(reads, { ...filter, type: FAILURE })
  const minuteAgo = Math.floor(now / 1000) - 60
  const [all, minute, failed] = await Promise.all([
    sumsOf(reads, charges),
    sumsOfRows(reads, charges, minuteAgo, Math.floor(now / 1000) + 1),
    sumsOf(reads, failures),
  ])
  return {
    quota: all.quota,
    tokens: all.tokens,
    rpm: minute.count,
    tpm: minute.tokens,
    failed: failed.count + failed.suppressed,
  }
}

/** How many rows are dated before a moment (unix milliseconds): what LogsCleared will remove. */
export async function countLogsBefore(reads: CommonQueryMethods, before: number): Promise<number> {
  const filter = await sqlFilter(reads, { to: Math.ceil(before / 1000) - 1 })
  return (await sumsOf(reads, filter)).count
}

const sums = z.object({
  count: z.number(),
  quota: z.number(),
  tokens: z.number(),
  suppressed: z.number(),
})
type Sums = Readonly<z.output<typeof sums>>
const NO_ROWS: Sums = { count: 0, quota: 0, tokens: 0, suppressed: 0 }

interface Spans {
  /** First second of the first whole span, and the second after the last. */
  readonly from: number
  readonly until: number
}

/** The whole hours or days inside the filter's time; null when there are none, or no counts of them. */
function wholeSpans({ from, until, isCounted }: SqlFilter, { seconds }: Counts): Spans | null {
  if (!isCounted) return null
  const first = Math.ceil(from / seconds) * seconds
  const last = Math.floor(until / seconds) * seconds
  return first < last ? { from: first, until: last } : null
}

const spansWhere = (
  { where }: SqlFilter,
  { start }: Counts,
  { from, until }: Spans,
): FragmentSqlToken => sql.fragment`${where} and ${start} >= ${from} and ${start} < ${until}`

/** `from` inclusive, `until` exclusive, unix seconds. */
const rowsWhere = ({ where }: SqlFilter, from: number, until: number): FragmentSqlToken =>
  sql.fragment`${where} and created_at >= ${from} and created_at < ${until}`

/** Exact sums over all rows that fit: whole hours or days from their counts, the edges from the rows. */
function sumsOf(reads: CommonQueryMethods, filter: SqlFilter): Promise<Sums> {
  const { counts, from, until } = filter
  const whole = wholeSpans(filter, counts)
  if (whole === null) return sumsOfRows(reads, filter, from, until)
  return reads.one(sql.type(sums)`
    select coalesce(sum(count), 0)::bigint as count, coalesce(sum(quota), 0)::bigint as quota,
           coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(suppressed), 0)::bigint as suppressed
    from (
      select sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens,
             sum(suppressed)::bigint as suppressed
      from ${counts.table} where ${spansWhere(filter, counts, whole)}
      union all ${rowSums(filter, from, whole.from)}
      union all ${rowSums(filter, whole.until, until)}
    ) as parts`)
}

/** Sums over rows dated from a moment on and before another. */
const rowSums = (filter: SqlFilter, from: number, until: number): FragmentSqlToken =>
  sql.fragment`select count(*) as count, coalesce(sum(quota), 0)::bigint as quota,
      coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint as tokens,
      coalesce(sum(${SUPPRESSED}), 0)::bigint as suppressed
    from usage_log.rows where ${rowsWhere(filter, from, until)}`

async function sumsOfRows(
  reads: CommonQueryMethods,
  filter: SqlFilter,
  from: number,
  until: number,
): Promise<Sums> {
  return from < until ? reads.one(sql.type(sums)`${rowSums(filter, from, until)}`) : NO_ROWS
}

/** Rows that are looked through for an event whose time is not known. */
const NEWEST_SEARCHED = 10_000

/**
 * The row of an event; null when there is none. Rows have no index by event: an index in no order would cost every
 * charge more than all others do. So `createdAt` (unix seconds) says where to look, and without it (0) only the newest
 * rows are searched, of one user or of all.
 */
export async function rowOfEvent(
  reads: CommonQueryMethods,
  eventId: string,
  { createdAt, userId }: { readonly createdAt: number; readonly userId: number | null },
): Promise<LogRow | null> {
  const own = sql.and([userId !== null && sql.fragment`user_id = ${userId}`])
  const newest = sql.fragment`(select * from usage_log.rows where ${own}
    order by created_at desc, id desc limit ${NEWEST_SEARCHED}) as newest`
  const searched =
    createdAt === 0
      ? sql.fragment`${newest} where event_id = ${eventId}`
      : sql.fragment`usage_log.rows where event_id = ${eventId} and ${own} and created_at = ${createdAt}`
  return reads.maybeOne(withPrice(sql.fragment`select * from ${searched} limit 1`))
}

/** The rows of one request, newest first; a request has a charge, a failure or neither, and refunds of it. */
export const rowsOfRequest = (
  reads: CommonQueryMethods,
  requestId: string,
): Promise<readonly LogRow[]> =>
  reads.any(
    withPrice(sql.fragment`
      select * from usage_log.rows where request_id = ${requestId} and request_id <> ''
      order by created_at desc, id desc limit 20`),
  )

/** The newest rows that fit below a place in the log, which stays where it is whatever is logged meanwhile. */
export async function rowsBelow(
  reads: CommonQueryMethods,
  filter: SqlFilter,
  place: LogPlace | null,
  limit: number,
): Promise<readonly LogRow[]> {
  if (filter.isEmpty) return []
  // The bound by time alone spares partitions that are newer.
  const until = place === null ? filter.until : Math.min(filter.until, place.created_at + 1)
  const where = sql.and([
    rowsWhere(filter, filter.from, until),
    place && sql.fragment`(created_at, id) < (${place.created_at}, ${place.id})`,
  ])
  return reads.any(
    withPrice(sql.fragment`
      select * from usage_log.rows where ${where}
      order by created_at desc, id desc limit ${limit}`),
  )
}
