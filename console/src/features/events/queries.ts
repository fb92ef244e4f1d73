import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import { filtersOf } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { EventSearch } from './filters.ts'
import { eventQueryOf } from './filters.ts'
import type { EventCauses, EventDetail, StoredEvent } from './stored-event.ts'

const PATH = '/api/ledger/events'

/** One page of the log under the filters, newest first. */
export function eventsQuery(search: EventSearch, pageSize: number) {
  return queryOptions<ListRows<StoredEvent>>({
    queryKey: ['events', filtersOf(search), search.after, pageSize],
    queryFn: async ({ signal }) => {
      const query = { ...eventQueryOf(search), before: search.after, limit: pageSize }
      const { events, next } = await get<{
        readonly events: readonly StoredEvent[]
        readonly next: number | null
      }>(PATH, query, signal)
      return { items: events, next: next === null ? null : String(next) }
    },
    placeholderData: keepPreviousData,
  })
}

/** One event with its neighbours. The next one may still come. */
export const eventQuery = (position: string) =>
  queryOptions({
    queryKey: ['events', 'one', position],
    queryFn: ({ signal }) => get<EventDetail>(`${PATH}/${position}`, undefined, signal),
  })

/** The event's causes and consequences. */
export const causesQuery = (position: string) =>
  queryOptions({
    queryKey: ['events', 'causes', position],
    queryFn: ({ signal }) => get<EventCauses>(`${PATH}/${position}/causes`, undefined, signal),
  })
