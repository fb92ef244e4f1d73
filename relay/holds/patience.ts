import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'

/** How long an owner that does not answer is asked before the request is turned away: longer than a broker takes to restart. */
const OWNER_PATIENCE_MS = 8_000
/** First pauses between one attempt and the next; many may wait for one owner, so that further ones are longer. */
const ASK_AGAIN_MS = [20, 50, 100] as const
const ASK_AGAIN_LATER_MS = 200

/**
 * The same question until it is answered; fails with HoldOwnerUnavailable when patience ends before. What is granted
 * after that is claimed by nobody, so its owner takes it back.
 */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  clock: Clock,
): Promise<Answer> {
  const until = clock.monotonicMs() + OWNER_PATIENCE_MS
  for (let attempt = 0; ; attempt++) {
    try {
      return await within(ask(), until - clock.monotonicMs(), clock)
    } catch (error) {
      if (!isRetryable(error)) throw error
      const leftMs = until - clock.monotonicMs()
      if (leftMs <= 0) {
        throw new HoldOwnerUnavailable('the owner of the account does not answer', error)
      }
      await clock.sleep(Math.min(leftMs, ASK_AGAIN_MS[attempt] ?? ASK_AGAIN_LATER_MS))
    }
  }
}

async function within<Answer>(answer: Promise<Answer>, ms: number, clock: Clock): Promise<Answer> {
  const over = new AbortController()
  const tooLate = clock.sleep(ms, over.signal).then((): never => {
    throw new HoldOwnerUnavailable('no answer in time')
  })
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    over.abort()
  }
}

/** Errors of the ports say themselves whether asking again can help. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true
