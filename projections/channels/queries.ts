import type pg from 'pg'
import type { ChannelRow } from './projector.ts'

/** Conditions of a list of channels; absent = no condition. */
export interface ChannelFilter {
  /** Ids that a keyword matched. */
  readonly ids?: readonly number[]
  /** Part of the comma list of models. */
  readonly model?: string
  readonly group?: string
  readonly tags?: readonly string[]
}

export interface ChannelOrder {
  /** By id, newest first; else by priority, highest first. */
  readonly byId: boolean
}

/** Channels in order; `page` counts from 0, null = all of them. */
export async function listChannels(
  pool: pg.Pool,
  filter: ChannelFilter,
  order: ChannelOrder,
  page: { readonly page: number; readonly size: number } | null,
): Promise<readonly ChannelRow[]> {
  const { rows } = await pool.query<ChannelRow>(
    `select channels.*, ${LATEST_LOOKS}
     from channels.channels
     left join lateral (
       select at, succeeded, duration_ms from telemetry.channel_tests
       where channel_id = channels.channel_id order by at desc, id desc limit 1
     ) as test on test.at >= coalesce(channels.test_at, 0)
     left join lateral (
       select at, balance_usd from telemetry.channel_balances
       where channel_id = channels.channel_id order by at desc, id desc limit 1
     ) as reading on reading.at >= coalesce(channels.balance_at, 0)
     where ${WHERE}
     order by ${order.byId ? '' : 'priority desc, '} channel_id desc limit $5 offset $6`,
    [...valuesOf(filter), page?.size ?? null, page === null ? 0 : page.page * page.size],
  )
  return rows
}

/** A page of the tags that matching channels have, in the order of the tags' names. */
export async function listTags(
  pool: pg.Pool,
  filter: ChannelFilter,
  page: { readonly page: number; readonly size: number } | null,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ tag: string }>(
    `select distinct tag from channels.channels where ${WHERE} and tag <> '' order by tag limit $5 offset $6`,
    [...valuesOf(filter), page?.size ?? null, page === null ? 0 : page.page * page.size],
  )
  return rows.map((row) => row.tag)
}

/** The latest test and balance of a channel, whether an event or telemetry; a later column of a name is the one read. */
const LATEST_LOOKS = `
  coalesce(test.at, channels.test_at) as test_at,
  coalesce(test.succeeded, channels.test_succeeded) as test_succeeded,
  coalesce(test.duration_ms, channels.test_ms)::bigint as test_ms,
  coalesce(reading.at, channels.balance_at) as balance_at,
  coalesce(reading.balance_usd, channels.balance_usd) as balance_usd`

const WHERE = `
  ($1::bigint[] is null or channel_id = any($1))
  and ($2::text is null or position($2 in models) > 0)
  and ($3::text is null or position(',' || $3 || ',' in ',' || groups || ',') > 0)
  and ($4::text[] is null or tag = any($4))`

const valuesOf = ({ ids, model, group, tags }: ChannelFilter): unknown[] => [
  ids ?? null,
  model ?? null,
  group ?? null,
  tags ?? null,
]

/** One channel; null when there is none. */
export async function findChannel(pool: pg.Pool, id: number): Promise<ChannelRow | null> {
  const rows = await listChannels(pool, { ids: [id] }, { byId: true }, null)
  return rows[0] ?? null
}

/** Models that enabled channels serve, each with the groups it is served to, by name. */
export async function servedModels(
  pool: pg.Pool,
): Promise<readonly { readonly model: string; readonly groups: readonly string[] }[]> {
  const { rows } = await pool.query<{ model: string; groups: string[] }>(
    `select model, array_agg(distinct group_name order by group_name) as groups
     from channels.abilities where enabled group by model order by model`,
  )
  return rows
}

/** Models that enabled channels serve to any of the groups, by name. */
export async function modelsServedTo(
  pool: pg.Pool,
  groups: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ model: string }>(
    `select distinct model from channels.abilities where enabled and group_name = any($1) order by model`,
    [groups],
  )
  return rows.map((row) => row.model)
}
