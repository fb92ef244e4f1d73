import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { address, get, post, put, remove } from '../../core/api.ts'
import { optionsQuery } from '../../core/options.ts'
import { statusQuery } from '../../core/status.ts'
import { messageOf } from './failure-text.ts'
import type { OptionChange } from './option-form.ts'
import type { OptionKey } from './options.ts'

/** What became of a save: what was refused, by option, and what was stored. */
export interface SaveOutcome {
  readonly failures: ReadonlyMap<OptionKey, string>
  readonly saved: readonly OptionKey[]
}

/** Puts options one after the other; what is refused does not stop the others. */
export function useSaveOptions(onOutcome: (outcome: SaveOutcome) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (changes: readonly OptionChange[]) => {
      const failures = new Map<OptionKey, string>()
      for (const change of changes) {
        try {
          await put('/api/option/', change)
        } catch (error) {
          failures.set(change.key, messageOf(error))
        }
      }
      const saved = changes.map(({ key }) => key).filter((key) => !failures.has(key))
      return { failures, saved }
    },
    onSuccess: async (outcome) => {
      // The form compares with what is stored, so that has to be known before the outcome is shown.
      await client.invalidateQueries({ queryKey: optionsQuery.queryKey })
      onOutcome(outcome)
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: statusQuery.queryKey }),
        client.invalidateQueries({ queryKey: ['pricing'] }),
      ]),
  })
}

/** Who changed an option last, and when (unix seconds). */
export interface LastChange {
  readonly username: string
  readonly changed_at: number
}

/** How many of the newest changes are read; an option that was changed before them shows none. */
const CHANGES_READ = 100

/** The last change of each option that was changed of late. */
export const lastChangesQuery = queryOptions({
  queryKey: ['options', 'history'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, LastChange>> => {
    const query = { key: '', limit: CHANGES_READ }
    const { items } = await get<{ items: readonly (LastChange & { readonly key: string })[] }>(
      '/api/option/history',
      query,
      signal,
    )
    // Newest first: of several changes of one option, the first stays.
    return new Map(items.toReversed().map((change) => [change.key, change]))
  },
})

/** The endpoints that a provider's discovery document names; the server reads it, the browser may not. */
export function useOidcDiscovery(handlers: {
  onFound: (found: OidcEndpoints) => void
  onFailed: () => void
}) {
  return useMutation({
    mutationFn: (wellKnown: string) =>
      post<OidcEndpoints>('/api/option/oidc_discovery', { well_known: wellKnown }),
    meta: { isSaidElsewhere: () => true },
    onSuccess: handlers.onFound,
    onError: handlers.onFailed,
  })
}

/** What POST /api/option/oidc_discovery answers. */
interface OidcEndpoints {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly user_info_endpoint: string
}

/** Asks the server for the newest release. */
export function useUpdateCheck(handlers: { onNewest: () => void; onFailed: () => void }) {
  return useMutation({
    mutationFn: () => get<{ tag_name: string; body: string; is_newer: boolean }>('/api/update'),
    meta: { isSaidElsewhere: () => true },
    onSuccess: ({ is_newer: isNewer }) => {
      if (!isNewer) handlers.onNewest()
    },
    onError: handlers.onFailed,
  })
}

/** Puts every model ratio back to the built-in table. */
export function useResetRatios(onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => post('/api/option/rest_model_ratio'),
    onSuccess: onDone,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: optionsQuery.queryKey }),
        client.invalidateQueries({ queryKey: ['pricing'] }),
      ]),
  })
}

/** Clears the usage log before a moment (unix seconds); answers how many rows went. */
export function useClearLogs(onCleared: (count: number) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (before: number) =>
      remove<number>(address('/api/log/', { target_timestamp: before })),
    onSuccess: onCleared,
    onSettled: () => client.invalidateQueries({ queryKey: ['logs'] }),
  })
}
