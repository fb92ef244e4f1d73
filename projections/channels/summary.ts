import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { channelRow } from './projector.ts'

const summary = z.object({ id: z.number(), status: channelRow.shape.status, tag: z.string() })
/** A channel in a few words, for work over all of them. */
export type ChannelSummary = Readonly<z.output<typeof summary>>

/** All channels, by id. */
export const channelSummaries = (reads: CommonQueryMethods): Promise<readonly ChannelSummary[]> =>
  reads.any(sql.type(summary)`
    select channel_id as id, status, tag from channels.channels order by channel_id`)

/** More than that wait for their next turn: tests take seconds each. */
const DUE_MAX = 100

/** Channels out of service automatically whose next test is due at a moment (unix milliseconds), longest due first. */
export const channelsDueForTest = (
  reads: CommonQueryMethods,
  now: number,
): Promise<readonly number[]> =>
  reads.anyFirst(sql.type(channelRow.pick({ channel_id: true }))`
    select channel_id from channels.channels
    where status = 'auto-disabled' and retry_at <= ${now}
    order by retry_at, channel_id limit ${DUE_MAX}`)

/** The sum of all charges of requests through a channel so far; 0 for one that is not there. */
export const usedQuotaOf = async (reads: CommonQueryMethods, id: number): Promise<number> =>
  (await reads.maybeOneFirst(sql.type(channelRow.pick({ used_quota: true }))`
    select used_quota from channels.channels where channel_id = ${id}`)) ?? 0
