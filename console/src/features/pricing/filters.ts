import { readSearch, text } from '../../parts/search-params.ts'

const FIELDS = { q: text, group: text }

/** The price list's address: search words and the group looked at. */
export interface PricingSearch {
  readonly q?: string
  readonly group?: string
}

/** Reads the address; odd values are left out. */
export function parsePricingSearch(raw: Record<string, unknown>): PricingSearch {
  return readSearch(raw, FIELDS)
}
