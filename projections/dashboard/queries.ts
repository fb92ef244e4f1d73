import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { hasTable } from '../runner/has-table.ts'
import { counted } from '../runner/reads.ts'
import { DAY_SECONDS } from './sums.ts'

/** The range to sum: `from` and `to` in unix seconds, both inclusive; null = everybody. */
export interface DataRange {
  readonly from: number
  readonly to: number
  readonly userId: number | null
}

const sums = z.object({ count: z.number(), quota: z.number(), tokens: z.number() })

const hourlyUseRow = sums.extend({
  model: z.string(),
  /** Beginning of the hour, unix seconds. */
  hour: z.number(),
})
/** Consumption of one model in one hour (`quota_data` of console-api section 4). */
export type HourlyUse = Readonly<z.output<typeof hourlyUseRow>>

const HOUR_SECONDS = 3600

const SUMS = sql.fragment`sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens`

/** The hours of the range that have the columns of `sums`, to select from. */
async function hoursOf(
  reads: CommonQueryMethods,
  { from, to, userId }: DataRange,
): Promise<FragmentSqlToken> {
  const span = sql.fragment`hour >= ${from} and hour <= ${to}`
  if (userId !== null) return sql.fragment`dashboard.hours where ${span} and user_id = ${userId}`
  return (await hasTable(reads, 'dashboard.sums'))
    ? sql.fragment`dashboard.sums where ${span}`
    : sql.fragment`dashboard.hours where ${span}`
}

/** The use of all users in the range by user and token: whole days (UTC) from theirs, the edges from the hours. */
async function usesOf(
  reads: CommonQueryMethods,
  { from, to }: DataRange,
): Promise<FragmentSqlToken> {
  const first = Math.ceil(from / DAY_SECONDS) * DAY_SECONDS
  const after = Math.floor((to + HOUR_SECONDS) / DAY_SECONDS) * DAY_SECONDS
  const columns = sql.fragment`user_id, token_id, count, quota, tokens`
  const hours = (where: FragmentSqlToken): FragmentSqlToken =>
    sql.fragment`select ${columns} from dashboard.hours where ${where}`
  if (first >= after || !(await hasTable(reads, 'dashboard.days'))) {
    return sql.fragment`(${hours(sql.fragment`hour >= ${from} and hour <= ${to}`)}) as uses`
  }
  return sql.fragment`(
    select ${columns} from dashboard.days where day >= ${first} and day < ${after}
    union all ${hours(sql.fragment`hour >= ${from} and hour < ${first}`)}
    union all ${hours(sql.fragment`hour >= ${after} and hour <= ${to}`)}) as uses`
}

/** By hour and model, in order of time. */
export const hourlyUse = async (
  reads: CommonQueryMethods,
  range: DataRange,
): Promise<readonly HourlyUse[]> =>
  reads.any(sql.type(hourlyUseRow)`
    select model, hour, ${SUMS} from ${await hoursOf(reads, range)}
    group by hour, model order by hour, model`)

/** Requests that were charged. */
export const chargedRequests = async (
  reads: CommonQueryMethods,
  range: DataRange,
): Promise<number> =>
  reads.oneFirst(sql.type(counted)`
    select coalesce(sum(count), 0)::bigint as count from ${await hoursOf(reads, range)}`)

export const TOP_DIMENSIONS = { user: 'user_id', token: 'token_id', channel: 'channel' } as const
export type TopDimension = keyof typeof TOP_DIMENSIONS

const topUseRow = sums.extend({ id: z.number() })
/** The usage of one user, token or channel (0 = without a token). */
export type TopUse = Readonly<z.output<typeof topUseRow>>

/** The biggest consumers of quota, biggest first. */
export async function topUse(
  reads: CommonQueryMethods,
  range: DataRange,
  by: TopDimension,
  limit: number,
): Promise<readonly TopUse[]> {
  const isByDay = range.userId === null && by !== 'channel'
  const uses = isByDay ? await usesOf(reads, range) : await hoursOf(reads, range)
  return reads.any(sql.type(topUseRow)`
    select ${sql.identifier([TOP_DIMENSIONS[by]])} as id, ${SUMS}
    from ${uses} group by 1 order by 3 desc, 1 limit ${limit}`)
}
