import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'

/** How long an owner that does not answer is asked before the request is turned away. */
export const OWNER_PATIENCE_MS = 5_000
const ASK_AGAIN_MS = 20

/**
 * The same question until it is answered; fails with HoldOwnerUnavailable when patience ends before. What is granted
 * after that is claimed by nobody, so its owner takes it back.
 */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  clock: Clock,
): Promise<Answer> {
  const until = clock.monotonicMs() + OWNER_PATIENCE_MS
  for (;;) {
    try {
      return await within(ask(), until - clock.monotonicMs())
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (clock.monotonicMs() >= until) {
        throw new HoldOwnerUnavailable('the owner of the account does not answer', error)
      }
      await pause(ASK_AGAIN_MS)
    }
  }
}

async function within<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HoldOwnerUnavailable('no answer in time')), ms)
  })
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** Errors of the ports say themselves whether asking again can help. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
