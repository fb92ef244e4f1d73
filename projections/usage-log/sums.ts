/** Columns that `sums` counts by, besides hour and type; 0 or '' where a count is not by one. */
const KEYS = ['channel', 'model', 'group_name'] as const
type Key = (typeof KEYS)[number]

/** The columns that the rows of an hour are counted by, each count under its name in `counted_by`. */
const COUNTS = {
  all: [],
  model: ['model'],
  channel: ['channel'],
  group: ['group_name'],
  'channel and model': ['channel', 'model'],
} as const satisfies Record<string, readonly Key[]>

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

/** The rows of `sums` that hours by everything add up to: `hours` is SQL with the columns of the table `hours`. */
export const sumsOfHours = (hours: string): string =>
  `select case grouping(${KEYS.join(', ')}) ${NAMES} end as counted_by, hour, type,
     coalesce(channel, 0) as channel, coalesce(model, '') as model, coalesce(group_name, '') as group_name,
     sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens,
     sum(suppressed)::bigint as suppressed
   from ${hours} group by grouping sets (${SETS})`

/** PostgreSQL's `grouping` has a bit for each column, the last the lowest, set where a row is not by that column. */
const NAMES = Object.entries<readonly Key[]>(COUNTS)
  .map(([name, keys]) => {
    const bits = KEYS.map((key) => (keys.includes(key) ? 0 : 1)).join('')
    return `when ${Number.parseInt(bits, 2)} then '${name}'`
  })
  .join(' ')
const SETS = Object.values<readonly Key[]>(COUNTS)
  .map((keys) => `(${['hour', 'type', ...keys].join(', ')})`)
  .join(', ')

export const addToSums = (hours: string): string => `
  insert into {sums} as present ${sumsOfHours(hours)}
  on conflict (counted_by, channel, model, group_name, hour, type) do update set
    count = present.count + excluded.count, quota = present.quota + excluded.quota,
    tokens = present.tokens + excluded.tokens, suppressed = present.suppressed + excluded.suppressed`

/** The count by just these columns, as a table to select from; null when there is none. */
export function sumsBy(columns: ReadonlySet<string>): string | null {
  const count = Object.entries<readonly Key[]>(COUNTS).find(
    ([, keys]) => keys.length === columns.size && keys.every((key) => columns.has(key)),
  )
  if (count === undefined) return null
  const [name, keys] = count
  // With all columns before the hour fixed, the primary key leads to the hours asked for.
  const others = KEYS.filter((key) => !keys.includes(key)).map(
    (key) => ` and ${key} = ${key === 'channel' ? '0' : "''"}`,
  )
  return `(select * from usage_log.sums where counted_by = '${name}'${others.join('')}) as sums`
}
