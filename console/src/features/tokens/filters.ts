import { count, readSearch, text } from '../../parts/search-params.ts'

const FIELDS = { keyword: text, key: text, p: count, size: count }

/** The token list's address: search words, page from 1, page size. */
export interface TokenSearch {
  readonly keyword?: string
  readonly key?: string
  readonly p?: number
  readonly size?: number
}

/** Reads the address; odd values are left out. */
export function parseTokenSearch(raw: Record<string, unknown>): TokenSearch {
  return readSearch(raw, FIELDS, { p: 1 })
}
