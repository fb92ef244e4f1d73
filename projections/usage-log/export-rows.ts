import type { CsvRow } from '@tollgate/command-api/http-contract/api-route.ts'
import { CSV_BATCH_ROWS, pagesOf } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type pg from 'pg'
import type { LogEntity, RowNames } from './entity.ts'
import { type LogFilter, sqlFilter } from './filter.ts'
import { distinctPage, rowsBelow } from './queries.ts'
import type { LogRow } from './row.ts'
import { type TellingDeps, tellRows } from './tell-rows.ts'

/** The columns of a row in a log's CSV file: its members, the time for people, the amount in US dollars. */
export const LOG_CSV_COLUMNS = [
  'id',
  'time',
  'created_at',
  'type',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'group',
  'channel',
  'channel_name',
  'model_name',
  'is_stream',
  'prompt_tokens',
  'completion_tokens',
  'quota',
  'usd',
  'use_time',
  'retry',
  'content',
  'request_id',
  'event_id',
  'other',
] as const

/** All rows that a filter lets through, newest first; null lets none through. */
export async function* exportedRows(
  deps: TellingDeps & { readonly pool: pg.Pool },
  filter: LogFilter | null,
  isDistinct: boolean,
  entity: (row: LogRow, names: RowNames) => LogEntity,
): AsyncGenerator<readonly CsvRow[]> {
  if (filter === null) return
  const quotaPerUnit = deps.currentOptions().number('QuotaPerUnit')
  const batches = isDistinct ? distinctRows(deps.pool, filter) : everyRow(deps.pool, filter)
  for await (const rows of batches) {
    const told = await tellRows(deps, rows, entity)
    yield told.map((row) => ({
      ...row,
      time: new Date(row.created_at * 1000).toISOString(),
      usd: Number((row.quota / quotaPerUnit).toFixed(6)),
    }))
  }
}

async function* everyRow(pool: pg.Pool, filter: LogFilter): AsyncGenerator<readonly LogRow[]> {
  const sql = await sqlFilter(pool, filter)
  let place: LogRow | null = null
  while (true) {
    const rows: readonly LogRow[] = await rowsBelow(pool, sql, place, CSV_BATCH_ROWS)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < CSV_BATCH_ROWS) return
    place = last
  }
}

const distinctRows = (pool: pg.Pool, filter: LogFilter): AsyncGenerator<readonly LogRow[]> =>
  pagesOf(
    async ({ offset, limit }) => (await distinctPage(pool, filter, offset / limit + 1, limit)).rows,
    (row) => row.id,
  )
