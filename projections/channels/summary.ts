import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type pg from 'pg'

/** A channel in a few words, for work over all of them. */
export interface ChannelSummary {
  readonly id: number
  readonly status: LiveChannel['status']
  readonly tag: string
}

/** All channels, by id. */
export async function channelSummaries(pool: pg.Pool): Promise<readonly ChannelSummary[]> {
  const { rows } = await pool.query<ChannelSummary>(
    'select channel_id as id, status, tag from channels.channels order by channel_id',
  )
  return rows
}

/** More than that wait for their next turn: tests take seconds each. */
const DUE_MAX = 100

/** Channels out of service automatically whose next test is due at a moment (unix milliseconds), longest due first. */
export async function channelsDueForTest(pool: pg.Pool, now: number): Promise<readonly number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select channel_id as id from channels.channels
     where status = 'auto-disabled' and retry_at <= $1 order by retry_at, channel_id limit $2`,
    [now, DUE_MAX],
  )
  return rows.map(({ id }) => id)
}

/** The sum of all charges of requests through a channel so far; 0 for one that is not there. */
export async function usedQuotaOf(pool: pg.Pool, id: number): Promise<number> {
  const { rows } = await pool.query<{ used_quota: number }>(
    'select used_quota from channels.channels where channel_id = $1',
    [id],
  )
  return rows[0]?.used_quota ?? 0
}
