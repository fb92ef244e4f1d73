import { useMutation, useQueryClient } from '@tanstack/react-query'
import { get, post, put, remove } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import type { Redemption } from '../../core/contract.ts'
import { parseQuota } from '../../parts/quota-format.ts'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import type { RedemptionForm } from './redemption-form.ts'

/** Makes codes, or changes one; answers the codes that were made. Sends nothing when a number cannot be read. */
export async function saveRedemption(
  form: RedemptionForm,
  code: Redemption | null,
  { unit, quotaPerUnit }: { readonly unit: QuotaUnit; readonly quotaPerUnit: number },
): Promise<readonly string[]> {
  const quota = parseQuota(form.quota, unit, quotaPerUnit)
  const count = Number(form.count)
  const { name } = form
  // The form's check finds both at their fields; as JSON, they would be null.
  if (quota === null) throw new TypeError(`not an amount: ${form.quota}`)
  if (!Number.isSafeInteger(count)) throw new TypeError(`not a number of codes: ${form.count}`)
  if (!code) return post('/api/redemption/', { name, quota, count })
  await put('/api/redemption/', { id: code.id, name, quota })
  return []
}

/** Switches codes on (1) or off (2). */
export const setStatuses = async (change: {
  readonly ids: readonly number[]
  readonly status: 1 | 2
}): Promise<void> => {
  for (const id of change.ids)
    await put('/api/redemption/', { id, status: change.status }, { status_only: true })
}

/** Deletes codes one after the other. */
export const deleteCodes = async (ids: readonly number[]): Promise<void> => {
  for (const id of ids) await remove(pathOf('/api/redemption/{id}/', { id }))
}

/** Rows that one call answers, the most there are. */
const PAGE_ROWS = 100
/** Codes that one cleaning deletes, so that its calls stay within the limit of calls for an address. */
const INVALID_MAX = 150

/** The codes that nobody can redeem any more: used ones and disabled ones, oldest pages last. */
export async function invalidCodes(): Promise<readonly Redemption[]> {
  const found: Redemption[] = []
  for (let p = 1; found.length < INVALID_MAX; p++) {
    const page = await get('/api/redemption/', { p, page_size: PAGE_ROWS })
    found.push(...page.items.filter(({ status }) => status !== 1))
    if (p * PAGE_ROWS >= page.total) break
  }
  return found.slice(0, INVALID_MAX)
}

/** A change of codes after which the list is read again, whatever became of it. */
export function useCodesChange<Change>(
  change: (wanted: Change) => Promise<void>,
  onDone: () => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['redemptions'] }),
  })
}
