import { coerce, object, optional, catch as orElse, startsWith, string } from 'zod/mini'

const search = object({
  expired: orElse(optional(coerce.boolean()), undefined),
  next: orElse(optional(string().check(startsWith('/'))), undefined),
})

/** The login page's address: whether the session expired, and where to go afterwards (a path of this site alone). */
export interface LoginSearch {
  readonly expired?: true
  readonly next?: string
}

/** Reads the address; anything odd is left out. A `next` of `//host` would leave the site, so it is refused. */
export function parseLoginSearch(raw: Record<string, unknown>): LoginSearch {
  const { expired, next } = search.parse(raw)
  return {
    ...(expired ? { expired: true as const } : {}),
    ...(next && !next.startsWith('//') && !next.startsWith('/\\') ? { next } : {}),
  }
}
