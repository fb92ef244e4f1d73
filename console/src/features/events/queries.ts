import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Query } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersOf } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { EventSearch } from './filters.ts'
import { eventQueryOf } from './filters.ts'
import type { StoredEvent } from './stored-event.ts'

const PATH = '/api/ledger/events'
/**
 * Calls for one page: each looks through 20,000 events. A caller has 180 calls in three minutes, which other pages need,
 * too: a filter that finds nothing in 160,000 events goes on with the next page.
 */
const CALLS_MOST = 8

/** One page of the log under the filters, newest first. */
export function eventsQuery(search: EventSearch, pageSize: number) {
  return queryOptions<ListRows<StoredEvent>>({
    queryKey: ['events', filtersOf(search), search.after, pageSize],
    queryFn: async ({ signal }) => {
      const filters = eventQueryOf(search)
      const items: StoredEvent[] = []
      let place = search.after
      for (let call = 1; ; call += 1) {
        const query = { ...filters, before: place, limit: pageSize - items.length }
        const { events, next } = await get(PATH, query, signal)
        items.push(...events)
        const goesOn = next !== null && items.length < pageSize && call < CALLS_MOST
        if (!goesOn) return { items, next: next === null ? null : String(next) }
        place = String(next)
      }
    },
    placeholderData: keepPreviousData,
  })
}

/** Where all events under the filters are exported from. */
export const eventsAt = (search: EventSearch): { path: typeof PATH; query: Query } => ({
  path: PATH,
  query: eventQueryOf(search),
})

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<EventSearch>): void {
  void client.prefetchQuery(eventsQuery(search, pageSize))
}

/** One event with its neighbours. The next one may still come. */
export const eventQuery = (position: string) =>
  queryOptions({
    queryKey: ['events', 'one', position],
    queryFn: ({ signal }) =>
      get(pathOf('/api/ledger/events/{position}', { position }), undefined, signal),
  })

/** The event's causes and consequences. */
export const causesQuery = (position: string) =>
  queryOptions({
    queryKey: ['events', 'causes', position],
    queryFn: ({ signal }) =>
      get(pathOf('/api/ledger/events/{position}/causes', { position }), undefined, signal),
  })

/** A revision of prices by its event, with how many charges it has priced. */
export const chargesPricedQuery = (position: number) =>
  queryOptions({
    queryKey: ['events', 'priced', position],
    queryFn: ({ signal }) =>
      get(pathOf('/api/ledger/prices/{revision}', { revision: position }), undefined, signal),
  })

/** Reads what the page of one event shows first. */
export function readEventAhead({ client, params }: Entered<object, { position: string }>): void {
  void client.prefetchQuery(eventQuery(params.position))
  void client.prefetchQuery(causesQuery(params.position))
}
