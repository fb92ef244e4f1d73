import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { filtersSet, listSearchReader } from '../../parts/list/filters.ts'
import { count } from '../../parts/search-params.ts'

/** The filters of the list of channels (seeds, section 2). */
export const CHANNEL_FILTERS = {
  keyword: { kind: 'text', label: 'channels.searchKeyword' },
  model: { kind: 'model', label: 'channels.searchModel' },
  group: { kind: 'group', label: 'channels.group' },
} as const satisfies Filters

/** The address of the list of channels. */
export type ChannelSearch = ListSearch<typeof CHANNEL_FILTERS> & {
  /** The channel whose copy is being made. */
  readonly copy?: number
}

const readList = listSearchReader(CHANNEL_FILTERS)

/** Reads the address; odd values are left out. */
export function parseChannelSearch(raw: Record<string, unknown>): ChannelSearch {
  const copy = count(raw['copy'])
  return { ...readList(raw), ...(copy === undefined ? {} : { copy }) }
}

/** True when the list is a search, which the server does not page. */
export const isSearching = (search: ChannelSearch): boolean =>
  filtersSet(CHANNEL_FILTERS, search) > 0
