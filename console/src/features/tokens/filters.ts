import { int, object, optional, catch as orElse, coerce, positive, string } from 'zod/mini'
import { chosen } from '../../parts/search-params.ts'

const search = object({
  keyword: orElse(optional(string()), undefined),
  key: orElse(optional(string()), undefined),
  p: orElse(optional(coerce.number().check(int(), positive())), undefined),
  size: orElse(optional(coerce.number().check(int(), positive())), undefined),
})

/** The token list's address: search words, page from 1, page size. */
export interface TokenSearch {
  readonly keyword?: string
  readonly key?: string
  readonly p?: number
  readonly size?: number
}

/** Reads the address; odd values are left out. */
export function parseTokenSearch(raw: Record<string, unknown>): TokenSearch {
  return chosen(search.parse(raw) as TokenSearch, { p: 1 })
}
