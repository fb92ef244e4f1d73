import { z } from 'zod'
import { dimensionsOf } from './definition.ts'
import type { Percentiles, ReplayItem } from './queries.ts'

const percentiles = z.strictObject({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable()

/** A line of a result as answers and exports carry it. */
export const replayItem = z.strictObject({
  bucket: z.int().nullable(),
  key: z.string(),
  key2: z.string(),
  requests: z.int(),
  failures: z.int(),
  quota: z.int(),
  repriced: z.int(),
  unpriced: z.int(),
  exact: z.string(),
  exact_repriced: z.string(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  cache_write_tokens: z.int(),
  latency_ms: percentiles,
  first_byte_ms: percentiles,
})
export type ItemEntity = z.infer<typeof replayItem>

export const itemEntity = (item: ReplayItem): ItemEntity => ({
  bucket: item.bucket,
  key: item.key,
  key2: item.key2,
  requests: item.requests,
  failures: item.failures,
  quota: item.quota,
  repriced: item.repriced,
  unpriced: item.unpriced,
  exact: item.exact,
  exact_repriced: item.exactRepriced,
  prompt_tokens: item.promptTokens,
  completion_tokens: item.completionTokens,
  cached_tokens: item.cachedTokens,
  cache_write_tokens: item.cacheWriteTokens,
  latency_ms: item.latencyMs,
  first_byte_ms: item.firstByteMs,
})

/** Columns of a table's CSV: the dimensions under their own names, times and percentiles in a column each. */
export const csvColumns = (table: string): readonly string[] => [
  'start',
  ...dimensionsOf(table),
  ...FIGURES,
  ...TIMES.flatMap((time) => SHARES.map((share) => `${time}_${share}`)),
]

/** The values of a line in the order of csvColumns; `start` in ISO 8601, UTC. */
export function csvValues(table: string, item: ItemEntity): readonly (string | number)[] {
  const keys = [item.key, item.key2].slice(0, dimensionsOf(table).length)
  return [
    item.bucket === null ? '' : new Date(item.bucket).toISOString(),
    ...keys,
    ...FIGURES.map((name) => item[name]),
    ...TIMES.flatMap((time) => SHARES.map((share) => item[time]?.[share] ?? '')),
  ]
}

const FIGURES = [
  'requests',
  'failures',
  'quota',
  'repriced',
  'unpriced',
  'exact',
  'exact_repriced',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
] as const
const TIMES = ['latency_ms', 'first_byte_ms'] as const
const SHARES = ['p50', 'p95', 'p99'] as const satisfies readonly (keyof Percentiles)[]
