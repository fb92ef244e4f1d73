import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'
import { readSearch, text } from '../../parts/search-params.ts'

/** The filter of the price list: words of a model's name. */
export const PRICING_FILTERS = {
  q: { kind: 'text', label: 'pricing.search' },
} as const satisfies Filters

const VIEW = { group: text }

/** The price list's address: its filter, and the group whose prices are looked at. */
export type PricingSearch = ListSearch<typeof PRICING_FILTERS> & { readonly group?: string }

const readList = listSearchReader(PRICING_FILTERS)

/** Reads the address; odd values are left out. */
export function parsePricingSearch(raw: Record<string, unknown>): PricingSearch {
  return { ...readList(raw), ...readSearch(raw, VIEW) }
}
