import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** Revisions are few: nothing narrows them. */
export const PRICE_FILTERS = {} as const satisfies Filters

/** The address of the list of revisions of prices. */
export type PricesSearch = ListSearch<typeof PRICE_FILTERS>

/** Reads the address; odd values are left out. */
export const parsePricesSearch = listSearchReader(PRICE_FILTERS)
