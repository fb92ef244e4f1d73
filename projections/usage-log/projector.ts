import type pg from 'pg'
import { arrayText, columnsOf } from '../runner/columns.ts'
import { ensureMonths, monthOf } from '../runner/months.ts'
import type { Projector } from '../runner/projector.ts'
import { type LogRow, loggedEventTypes, rowOf } from './row.ts'
import { loadSettings, storeOption, withOption } from './settings.ts'
import { indexes, tables } from './tables.ts'

const eventTypes = [...loggedEventTypes, 'OptionChanged', 'LogsCleared'] as const

/** The usage log: a row for each charge, credit, refund, channel test and failed request. */
export const usageLog: Projector<(typeof eventTypes)[number]> = {
  name: 'usage-log',
  version: 1,
  streamPrefixes: ['account-', 'channel-', 'relay-failures-', 'settings'],
  eventTypes,
  tables,
  indexes,
  async handle(batch, tx) {
    let settings = await loadSettings(tx)
    let rows: LogRow[] = []
    for (const event of batch) {
      if (event.type === 'OptionChanged') {
        const { key, value } = event.data
        const changed = withOption(settings, key, value ?? '')
        if (changed !== settings) await storeOption(tx, key, value ?? '')
        settings = changed
      } else if (event.type === 'LogsCleared') {
        await insertRows(rows, tx)
        rows = []
        await clearBefore(Math.ceil(event.data.before / 1000), tx)
      } else {
        const row = rowOf(event, settings)
        if (row !== null) rows.push(row)
      }
    }
    await insertRows(rows, tx)
  },
}

async function insertRows(rows: readonly LogRow[], tx: pg.PoolClient): Promise<void> {
  if (rows.length === 0) return
  await ensureMonths(
    tx,
    'rows',
    rows.map((row) => row.created_at),
    'seconds',
  )
  await tx.query(
    `insert into rows (${ROW_COLUMNS.join(', ')})
     select * from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[],
       $7::bigint[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
       $14::boolean[], $15::text[], $16::text[], $17::text[])`,
    columnsOf(rows, ROW_COLUMNS),
  )
  await addToHours(rows, tx)
  const models = new Set(rows.map((row) => row.model))
  await tx.query(
    'insert into models select * from unnest($1::text[]) on conflict (model) do nothing',
    [arrayText([...models])],
  )
}

const ROW_COLUMNS = [
  'id',
  'event_id',
  'created_at',
  'type',
  'user_id',
  'token_id',
  'channel',
  'model',
  'group_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'request_id',
  'content',
  'detail',
] as const

const HOUR_SECONDS = 3600
const hourOf = (unixSeconds: number): number => unixSeconds - (unixSeconds % HOUR_SECONDS)

interface HourRow {
  readonly hour: number
  readonly type: number
  readonly user_id: number
  readonly token_id: number
  readonly channel: number
  readonly model: string
  readonly group_name: string
  count: number
  quota: number
  tokens: number
  last_created_at: number
  last_id: number
}

async function addToHours(rows: readonly LogRow[], tx: pg.PoolClient): Promise<void> {
  const sums = new Map<string, HourRow>()
  for (const row of rows) {
    const hour = hourOf(row.created_at)
    const key = `${hour} ${row.type} ${row.user_id} ${row.token_id} ${row.channel} ${row.group_name.length} ${row.group_name} ${row.model}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, hourRow(hour, row))
    else addTo(sum, row)
  }
  await tx.query(
    `insert into hours as h (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens,
                             last_created_at, last_id)
     select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
       $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
     on conflict (hour, user_id, token_id, channel, model, group_name, type) do update set
       count = h.count + excluded.count, quota = h.quota + excluded.quota, tokens = h.tokens + excluded.tokens,
       (last_created_at, last_id) = (
         select * from (values (h.last_created_at, h.last_id), (excluded.last_created_at, excluded.last_id))
           as newest (created_at, id) order by created_at desc, id desc limit 1)`,
    columnsOf(
      [...sums.values()],
      [
        'hour',
        'type',
        'user_id',
        'token_id',
        'channel',
        'model',
        'group_name',
        'count',
        'quota',
        'tokens',
        'last_created_at',
        'last_id',
      ],
    ),
  )
}

const hourRow = (hour: number, row: LogRow): HourRow => ({
  hour,
  type: row.type,
  user_id: row.user_id,
  token_id: row.token_id,
  channel: row.channel,
  model: row.model,
  group_name: row.group_name,
  count: 1,
  quota: row.quota,
  tokens: row.prompt_tokens + row.completion_tokens,
  last_created_at: row.created_at,
  last_id: row.id,
})

function addTo(sum: HourRow, row: LogRow): void {
  sum.count += 1
  sum.quota += row.quota
  sum.tokens += row.prompt_tokens + row.completion_tokens
  if (row.created_at >= sum.last_created_at) {
    sum.last_created_at = row.created_at
    sum.last_id = row.id
  }
}

/** Removes the rows dated before a moment (unix seconds): whole months at once, then the rest; counts follow. */
async function clearBefore(before: number, tx: pg.PoolClient): Promise<void> {
  const { rows } = await tx.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'rows'::regclass and inhrelid::regclass::text < $1 order by 1`,
    [`rows_${monthOf(before * 1000).name}`],
  )
  for (const { name } of rows) await tx.query(`drop table ${name}`)
  await tx.query('delete from rows where created_at < $1', [before])
  const brokenHour = hourOf(before)
  await tx.query('delete from hours where hour <= $1', [brokenHour])
  await tx.query(
    `insert into hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens,
                        last_created_at, last_id)
     select $1, type, user_id, token_id, channel, model, group_name, count(*), sum(quota),
            sum(prompt_tokens + completion_tokens), max(created_at),
            (array_agg(id order by created_at desc, id desc))[1]
     from rows where created_at >= $1 and created_at < $1 + ${HOUR_SECONDS}
     group by type, user_id, token_id, channel, model, group_name`,
    [brokenHour],
  )
}
