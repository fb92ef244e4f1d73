import { flag, readSearch, text } from '../../parts/search-params.ts'

/** The login page's address: whether the session expired, where to go afterwards (a path of this site alone), who invited. */
export interface LoginSearch {
  readonly expired?: true | undefined
  readonly next?: string | undefined
  readonly aff?: string | undefined
}

/** Reads the address; anything odd is left out. A `next` of `//host` would leave the site, so it is refused. */
export function parseLoginSearch(raw: Record<string, unknown>): LoginSearch {
  const { expired, next, aff } = readSearch(raw, { expired: flag, next: text, aff: text })
  const isOfThisSite = next !== undefined && /^\/(?![/\\])/.test(next)
  // A field that is left out shows through in the router's address as it was typed.
  return { expired, next: isOfThisSite ? next : undefined, aff }
}
