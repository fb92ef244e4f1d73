import type pg from 'pg'
import { hasTable } from '../runner/has-table.ts'
import { DAY_SECONDS } from './sums.ts'

/** The range to sum: `from` and `to` in unix seconds, both inclusive; null = everybody. */
export interface DataRange {
  readonly from: number
  readonly to: number
  readonly userId: number | null
}

/** Consumption of one model in one hour (`quota_data` of console-api section 4). */
export interface HourlyUse {
  readonly model: string
  /** Beginning of the hour, unix seconds. */
  readonly hour: number
  readonly count: number
  readonly quota: number
  readonly tokens: number
}

const HOUR_SECONDS = 3600

/** The hours of the range that have the columns of `sums`, to select from. */
async function hoursOf(pool: pg.Pool, { from, to, userId }: DataRange): Promise<string> {
  const span = `hour >= ${from} and hour <= ${to}`
  if (userId !== null) return `dashboard.hours where ${span} and user_id = ${userId}`
  const isSummed = await hasTable(pool, 'dashboard.sums')
  return `dashboard.${isSummed ? 'sums' : 'hours'} where ${span}`
}

/** The use of all users in the range by user and token: whole days (UTC) from theirs, the edges from the hours. */
async function usesOf(pool: pg.Pool, { from, to }: DataRange): Promise<string> {
  const first = Math.ceil(from / DAY_SECONDS) * DAY_SECONDS
  const after = Math.floor((to + HOUR_SECONDS) / DAY_SECONDS) * DAY_SECONDS
  const hours = (where: string): string =>
    `select user_id, token_id, count, quota, tokens from dashboard.hours where ${where}`
  if (first >= after || !(await hasTable(pool, 'dashboard.days'))) {
    return `(${hours(`hour >= ${from} and hour <= ${to}`)}) as uses`
  }
  return `(
    select user_id, token_id, count, quota, tokens from dashboard.days where day >= ${first} and day < ${after}
    union all ${hours(`hour >= ${from} and hour < ${first}`)}
    union all ${hours(`hour >= ${after} and hour <= ${to}`)}) as uses`
}

/** By hour and model, in order of time. */
export async function hourlyUse(pool: pg.Pool, range: DataRange): Promise<readonly HourlyUse[]> {
  const { rows } = await pool.query<HourlyUse>(
    `select model, hour, sum(count)::bigint as count, sum(quota)::bigint as quota,
            sum(tokens)::bigint as tokens
     from ${await hoursOf(pool, range)} group by hour, model order by hour, model`,
  )
  return rows
}

/** Requests that were charged. */
export async function chargedRequests(pool: pg.Pool, range: DataRange): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select coalesce(sum(count), 0)::bigint as count from ${await hoursOf(pool, range)}`,
  )
  return rows[0]?.count ?? 0
}

export const TOP_DIMENSIONS = { user: 'user_id', token: 'token_id', channel: 'channel' } as const
export type TopDimension = keyof typeof TOP_DIMENSIONS

/** The usage of one user, token or channel (0 = without a token). */
export interface TopUse {
  readonly id: number
  readonly count: number
  readonly quota: number
  readonly tokens: number
}

/** The biggest consumers of quota, biggest first. */
export async function topUse(
  pool: pg.Pool,
  range: DataRange,
  by: TopDimension,
  limit: number,
): Promise<readonly TopUse[]> {
  const isByDay = range.userId === null && by !== 'channel'
  const uses = isByDay ? await usesOf(pool, range) : await hoursOf(pool, range)
  const { rows } = await pool.query<TopUse>(
    `select ${TOP_DIMENSIONS[by]} as id, sum(count)::bigint as count, sum(quota)::bigint as quota,
            sum(tokens)::bigint as tokens
     from ${uses} group by 1 order by 3 desc, 1 limit $1`,
    [limit],
  )
  return rows
}
