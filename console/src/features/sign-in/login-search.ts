import { flag, readSearch, text } from '../../parts/search-params.ts'

/** The login page's address: whether the session expired, where to go afterwards (a path of this site alone), who invited. */
export interface LoginSearch {
  readonly expired?: true
  readonly next?: string
  readonly aff?: string
}

/** Reads the address; anything odd is left out. A `next` of `//host` would leave the site, so it is refused. */
export function parseLoginSearch(raw: Record<string, unknown>): LoginSearch {
  const { expired, next, aff } = readSearch(raw, { expired: flag, next: text, aff: text })
  return {
    ...(expired ? { expired } : {}),
    ...(next && /^\/(?![/\\])/.test(next) ? { next } : {}),
    ...(aff ? { aff } : {}),
  }
}
