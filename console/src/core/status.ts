import { queryOptions, useQuery } from '@tanstack/react-query'
import { get } from './api.ts'
import type { Answer } from './calls.ts'
import type { Status } from './contract.ts'
import { statusOfLastVisit } from './last-status.ts'
import { storeLocalFlags } from './local-flags.ts'

/**
 * The public settings; every screen that formats money needs them. They are kept as local flags, too, and the next
 * visit begins with those, so that nothing on the page jumps when the present ones arrive.
 */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = await get('/api/status', undefined, signal)
    storeLocalFlags(status, localStorage)
    return status
  },
  staleTime: 60_000,
  initialData: statusOfLastVisit,
  initialDataUpdatedAt: 0,
})

/** The signed-in user's own row: balance, use, role. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => get('/api/user/self', undefined, signal),
})

/** How far each read model has followed the log; an `outdated` one is of another version of Tollgate. */
export type Freshness = Answer<'GET /api/freshness'>

/** How often the mark beside the views asks how far the read models are. */
const FRESHNESS_INTERVAL_MS = 15_000

/** How far the read models are behind the log; only signed-in users may ask. */
export const freshnessQuery = queryOptions({
  queryKey: ['freshness'],
  queryFn: ({ signal }) => get('/api/freshness', undefined, signal),
  refetchInterval: FRESHNESS_INTERVAL_MS,
})

/** The public settings when they are there; views show skeletons until then. */
export function useStatus(): Status | undefined {
  return useQuery(statusQuery).data
}
