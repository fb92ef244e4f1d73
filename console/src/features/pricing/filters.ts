import { catch as orElse, enum as oneOf, object, optional, string } from 'zod/mini'
import { chosen } from '../../parts/search-params.ts'

const search = object({
  q: orElse(optional(string()), undefined),
  group: orElse(optional(string()), undefined),
  view: orElse(optional(oneOf(['unset', 'prices'])), undefined),
})

/** The price list's address: search words, the group looked at, and which list root edits. */
export interface PricingSearch {
  readonly q?: string
  readonly group?: string
  /** `unset` = editor of models without a price, `prices` = editor of all models; absent = the list. */
  readonly view?: 'unset' | 'prices'
}

/** Reads the address; odd values are left out. */
export function parsePricingSearch(raw: Record<string, unknown>): PricingSearch {
  return chosen(search.parse(raw) as PricingSearch)
}
