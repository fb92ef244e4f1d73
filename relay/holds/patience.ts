import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type ExpiredQuestion,
  HOLD_QUESTION_MS,
  HoldOwnerUnavailable,
} from '@tollgate/domain/ports/hold-owner.ts'

/** How long an owner that does not answer is asked before the request is turned away: longer than a broker takes to restart. */
const OWNER_PATIENCE_MS = 8_000
/** Many may wait for one owner. */
const ASK_AGAIN: BackOff = { firstMs: 20, mostMs: 200 }

/** One question, which can be repeated: the owner knows it by its id. */
export interface RepeatedQuestion<Answer> {
  readonly id: string
  readonly clock: Clock
  /** Asks once; `deadline` is in Unix milliseconds by the owner's clock. */
  readonly ask: (deadline: number) => Promise<Answer | ExpiredQuestion>
  /** How far the owner's clock is ahead of this one, in milliseconds. An expired question corrects it. */
  readonly ownerClock: { aheadMs: number }
}

/**
 * The answer to a question that is repeated until it is answered; fails with HoldOwnerUnavailable when patience ends
 * before. No relay claims what is granted after that, so its owner takes it back.
 */
export async function untilAnswered<Answer extends { readonly status: string }>({
  id,
  clock,
  ask,
  ownerClock,
}: RepeatedQuestion<Answer>): Promise<Answer> {
  const until = clock.monotonicMs() + OWNER_PATIENCE_MS
  for (let failures = 1; ; failures++) {
    const askedAt = clock.monotonicMs()
    const waitMs = Math.min(HOLD_QUESTION_MS, until - askedAt)
    let cause: unknown
    try {
      const deadline = clock.now() + ownerClock.aheadMs + HOLD_QUESTION_MS
      const answer = await within(waitMs, clock, ask(deadline))
      if (!isExpired(answer)) return answer
      ownerClock.aheadMs = answer.now - clock.now()
    } catch (error) {
      if (!isTransient(error)) throw error
      cause = error
    }
    const now = clock.monotonicMs()
    if (now >= until) {
      const text = `the owner of the account does not answer; the outcome of question ${id} is unknown`
      throw new HoldOwnerUnavailable(text, cause)
    }
    // A question that took all its time was pause enough.
    if (now - askedAt < HOLD_QUESTION_MS) {
      await clock.sleep(Math.min(until - now, backOffMs(failures, ASK_AGAIN)))
    }
  }
}

const isExpired = (answer: { readonly status: string }): answer is ExpiredQuestion =>
  answer.status === 'expired'
