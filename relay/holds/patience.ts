import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type ExpiredQuestion,
  HOLD_QUESTION_MS,
  HoldOwnerUnavailable,
  OWNER_PATIENCE_MS,
} from '@tollgate/domain/ports/hold-owner.ts'

/** Many may wait for one owner. */
const ASK_AGAIN: BackOff = { firstMs: 20, mostMs: 200 }

/** One question, which can be repeated: the owner knows it by its id. */
export interface RepeatedQuestion<Answer> {
  readonly id: string
  readonly clock: Clock
  /** Asks once; `deadline` is in Unix milliseconds by the owner's clock. */
  readonly ask: (deadline: number) => Promise<Answer | ExpiredQuestion>
  /** How far the owner's clock is ahead when a question reaches it, in milliseconds. An expired question corrects it. */
  readonly ownerClock: { aheadMs: number }
}

/**
 * The first answer to a question that is repeated until then; fails with HoldOwnerUnavailable when patience ends
 * before. No relay claims a hold granted after that, so its owner takes it back.
 */
export function untilAnswered<Answer extends { readonly status: string }>({
  id,
  clock,
  ask,
  ownerClock,
}: RepeatedQuestion<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const until = clock.monotonicMs() + OWNER_PATIENCE_MS
  let isOver = false
  let cause: unknown

  async function askOnce(askedAt: number): Promise<void> {
    try {
      const answer = await ask(clock.now() + ownerClock.aheadMs + HOLD_QUESTION_MS)
      if (isExpired(answer)) {
        // Compared with the time of asking: the deadline allows for the way to the owner.
        const elapsed = clock.monotonicMs() - askedAt
        ownerClock.aheadMs = answer.now - (clock.now() - elapsed)
        return
      }
      isOver = true
      resolve(answer)
    } catch (error) {
      cause = error
      if (isTransient(error)) return
      isOver = true
      reject(error)
    }
  }

  async function repeat(): Promise<void> {
    for (let failures = 1; !isOver; failures++) {
      const askedAt = clock.monotonicMs()
      // A question that is not answered by then may be answered still.
      await within(Math.min(HOLD_QUESTION_MS, until - askedAt), clock, askOnce(askedAt), ignore)
      const now = clock.monotonicMs()
      if (now >= until) {
        const text = `the owner of the account does not answer; the outcome of question ${id} is unknown`
        return reject(new HoldOwnerUnavailable(text, cause))
      }
      // A question that took all its time was pause enough.
      if (!isOver && now - askedAt < HOLD_QUESTION_MS) {
        await clock.sleep(Math.min(until - now, backOffMs(failures, ASK_AGAIN)))
      }
    }
  }

  void repeat()
  return promise
}

const ignore = (): void => undefined

const isExpired = (answer: { readonly status: string }): answer is ExpiredQuestion =>
  answer.status === 'expired'
