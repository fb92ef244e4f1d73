import { sql } from 'slonik'
import { namesOf, unnest, valuesOf } from '../runner/columns.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { EntryFacts } from './entry-facts.ts'

/** The journal's tables of sums; see `tables` of its projector. */
export const SUM_TABLES = `
  create table hours (
    user_id bigint not null,
    hour bigint not null,
    source text collate "C" not null,
    token_id bigint not null,
    model text collate "C" not null,
    change bigint not null,
    events bigint not null,
    first_position bigint not null,
    last_position bigint not null,
    primary key (user_id, hour, source, token_id, model)
  );
  create table source_days (
    user_id bigint not null,
    day bigint not null,
    source text collate "C" not null,
    token_id bigint not null,
    model text collate "C" not null,
    change bigint not null,
    events bigint not null,
    first_position bigint not null,
    last_position bigint not null,
    primary key (user_id, day, source, token_id, model)
  );
  create table days (
    user_id bigint not null,
    day bigint not null,
    account text collate "C" not null,
    debits bigint not null,
    credits bigint not null,
    primary key (user_id, day, account)
  );
  create table totals (
    day bigint not null,
    account text collate "C" not null,
    debits bigint not null,
    credits bigint not null,
    primary key (day, account)
  )`

/** The columns of a row of `postings` that the sums are made of. */
interface SummedPosting extends Pick<EntryFacts, 'source' | 'token_id' | 'model'> {
  readonly position: number
  readonly effective_at: number
  readonly user_id: number
  readonly from_account: string
  readonly to_account: string
  readonly amount: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** A posting's change of the posted balance (wallet + held) of its user. */
export const postedChange = (
  row: Pick<SummedPosting, 'from_account' | 'to_account' | 'amount'>,
): number => {
  const entered = isPosted(row.to_account) ? row.amount : 0
  return isPosted(row.from_account) ? entered - row.amount : entered
}
const isPosted = (account: string): boolean => account === 'wallet' || account === 'held'

/** The same of a row of `postings`, as SQL. */
export const POSTED_CHANGE = sql.fragment`amount * ((to_account in ('wallet', 'held'))::int - (from_account in ('wallet', 'held'))::int)`

/**
 * Adds a batch's postings, in the order of the log, to the sums. Those that leave the posted balance as it is are in no
 * hour and no day of a source.
 */
export async function addToSums(rows: readonly SummedPosting[], tx: ModelTables): Promise<void> {
  if (rows.length === 0) return
  const hours = new Map<string, ChangeRow>()
  const sourceDays = new Map<string, ChangeRow>()
  const days = new Map<string, DayRow>()
  const totals = new Map<string, TotalRow>()
  for (const row of rows) {
    const day = row.effective_at - mod(row.effective_at, DAY_MS)
    addChange(hours, row, row.effective_at - mod(row.effective_at, HOUR_MS))
    addChange(sourceDays, row, day)
    for (const [account, debits, credits] of [
      [row.from_account, row.amount, 0],
      [row.to_account, 0, row.amount],
    ] as const) {
      const sums = { day, account, debits, credits }
      add(days, `${row.user_id} ${day} ${account}`, { user_id: row.user_id, ...sums })
      add(totals, `${day} ${account}`, sums)
    }
  }
  await Promise.all([
    tx.query(upsertChanges('hours', 'hour'), valuesOf([...hours.values()], CHANGE_COLUMNS)),
    tx.query(
      upsertChanges('source_days', 'day'),
      valuesOf([...sourceDays.values()], CHANGE_COLUMNS),
    ),
    tx.query(UPSERT_DAYS, valuesOf([...days.values()], DAY_COLUMNS)),
    tx.query(UPSERT_TOTALS, valuesOf([...totals.values()], TOTAL_COLUMNS)),
  ])
}

/** A row of `hours` or `source_days`; `since` is the first moment of the hour or day. */
interface ChangeRow extends Pick<SummedPosting, 'user_id' | 'source' | 'token_id' | 'model'> {
  readonly since: number
  change: number
  events: number
  readonly first_position: number
  last_position: number
}

interface TotalRow {
  readonly day: number
  readonly account: string
  debits: number
  credits: number
}

interface DayRow extends TotalRow {
  readonly user_id: number
}

function addChange(rows: Map<string, ChangeRow>, row: SummedPosting, since: number): void {
  const change = postedChange(row)
  if (change === 0) return
  const { user_id, source, token_id, model, position } = row
  const key = `${user_id} ${since} ${source} ${token_id} ${model}`
  const known = rows.get(key)
  if (known === undefined) {
    const places = { first_position: position, last_position: position }
    rows.set(key, { user_id, since, source, token_id, model, change, events: 1, ...places })
    return
  }
  known.change += change
  // A charge from hold and wallet has two postings.
  if (known.last_position !== position) known.events += 1
  known.last_position = position
}

function add<Row extends TotalRow>(sums: Map<string, Row>, key: string, row: Row): void {
  const known = sums.get(key)
  if (known === undefined) {
    sums.set(key, row)
    return
  }
  known.debits += row.debits
  known.credits += row.credits
}

/** Also of moments before 1970. */
const mod = (value: number, by: number): number => ((value % by) + by) % by

const CHANGE_COLUMNS = {
  user_id: 'bigint',
  since: 'bigint',
  source: 'text',
  token_id: 'bigint',
  model: 'text',
  change: 'bigint',
  events: 'bigint',
  first_position: 'bigint',
  last_position: 'bigint',
} as const

const TOTAL_COLUMNS = {
  day: 'bigint',
  account: 'text',
  debits: 'bigint',
  credits: 'bigint',
} as const
const DAY_COLUMNS = { user_id: 'bigint', ...TOTAL_COLUMNS } as const

const upsertChanges = (table: 'hours' | 'source_days', since: 'hour' | 'day'): string => `
  insert into {${table}} as h (user_id, ${since}, source, token_id, model, change, events, first_position, last_position)
  select * from ${unnest(CHANGE_COLUMNS)}
  on conflict (user_id, ${since}, source, token_id, model) do update set
    change = h.change + excluded.change,
    events = h.events + excluded.events,
    last_position = excluded.last_position`

const UPSERT_DAYS = `
  insert into {days} as d (${namesOf(DAY_COLUMNS)}) select * from ${unnest(DAY_COLUMNS)}
  on conflict (user_id, day, account) do update set
    debits = d.debits + excluded.debits, credits = d.credits + excluded.credits`

const UPSERT_TOTALS = `
  insert into {totals} as t (${namesOf(TOTAL_COLUMNS)}) select * from ${unnest(TOTAL_COLUMNS)}
  on conflict (day, account) do update set
    debits = t.debits + excluded.debits, credits = t.credits + excluded.credits`
