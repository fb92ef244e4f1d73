import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { ApiError, get } from '../../core/api.ts'
import type { Token } from '../../core/contract.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersSet, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { TokenSearch } from './filters.ts'
import { TOKEN_FILTERS } from './filters.ts'

/** True when the list is a search, which the server does not page. */
export const isSearch = (search: TokenSearch): boolean => filtersSet(TOKEN_FILTERS, search) > 0

/** Where the tokens under the filters are read, and exported from. */
export const tokensAt = (
  search: TokenSearch,
): { path: '/api/token/search' | '/api/token/'; query: Query } => ({
  path: isSearch(search) ? '/api/token/search' : '/api/token/',
  query: listQuery(TOKEN_FILTERS, search, { isAdmin: false, nowSeconds: 0 }),
})

/** One page of the user's own tokens, newest first, or, under filters, all that match. */
export function tokensQuery(search: TokenSearch, pageSize: number) {
  const { path, query: filters } = tokensAt(search)
  const query = isSearch(search) ? filters : { p: (search.p ?? 1) - 1, size: pageSize }
  return queryOptions<ListRows<Token>>({
    queryKey: ['tokens', query],
    queryFn: async ({ signal }) => ({ items: await get(path, query, signal) }),
    placeholderData: keepPreviousData,
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<TokenSearch>): void {
  void client.prefetchQuery(tokensQuery(search, pageSize))
}

/** One of the user's own tokens by its id; null when there is none. */
export function tokenQuery(id: string) {
  return queryOptions<Token | null>({
    queryKey: ['tokens', 'one', id],
    queryFn: async ({ signal }) => {
      if (!/^[1-9]\d*$/.test(id)) return null
      return get(pathOf('/api/token/{id}', { id }), undefined, signal).catch(noneWhenRefused)
    },
  })
}

/** The same for its form, which begins with what is there now and keeps it while it is open. */
export const editedTokenQuery = (id: number) => ({
  ...tokenQuery(String(id)),
  queryKey: ['tokens', 'edited', id],
  staleTime: 0,
  gcTime: 0,
  refetchOnWindowFocus: false,
})

/** Null for an id that is not the caller's: the server says only that there is no such record. */
function noneWhenRefused(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null
  throw error
}

/** The models that the user may call. */
export const userModelsQuery = queryOptions({
  queryKey: ['user-models'],
  queryFn: () => get('/api/user/models'),
  staleTime: 60_000,
})
