import { queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { selfQuery } from '../../core/status.ts'

/** The models that may be called. */
export const ownModelsQuery = queryOptions({
  queryKey: ['own-models'],
  queryFn: ({ signal }) => get('/api/user/models', undefined, signal),
})

/** The own invitation code; the first call makes it. */
export const affCodeQuery = queryOptions({
  queryKey: ['aff-code'],
  queryFn: ({ signal }) => get('/api/user/aff', undefined, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Reads what the page shows first. */
export function readAhead({ client }: Entered): void {
  void client.prefetchQuery(selfQuery)
  void client.prefetchQuery(ownModelsQuery)
}
