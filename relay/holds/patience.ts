import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** How long an owner that does not answer is asked before the request is turned away. */
export const OWNER_PATIENCE_MS = 5_000
const ASK_AGAIN_MS = 20

/** The same question until it is answered or patience ends; its last error then goes to the caller. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  clock: Clock,
): Promise<Answer> {
  const until = clock.monotonicMs() + OWNER_PATIENCE_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isRetryable(error) || clock.monotonicMs() > until) throw error
      await pause(ASK_AGAIN_MS)
    }
  }
}

/** Errors of the ports say themselves whether asking again can help. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
