import { useMutation, useQueryClient } from '@tanstack/react-query'
import { put, remove } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'

/** Enables (1) or disables (2) tokens, one after the other. */
export const setStatuses = async (change: {
  readonly ids: readonly number[]
  readonly status: 1 | 2
}): Promise<void> => {
  for (const id of change.ids)
    await put('/api/token/', { id, status: change.status }, { status_only: true })
}

/** Deletes tokens one after the other. */
export const deleteTokens = async (ids: readonly number[]): Promise<void> => {
  for (const id of ids) await remove(pathOf('/api/token/{id}/', { id }))
}

/** A change of tokens after which the list is read again, whatever became of it. */
export function useTokensChange<Change>(
  change: (wanted: Change) => Promise<void>,
  onDone: () => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
}
