import { type FragmentSqlToken, sql } from 'slonik'
import { SUPPRESSED } from './row.ts'

export const HOUR_SECONDS = 3600
export const DAY_SECONDS = 24 * HOUR_SECONDS

/** Columns that `sums` counts by, besides hour and type; 0 or '' where a count is not by one. */
const KEYS = ['channel', 'model', 'group_name'] as const
export type SumsKey = (typeof KEYS)[number]

/** The columns that the rows of an hour are counted by, each count under its name in `counted_by`. */
const COUNTS = {
  all: [],
  model: ['model'],
  channel: ['channel'],
  group: ['group_name'],
  'channel and model': ['channel', 'model'],
  // The last answers whatever no other does.
  'channel, model and group': ['channel', 'model', 'group_name'],
} as const satisfies Record<string, readonly SumsKey[]>

/** Few rows an hour, however many users and tokens there are. */
export const sumsTable = `
  create table sums (
    counted_by text collate "C" not null,
    hour bigint not null,
    type smallint not null,
    channel bigint not null,
    model text collate "C" not null,
    group_name text collate "C" not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    suppressed bigint not null,
    primary key (counted_by, channel, model, group_name, hour, type)
  )`

/**
 * Days are those of UTC, by their first second. By the hour this table would be as long as the log itself where many
 * users are busy; the rows of a day in part are counted where they are, which their indexes make quick for one user.
 */
export const daysTable = `
  create table days (
    day bigint not null,
    type smallint not null,
    user_id bigint not null,
    token_id bigint not null,
    channel bigint not null,
    model text collate "C" not null,
    group_name text collate "C" not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    suppressed bigint not null,
    last_created_at bigint not null,
    last_id bigint not null,
    primary key (day, user_id, token_id, channel, model, group_name, type)
  )`

/** The newest row of each combination: distinct rows up to now are read from here, however many rows there are of each. */
export const newestTable = `
  create table newest (
    user_id bigint not null,
    token_id bigint not null,
    channel bigint not null,
    model text collate "C" not null,
    group_name text collate "C" not null,
    type smallint not null,
    last_created_at bigint not null,
    last_id bigint not null,
    primary key (user_id, token_id, channel, model, group_name, type)
  )`

/** PostgreSQL's `grouping` has a bit for each column, the last the lowest, set where a row is not by that column. */
const NAMES = Object.entries<readonly SumsKey[]>(COUNTS)
  .map(([name, keys]) => {
    const bits = KEYS.map((key) => (keys.includes(key) ? 0 : 1)).join('')
    return `when ${Number.parseInt(bits, 2)} then '${name}'`
  })
  .join(' ')
const SETS = Object.values<readonly SumsKey[]>(COUNTS)
  .map((keys) => `(${['hour', 'type', ...keys].join(', ')})`)
  .join(', ')

/** The rows of `sums` that counts by hour and more add up to: `hours` is SQL with the columns of `countedRows`. */
export const sumsOfHours = (hours: string): string =>
  `select case grouping(${KEYS.join(', ')}) ${NAMES} end as counted_by, hour, type,
     coalesce(channel, 0) as channel, coalesce(model, '') as model, coalesce(group_name, '') as group_name,
     sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens,
     sum(suppressed)::bigint as suppressed
   from ${hours} group by grouping sets (${SETS})`

/** The rows of `days` that counts by hour and more add up to. */
export const daysOfHours = (hours: string): string =>
  `select hour - hour % ${DAY_SECONDS} as day, type, user_id, token_id, channel, model, group_name,
     sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens,
     sum(suppressed)::bigint as suppressed, max(last_created_at) as last_created_at,
     (array_agg(last_id order by last_created_at desc, last_id desc))[1] as last_id
   from ${hours} group by 1, 2, 3, 4, 5, 6, 7`

/** The rows of `newest` that counts by hour and more come to. */
export const newestOfHours = (hours: string): string =>
  `select user_id, token_id, channel, model, group_name, type, max(last_created_at) as last_created_at,
     (array_agg(last_id order by last_created_at desc, last_id desc))[1] as last_id
   from ${hours} group by 1, 2, 3, 4, 5, 6`

/** Each row of the log as a count of one, to add up: `rows` is the table with its conditions. */
export const countedRows = (rows: string): string =>
  `(select created_at - created_at % ${HOUR_SECONDS} as hour, type, user_id, token_id, channel, model, group_name,
      1 as count, quota, prompt_tokens + completion_tokens as tokens, ${SUPPRESSED.sql} as suppressed,
      created_at as last_created_at, id as last_id
    from ${rows}) as counted`

const ADDED = `count = present.count + excluded.count, quota = present.quota + excluded.quota,
    tokens = present.tokens + excluded.tokens, suppressed = present.suppressed + excluded.suppressed`

export const addToSums = (hours: string): string => `
  insert into {sums} as present ${sumsOfHours(hours)}
  on conflict (counted_by, channel, model, group_name, hour, type) do update set ${ADDED}`

/** Rows come in the order of their ids. */
const LATER = `last_id = case when excluded.last_created_at >= present.last_created_at
      then excluded.last_id else present.last_id end,
    last_created_at = greatest(excluded.last_created_at, present.last_created_at)`

export const addToDays = (hours: string): string => `
  insert into {days} as present ${daysOfHours(hours)}
  on conflict (day, user_id, token_id, channel, model, group_name, type) do update set ${ADDED}, ${LATER}`

export const addToNewest = (hours: string): string => `
  insert into {newest} as present ${newestOfHours(hours)}
  on conflict (user_id, token_id, channel, model, group_name, type) do update set ${LATER}`

/** Counts of rows by spans of time. */
export interface Counts {
  /** To select from: columns as those of `days`, as far as the question needs them. */
  readonly table: FragmentSqlToken
  /** The column with the first second of the span. */
  readonly start: FragmentSqlToken
  readonly seconds: number
}

const HOUR = sql.fragment`hour`

/** By everything; `last_created_at` and `last_id` name the newest row of each. */
export const DAYS: Counts = {
  table: sql.fragment`usage_log.days`,
  start: sql.fragment`day`,
  seconds: DAY_SECONDS,
}
/** The counts by everything of versions before 7, which have no `days`. */
export const HOURS: Counts = {
  table: sql.fragment`usage_log.hours`,
  start: HOUR,
  seconds: HOUR_SECONDS,
}

/** The shortest count over all users that is by these columns at least. */
export function sumsBy(columns: readonly SumsKey[]): Counts {
  const exact = Object.entries<readonly SumsKey[]>(COUNTS).find(
    ([, keys]) => keys.length === columns.length && keys.every((key) => columns.includes(key)),
  )
  const [name, keys] = exact ?? ['channel, model and group', KEYS]
  // With all columns before the hour fixed, the primary key leads to the hours asked for.
  const others = KEYS.filter((key) => !keys.includes(key)).map(
    (key) =>
      sql.fragment`${sql.identifier([key])} = ${key === 'channel' ? sql.fragment`0` : sql.fragment`''`}`,
  )
  return {
    table: sql.fragment`(
      select * from usage_log.sums
      where ${sql.and([sql.fragment`counted_by = ${sql.literalValue(name)}`, ...others])}
    ) as sums`,
    start: HOUR,
    seconds: HOUR_SECONDS,
  }
}
