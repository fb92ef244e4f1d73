import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, post, put, remove } from '../../core/api.ts'
import type { Token } from '../../core/contract.ts'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import type { TokenForm } from './token-form.ts'
import { batchNames, tokenPayload } from './token-form.ts'

/** What a save needs: the form, the unit its amount was typed in, and the token when one is edited. */
export interface SaveToken {
  readonly form: TokenForm
  readonly unit: QuotaUnit
  readonly quotaPerUnit: number
  readonly token: Token | null
}

/** True when a token was refused because the account has no balance (decision 34): a dialog says whom to ask. */
export const lacksBalance = (error: unknown): boolean =>
  error instanceof ApiError && error.kind === 'rejected' && error.code === 'balance_exhausted'

/** Enables (1) or disables (2) a token. */
export function useTokenStatus() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: { id: number; status: 1 | 2 }) =>
      put('/api/token/', change, { status_only: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
}

/** Deletes a token. */
export function useDeleteToken(onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => remove(`/api/token/${id}/`),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
}

/** Creates one token or a batch (which stops at its first failure), or changes one. */
export async function saveToken({ form, unit, quotaPerUnit, token }: SaveToken): Promise<void> {
  const payload = tokenPayload(form, unit, quotaPerUnit)
  if (token) {
    // What the form had loaded: the server applies the difference, so charges made meanwhile are kept (decision 9).
    const remain_quota_before = token.remain_quota
    await put('/api/token/', {
      ...payload,
      remain_quota_before,
      id: token.id,
      status: token.status,
    })
    return
  }
  const randomByte = () => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0
  for (const name of batchNames(payload.name, Number(form.count), randomByte))
    await post('/api/token/', { ...payload, name })
}
