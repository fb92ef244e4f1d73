import { type Attempt, ATTEMPTS_MAX, bareAttempt } from '@tollgate/domain/account/request-facts.ts'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** How an attempt ended. */
export type AttemptEnd = Pick<Attempt, 'status' | 'code' | 'why' | 'usage'>

/** The channels that a request is sent to, one after another. */
export class Attempts {
  readonly #all: Attempt[] = []

  /** Notes that an attempt begins; its caller reports how it ended. */
  begin(channel: ChannelId, clock: Clock): (end: AttemptEnd) => void {
    const index = this.#all.length
    const begun = { ...bareAttempt(channel), startedAt: clock.now() }
    const begunMs = clock.monotonicMs()
    this.#all.push(begun)
    return (end) => {
      this.#all[index] = { ...begun, ...end, ms: Math.round(clock.monotonicMs() - begunMs) }
    }
  }

  /** As events keep them: of too many the last one and the first. */
  get kept(): readonly Attempt[] {
    if (this.#all.length <= ATTEMPTS_MAX) return [...this.#all]
    return [...this.#all.slice(0, ATTEMPTS_MAX - 1), ...this.#all.slice(-1)]
  }
}
