import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import { reserve } from '@tollgate/domain/pricing/reserve.ts'
import { greater, type Quota, quota } from '@tollgate/domain/quota.ts'
import { type DrawResult, lacksQuota, type LackOfQuota } from '../holds/reservation.ts'
import type { QueuedRequest } from '../holds/quota-queue.ts'
import { EndingReservation, UNCOVERED_MAX } from '../holds/uncovered-requests.ts'
import type { Admission } from './admit.ts'
import type { ClientAnswer } from './client-answer.ts'
import type { RelayDeps } from './deps.ts'

/** The tokens and searches that are to be reserved for a request. */
export interface Wanted {
  /** No fewer tokens than the prompt has. */
  readonly promptBound: number
  /** Tokens of audio in the prompt, beside it. */
  readonly audioInput: number
  /** Output tokens to pay for. */
  readonly output: number
  /** Output tokens without which the request is not let in: fewer than `output` where that is but a forecast. */
  readonly outputLeast: number
  /** All of the output may be audio, and nothing of it is seen before. */
  readonly isSpoken: boolean
  /** All of the output may be pictures, which have a price of their own and come in one piece. */
  readonly isDrawn: boolean
  /** Searches of the web, by a tool of the provider. */
  readonly searches: number
}

/** How a request that the byte bound did not let in went on. */
export interface ScarceDraw {
  readonly drawn: DrawResult
  readonly wanted: Wanted
  readonly estimate: Quota
}

/** An account or token with less starts nothing, not even a free request (relay-and-billing.md 4.2). */
export const LEAST_QUOTA = quota(1)

/** The highest cost of `wanted`. */
export function estimateOf(price: BookPrice, wanted: Omit<Wanted, 'outputLeast'>): Quota {
  const { promptBound, audioInput, output, isSpoken, isDrawn, searches } = wanted
  const estimate = {
    promptUpperBound: promptBound,
    audioInput,
    maxOutput: output,
    assumedOutput: 0,
    maySpeak: isSpoken,
    mayDraw: isDrawn,
    searches,
  }
  return greater(LEAST_QUOTA, reserve(price, estimate))
}

/**
 * For a request that an account has too little for, going by the bytes of its prompt: the prompt is counted, and if
 * that is still too much, running requests of the account are waited for (decision 4; architecture 6, rule 6).
 */
export async function drawScarce(
  answer: ClientAnswer,
  { caller, request }: Admission,
  {
    price,
    bound,
    lack,
  }: { readonly price: BookPrice; readonly bound: Wanted; readonly lack: LackOfQuota },
  deps: RelayDeps,
): Promise<ScarceDraw> {
  const account = caller.user.id
  const token = caller.token?.id ?? null
  const { exactPrompts, holds } = deps
  // Not even the output that is asked for is within the balance: there is nothing to count or to wait for.
  const leastCost = estimateOf(price, { ...leastOf(bound), promptBound: 1 })
  if (leastCost > lack.balance) return { drawn: lack, wanted: bound, estimate: leastCost }
  const gone = new AbortController()
  answer.whenGone(() => gone.abort())
  const { signal } = gone
  try {
    const counted = await exactPrompts.count(account, request, signal)
    // A stored history is not in the body that was counted.
    const known = counted === null ? bound.promptBound : counted + (request.previous?.tokens ?? 0)
    const promptBound = Math.min(bound.promptBound, known)
    const wanted = { ...bound, promptBound }
    const estimate = estimateOf(price, wanted)
    const drawn = await holds.draw(account, token, estimate)
    if (!lacksQuota(drawn)) return { drawn, wanted, estimate }
    if (wanted.outputLeast < wanted.output) {
      return await drawUncovered(
        { account, token, signal },
        { price, forecast: wanted, lack: drawn },
        deps,
      )
    }
    const waiting = { account, token, estimate, signal, mayStart: () => true, onStart: () => {} }
    return { drawn: await holds.drawOnceFreed(waiting, drawn), wanted, estimate }
  } finally {
    answer.whenGone(null)
  }
}

const leastOf = (wanted: Wanted): Wanted => ({ ...wanted, output: wanted.outputLeast })

/**
 * For a request of a reasoning model whose usual output an account cannot cover. It gets its share of the available
 * quota, at least that of every request without a limit. At most four such run at once; a further one waits for them.
 */
async function drawUncovered(
  asked: Pick<QueuedRequest, 'account' | 'token' | 'signal'>,
  {
    price,
    forecast,
    lack,
  }: { readonly price: BookPrice; readonly forecast: Wanted; readonly lack: LackOfQuota },
  { holds, uncovered }: RelayDeps,
): Promise<ScarceDraw> {
  const { account, token } = asked
  const wanted = leastOf(forecast)
  const estimate = estimateOf(price, wanted)
  const room = UNCOVERED_MAX - uncovered.running(account)
  const share = Math.floor(lack.available / Math.max(1, room))
  const ends: (() => void)[] = []
  const onStart = (): void => void ends.push(uncovered.begin(account))
  let drawn: DrawResult = lack
  if (room > 0 && lack.available >= estimate) {
    onStart()
    drawn = await holds.draw(account, token, greater(estimate, quota(share)))
    if (drawn.status !== 'drawn') ends.pop()?.()
  }
  if (lacksQuota(drawn)) {
    const mayStart = (): boolean => uncovered.hasRoom(account)
    drawn = await holds.drawOnceFreed({ ...asked, estimate, mayStart, onStart }, drawn)
  }
  if (drawn.status !== 'drawn') return { drawn, wanted, estimate }
  const onEnd = (): void => ends.pop()?.()
  const reservation = new EndingReservation(drawn.reservation, onEnd)
  return { drawn: { status: 'drawn', reservation }, wanted, estimate }
}
