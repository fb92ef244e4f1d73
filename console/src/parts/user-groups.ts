import { queryOptions } from '@tanstack/react-query'
import { get } from '../core/api.ts'

/** The groups that the user may run requests in. */
export const userGroupsQuery = queryOptions({
  queryKey: ['user-groups'],
  queryFn: ({ signal }) => get('/api/user/self/groups', undefined, signal),
  staleTime: 60_000,
})
