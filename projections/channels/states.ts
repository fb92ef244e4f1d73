import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { actingUserId } from '../journal/journal-answers.ts'
import { insertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Recorded } from '../runner/projected-events.ts'

/** A row for each change of a channel's state, deleted channels' too. `user_id` is null when Tollgate itself changed it. */
export const STATES_TABLE = `
  create table states (
    channel_id bigint not null,
    revision bigint not null,
    event_id uuid not null,
    at bigint not null,
    event text not null,
    user_id bigint,
    reason text not null,
    upstream_status bigint,
    body_excerpt text not null,
    primary key (channel_id, revision)
  )`

/** The state of a channel after each event that changes it. */
export const STATES = {
  ChannelAdded: 'enabled',
  ChannelEnabled: 'enabled',
  ChannelDisabled: 'disabled',
  ChannelAutoDisabled: 'auto-disabled',
  ChannelHalfOpened: 'half-open',
  ChannelTrialFailed: 'auto-disabled',
  ChannelAutoEnabled: 'enabled',
  ChannelDeleted: 'deleted',
} as const satisfies Partial<Record<ChannelEvent['type'], string>>

const stateRow = z.object({
  revision: z.number(),
  event_id: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
  event: z.enum(Object.keys(STATES) as (keyof typeof STATES)[]),
  user_id: z.number().nullable(),
  reason: z.string(),
  upstream_status: z.number().nullable(),
  body_excerpt: z.string(),
})
/** A change of a channel's state. */
export type StateRow = Readonly<z.output<typeof stateRow>>

type StateEvent = Extract<Recorded<ChannelEvent>, { readonly type: keyof typeof STATES }>

const isOfState = (event: Recorded<ChannelEvent>): event is StateEvent =>
  Object.hasOwn(STATES, event.type)

/** Adds the changes of state among events of channels. */
export async function addStates(
  events: readonly Recorded<ChannelEvent>[],
  tx: ModelTables,
): Promise<void> {
  const rows = events.filter(isOfState).map((event) => ({
    channel_id: numberOfStream(event.stream),
    ...rowOf(event),
  }))
  if (rows.length > 0) await insertRows(tx, 'states', COLUMNS, rows)
}

const COLUMNS = {
  channel_id: 'bigint',
  revision: 'bigint',
  event_id: 'uuid',
  at: 'bigint',
  event: 'text',
  user_id: 'bigint',
  reason: 'text',
  upstream_status: 'bigint',
  body_excerpt: 'text',
} as const

function rowOf({ id, revision, type, data, metadata }: StateEvent): StateRow {
  return {
    revision,
    event_id: id,
    at: data.at,
    event: type,
    user_id: actingUserId(metadata.actor) || null,
    reason: 'reason' in data ? data.reason : '',
    upstream_status: 'upstreamStatus' in data ? data.upstreamStatus : null,
    body_excerpt: 'bodyExcerpt' in data ? data.bodyExcerpt : '',
  }
}

/** A channel's changes of state before a revision (null = all), newest first. */
export const statesBefore = (
  reads: CommonQueryMethods,
  channel: number,
  before: number | null,
  limit: number,
): Promise<readonly StateRow[]> =>
  reads.any(sql.type(stateRow)`
    select * from channels.states where ${sql.and([
      sql.fragment`channel_id = ${channel}`,
      before !== null && sql.fragment`revision < ${before}`,
    ])}
    order by revision desc limit ${limit}`)
