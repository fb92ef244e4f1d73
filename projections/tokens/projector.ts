import { numberOfStream } from '@tollgate/domain/event.ts'
import { withoutNul } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { namesOf, unnest, valuesOf } from '../runner/columns.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Projector } from '../runner/projector.ts'

const tables = `
  create table tokens (
    token_id bigint primary key,
    user_id bigint not null,
    status smallint not null,
    remain bigint not null,
    used bigint not null,
    unlimited boolean not null,
    expires_at bigint,
    group_name text not null,
    models text[],
    allowed_ips text[] not null,
    created_at bigint not null,
    accessed_at bigint not null,
    deleted_at bigint
  )`

const indexes = `
  create index on tokens (user_id, token_id desc) where deleted_at is null;
  create index on tokens (expires_at) where status = 1 and expires_at is not null and deleted_at is null`

const comparison = `
  select 'token ' || token_id as key, jsonb_build_object('user_id', user_id, 'status', status, 'remain', remain,
    'used', used, 'unlimited', unlimited, 'deleted_at', deleted_at) as figures
  from {tokens}`

const eventTypes = [
  'TokenIssued',
  'TokenRevised',
  'TokenEnabled',
  'TokenDisabled',
  'TokenExpired',
  'TokenExhausted',
  'TokenDeleted',
  'UsageCharged',
  'UsageRefunded',
] as const

type TokenEvent = Parameters<typeof tokens.handle>[0][number]

/** Token status on the wire (console-api section 4). */
export const TOKEN_ENABLED = 1
export const TOKEN_DISABLED = 2
export const TOKEN_EXPIRED = 3
export const TOKEN_EXHAUSTED = 4

/** A row of `tokens.tokens`. Times in unix milliseconds. */
export const tokenRow = z.object({
  token_id: z.number(),
  user_id: z.number(),
  status: z.number(),
  remain: z.number(),
  used: z.number(),
  unlimited: z.boolean(),
  expires_at: z.number().nullable(),
  group_name: z.string(),
  models: z.array(z.string()).readonly().nullable(),
  allowed_ips: z.array(z.string()).readonly(),
  created_at: z.number(),
  accessed_at: z.number(),
  deleted_at: z.number().nullable(),
})
export type TokenRow = Readonly<z.output<typeof tokenRow>>

/** Every token with its terms, limit and use; deleted ones stay, marked, as logs still name them. */
export const tokens: Projector<(typeof eventTypes)[number]> = {
  name: 'tokens',
  version: 1,
  streamPrefixes: ['account-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const ids = new Set(batch.map((event) => event.data.token).filter((id) => id !== null))
    if (ids.size === 0) return
    const rows = await loadRows([...ids], tx)
    for (const event of batch) {
      const row = evolve(rows.get(event.data.token ?? 0), event)
      if (row !== undefined) rows.set(row.token_id, row)
    }
    if (rows.size > 0) await storeRows([...rows.values()], tx)
  },
}

/** The row after one more event; undefined when the event concerns no token that was issued. */
function evolve(row: TokenRow | undefined, event: TokenEvent): TokenRow | undefined {
  if (event.type === 'TokenIssued') {
    const { token, remain, unlimited, expiresAt, group, models, allowedIps, at } = event.data
    return {
      token_id: token,
      user_id: numberOfStream(event.stream),
      status: TOKEN_ENABLED,
      remain,
      used: 0,
      unlimited,
      expires_at: expiresAt,
      group_name: group,
      models,
      allowed_ips: allowedIps,
      created_at: at,
      accessed_at: at,
      deleted_at: null,
    }
  }
  if (row === undefined) return undefined
  switch (event.type) {
    case 'TokenRevised': {
      const { remainChange, unlimited, expiresAt, group, models, allowedIps } = event.data
      return {
        ...row,
        remain: row.remain + remainChange,
        unlimited,
        expires_at: expiresAt,
        group_name: group,
        models,
        allowed_ips: allowedIps,
      }
    }
    case 'TokenEnabled':
      return { ...row, status: TOKEN_ENABLED }
    case 'TokenDisabled':
      return { ...row, status: TOKEN_DISABLED }
    case 'TokenExpired':
      return { ...row, status: TOKEN_EXPIRED }
    case 'TokenExhausted':
      return { ...row, status: TOKEN_EXHAUSTED }
    case 'TokenDeleted':
      return { ...row, deleted_at: event.data.at }
    case 'UsageCharged':
      return {
        ...spend(row, event.data.amount),
        accessed_at: Math.max(row.accessed_at, event.data.at),
      }
    case 'UsageRefunded':
      return spend(row, 0 - event.data.amount)
    default:
      return event satisfies never
  }
}

/** An unlimited token's limit is kept but not lowered (domain/account/token-terms). */
const spend = (row: TokenRow, amount: number): TokenRow => ({
  ...row,
  used: row.used + amount,
  remain: row.unlimited ? row.remain : row.remain - amount,
})

async function loadRows(ids: readonly number[], tx: ModelTables): Promise<Map<number, TokenRow>> {
  const rows = await tx.query<TokenRow>('select * from {tokens} where token_id = any($1)', [ids])
  return new Map(rows.map((row) => [row.token_id, row]))
}

const jsonList = (texts: readonly string[]): string =>
  JSON.stringify(texts.map((text) => withoutNul(text).toWellFormed()))

const TOKEN_COLUMNS = {
  token_id: 'bigint',
  user_id: 'bigint',
  status: 'smallint',
  remain: 'bigint',
  used: 'bigint',
  unlimited: 'boolean',
  expires_at: 'bigint',
  group_name: 'text',
  created_at: 'bigint',
  accessed_at: 'bigint',
  deleted_at: 'bigint',
  models: 'text',
  allowed_ips: 'text',
} as const

async function storeRows(rows: readonly TokenRow[], tx: ModelTables): Promise<void> {
  // Lists travel as JSON: unnest would flatten arrays of arrays.
  const flat = rows.map((row) => ({
    ...row,
    models: row.models === null ? null : jsonList(row.models),
    allowed_ips: jsonList(row.allowed_ips),
  }))
  await tx.query(
    `insert into {tokens} (${namesOf(TOKEN_COLUMNS)})
     select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, created_at, accessed_at,
            deleted_at,
            case when models is null then null
                 else array(select jsonb_array_elements_text(models::jsonb)) end,
            array(select jsonb_array_elements_text(allowed_ips::jsonb))
     from ${unnest(TOKEN_COLUMNS)}
     on conflict (token_id) do update set
       status = excluded.status, remain = excluded.remain, used = excluded.used,
       unlimited = excluded.unlimited, expires_at = excluded.expires_at, group_name = excluded.group_name,
       models = excluded.models, allowed_ips = excluded.allowed_ips, accessed_at = excluded.accessed_at,
       deleted_at = excluded.deleted_at`,
    [...valuesOf(flat, TOKEN_COLUMNS)],
  )
}
