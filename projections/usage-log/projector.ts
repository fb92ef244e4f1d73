import { optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { arrayOf, namesOf, unnest, valuesOf } from '../runner/columns.ts'
import { insertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import { ensureMonths, monthOf } from '../runner/months.ts'
import type { Projector } from '../runner/projector.ts'
import { type LogRow, loggedEventTypes, rowOf, SUPPRESSED_SQL, suppressedIn } from './row.ts'
import { eventOfTest, loggedTests } from './channel-tests.ts'
import {
  changesOptions,
  DEFAULTS,
  loadSettings,
  optionEventTypes,
  storeOption,
  withOption,
} from './settings.ts'
import { addToSums, sumsOfHours } from './sums.ts'
import { comparison, indexes, tables } from './tables.ts'

const eventTypes = [...loggedEventTypes, ...optionEventTypes, 'LogsCleared'] as const

/** The usage log: a row for each charge, credit, refund, channel test and failed request. */
export const usageLog: Projector<(typeof eventTypes)[number]> = {
  name: 'usage-log',
  // 6: sums over all users.
  version: 6,
  streamPrefixes: ['account-', 'channel-', 'relay-failures-', 'settings'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async fill(tx) {
    for await (const tests of loggedTests(tx)) {
      const rows = tests.map((test) => rowOf(eventOfTest(test), DEFAULTS))
      await addRows(
        rows.filter((row) => row !== null),
        tx,
      )
    }
  },
  async handle(batch, tx) {
    let settings = await loadSettings(tx)
    let writer = rowWriter(tx)
    for (const event of batch) {
      if (changesOptions(event)) {
        for (const { key, value } of optionChangesIn(event)) {
          const changed = withOption(settings, key, value ?? '')
          if (changed !== settings) await storeOption(tx, key, value ?? '')
          settings = changed
        }
      } else if (event.type === 'LogsCleared') {
        await writer.finish()
        writer = rowWriter(tx)
        await clearBefore(Math.ceil(event.data.before / 1000), tx)
      } else {
        const row = rowOf(event, settings)
        if (row !== null && writer.add(row)) await writer.send()
      }
    }
    await writer.finish()
  },
}

/** Adds a few rows at once. */
export async function addRows(rows: readonly LogRow[], tx: ModelTables): Promise<void> {
  const writer = rowWriter(tx)
  for (const row of rows) writer.add(row)
  await writer.finish()
}

/** Rows that are sent together; PostgreSQL inserts them while the next are made. */
const SENT_ROWS = 1_000

interface RowWriter {
  /** True when enough have gathered to be sent. */
  add(row: LogRow): boolean
  /** Sends what has gathered, and waits for what was sent before. */
  send(): Promise<void>
  /** Sends the rest and adds all rows to counts and lists. */
  finish(): Promise<void>
}

function rowWriter(tx: ModelTables): RowWriter {
  const rows: LogRow[] = []
  let sentRows = 0
  let sending: Promise<void> = Promise.resolve()

  function sendNext(): void {
    sending = insertLogRows(rows.slice(sentRows), tx)
    sentRows = rows.length
    // Every waiter for it learns of a failure; so does the transaction when nobody comes to that.
    sending.catch(() => undefined)
  }

  return {
    add(row) {
      rows.push(row)
      return rows.length - sentRows >= SENT_ROWS
    },
    async send() {
      const before = sending
      sendNext()
      await before
    },
    async finish() {
      if (rows.length === 0) return
      const before = sending
      sendNext()
      await Promise.all([before, sending, addToHours(rows, tx), addToLists(rows, tx)])
    },
  }
}

async function insertLogRows(rows: readonly LogRow[], tx: ModelTables): Promise<void> {
  if (rows.length === 0) return
  await ensureMonths(
    tx,
    'rows',
    rows.map((row) => row.created_at),
    'seconds',
  )
  await insertRows(tx, 'rows', ROW_COLUMNS, rows)
}

const ROW_COLUMNS = {
  id: 'bigint',
  event_id: 'uuid',
  created_at: 'bigint',
  type: 'smallint',
  user_id: 'bigint',
  token_id: 'bigint',
  channel: 'bigint',
  model: 'text',
  group_name: 'text',
  quota: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  use_time: 'bigint',
  is_stream: 'boolean',
  request_id: 'text',
  content: 'text',
  price_key: 'bigint',
  detail: 'text',
} as const satisfies Record<keyof Omit<LogRow, 'price'>, string>

/** Adds the models and prices that were not met before to their lists. */
async function addToLists(rows: readonly LogRow[], tx: ModelTables): Promise<void> {
  const models = new Set(rows.map((row) => row.model))
  const prices = new Map(rows.map((row) => [row.price_key, row.price]))
  await Promise.all([
    tx.query(
      'insert into {models} select * from unnest($1::text[]) on conflict (model) do nothing',
      [arrayOf('text', [...models])],
    ),
    tx.query(
      `insert into {prices} select * from unnest($1::bigint[], $2::text[])
       on conflict (price_key) do nothing`,
      [arrayOf('bigint', [...prices.keys()]), arrayOf('text', [...prices.values()])],
    ),
  ])
}

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
  suppressed: number
  last_created_at: number
  last_id: number
}

async function addToHours(rows: readonly LogRow[], tx: ModelTables): Promise<void> {
  const sums = new Map<string, HourRow>()
  for (const row of rows) {
    const hour = hourOf(row.created_at)
    const key = `${hour} ${row.type} ${row.user_id} ${row.token_id} ${row.channel} ${row.group_name.length} ${row.group_name} ${row.model}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, hourRow(hour, row))
    else addTo(sum, row)
  }
  const values = valuesOf([...sums.values()], HOUR_COLUMNS)
  await Promise.all([
    tx.query(ADD_TO_HOURS, values),
    tx.query(ADD_TO_TOTALS, values),
    tx.query(ADD_TO_SUMS, values),
  ])
}

const HOUR_COLUMNS = {
  hour: 'bigint',
  type: 'smallint',
  user_id: 'bigint',
  token_id: 'bigint',
  channel: 'bigint',
  model: 'text',
  group_name: 'text',
  count: 'bigint',
  quota: 'bigint',
  tokens: 'bigint',
  suppressed: 'bigint',
  last_created_at: 'bigint',
  last_id: 'bigint',
} as const satisfies Record<keyof HourRow, string>

const ADD_TO_HOURS = `
  insert into {hours} as h (${namesOf(HOUR_COLUMNS)}) select * from ${unnest(HOUR_COLUMNS)}
  on conflict (hour, user_id, token_id, channel, model, group_name, type) do update set
    count = h.count + excluded.count, quota = h.quota + excluded.quota, tokens = h.tokens + excluded.tokens,
    suppressed = h.suppressed + excluded.suppressed,
    last_id = case when excluded.last_created_at >= h.last_created_at then excluded.last_id else h.last_id end,
    last_created_at = greatest(excluded.last_created_at, h.last_created_at)`

const ADD_TO_TOTALS = `
  insert into {totals} as present (hour, type, user_id, count, quota, tokens, suppressed)
  select hour, type, user_id, sum(count), sum(quota), sum(tokens), sum(suppressed) from ${unnest(HOUR_COLUMNS)}
  group by hour, type, user_id
  on conflict (hour, user_id, type) do update set
    count = present.count + excluded.count, quota = present.quota + excluded.quota,
    tokens = present.tokens + excluded.tokens, suppressed = present.suppressed + excluded.suppressed`

const ADD_TO_SUMS = addToSums(unnest(HOUR_COLUMNS))

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
  suppressed: suppressedIn(row),
  last_created_at: row.created_at,
  last_id: row.id,
})

function addTo(sum: HourRow, row: LogRow): void {
  sum.count += 1
  sum.quota += row.quota
  sum.tokens += row.prompt_tokens + row.completion_tokens
  sum.suppressed += suppressedIn(row)
  if (row.created_at >= sum.last_created_at) {
    sum.last_created_at = row.created_at
    sum.last_id = row.id
  }
}

/** Removes the rows dated before a moment (unix seconds): whole months at once, then the rest; counts follow. */
async function clearBefore(before: number, tx: ModelTables): Promise<void> {
  const rows = await tx.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'rows'::regclass and inhrelid::regclass::text < $1 order by 1`,
    [`rows_${monthOf(before * 1000).name}`],
  )
  for (const { name } of rows) await tx.query(`drop table ${name}`)
  await deleteInSteps(tx, 'rows', 'created_at', before)
  const brokenHour = hourOf(before)
  await deleteInSteps(tx, 'hours', 'hour', brokenHour)
  await deleteInSteps(tx, 'totals', 'hour', brokenHour)
  await deleteInSteps(tx, 'sums', 'hour', brokenHour)
  await countAnew([brokenHour], tx)
}

/** Removes rows of channel tests (`createdAt` in unix seconds): hours and models follow. */
export async function removeTestRows(
  tests: readonly { readonly id: number; readonly createdAt: number }[],
  tx: ModelTables,
): Promise<void> {
  if (tests.length === 0) return
  const dates = tests.map(({ createdAt }) => createdAt)
  const removed = await tx.query<{ model: string }>(
    `delete from {rows} where id = any($1::bigint[]) and created_at between $2 and $3 returning model`,
    [tests.map(({ id }) => id), Math.min(...dates), Math.max(...dates)],
  )
  await countAnew([...new Set(dates.map(hourOf))], tx)
  await tx.query(
    `delete from {models} where model = any($1)
     and not exists (select 1 from {rows} where {rows}.model = {models}.model)`,
    [[...new Set(removed.map(({ model }) => model))]],
  )
}

/** Counts the rows of some hours anew. */
async function countAnew(hours: readonly number[], tx: ModelTables): Promise<void> {
  await tx.query('delete from {hours} where hour = any($1::bigint[])', [hours])
  await tx.query(
    `insert into {hours} (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, suppressed,
                          last_created_at, last_id)
     select counted.hour, type, user_id, token_id, channel, model, group_name, count(*), sum(quota),
            sum(prompt_tokens + completion_tokens), sum(${SUPPRESSED_SQL}), max(created_at),
            (array_agg(id order by created_at desc, id desc))[1]
     from unnest($1::bigint[]) as counted (hour)
       join {rows} on created_at >= counted.hour and created_at < counted.hour + ${HOUR_SECONDS}
     group by counted.hour, type, user_id, token_id, channel, model, group_name`,
    [hours],
  )
  await tx.query('delete from {totals} where hour = any($1::bigint[])', [hours])
  await tx.query(
    `insert into {totals} (hour, type, user_id, count, quota, tokens, suppressed)
     select hour, type, user_id, sum(count), sum(quota), sum(tokens), sum(suppressed)
     from {hours} where hour = any($1::bigint[]) group by hour, type, user_id`,
    [hours],
  )
  await tx.query('delete from {sums} where hour = any($1::bigint[])', [hours])
  await tx.query(`insert into {sums} ${sumsOfHours('{hours} where hour = any($1::bigint[])')}`, [
    hours,
  ])
}

/** Deletes day by day what is older than a second: no statement may take as long as all of them. */
async function deleteInSteps(
  tx: ModelTables,
  table: 'rows' | 'hours' | 'totals' | 'sums',
  column: 'created_at' | 'hour',
  before: number,
): Promise<void> {
  const [oldest] = await tx.query<{ first: number | null }>(
    `select min(${column}) as first from ${table} where ${column} < $1`,
    [before],
  )
  if (oldest === undefined || oldest.first === null) return
  for (let day = oldest.first; day < before; day += DAY_SECONDS) {
    const until = Math.min(before, day + DAY_SECONDS)
    await tx.query(`delete from ${table} where ${column} < $1`, [until])
  }
}

const DAY_SECONDS = 24 * HOUR_SECONDS
