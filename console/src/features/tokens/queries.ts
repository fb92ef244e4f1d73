import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Token, UserGroups } from '../../core/contract.ts'
import type { TokenSearch } from './filters.ts'

/** One page of the user's tokens, or, with search words, all that match (the search is not paged). */
export function tokensQuery(search: TokenSearch, pageSize: number) {
  const isSearch = Boolean(search.keyword ?? search.key)
  return queryOptions({
    queryKey: ['tokens', search, pageSize],
    queryFn: ({ signal }) =>
      isSearch
        ? get<Token[]>('/api/token/search', { keyword: search.keyword, token: search.key }, signal)
        : get<Token[]>('/api/token/', { p: (search.p ?? 1) - 1, size: pageSize }, signal),
    placeholderData: keepPreviousData,
  })
}

/** The groups that the user may give a token. */
export const userGroupsQuery = queryOptions({
  queryKey: ['user-groups'],
  queryFn: () => get<UserGroups>('/api/user/self/groups'),
  staleTime: 60_000,
})

/** The models that the user may call. */
export const userModelsQuery = queryOptions({
  queryKey: ['user-models'],
  queryFn: () => get<string[]>('/api/user/models'),
  staleTime: 60_000,
})
