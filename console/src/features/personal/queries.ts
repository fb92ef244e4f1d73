import { queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'

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
