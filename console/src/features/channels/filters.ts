import { count, readSearch, text } from '../../parts/search-params.ts'

const FIELDS = { keyword: text, group: text, model: text, p: count, size: count }

/** The channel list's address: search words, page from 1, page size. */
export interface ChannelSearch {
  readonly keyword?: string
  readonly group?: string
  readonly model?: string
  readonly p?: number
  readonly size?: number
}

/** Reads the address; odd values are left out. */
export function parseChannelSearch(raw: Record<string, unknown>): ChannelSearch {
  return readSearch(raw, FIELDS, { p: 1 })
}

/** True when the list is a search, which the server does not page. */
export function isSearching(filters: ChannelSearch): boolean {
  return Boolean(filters.keyword ?? filters.group ?? filters.model)
}
