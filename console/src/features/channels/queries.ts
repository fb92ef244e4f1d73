import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { ApiError, get } from '../../core/api.ts'
import type { Channel } from '../../core/contract.ts'
import { preference } from '../../core/preferences.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { ChannelSearch } from './filters.ts'
import { CHANNEL_FILTERS, isSearching } from './filters.ts'

/** How the list is laid out, as remembered in this browser. */
export interface ChannelListMode {
  readonly isById: boolean
  readonly isByTag: boolean
}

/** True when the list comes at once: a search, and all channels under their tags, those without one among them. */
export const isUnpaged = (search: ChannelSearch, { isByTag }: ChannelListMode): boolean =>
  isByTag || isSearching(search)

/** Where the channels under the filters are read, and exported from. */
export const channelsAt = (
  search: ChannelSearch,
  mode: ChannelListMode,
): { path: '/api/channel/search' | '/api/channel/'; query: Query } => ({
  path: isUnpaged(search, mode) ? '/api/channel/search' : '/api/channel/',
  query: {
    ...listQuery(CHANNEL_FILTERS, search, { isAdmin: true, nowSeconds: 0 }),
    id_sort: mode.isById,
  },
})

/** One page of channels, or all that match. */
export function channelsQuery(search: ChannelSearch, mode: ChannelListMode, pageSize: number) {
  const { path, query: filters } = channelsAt(search, mode)
  const query = isUnpaged(search, mode)
    ? filters
    : { ...filters, p: (search.p ?? 1) - 1, page_size: pageSize }
  return queryOptions<ListRows<Channel>>({
    queryKey: ['channels', query],
    queryFn: async ({ signal }) => ({ items: await get(path, query, signal) }),
    placeholderData: keepPreviousData,
  })
}

/** Reads what the list shows first, laid out as this browser remembers it. */
export function readAhead({ client, search, pageSize }: Entered<ChannelSearch>): void {
  const mode = {
    isById: preference('id-sort') === 'true',
    isByTag: preference('enable-tag-mode') === 'true',
  }
  void client.prefetchQuery(channelsQuery(search, mode, pageSize))
}

/** One channel by its id; null when there is none. */
export function channelQuery(id: string) {
  return queryOptions<Channel | null>({
    queryKey: ['channels', 'one', id],
    queryFn: async ({ signal }) => {
      if (!/^[1-9]\d*$/.test(id)) return null
      return get(pathOf('/api/channel/{id}', { id }), undefined, signal).catch(noneWhenUnknown)
    },
  })
}

/** The same for its form, which begins with what is there now and keeps it while it is open. */
export const editedChannelQuery = (id: number) => ({
  ...channelQuery(String(id)),
  queryKey: ['channels', 'edited', id],
  staleTime: 0,
  gcTime: 0,
  refetchOnWindowFocus: false,
})

function noneWhenUnknown(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null
  throw error
}

/** Changes that one call answers. */
const HISTORY_ROWS = 20

/** Where all changes of a channel's state are listed. */
export const channelHistoryAt = (id: number) => ({
  path: pathOf('/api/channel/{id}/history', { id }),
  query: {},
})

/** When a channel went in and out of service, newest first, further back with each page. */
export const channelHistoryQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['channels', 'history', id],
    queryFn: ({ pageParam, signal }) =>
      get(
        channelHistoryAt(id).path,
        { limit: HISTORY_ROWS, ...(pageParam === null ? {} : { before: pageParam }) },
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_before }) => next_before,
  })

/** Every channel, for saying what a change would leave without one. */
export const allChannelsQuery = queryOptions({
  queryKey: ['channels', 'all'],
  queryFn: ({ signal }) => get('/api/channel/search', {}, signal),
})

/** The tags that channels carry. */
export const tagsQuery = queryOptions({
  ...allChannelsQuery,
  select: (channels) =>
    [...new Set(channels.map(({ tag }) => tag ?? ''))].filter((tag) => tag !== '').toSorted(),
})

/** Charged requests by channel of the last 24 hours. */
export const trafficQuery = queryOptions({
  queryKey: ['channels', 'traffic'],
  queryFn: ({ signal }) => get('/api/channel/traffic', {}, signal),
})

/** Group names. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: () => get('/api/group/'),
  staleTime: 60_000,
})

/** The default models of each type, by type id. */
export const typeModelsQuery = queryOptions({
  queryKey: ['type-models'],
  queryFn: () => get('/api/models'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Every model that the system knows by name. */
export const knownModelsQuery = queryOptions({
  queryKey: ['known-models'],
  queryFn: async () => [...new Set((await get('/api/channel/models')).map((model) => model.id))],
  staleTime: Number.POSITIVE_INFINITY,
})

/** The names of models with a ratio or a price, which only role 100 may read. */
export const pricedModelsQuery = queryOptions({
  queryKey: ['priced-models'],
  queryFn: async () => {
    const options = await get('/api/option/')
    const maps = options.filter(
      (option) => option.key === 'ModelRatio' || option.key === 'ModelPrice',
    )
    return new Set(
      maps.flatMap((option) => Object.keys(JSON.parse(option.value || '{}') as object)),
    )
  },
  staleTime: 30_000,
})
