import { queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'

/** A row of GET /api/user/sessions; times in unix seconds. */
export interface Session {
  readonly id: string
  readonly created_at: number
  readonly last_seen_at: number
  /** '' = not known. */
  readonly ip: string
  readonly user_agent: string
  readonly is_current: boolean
}

/** The models that may be called. */
export const ownModelsQuery = queryOptions({
  queryKey: ['own-models'],
  queryFn: ({ signal }) => get<string[]>('/api/user/models', undefined, signal),
})

/** The own invitation code; the first call makes it. */
export const affCodeQuery = queryOptions({
  queryKey: ['aff-code'],
  queryFn: ({ signal }) => get<string>('/api/user/aff', undefined, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Where one is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => get<Session[]>('/api/user/sessions', undefined, signal),
})
