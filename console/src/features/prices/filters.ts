import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** Revisions that changed a model's price, or a group's ratio. */
export const PRICE_FILTERS = {
  model: { kind: 'model', label: 'prices.model' },
  group: { kind: 'group', label: 'prices.group' },
} as const satisfies Filters

/** The address of the list of revisions of prices. */
export type PricesSearch = ListSearch<typeof PRICE_FILTERS>

/** Reads the address; odd values are left out. */
export const parsePricesSearch = listSearchReader(PRICE_FILTERS)
