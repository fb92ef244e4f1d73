import { numberOfStream } from '@tollgate/domain/event.ts'
import { completionTokens, promptTokens } from '@tollgate/domain/pricing/usage.ts'
import { columnsOf, keyText } from '../runner/columns.ts'
import type { Projector } from '../runner/projector.ts'

/** Consumption by hour (unix seconds of its beginning), user, model, channel and token (0 = none). */
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
  )`

const indexes = 'create index on hours (user_id, hour)'

const eventTypes = ['UsageCharged'] as const
const HOUR_MS = 3_600_000

interface Sum {
  readonly hour: number
  readonly user: number
  readonly model: string
  readonly channel: number
  readonly token: number
  count: number
  quota: number
  tokens: number
}

/** What the data dashboard is drawn from. */
export const dashboard: Projector<(typeof eventTypes)[number]> = {
  name: 'dashboard',
  version: 1,
  streamPrefixes: ['account-'],
  eventTypes,
  tables,
  indexes,
  async handle(batch, tx) {
    const sums = new Map<string, Sum>()
    for (const { stream, data } of batch) {
      const { request, amount } = data
      const hour = (data.at - (data.at % HOUR_MS)) / 1000
      const user = numberOfStream(stream)
      const model = keyText(request.model)
      const token = data.token ?? 0
      const key = `${hour} ${user} ${request.channel} ${token} ${model}`
      let sum = sums.get(key)
      if (sum === undefined) {
        sum = { hour, user, model, channel: request.channel, token, count: 0, quota: 0, tokens: 0 }
        sums.set(key, sum)
      }
      sum.count += 1
      sum.quota += amount
      sum.tokens += promptTokens(request.usage) + completionTokens(request.usage)
    }
    await tx.query(
      `insert into hours as h (hour, user_id, model, channel, token_id, count, quota, tokens)
       select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
         $7::bigint[], $8::bigint[])
       on conflict (hour, user_id, model, channel, token_id) do update set
         count = h.count + excluded.count, quota = h.quota + excluded.quota, tokens = h.tokens + excluded.tokens`,
      columnsOf(
        [...sums.values()],
        ['hour', 'user', 'model', 'channel', 'token', 'count', 'quota', 'tokens'],
      ),
    )
  },
}
