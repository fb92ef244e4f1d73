import { useMutation, useQueryClient } from '@tanstack/react-query'
import { address, put, remove } from '../../core/api.ts'
import { optionsQuery } from '../../core/options.ts'
import { statusQuery } from '../../core/status.ts'
import { messageOf } from './failure-text.ts'

/** What became of a save: what was refused, by option, and whether anything was stored. */
export interface SaveOutcome {
  readonly failures: ReadonlyMap<string, string>
  readonly saved: number
}

/** Puts the changed options one after the other; a refused one does not stop the others. */
export function useSaveOptions(onOutcome: (outcome: SaveOutcome) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (changes: readonly { readonly key: string; readonly value: string }[]) => {
      const failures = new Map<string, string>()
      for (const change of changes) {
        try {
          await put('/api/option/', change)
        } catch (error) {
          failures.set(change.key, messageOf(error))
        }
      }
      return { failures, saved: changes.length - failures.size }
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
