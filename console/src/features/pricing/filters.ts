import { oneOf, readSearch, text } from '../../parts/search-params.ts'

const FIELDS = { q: text, group: text, view: oneOf(['unset', 'prices']) }

/** The price list's address: search words, the group looked at, and which list root edits. */
export interface PricingSearch {
  readonly q?: string
  readonly group?: string
  /** `unset` = editor of models without a price, `prices` = editor of all models; absent = the list. */
  readonly view?: 'unset' | 'prices'
}

/** Reads the address; odd values are left out. */
export function parsePricingSearch(raw: Record<string, unknown>): PricingSearch {
  return readSearch(raw, FIELDS)
}
