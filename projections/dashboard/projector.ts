import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { completionTokens, promptTokens } from '@tollgate/domain/pricing/usage.ts'
import { keyText, namesOf, unnest, valuesOf } from '../runner/columns.ts'
import type { Projector } from '../runner/projector.ts'
import { daysOfHours, sumsOfHours } from './sums.ts'

/**
 * Consumption by hour (unix seconds of its beginning), user, model, channel and token (0 = none); `sums` is that of all
 * users by hour, model and channel, `days` that of days in UTC by user and token.
 */
const tables = `
  create table hours (
    hour bigint not null,
    user_id bigint not null,
    model text collate "C" not null,
    channel bigint not null,
    token_id bigint not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    primary key (hour, user_id, model, channel, token_id)
  );
  create table sums (
    hour bigint not null,
    model text collate "C" not null,
    channel bigint not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    primary key (hour, model, channel)
  );
  create table days (
    day bigint not null,
    user_id bigint not null,
    token_id bigint not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    primary key (day, user_id, token_id)
  )`

const indexes = 'create index on hours (user_id, hour)'

/** Not `sums` and `days`, which version 1 does not have. */
const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('rows', count(*), 'count', sum(count), 'quota', sum(quota),
    'tokens', sum(tokens)) as figures
  from {hours} group by user_id`

const eventTypes = ['UsageCharged'] as const
const HOUR_MS = 3_600_000

interface Sum {
  readonly hour: number
  readonly user_id: number
  readonly model: string
  readonly channel: number
  readonly token_id: number
  count: number
  quota: number
  tokens: number
}

/** The read model behind the data dashboard. */
export const dashboard: Projector<(typeof eventTypes)[number]> = {
  name: 'dashboard',
  // 2: sums over all users, and days.
  version: 2,
  streamPrefixes: ['account-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const sums = new Map<string, Sum>()
    for (const { stream, data } of batch) {
      const sum = sumFor(sums, stream, data)
      sum.count += 1
      sum.quota += data.amount
      sum.tokens += promptTokens(data.request.usage) + completionTokens(data.request.usage)
    }
    const values = valuesOf([...sums.values()], SUM_COLUMNS)
    await Promise.all([ADD_TO_HOURS, ADD_TO_SUMS, ADD_TO_DAYS].map((sql) => tx.query(sql, values)))
  },
}

const SUM_COLUMNS = {
  hour: 'bigint',
  user_id: 'bigint',
  model: 'text',
  channel: 'bigint',
  token_id: 'bigint',
  count: 'bigint',
  quota: 'bigint',
  tokens: 'bigint',
} as const

const ADDED = `count = present.count + excluded.count, quota = present.quota + excluded.quota,
    tokens = present.tokens + excluded.tokens`
const ADD_TO_HOURS = `
  insert into {hours} as present (${namesOf(SUM_COLUMNS)}) select * from ${unnest(SUM_COLUMNS)}
  on conflict (hour, user_id, model, channel, token_id) do update set ${ADDED}`
const ADD_TO_SUMS = `
  insert into {sums} as present ${sumsOfHours(unnest(SUM_COLUMNS))}
  on conflict (hour, model, channel) do update set ${ADDED}`
const ADD_TO_DAYS = `
  insert into {days} as present ${daysOfHours(unnest(SUM_COLUMNS))}
  on conflict (day, user_id, token_id) do update set ${ADDED}`

/** The sum that a charge belongs to, made when it is the first of its hour, user, model, channel and token. */
function sumFor(sums: Map<string, Sum>, stream: string, data: UsageCharged['data']): Sum {
  const { at, request, token } = data
  const hour = (at - (at % HOUR_MS)) / 1000
  const model = keyText(request.model)
  const key = `${hour} ${stream} ${request.channel} ${token ?? 0} ${model}`
  const present = sums.get(key)
  if (present !== undefined) return present
  const sum: Sum = {
    hour,
    user_id: numberOfStream(stream),
    model,
    channel: request.channel,
    token_id: token ?? 0,
    count: 0,
    quota: 0,
    tokens: 0,
  }
  sums.set(key, sum)
  return sum
}
