import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Channel, Option } from '../../core/contract.ts'
import type { ChannelSearch } from './filters.ts'
import { isSearching } from './filters.ts'

/** How the list is laid out, as remembered in this browser. */
export interface ChannelListMode {
  readonly pageSize: number
  readonly isById: boolean
  readonly isByTag: boolean
}

/** One page of channels, or all that match a search. In tag mode a page holds whole tags. */
export function channelsQuery(filters: ChannelSearch, mode: ChannelListMode) {
  const layout = { id_sort: mode.isById, tag_mode: mode.isByTag }
  const { keyword, group, model } = filters
  return queryOptions({
    queryKey: ['channels', filters, mode],
    queryFn: ({ signal }) =>
      isSearching(filters)
        ? get<Channel[]>('/api/channel/search', { keyword, group, model, ...layout }, signal)
        : get<Channel[]>(
            '/api/channel/',
            { p: (filters.p ?? 1) - 1, page_size: mode.pageSize, ...layout },
            signal,
          ),
    placeholderData: keepPreviousData,
  })
}

/** Every channel, for saying what a change would leave without one. */
export const allChannelsQuery = queryOptions({
  queryKey: ['channels', 'all'],
  queryFn: ({ signal }) => get<Channel[]>('/api/channel/search', {}, signal),
})

/** Group names. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: () => get<string[]>('/api/group/'),
  staleTime: 60_000,
})

/** The default models of each type, by type id. */
export const typeModelsQuery = queryOptions({
  queryKey: ['type-models'],
  queryFn: () => get<Record<string, string[] | null>>('/api/models'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Every model that the system knows by name. */
export const knownModelsQuery = queryOptions({
  queryKey: ['known-models'],
  queryFn: async () => [
    ...new Set((await get<{ id: string }[]>('/api/channel/models')).map((model) => model.id)),
  ],
  staleTime: Number.POSITIVE_INFINITY,
})

/** The names of models with a ratio or a price, which only role 100 may read. */
export const pricedModelsQuery = queryOptions({
  queryKey: ['priced-models'],
  queryFn: async () => {
    const options = await get<Option[]>('/api/option/')
    const maps = options.filter(
      (option) => option.key === 'ModelRatio' || option.key === 'ModelPrice',
    )
    return new Set(
      maps.flatMap((option) => Object.keys(JSON.parse(option.value || '{}') as object)),
    )
  },
  staleTime: 30_000,
})
