import { printRatio } from '@tollgate/domain/pricing/ratio.ts'
import type pg from 'pg'
import { namesOf, unnest, valuesOf } from '../runner/columns.ts'
import type { ReplayRow } from './fold.ts'

const COLUMNS = {
  dimension: 'text',
  bucket: 'bigint',
  key: 'text',
  key2: 'text',
  requests: 'bigint',
  failures: 'bigint',
  quota: 'bigint',
  repriced: 'bigint',
  unpriced: 'bigint',
  exact: 'text',
  exact_repriced: 'text',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  latency: 'text',
  first_byte: 'text',
} as const

const KEYS = new Set(['dimension', 'bucket', 'key', 'key2'])
const CASTS: Readonly<Record<string, string>> = {
  exact: '::numeric',
  exact_repriced: '::numeric',
  latency: '::bigint[]',
  first_byte: '::bigint[]',
}
const NAMES = Object.keys(COLUMNS)
const SELECTED = NAMES.map((name) => `${name}${CASTS[name] ?? ''}`).join(', ')

const added = (name: string): string =>
  CASTS[name] === '::bigint[]'
    ? `${name} = replays.added(r.${name}, excluded.${name})`
    : `${name} = r.${name} + excluded.${name}`

const UPSERT = `
  with written as (
    insert into replays.rows as r (replay, ${namesOf(COLUMNS)})
    select $${NAMES.length + 1}::uuid, ${SELECTED} from ${unnest(COLUMNS)}
    on conflict (replay, dimension, bucket, key, key2) do update set
      ${NAMES.filter((name) => !KEYS.has(name))
        .map(added)
        .join(', ')}
    returning (xmax = 0) as is_new)
  select count(*) filter (where is_new) as new from written`

/** Adds rows to a replay's result; answers how many are new. */
export async function writeRows(
  client: pg.PoolClient,
  replay: string,
  rows: readonly ReplayRow[],
): Promise<number> {
  if (rows.length === 0) return 0
  const values = valuesOf(rows.map(columnsOf), COLUMNS)
  const answer = await client.query<{ new: number }>(UPSERT, [...values, replay])
  return answer.rows[0]?.new ?? 0
}

const columnsOf = (row: ReplayRow) => ({
  ...row,
  exact: printRatio(row.exact),
  exact_repriced: printRatio(row.exactRepriced),
  prompt_tokens: row.promptTokens,
  completion_tokens: row.completionTokens,
  cached_tokens: row.cachedTokens,
  cache_write_tokens: row.cacheWriteTokens,
  latency: arrayText(row.latency),
  first_byte: arrayText(row.firstByte),
})

const arrayText = (counts: readonly number[] | null): string | null =>
  counts === null ? null : `{${counts.join(',')}}`
