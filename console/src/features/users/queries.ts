import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { get } from '../../core/api.ts'
import type { ListedUser, Log } from '../../core/contract.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersSet, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { UserSearch } from './filters.ts'
import { USER_FILTERS } from './filters.ts'

/** Where the users under the filters are read, and exported from. */
export const usersAt = (
  search: UserSearch,
): { path: '/api/user/search' | '/api/user/'; query: Query } => ({
  path: filtersSet(USER_FILTERS, search) > 0 ? '/api/user/search' : '/api/user/',
  query: listQuery(USER_FILTERS, search, { isAdmin: true, nowSeconds: 0 }),
})

/** One page of the users under the filters, newest first, deleted ones among them. */
export function usersQuery(search: UserSearch, pageSize: number) {
  const { path, query: filters } = usersAt(search)
  const query = { ...filters, p: search.p ?? 1, page_size: pageSize }
  return queryOptions<ListRows<ListedUser>>({
    queryKey: ['users', query],
    queryFn: ({ signal }) => get(path, query, signal),
    placeholderData: keepPreviousData,
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<UserSearch>): void {
  void client.prefetchQuery(usersQuery(search, pageSize))
}

/** One user as the list shows them, by id; null when there is none. */
export function listedUserQuery(id: string) {
  return queryOptions<ListedUser | null>({
    queryKey: ['users', 'one', id],
    queryFn: async ({ signal }) => {
      if (!/^\d+$/.test(id)) return null
      const query = { keyword: id, p: 1, page_size: 100 }
      const { items } = await get('/api/user/search', query, signal)
      return items.find((user) => String(user.id) === id) ?? null
    },
  })
}

/** One user whom the viewer may change. */
export function editedUserQuery(id: number) {
  return queryOptions<ListedUser>({
    queryKey: ['users', 'edited', id],
    queryFn: ({ signal }) => get(pathOf('/api/user/{id}', { id }), undefined, signal),
    // A form begins with what is there now, and keeps it while it is open.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** The row of a user's newest charged call; null when the log has none. */
export const lastCallQuery = (username: string) =>
  queryOptions<Log | null>({
    queryKey: ['users', 'last-call', username],
    queryFn: async ({ signal }) => {
      const query = { type: LOG_CONSUME, username, p: 1, page_size: 1 }
      const { items } = await get('/api/log/', query, signal)
      return items[0] ?? null
    },
  })

/** The type of the log's rows for charged calls. */
const LOG_CONSUME = 2

/** The names of all groups. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => get('/api/group/', undefined, signal),
  staleTime: 60_000,
})
