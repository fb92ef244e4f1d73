import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { type ChannelRow, channelRow } from './projector.ts'

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
export const listChannels = (
  reads: CommonQueryMethods,
  filter: ChannelFilter,
  order: ChannelOrder,
  page: Page | null,
): Promise<readonly ChannelRow[]> =>
  reads.any(sql.type(channelRow)`
    select channels.*, ${LATEST_LOOKS}
    from channels.channels
    left join lateral (
      select at, succeeded, duration_ms from telemetry.channel_tests
      where channel_id = channels.channel_id order by at desc, id desc limit 1
    ) as test on test.at >= coalesce(channels.test_at, 0)
    left join lateral (
      select at, balance_usd from telemetry.channel_balances
      where channel_id = channels.channel_id order by at desc, id desc limit 1
    ) as reading on reading.at >= coalesce(channels.balance_at, 0)
    where ${matching(filter)}
    order by ${order.byId ? sql.fragment`` : sql.fragment`priority desc,`} channel_id desc ${pageOf(page)}`)

interface Page {
  readonly page: number
  readonly size: number
}

const pageOf = (page: Page | null) =>
  page === null ? sql.fragment`` : sql.fragment`limit ${page.size} offset ${page.page * page.size}`

/** A page of the tags that matching channels have, in the order of the tags' names. */
export const listTags = (
  reads: CommonQueryMethods,
  filter: ChannelFilter,
  page: Page | null,
): Promise<readonly string[]> =>
  reads.anyFirst(sql.type(z.object({ tag: z.string() }))`
    select distinct tag from channels.channels where ${matching(filter)} and tag <> ''
    order by tag ${pageOf(page)}`)

/** The latest test and balance of a channel, whether an event or telemetry; a later column of a name is the one read. */
const LATEST_LOOKS = sql.fragment`
  coalesce(test.at, channels.test_at) as test_at,
  coalesce(test.succeeded, channels.test_succeeded) as test_succeeded,
  coalesce(test.duration_ms, channels.test_ms)::bigint as test_ms,
  coalesce(reading.at, channels.balance_at) as balance_at,
  coalesce(reading.balance_usd, channels.balance_usd) as balance_usd`

const matching = ({ ids, model, group, tags }: ChannelFilter) =>
  sql.and([
    ids && sql.fragment`channel_id = any(${sql.array(ids, 'int8')})`,
    model !== undefined && sql.fragment`position(${model} in models) > 0`,
    group !== undefined &&
      sql.fragment`position(',' || ${group} || ',' in ',' || groups || ',') > 0`,
    tags && sql.fragment`tag = any(${sql.array(tags, 'text')})`,
  ])

/** One channel; null when there is none. */
export async function findChannel(
  reads: CommonQueryMethods,
  id: number,
): Promise<ChannelRow | null> {
  const rows = await listChannels(reads, { ids: [id] }, { byId: true }, null)
  return rows[0] ?? null
}

const servedModel = z.object({ model: z.string(), groups: z.array(z.string()) })

/** Models that enabled channels serve, each with the groups it is served to, by name. */
export const servedModels = (
  reads: CommonQueryMethods,
): Promise<readonly { readonly model: string; readonly groups: readonly string[] }[]> =>
  reads.any(sql.type(servedModel)`
    select model, array_agg(distinct group_name order by group_name) as groups
    from channels.abilities where enabled group by model order by model`)

/** Models that enabled channels serve to any of the groups, by name. */
export const modelsServedTo = (
  reads: CommonQueryMethods,
  groups: readonly string[],
): Promise<readonly string[]> =>
  reads.anyFirst(sql.type(servedModel.pick({ model: true }))`
    select distinct model from channels.abilities
    where enabled and group_name = any(${sql.array(groups, 'text')}) order by model`)
