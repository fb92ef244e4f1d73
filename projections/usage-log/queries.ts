import type pg from 'pg'
import { inTransaction } from '../runner/session.ts'
import { type LogFilter, type SqlFilter, sqlFilter } from './filter.ts'
import { CONSUMPTION, FAILURE, type LogRow, SUPPRESSED_SQL } from './row.ts'
import { type Counts, DAYS } from './sums.ts'

/** A pool, or a connection inside a transaction. */
type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

export interface LogPage {
  readonly rows: readonly LogRow[]
  readonly total: number
}

/** A page of the log, newest first, with the exact number of all rows that fit. `page` counts from 1. */
export async function logPage(
  pool: pg.Pool,
  filter: LogFilter,
  page: number,
  size: number,
): Promise<LogPage> {
  const sql = await sqlFilter(pool, filter)
  if (sql.isEmpty) return { rows: [], total: 0 }
  const offset = (page - 1) * size
  // One snapshot, so that no row is counted that cannot be listed yet.
  return inTransaction(pool, ONE_SNAPSHOT, async (client) => {
    const { count } = await sumsOf(client, sql)
    const rows = await newestRows(client, await skipSpans(client, sql, offset), size)
    return { rows, total: count }
  })
}

const ONE_SNAPSHOT = 'begin transaction isolation level repeatable read read only'

interface Place {
  readonly filter: SqlFilter
  readonly offset: number
}

/** Skipping this many rows one by one is quicker than looking for a better place to start. */
const OFFSET_SKIPPED_DIRECTLY = 5_000

/** For a page far down: the end of the span that it begins in, and how many of that span's rows come before it. */
async function skipSpans(client: Queryable, filter: SqlFilter, offset: number): Promise<Place> {
  if (offset <= OFFSET_SKIPPED_DIRECTLY) return { filter, offset }
  const { counts } = filter
  const whole = wholeSpans(filter, counts)
  if (whole === null) return { filter, offset }
  const later = await sumsOfRows(client, filter, whole.until, filter.until)
  if (later.count > offset) return { filter, offset }
  const { rows } = await client.query<{ start: number; skipped: number }>(
    `select start, skipped from (
       select ${counts.start} as start,
              (sum(sum(count)) over (order by ${counts.start} desc) - sum(count))::bigint as skipped
       from ${counts.table} where ${spansWhere(filter, counts, whole)} group by 1
     ) as spans
     where skipped <= $${filter.values.length + 1} order by start limit 1`,
    [...filter.values, offset - later.count],
  )
  const found = rows[0]
  if (found === undefined) return { filter, offset }
  return {
    filter: { ...filter, until: Math.min(filter.until, found.start + counts.seconds) },
    offset: offset - later.count - found.skipped,
  }
}

async function newestRows(
  client: Queryable,
  { filter, offset }: Place,
  limit: number,
): Promise<readonly LogRow[]> {
  const next = filter.values.length + 1
  const { rows } = await client.query<LogRow>(
    withPrice(`select * from usage_log.rows
       where ${filter.where} and created_at >= $${next} and created_at < $${next + 1}
       order by created_at desc, id desc limit $${next + 2} offset $${next + 3}`),
    [...filter.values, filter.from, filter.until, limit, offset],
  )
  return rows
}

/** The rows that a query finds, with their prices, newest first. */
export const withPrice = (query: string): string =>
  `select found.*, coalesce(prices.price, '') as price
   from (${query}) as found left join usage_log.prices using (price_key)
   order by found.created_at desc, found.id desc`

/** One page of the distinct rows by user, token, model and channel, the newest of each (decision 20). */
export async function distinctPage(
  pool: pg.Pool,
  filter: LogFilter,
  page: number,
  size: number,
): Promise<LogPage> {
  const sql = await sqlFilter(pool, filter)
  if (sql.isEmpty) return { rows: [], total: 0 }
  const next = sql.values.length + 1
  // One snapshot, so that what is logged meanwhile does not take the place of a row of the filter's time.
  const rows = await inTransaction(pool, ONE_SNAPSHOT, async (client) => {
    const { rows: found } = await client.query<CountedRow>(
      `with newest as (${await newestPlaces(client, sql)}), page as (
         select place[1] as created_at, place[2] as id from newest
         order by place desc limit $${next} offset $${next + 1}
       )
       select counted.total, shown.*
       from (select count(*) as total from newest) as counted left join (
         ${withPrice('select rows.* from page join usage_log.rows using (created_at, id)')}
       ) as shown on true
       order by shown.created_at desc, shown.id desc`,
      [...sql.values, size, (page - 1) * size],
    )
    return found
  })
  return { rows: rows.filter(isThere), total: rows[0]?.total ?? 0 }
}

type LogPlace = Pick<LogRow, 'created_at' | 'id'>

/**
 * The newest distinct rows below a place in the log (null = of all). A row that is logged meanwhile takes the place of
 * an older one, which would be missed: a caller that reads on leaves out what stands above the first row (`top`).
 */
export async function distinctBelow(
  pool: pg.Pool,
  sql: SqlFilter,
  { place, top }: { readonly place: LogPlace | null; readonly top: LogPlace | null },
  limit: number,
): Promise<readonly LogRow[]> {
  if (sql.isEmpty) return []
  const next = sql.values.length + 1
  const isBelow = place === null ? '' : `where place < array[$${next + 1}, $${next + 2}]::bigint[]`
  return inTransaction(pool, ONE_SNAPSHOT, async (client) => {
    const { rows } = await client.query<LogRow>(
      `with newest as (${await newestPlaces(client, sql, top)}), page as (
         select place[1] as created_at, place[2] as id from newest ${isBelow}
         order by place desc limit $${next}
       )
       ${withPrice('select rows.* from page join usage_log.rows using (created_at, id)')}`,
      [...sql.values, limit, ...(place === null ? [] : [place.created_at, place.id])],
    )
    return rows
  })
}

/** The query of when the newest row of each user, token, model and channel was logged, with its id. */
async function newestPlaces(
  client: Queryable,
  sql: SqlFilter,
  top: LogPlace | null = null,
): Promise<string> {
  const candidates = (await isUpToNow(client, sql, top))
    ? newestUpToNow(sql)
    : newestWithin(sql, top)
  return `select max(array[last_created_at, last_id]) as place
    from (${candidates}) as candidates group by user_id, token_id, model, channel`
}

/** Whether no row stands behind the filter's time or above `top`, as tables before version 7 cannot tell quickly. */
async function isUpToNow(
  client: Queryable,
  { cube, until }: SqlFilter,
  top: LogPlace | null,
): Promise<boolean> {
  if (cube !== DAYS) return false
  const { rows } = await client.query<LogPlace>(
    'select created_at, id from usage_log.rows order by created_at desc, id desc limit 1',
  )
  const [last] = rows
  if (last === undefined) return true
  return last.created_at < until && (top === null || !isAbove(last, top))
}

const isAbove = (one: LogPlace, other: LogPlace): boolean =>
  one.created_at > other.created_at || (one.created_at === other.created_at && one.id > other.id)

/** Then the newest row of a combination is the newest of all times, when it is dated in the filter's. */
const newestUpToNow = ({ where, from }: SqlFilter): string =>
  `select user_id, token_id, model, channel, last_created_at, last_id
   from usage_log.newest where ${where} and last_created_at >= ${from}`

/** Whole days from their counts; the rows of the edges one by one. */
function newestWithin(filter: SqlFilter, top: LogPlace | null): string {
  const { cube, where, from } = filter
  // Counts do not tell which rows of the last second stand above `top`.
  const until = Math.min(filter.until, top?.created_at ?? filter.until)
  const whole = wholeSpans({ ...filter, until }, cube) ?? { from: until, until }
  const isBelowTop = top === null ? '' : `and (created_at, id) <= (${top.created_at}, ${top.id})`
  return `select user_id, token_id, model, channel, last_created_at, last_id
    from ${cube.table} where ${spansWhere(filter, cube, whole)}
    union all
    select user_id, token_id, model, channel, created_at, id
    from usage_log.rows
    where ${where} and created_at >= ${from} and created_at < ${filter.until} ${isBelowTop}
      and not (created_at >= ${whole.from} and created_at < ${whole.until})`
}

/** A row with how many there are in all; past the last page only that is known. */
type CountedRow = { readonly total: number } & (LogRow | { readonly id: null })

const isThere = (row: CountedRow): row is CountedRow & LogRow => row.id !== null

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
  pool: pg.Pool,
  filter: LogFilter,
  now: number,
): Promise<LogStatistics> {
  const sql = await sqlFilter(pool, { ...filter, type: CONSUMPTION })
  if (sql.isEmpty) return { quota: 0, tokens: 0, rpm: 0, tpm: 0, failed: 0 }
  const failures = await sqlFilter(pool, { ...filter, type: FAILURE })
  const minuteAgo = Math.floor(now / 1000) - 60
  const [all, minute, failed] = await Promise.all([
    sumsOf(pool, sql),
    sumsOfRows(pool, sql, minuteAgo, Math.floor(now / 1000) + 1),
    sumsOf(pool, failures),
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
export async function countLogsBefore(pool: pg.Pool, before: number): Promise<number> {
  const sql = await sqlFilter(pool, { to: Math.ceil(before / 1000) - 1 })
  return (await sumsOf(pool, sql)).count
}

interface Sums {
  readonly count: number
  readonly quota: number
  readonly tokens: number
  readonly suppressed: number
}

interface Spans {
  /** First second of the first whole span, and the second after the last. */
  readonly from: number
  readonly until: number
}

/** The whole hours or days inside the filter's time; null when there are none. */
function wholeSpans({ from, until }: SqlFilter, { seconds }: Counts): Spans | null {
  const first = Math.ceil(from / seconds) * seconds
  const last = Math.floor(until / seconds) * seconds
  return first < last ? { from: first, until: last } : null
}

const spansWhere = (filter: SqlFilter, { start }: Counts, { from, until }: Spans): string =>
  `${filter.where} and ${start} >= ${from} and ${start} < ${until}`

/** Exact sums over all rows that fit: whole hours or days from their counts, the edges from the rows. */
async function sumsOf(client: Queryable, filter: SqlFilter): Promise<Sums> {
  const { counts } = filter
  const whole = wholeSpans(filter, counts)
  if (whole === null) return sumsOfRows(client, filter, filter.from, filter.until)
  const next = filter.values.length + 1
  const { rows } = await client.query<Sums>(
    `select coalesce(sum(count), 0)::bigint as count, coalesce(sum(quota), 0)::bigint as quota,
            coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(suppressed), 0)::bigint as suppressed
     from (
       select sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens,
              sum(suppressed)::bigint as suppressed
       from ${counts.table} where ${spansWhere(filter, counts, whole)}
       union all ${rowSums(filter, next)}
       union all ${rowSums(filter, next + 2)}
     ) as parts`,
    [...filter.values, filter.from, whole.from, whole.until, filter.until],
  )
  return rows[0] ?? NO_ROWS
}

const NO_ROWS: Sums = { count: 0, quota: 0, tokens: 0, suppressed: 0 }

/** Sums over rows dated from a parameter on and before the one after it. */
const rowSums = (filter: SqlFilter, from: number): string =>
  `select count(*) as count, coalesce(sum(quota), 0)::bigint as quota,
          coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint as tokens,
          coalesce(sum(${SUPPRESSED_SQL}), 0)::bigint as suppressed
   from usage_log.rows where ${filter.where} and created_at >= $${from} and created_at < $${from + 1}`

/** `from` inclusive, `until` exclusive, unix seconds. */
async function sumsOfRows(
  client: Queryable,
  filter: SqlFilter,
  from: number,
  until: number,
): Promise<Sums> {
  if (from >= until) return NO_ROWS
  const sql = rowSums(filter, filter.values.length + 1)
  const { rows } = await client.query<Sums>(sql, [...filter.values, from, until])
  return rows[0] ?? NO_ROWS
}

/** Rows that are looked through for an event whose time is not known. */
const NEWEST_SEARCHED = 10_000

/**
 * The row of an event; null when there is none. Rows have no index by event: an index in no order would cost every
 * charge more than all others do. So `createdAt` (unix seconds) says where to look, and without it (0) only the newest
 * rows are searched, of one user or of all.
 */
export async function rowOfEvent(
  pool: pg.Pool,
  eventId: string,
  { createdAt, userId }: { readonly createdAt: number; readonly userId: number | null },
): Promise<LogRow | null> {
  const own = userId === null ? '' : 'user_id = $2'
  const newest = `select * from usage_log.rows ${own && `where ${own}`}
    order by created_at desc, id desc limit ${NEWEST_SEARCHED}`
  const query =
    createdAt === 0
      ? `select * from (${newest}) as newest where event_id = $1 limit 1`
      : `select * from usage_log.rows where event_id = $1 ${own && `and ${own}`}
           and created_at = $${userId === null ? 2 : 3} limit 1`
  const { rows } = await pool.query<LogRow>(withPrice(query), [
    eventId,
    ...(userId === null ? [] : [userId]),
    ...(createdAt === 0 ? [] : [createdAt]),
  ])
  return rows[0] ?? null
}

/** The rows of one request, newest first; a request has a charge, a failure or neither, and refunds of it. */
export async function rowsOfRequest(pool: pg.Pool, requestId: string): Promise<readonly LogRow[]> {
  const { rows } = await pool.query<LogRow>(
    withPrice(
      "select * from usage_log.rows where request_id = $1 and request_id <> '' order by created_at desc, id desc limit 20",
    ),
    [requestId],
  )
  return rows
}

/** The newest rows that fit below a place in the log, which stays where it is whatever is logged meanwhile. */
export async function rowsBelow(
  pool: pg.Pool,
  filter: SqlFilter,
  place: Pick<LogRow, 'created_at' | 'id'> | null,
  limit: number,
): Promise<readonly LogRow[]> {
  if (filter.isEmpty) return []
  const next = filter.values.length + 1
  // The bound by time alone spares partitions that are newer.
  const until = place === null ? filter.until : Math.min(filter.until, place.created_at + 1)
  const isBelow = place === null ? '' : `and (created_at, id) < ($${next + 3}, $${next + 4})`
  const { rows } = await pool.query<LogRow>(
    withPrice(`select * from usage_log.rows
       where ${filter.where} and created_at >= $${next} and created_at < $${next + 1} ${isBelow}
       order by created_at desc, id desc limit $${next + 2}`),
    [
      ...filter.values,
      filter.from,
      until,
      limit,
      ...(place === null ? [] : [place.created_at, place.id]),
    ],
  )
  return rows
}
