import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** The filters of the list of tokens (seeds, section 2). */
export const TOKEN_FILTERS = {
  keyword: { kind: 'text', label: 'tokens.searchName' },
  key: { kind: 'text', label: 'tokens.searchKey', api: 'token' },
} as const satisfies Filters

/** The address of the list of tokens. */
export type TokenSearch = ListSearch<typeof TOKEN_FILTERS>

/** Reads the address; odd values are left out. */
export const parseTokenSearch = listSearchReader(TOKEN_FILTERS)
