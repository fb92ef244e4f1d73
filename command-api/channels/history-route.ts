import { channelStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import { type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { z } from 'zod'
import { idInPath } from '../http/query.ts'
import {
  actorNames,
  HISTORY_QUERY,
  type HistoryDeps,
  type HistoryPage,
  readHistory,
  userOfActor,
  wholeHistory,
} from '../aggregates/stream-history.ts'

/** When a channel went in and out of service, by whom and why; of deleted channels too. */
export const channelHistoryRoute = (deps: HistoryDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/channel/:id/history',
    access: 'admin',
    summary: 'Changes of a channel’s state, newest first; next_before continues',
    params: idInPath('Id of the channel'),
    query: z.object(HISTORY_QUERY),
    answer: {
      data: z.strictObject({ items: z.array(CHANGE), next_before: z.int().nullable() }),
    },
    example: {
      params: { id: '3' },
      query: { limit: '20' },
      data: { items: [EXAMPLE_CHANGE], next_before: null },
    },
    csv: {
      name: 'channel-changes',
      columns: Object.keys(CHANGE.shape),
      async refusal({ params: { id } }) {
        const beginning = { before: 0, limit: 1 }
        const isUnknown =
          id <= 0 ||
          isUnknownChannel(await readHistory(deps, channelStream(id), beginning, isOfState))
        return isUnknown ? failure(NOT_FOUND) : null
      },
      async *batches({ params }) {
        const batches = wholeHistory(deps, channelStream(params.id), isOfState)
        for await (const events of batches) yield await entitiesOf(deps, events)
      },
    },
    handle: async ({ params, query }) => {
      if (params.id <= 0) return failure(NOT_FOUND)
      const stream = channelStream(params.id)
      const page = await readHistory(deps, stream, query, isOfState)
      if (query.before <= 0 && isUnknownChannel(page)) return failure(NOT_FOUND)
      return { data: { items: await entitiesOf(deps, page.events), next_before: page.nextBefore } }
    },
  })

const NOT_FOUND = 'record not found'

/** Without any event there never was such a channel: even the oldest part has ChannelAdded. */
const isUnknownChannel = ({ events, nextBefore }: HistoryPage): boolean =>
  events.length === 0 && nextBefore === null

async function entitiesOf(
  deps: HistoryDeps,
  events: readonly RecordedEvent[],
): Promise<readonly z.infer<typeof CHANGE>[]> {
  const names = await actorNames(deps, events)
  return events.filter(isOfState).map((event) => entityOf(event, names))
}

/** The state of a channel after each event. */
const STATES = {
  ChannelAdded: 'enabled',
  ChannelEnabled: 'enabled',
  ChannelDisabled: 'disabled',
  ChannelAutoDisabled: 'auto-disabled',
  ChannelHalfOpened: 'half-open',
  ChannelTrialFailed: 'auto-disabled',
  ChannelAutoEnabled: 'enabled',
  ChannelDeleted: 'deleted',
} as const satisfies Partial<Record<ChannelEvent['type'], string>>

type StateEvent = Extract<ChannelEvent, { readonly type: keyof typeof STATES }>

const isOfState = (event: RecordedEvent): event is RecordedEvent<StateEvent> =>
  Object.hasOwn(STATES, event.type)

/** A change of a channel's state as answers carry it. */
export const CHANGE = z.strictObject({
  event_id: z.string(),
  revision: z.int(),
  /** Unix seconds. */
  changed_at: z.int(),
  event: z.enum(Object.keys(STATES)),
  state: z.enum(Object.values(STATES)),
  /** Null when Tollgate itself changed it, after failures or a test. */
  user_id: z.int().nullable(),
  username: z.string(),
  /** '' = none was given. */
  reason: z.string(),
  /** Status of upstream's answer; null when there was none. */
  upstream_status: z.int().nullable(),
  body_excerpt: z.string(),
})

const EXAMPLE_CHANGE: z.infer<typeof CHANGE> = {
  event_id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  revision: 12,
  changed_at: 1_770_120_000,
  event: 'ChannelAutoDisabled',
  state: 'auto-disabled',
  user_id: null,
  username: '',
  reason: 'Incorrect API key provided',
  upstream_status: 401,
  body_excerpt: '{"error":{"message":"Incorrect API key provided"}}',
}

function entityOf(
  event: RecordedEvent<StateEvent>,
  names: ReadonlyMap<number, string>,
): z.infer<typeof CHANGE> {
  const user = userOfActor(event)
  const { data } = event
  return {
    event_id: event.id,
    revision: event.revision,
    changed_at: Math.floor(data.at / 1000),
    event: event.type,
    state: STATES[event.type],
    user_id: user,
    username: names.get(user ?? 0) ?? '',
    reason: 'reason' in data ? data.reason : '',
    upstream_status: 'upstreamStatus' in data ? data.upstreamStatus : null,
    body_excerpt: 'bodyExcerpt' in data ? data.bodyExcerpt : '',
  }
}
