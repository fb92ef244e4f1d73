import { optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { arrayOf, namesOf, unnest, valuesOf } from '../runner/columns.ts'
import { insertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import { ensureMonths, monthOf } from '../runner/months.ts'
import type { Projector } from '../runner/projector.ts'
import { CONSUMPTION, type LogRow, loggedEventTypes, rowOf, suppressedIn } from './row.ts'
import { eventOfTest, loggedTests } from './channel-tests.ts'
import {
  changesOptions,
  DEFAULTS,
  loadSettings,
  optionEventTypes,
  storeOption,
  withOption,
} from './settings.ts'
import {
  addToDays,
  addToNewest,
  addToSums,
  countedRows,
  DAY_SECONDS,
  daysOfHours,
  HOUR_SECONDS,
  sumsOfHours,
} from './sums.ts'
import { comparison, indexes, tables } from './tables.ts'

const eventTypes = [...loggedEventTypes, ...optionEventTypes, 'LogsCleared'] as const

/** The usage log: a row for each charge, credit, refund, channel test and failed request. */
export const usageLog: Projector<(typeof eventTypes)[number]> = {
  name: 'usage-log',
  // 7: counts by everything by the day.
  version: 7,
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
      await Promise.all([before, sending, addToCounts(rows, tx), addToLists(rows, tx)])
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

const hourOf = (unixSeconds: number): number => unixSeconds - (unixSeconds % HOUR_SECONDS)
const dayOf = (unixSeconds: number): number => unixSeconds - (unixSeconds % DAY_SECONDS)

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

async function addToCounts(rows: readonly LogRow[], tx: ModelTables): Promise<void> {
  const sums = new Map<string, HourRow>()
  for (const row of rows) {
    const hour = hourOf(row.created_at)
    const key = `${hour} ${row.type} ${row.user_id} ${row.token_id} ${row.channel} ${row.group_name.length} ${row.group_name} ${row.model}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, hourRow(hour, row))
    else addTo(sum, row)
  }
  const values = valuesOf([...sums.values()], HOUR_COLUMNS)
  await Promise.all([ADD_TO_DAYS, ADD_TO_NEWEST, ADD_TO_SUMS].map((sql) => tx.query(sql, values)))
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

const ADD_TO_DAYS = addToDays(unnest(HOUR_COLUMNS))
const ADD_TO_NEWEST = addToNewest(unnest(HOUR_COLUMNS))
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
  await deleteInSteps(tx, 'days', 'day', dayOf(before))
  await deleteInSteps(tx, 'sums', 'hour', hourOf(before))
  await countAnew([before], tx)
  await tx.query('delete from {newest} where last_created_at < $1', [before])
}

/** Removes rows of channel tests (`createdAt` in unix seconds): counts and models follow. */
export async function removeTestRows(
  tests: readonly { readonly id: number; readonly createdAt: number }[],
  tx: ModelTables,
): Promise<void> {
  if (tests.length === 0) return
  const dates = tests.map(({ createdAt }) => createdAt)
  const ids = tests.map(({ id }) => id)
  const removed = await tx.query<{ model: string }>(
    `delete from {rows} where id = any($1::bigint[]) and created_at between $2 and $3 returning model`,
    [ids, Math.min(...dates), Math.max(...dates)],
  )
  await countAnew(dates, tx, TESTS)
  await findNewestAnew(ids, tx)
  await tx.query(
    `delete from {models} where model = any($1)
     and not exists (select 1 from {rows} where {rows}.model = {models}.model)`,
    [[...new Set(removed.map(({ model }) => model))]],
  )
}

/** Rows of channel tests are among these, which an index finds by their token; no other rows change with them. */
const TESTS = `token_id = 0 and type = ${CONSUMPTION} and group_name = ''`

/**
 * Counts the rows anew of the hours and days that some moments (unix seconds) are in; of the days, those that fit `which`.
 */
async function countAnew(
  moments: readonly number[],
  tx: ModelTables,
  which = 'true',
): Promise<void> {
  const [days, hours] = [[...new Set(moments.map(dayOf))], [...new Set(moments.map(hourOf))]]
  const rowsOf = (seconds: number, where: string): string =>
    countedRows(
      `unnest($1::bigint[]) as span (start)
       join {rows} on created_at >= start and created_at < start + ${seconds} and ${where}`,
    )
  await tx.query(`delete from {days} where day = any($1::bigint[]) and ${which}`, [days])
  await tx.query(`insert into {days} ${daysOfHours(rowsOf(DAY_SECONDS, which))}`, [days])
  await tx.query('delete from {sums} where hour = any($1::bigint[])', [hours])
  await tx.query(`insert into {sums} ${sumsOfHours(rowsOf(HOUR_SECONDS, 'true'))}`, [hours])
}

/** Puts the row before them in the place of rows that are gone, where they were the newest of their combination. */
async function findNewestAnew(gone: readonly number[], tx: ModelTables): Promise<void> {
  const left = await tx.query<Combination>(
    'delete from {newest} where last_id = any($1::bigint[]) returning user_id, token_id, channel, model, group_name, type',
    [gone],
  )
  if (left.length === 0) return
  await tx.query(
    `insert into {newest} (${namesOf(COMBINATION)}, last_created_at, last_id)
     select t.*, before.created_at, before.id from ${unnest(COMBINATION)} cross join lateral (
       select created_at, id from {rows} as row where ${IS_OF_COMBINATION}
       order by created_at desc, id desc limit 1) as before`,
    valuesOf(left, COMBINATION),
  )
}

const COMBINATION = {
  user_id: 'bigint',
  token_id: 'bigint',
  channel: 'bigint',
  model: 'text',
  group_name: 'text',
  type: 'smallint',
} as const
type Combination = Pick<LogRow, keyof typeof COMBINATION>
const IS_OF_COMBINATION = Object.keys(COMBINATION)
  .map((name) => `row.${name} = t.${name}`)
  .join(' and ')

/** Deletes day by day what is older than a second: no statement may take as long as all of them. */
async function deleteInSteps(
  tx: ModelTables,
  table: 'rows' | 'days' | 'sums',
  column: 'created_at' | 'day' | 'hour',
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
