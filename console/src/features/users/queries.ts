import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { ListedUser, Page } from '../../core/contract.ts'
import { filtersSet, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { UserSearch } from './filters.ts'
import { USER_FILTERS } from './filters.ts'

/** One page of the users under the filters, newest first, deleted ones among them. */
export function usersQuery(search: UserSearch, pageSize: number) {
  const isSearch = filtersSet(USER_FILTERS, search) > 0
  const filters = listQuery(USER_FILTERS, search, { isAdmin: true, nowSeconds: 0 })
  const query = { ...filters, p: search.p ?? 1, page_size: pageSize }
  return queryOptions<ListRows<ListedUser>>({
    queryKey: ['users', query],
    queryFn: ({ signal }) =>
      get<Page<ListedUser>>(isSearch ? '/api/user/search' : '/api/user/', query, signal),
    placeholderData: keepPreviousData,
  })
}

/** One user as the list shows them, by id; null when there is none. */
export function listedUserQuery(id: string) {
  return queryOptions<ListedUser | null>({
    queryKey: ['users', 'one', id],
    queryFn: async ({ signal }) => {
      if (!/^\d+$/.test(id)) return null
      const query = { keyword: id, p: 1, page_size: 100 }
      const { items } = await get<Page<ListedUser>>('/api/user/search', query, signal)
      return items.find((user) => String(user.id) === id) ?? null
    },
  })
}

/** One user whom the viewer may change. */
export function editedUserQuery(id: number) {
  return queryOptions<ListedUser>({
    queryKey: ['users', 'edited', id],
    queryFn: ({ signal }) => get<ListedUser>(`/api/user/${id}`, undefined, signal),
    // A form begins with what is there now, and keeps it while it is open.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** The names of all groups. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => get<string[]>('/api/group/', undefined, signal),
  staleTime: 60_000,
})
