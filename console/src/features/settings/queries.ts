import { useMutation, useQueryClient } from '@tanstack/react-query'
import { address, post, put, remove } from '../../core/api.ts'
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

/** Puts the changed options one after the other; a refused one does not stop the others. */
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
