import type { Query } from '../../core/api.ts'
import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listQuery, listSearchReader } from '../../parts/list/filters.ts'

/** The filters of the event log. */
export const EVENT_FILTERS = {
  range: { kind: 'range', label: 'events.time' },
  stream: { kind: 'words', label: 'events.stream', help: 'events.streamHelp' },
  type: { kind: 'words', label: 'events.type', help: 'events.typeHelp' },
  actor: { kind: 'words', label: 'events.actor', help: 'events.actorHelp' },
  correlation: {
    kind: 'words',
    label: 'events.correlation',
    help: 'events.correlationHelp',
    api: 'correlation_id',
  },
} as const satisfies Filters

/** The event log's address. */
export type EventSearch = ListSearch<typeof EVENT_FILTERS>

/** Reads the address; odd values are left out. */
export const parseEventSearch = listSearchReader(EVENT_FILTERS)

/** The filters as the API names them: times in milliseconds, the end exclusive. */
export function eventQueryOf(search: EventSearch): Query {
  const {
    start_timestamp: start,
    end_timestamp: end,
    ...query
  } = listQuery(EVENT_FILTERS, search, { isAdmin: true, nowSeconds: Date.now() / 1000 })
  return {
    ...query,
    from: typeof start === 'number' ? start * 1000 : undefined,
    to: typeof end === 'number' ? (end + 1) * 1000 : undefined,
  }
}
