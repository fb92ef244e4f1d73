import type pg from 'pg'

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

const WHERE = 'hour >= $1 and hour <= $2 and ($3::bigint is null or user_id = $3)'

/** By hour and model, in order of time. */
export async function hourlyUse(pool: pg.Pool, range: DataRange): Promise<readonly HourlyUse[]> {
  const { rows } = await pool.query<HourlyUse>(
    `select model, hour, sum(count)::bigint as count, sum(quota)::bigint as quota,
            sum(tokens)::bigint as tokens
     from dashboard.hours where ${WHERE} group by hour, model order by hour, model`,
    [range.from, range.to, range.userId],
  )
  return rows
}

/** Requests that were charged. */
export async function chargedRequests(pool: pg.Pool, range: DataRange): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select coalesce(sum(count), 0)::bigint as count from dashboard.hours where ${WHERE}`,
    [range.from, range.to, range.userId],
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
  const { rows } = await pool.query<TopUse>(
    `select ${TOP_DIMENSIONS[by]} as id, sum(count)::bigint as count, sum(quota)::bigint as quota,
            sum(tokens)::bigint as tokens
     from dashboard.hours where ${WHERE} group by 1 order by 3 desc, 1 limit $4`,
    [range.from, range.to, range.userId, limit],
  )
  return rows
}
