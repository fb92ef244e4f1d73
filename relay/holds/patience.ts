import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'

/** How long an owner that does not answer is asked before the request is turned away: longer than a broker takes to restart. */
const OWNER_PATIENCE_MS = 8_000
/** Many may wait for one owner. */
const ASK_AGAIN: BackOff = { firstMs: 20, mostMs: 200 }

/**
 * The same question until it is answered; fails with HoldOwnerUnavailable when patience ends before. What is granted
 * after that is claimed by nobody, so its owner takes it back.
 */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  clock: Clock,
): Promise<Answer> {
  const until = clock.monotonicMs() + OWNER_PATIENCE_MS
  for (let failures = 1; ; failures++) {
    try {
      return await within(until - clock.monotonicMs(), clock, ask())
    } catch (error) {
      if (!isTransient(error)) throw error
      const leftMs = until - clock.monotonicMs()
      if (leftMs <= 0) {
        throw new HoldOwnerUnavailable('the owner of the account does not answer', error)
      }
      await clock.sleep(Math.min(leftMs, backOffMs(failures, ASK_AGAIN)))
    }
  }
}
