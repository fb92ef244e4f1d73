import type { LiveChannel, Recovery } from './state.ts'

/** Pauses before a channel is tested again: doubled from the first to the last, which goes on. */
const RETRY_FIRST_MS = 60_000
const RETRY_LAST_MS = 60 * 60_000

/** After one more failure: the next pause is twice as long. */
export function afterFailure(before: Recovery | null, at: number): Recovery {
  const failures = (before?.failures ?? 0) + 1
  return { failures, retryAt: at + pauseMs(failures) }
}

/**
 * After a look that neither failed nor brought the channel back: a retry that was due by then waits for the same pause
 * again.
 */
export function afterLook(before: Recovery | null, at: number): Recovery {
  if (before !== null && before.retryAt > at) return before
  const failures = before?.failures ?? 1
  return { failures, retryAt: at + pauseMs(failures) }
}

/** After a change of its terms or its key: earlier failures say nothing any more. */
export const afterChange = (at: number): Recovery => ({ failures: 0, retryAt: at })

/** Whether a channel that was taken out of service automatically should be tested by now. */
export const isDueForTest = ({ status, recovery }: LiveChannel, now: number): boolean =>
  status === 'auto-disabled' && recovery !== null && recovery.retryAt <= now

const pauseMs = (failures: number): number =>
  // The exponent is bounded, so that nothing overflows however long a channel has been out.
  Math.min(RETRY_FIRST_MS * 2 ** Math.min(Math.max(0, failures - 1), 16), RETRY_LAST_MS)
