import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { counted } from '../runner/reads.ts'
import { percentile } from './latency.ts'

const lineRow = z.object({
  /** Beginning of the bucket, unix milliseconds; null where all buckets are summed. */
  bucket: z.number().nullable(),
  /** Value of the table's dimension, '' where it has none; `key2` is a pair's second. */
  key: z.string(),
  key2: z.string(),
  requests: z.number(),
  failures: z.number(),
  quota: z.number(),
  repriced: z.number(),
  unpriced: z.number(),
  exact: z.string(),
  exactRepriced: z.string(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  cachedTokens: z.number(),
  cacheWriteTokens: z.number(),
  /** Counts by buckets of time, as latency.ts has them. */
  latency: z.array(z.coerce.number()).nullable(),
  firstByte: z.array(z.coerce.number()).nullable(),
})
type Line = Readonly<z.output<typeof lineRow>>

/** One line of a result. Exact figures are decimal texts, in quota before rounding; times in milliseconds. */
export type ReplayItem = Omit<Line, 'latency' | 'firstByte'> & {
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

const SUMS = sql.fragment`key, key2, sum(requests)::bigint as requests, sum(failures)::bigint as failures,
  sum(quota)::bigint as quota, sum(repriced)::bigint as repriced, sum(unpriced)::bigint as unpriced,
  trim_scale(sum(exact))::text as exact, trim_scale(sum(exact_repriced))::text as "exactRepriced",
  sum(prompt_tokens)::bigint as "promptTokens", sum(completion_tokens)::bigint as "completionTokens",
  sum(cached_tokens)::bigint as "cachedTokens", sum(cache_write_tokens)::bigint as "cacheWriteTokens",
  replays.added_up(latency) as latency, replays.added_up(first_byte) as "firstByte"`

const rowsOf = (replay: string, table: string) =>
  sql.fragment`from replays.rows where replay = ${replay} and dimension = ${table}`

/** A page of a result, and how many lines there are. */
export async function readData(
  reads: CommonQueryMethods,
  { replay, table, isSummed, limit, offset }: DataQuestion,
): Promise<{ readonly total: number; readonly items: readonly ReplayItem[] }> {
  const rows = rowsOf(replay, table)
  const lines = isSummed
    ? sql.fragment`select null::bigint as bucket, ${SUMS} ${rows} group by key, key2
        order by abs(sum(repriced) - sum(quota)) desc, sum(quota) desc, sum(failures) desc, key, key2`
    : sql.fragment`select bucket, ${SUMS} ${rows} group by bucket, key, key2 order by bucket, key, key2`
  const counting = isSummed ? sql.fragment`from (select distinct key, key2 ${rows}) as keys` : rows
  const [total, listed] = await Promise.all([
    reads.oneFirst(sql.type(counted)`select count(*) as count ${counting}`),
    reads.any(sql.type(lineRow)`${lines} limit ${limit} offset ${offset}`),
  ])
  return { total, items: listed.map(itemOf) }
}

const EXPORT_LINES = 2_000
type LinePlace = Pick<ReplayItem, 'bucket' | 'key' | 'key2'>

/** All lines of a table by bucket and key, in batches: each is read when the one before has been taken. */
export async function* exportData(
  reads: CommonQueryMethods,
  replay: string,
  table: string,
): AsyncGenerator<readonly ReplayItem[]> {
  let after: LinePlace | null = null
  for (;;) {
    const items: readonly ReplayItem[] = await linesAfter(reads, replay, table, after)
    if (items.length > 0) yield items
    const last = items.at(-1)
    if (last === undefined || items.length < EXPORT_LINES) return
    after = last
  }
}

async function linesAfter(
  reads: CommonQueryMethods,
  replay: string,
  table: string,
  after: LinePlace | null,
): Promise<readonly ReplayItem[]> {
  const isAfter =
    after === null
      ? sql.fragment``
      : sql.fragment`and (bucket, key, key2) > (${after.bucket}::bigint, ${after.key}, ${after.key2})`
  const lines = await reads.any(sql.type(lineRow)`
    select bucket, ${SUMS} ${rowsOf(replay, table)} ${isAfter}
    group by bucket, key, key2 order by bucket, key, key2 limit ${EXPORT_LINES}`)
  return lines.map(itemOf)
}

function itemOf({ latency, firstByte, ...line }: Line): ReplayItem {
  return { ...line, latencyMs: percentilesOf(latency), firstByteMs: percentilesOf(firstByte) }
}

function percentilesOf(counts: readonly number[] | null): Percentiles | null {
  if (counts === null) return null
  const at = (share: number): number => percentile(counts, share) ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
