import type { CsvRow } from '@tollgate/command-api/http-contract/api-route.ts'
import { below, CSV_BATCH_ROWS } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type { CommonQueryMethods } from 'slonik'
import type { LogEntity, RowNames } from './entity.ts'
import { type LogFilter, type SqlFilter, sqlFilter } from './filter.ts'
import { distinctBelow, rowsBelow } from './queries.ts'
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
  deps: TellingDeps & { readonly reads: CommonQueryMethods },
  filter: LogFilter | null,
  isDistinct: boolean,
  entity: (row: LogRow, names: RowNames) => LogEntity,
): AsyncGenerator<readonly CsvRow[]> {
  if (filter === null) return
  const quotaPerUnit = deps.currentOptions().number('QuotaPerUnit')
  const sql = await sqlFilter(deps.reads, filter)
  const batches = isDistinct ? distinctRows(deps.reads, sql) : everyRow(deps.reads, sql)
  for await (const rows of batches) {
    const told = await tellRows(deps, rows, entity)
    yield told.map((row) => ({
      ...row,
      time: new Date(row.created_at * 1000).toISOString(),
      usd: Number((row.quota / quotaPerUnit).toFixed(6)),
    }))
  }
}

const everyRow = (reads: CommonQueryMethods, sql: SqlFilter): AsyncGenerator<readonly LogRow[]> =>
  below<LogRow, LogRow>(
    (place, limit) => rowsBelow(reads, sql, place, limit),
    (row) => row,
  )

/**
 * The newest row of each user, token, model and channel, as batches. What is logged after the first batch was read is
 * left out: it would take the places of rows that are still to come.
 */
export async function* distinctRows(
  reads: CommonQueryMethods,
  sql: SqlFilter,
  batchRows = CSV_BATCH_ROWS,
): AsyncGenerator<readonly LogRow[]> {
  let top: LogRow | null = null
  yield* below<LogRow, LogRow>(
    async (place, limit) => {
      const rows = await distinctBelow(reads, sql, { place, top }, limit)
      top ??= rows[0] ?? null
      return rows
    },
    (row) => row,
    batchRows,
  )
}
