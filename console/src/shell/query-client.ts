import { MutationCache, QueryClient } from '@tanstack/react-query'
import { notifyFailure } from '../parts/notify.tsx'
import { ApiError } from '../core/api.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** True for failures that the screen itself explains: no message is shown for those. */
      readonly isSaidElsewhere?: (error: unknown) => boolean
    }
  }
}

/** How often a call that may succeed next time is tried again. */
const RETRIES_MAX = 2

/**
 * The one cache of server state. Only unreachable servers and server errors are tried again: a rejection would be the
 * same next time. A failed change is always said, so that no form has to remember to.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Asked without a network as well: else nothing would say that what is shown is old.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) =>
        failures < RETRIES_MAX && error instanceof ApiError && error.retryable,
    },
  },
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      if (meta?.isSaidElsewhere?.(error) !== true) notifyFailure(error)
    },
  }),
})
