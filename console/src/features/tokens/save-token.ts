import { ApiError, get, post, put } from '../../core/api.ts'
import type { BodyOf } from '../../core/calls.ts'
import type { Token } from '../../core/contract.ts'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import type { TokenForm } from './token-form.ts'
import { batchNames, tokenPayload } from './token-form.ts'

/** The input of a save: the form, the unit its amount was typed in, and the token when one is edited. */
export interface SaveToken {
  readonly form: TokenForm
  readonly unit: QuotaUnit
  readonly quotaPerUnit: number
  readonly token: Token | null
}

/** True when a token was refused because the account has no balance (decision 34): a dialog says whom to ask. */
export const lacksBalance = (error: unknown): boolean =>
  error instanceof ApiError && error.kind === 'rejected' && error.code === 'balance_exhausted'

/** The outcome of a save: the ids of the tokens that it made, and why it stopped before all were; null = it did not. */
export interface Saved {
  readonly ids: readonly number[]
  readonly stopped: unknown
}

/** Numbers of the server's statuses, which its lists hold. */
type TokenStatus = NonNullable<BodyOf<'PUT', '/api/token'>['status']>

/** Creates one token or a batch, which stops at its first failure, or changes one. Throws when nothing was done. */
export async function saveToken({ form, unit, quotaPerUnit, token }: SaveToken): Promise<Saved> {
  const payload = tokenPayload(form, unit, quotaPerUnit)
  if (token) {
    // The quota that the form had loaded. The server applies the difference, so charges made meanwhile are kept
    // (decision 9).
    const remain_quota_before = token.remain_quota
    await put('/api/token/', {
      ...payload,
      remain_quota_before,
      id: token.id,
      status: token.status as TokenStatus,
    })
    return { ids: [], stopped: null }
  }
  const randomByte = () => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0
  const ids: number[] = []
  for (const name of batchNames(payload.name, Number(form.count), randomByte)) {
    try {
      ids.push((await post('/api/token/', { ...payload, name })).id)
    } catch (stopped) {
      if (ids.length === 0) throw stopped
      return { ids, stopped }
    }
  }
  return { ids, stopped: null }
}

/** Rows that one call answers, the most there are. */
const PAGE_ROWS = 100

/** Tokens that were just made, in the order of their ids: the newest pages of the list hold them. */
export async function madeTokens(ids: readonly number[]): Promise<readonly Token[]> {
  const wanted = new Set(ids)
  const found: Token[] = []
  for (let p = 0; found.length < ids.length; p++) {
    const page = await get('/api/token/', { p, size: PAGE_ROWS })
    found.push(...page.filter(({ id }) => wanted.has(id)))
    if (page.length < PAGE_ROWS) break
  }
  return found.toSorted((one, other) => one.id - other.id)
}
