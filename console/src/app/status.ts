import { queryOptions, useQuery } from '@tanstack/react-query'
import { get } from './api.ts'
import type { Self, Status } from './contract.ts'

/** The public settings; every screen that formats money needs them. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => get<Status>('/api/status', undefined, signal),
  staleTime: 60_000,
})

/** The signed-in user's own row: balance, use, role. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => get<Self>('/api/user/self', undefined, signal),
})

/** The public settings when they are there; views show skeletons until then. */
export function useStatus(): Status | undefined {
  return useQuery(statusQuery).data
}
