import type pg from 'pg'
import { percentile } from './latency.ts'

/** One line of a result. Exact figures are decimal texts, in quota before rounding; times in milliseconds. */
export interface ReplayItem {
  /** Beginning of the bucket, unix milliseconds; null where all buckets are summed. */
  readonly bucket: number | null
  /** Value of the table's dimension, '' where it has none; `key2` is a pair's second. */
  readonly key: string
  readonly key2: string
  readonly requests: number
  readonly failures: number
  readonly quota: number
  readonly repriced: number
  readonly unpriced: number
  readonly exact: string
  readonly exactRepriced: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly latencyMs: Percentiles | null
  readonly firstByteMs: Percentiles | null
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Which lines. Summed: one line a key over all buckets, the largest change first, then the largest quota. */
export interface DataQuestion {
  readonly replay: string
  readonly table: string
  readonly isSummed: boolean
  readonly limit: number
  readonly offset: number
}

type Line = Omit<ReplayItem, 'latencyMs' | 'firstByteMs'> & {
  readonly latency: readonly number[] | null
  readonly firstByte: readonly number[] | null
}

const OF_TABLE = 'from replays.rows where replay = $1 and dimension = $2'

const sumOf = (name: string, as = name): string => `sum(${name})::bigint as "${as}"`

const SUMS = `key, key2, ${sumOf('requests')}, ${sumOf('failures')}, ${sumOf('quota')}, ${sumOf('repriced')},
  ${sumOf('unpriced')}, sum(exact)::text as exact, sum(exact_repriced)::text as "exactRepriced",
  ${sumOf('prompt_tokens', 'promptTokens')}, ${sumOf('completion_tokens', 'completionTokens')},
  ${sumOf('cached_tokens', 'cachedTokens')}, ${sumOf('cache_write_tokens', 'cacheWriteTokens')},
  replays.added_up(latency) as latency, replays.added_up(first_byte) as "firstByte"`

const SUMMED = `select null as bucket, ${SUMS} ${OF_TABLE} group by key, key2
  order by abs(sum(repriced) - sum(quota)) desc, sum(quota) desc, sum(failures) desc, key, key2`
const EACH = `select bucket, ${SUMS} ${OF_TABLE} group by bucket, key, key2 order by bucket, key, key2`
const COUNT_SUMMED = `select count(*) as total from (select distinct key, key2 ${OF_TABLE}) as keys`
const COUNT_EACH = `select count(*) as total ${OF_TABLE}`

/** A page of a result, and how many lines there are. */
export async function readData(
  pool: pg.Pool,
  { replay, table, isSummed, limit, offset }: DataQuestion,
): Promise<{ readonly total: number; readonly items: readonly ReplayItem[] }> {
  const [counted, listed] = await Promise.all([
    pool.query<{ total: number }>(isSummed ? COUNT_SUMMED : COUNT_EACH, [replay, table]),
    pool.query<Line>(`${isSummed ? SUMMED : EACH} limit $3 offset $4`, [
      replay,
      table,
      limit,
      offset,
    ]),
  ])
  return { total: counted.rows[0]?.total ?? 0, items: listed.rows.map(itemOf) }
}

const EXPORT_LINES = 2_000

/** All lines of a table by bucket and key, in batches: each is read when the one before has been taken. */
export async function* exportData(
  pool: pg.Pool,
  replay: string,
  table: string,
): AsyncGenerator<readonly ReplayItem[]> {
  let after: Pick<ReplayItem, 'bucket' | 'key' | 'key2'> = { bucket: null, key: '', key2: '' }
  for (;;) {
    const items: readonly ReplayItem[] = await linesAfter(pool, replay, table, after)
    if (items.length > 0) yield items
    const last = items.at(-1)
    if (last === undefined || items.length < EXPORT_LINES) return
    after = last
  }
}

async function linesAfter(
  pool: pg.Pool,
  replay: string,
  table: string,
  { bucket, key, key2 }: Pick<ReplayItem, 'bucket' | 'key' | 'key2'>,
): Promise<readonly ReplayItem[]> {
  const { rows } = await pool.query<Line>(
    `select bucket, ${SUMS} ${OF_TABLE} and ($3::bigint is null or (bucket, key, key2) > ($3, $4, $5))
     group by bucket, key, key2 order by bucket, key, key2 limit ${EXPORT_LINES}`,
    [replay, table, bucket, key, key2],
  )
  return rows.map(itemOf)
}

function itemOf({ latency, firstByte, ...line }: Line): ReplayItem {
  return { ...line, latencyMs: percentilesOf(latency), firstByteMs: percentilesOf(firstByte) }
}

function percentilesOf(counts: readonly number[] | null): Percentiles | null {
  if (counts === null) return null
  const all = counts.map(Number)
  const at = (share: number): number => percentile(all, share) ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
