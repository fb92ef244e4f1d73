import type { Price } from '@tollgate/domain/pricing/price.ts'
import { reserve } from '@tollgate/domain/pricing/reserve.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { type DrawResult, lacksQuota, type LackOfQuota } from '../holds/drawing.ts'
import type { Admission } from './admit.ts'
import type { ClientAnswer } from './client-answer.ts'
import type { RelayDeps } from './deps.ts'

/** What is to be reserved for a request. */
export interface Wanted {
  /** No fewer tokens than the prompt has. */
  readonly promptBound: number
  /** Output tokens to pay for. */
  readonly output: number
}

/** How a request that the byte bound did not let in went on. */
export interface ScarceDraw {
  readonly drawn: DrawResult
  readonly wanted: Wanted
  readonly estimate: Quota
}

/** What `wanted` costs at most. */
export const estimateOf = (price: Price, { promptBound, output }: Wanted): Quota =>
  reserve(price, { promptUpperBound: promptBound, maxOutput: output, assumedOutput: 0 })

/**
 * For a request that an account has too little for, going by the bytes of its prompt: the prompt is counted, and if
 * that is still too much, running requests of the account are waited for (decision 4; architecture 6, rule 6).
 */
export async function drawScarce(
  answer: ClientAnswer,
  { caller, request }: Admission,
  price: Price,
  bound: Wanted,
  lack: LackOfQuota,
  { exactPrompts, holds }: RelayDeps,
): Promise<ScarceDraw> {
  const account = caller.user.id
  const token = caller.token?.id ?? null
  // Not even the output that is asked for is within the balance: there is nothing to count or to wait for.
  const leastCost = estimateOf(price, { ...bound, promptBound: 1 })
  if (leastCost > lack.balance) return { drawn: lack, wanted: bound, estimate: leastCost }
  const gone = new AbortController()
  answer.whenGone(() => gone.abort())
  const { signal } = gone
  try {
    const counted = await exactPrompts.count(account, request, signal)
    const promptBound = Math.min(bound.promptBound, counted ?? bound.promptBound)
    const wanted = { ...bound, promptBound }
    const estimate = estimateOf(price, wanted)
    const drawn = await holds.draw(account, token, estimate)
    if (!lacksQuota(drawn)) return { drawn, wanted, estimate }
    const mayStart = (): boolean => true
    const waiting = { account, token, estimate, signal, mayStart }
    return { drawn: await holds.drawOnceFreed(waiting, drawn), wanted, estimate }
  } finally {
    answer.whenGone(null)
  }
}
