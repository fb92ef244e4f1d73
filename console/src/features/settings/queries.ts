import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { get, post, put, remove } from '../../core/api.ts'
import type { Answer, Row } from '../../core/calls.ts'
import { optionsQuery } from '../../core/options.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { statusQuery } from '../../core/status.ts'
import { messageOf } from './failure-text.ts'
import type { OptionChange } from './option-form.ts'
import type { OptionKey } from './options.ts'

/** The outcome of a save: the refusals by option, and the options that were stored. */
export interface SaveOutcome {
  readonly failures: ReadonlyMap<OptionKey, string>
  readonly saved: readonly OptionKey[]
}

interface Wish {
  readonly changes: readonly OptionChange[]
  /** Why, for the history; may be empty. */
  readonly note: string
}

/** Puts options one after the other; what is refused does not stop the others. */
export function useSaveOptions(onOutcome: (outcome: SaveOutcome) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ changes, note }: Wish) => {
      const failures = new Map<OptionKey, string>()
      for (const change of changes) {
        try {
          await put('/api/option/', note ? { ...change, note } : change)
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

/** The user who changed an option last, when (unix seconds), and why if that was said. */
export type LastChange = Pick<Row<'GET /api/option/history'>, 'username' | 'changed_at' | 'note'>

/** The last change of each option that was ever changed. */
export const lastChangesQuery = queryOptions({
  queryKey: ['options', 'history'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, LastChange>> => {
    const { items } = await get('/api/option/history', { newest: true }, signal)
    return new Map(items.map((change) => [change.key, change]))
  },
})

/** The default of each option, as the server has it. A server keeps its defaults as long as it runs. */
export const defaultsQuery = queryOptions({
  queryKey: ['option-defaults'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
    const options = await get('/api/option/defaults', undefined, signal)
    return new Map(options.map(({ key, value }) => [key, value]))
  },
  staleTime: Infinity,
})

/** The options that are written and never read back, and of each whether it has a text. */
export const secretsQuery = queryOptions({
  queryKey: ['options', 'secrets'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, boolean>> => {
    const secrets = await get('/api/option/secrets', undefined, signal)
    return new Map(secrets.map(({ key, is_set: isSet }) => [key, isSet]))
  },
})

/** Reads what the settings show first: to root, options; to others, none. */
export function readAhead({ client, isRoot }: Entered): void {
  if (!isRoot) return
  void client.prefetchQuery(optionsQuery)
  void client.prefetchQuery(lastChangesQuery)
  void client.prefetchQuery(defaultsQuery)
  void client.prefetchQuery(secretsQuery)
}

/** The endpoints that a provider's discovery document names; the server reads it, the browser may not. */
export function useOidcDiscovery(handlers: {
  onFound: (found: OidcEndpoints) => void
  onFailed: () => void
}) {
  return useMutation({
    mutationFn: (wellKnown: string) =>
      post('/api/option/oidc_discovery', { well_known: wellKnown }),
    meta: { isSaidElsewhere: () => true },
    onSuccess: handlers.onFound,
    onError: handlers.onFailed,
  })
}

type OidcEndpoints = Answer<'POST /api/option/oidc_discovery'>

/** Asks the server for the newest release. */
export function useUpdateCheck(handlers: { onNewest: () => void; onFailed: () => void }) {
  return useMutation({
    mutationFn: () => get('/api/update'),
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
    mutationFn: (before: number) => remove('/api/log/', { target_timestamp: before }),
    onSuccess: onCleared,
    onSettled: () => client.invalidateQueries({ queryKey: ['logs'] }),
  })
}
