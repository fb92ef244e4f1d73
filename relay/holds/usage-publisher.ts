import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { UsageJournal, UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import { isRetryable } from './patience.ts'

const PAUSES_MS = [20, 50, 100, 250, 500, 1_000] as const

/**
 * Publishes each message for as long as it takes: a finished answer's charge is never given up. A message that the
 * journal refuses for good is a bug; it is reported whole, so that an operator can enter it.
 */
export class UsagePublisher {
  readonly #journal: UsageJournal
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #onFault: (error: unknown, what: string) => void
  #waiting = 0

  constructor(
    journal: UsageJournal,
    clock: Pick<Clock, 'sleep'>,
    onFault: (error: unknown, what: string) => void,
  ) {
    this.#journal = journal
    this.#clock = clock
    this.#onFault = onFault
  }

  /** Messages that the journal has not acknowledged yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** Resolves when the journal has the message, asked again with the very same one until it does. */
  async publish(message: UsageMessage): Promise<void> {
    this.#waiting += 1
    try {
      for (let attempt = 0; !(await this.#isTaken(message)); attempt++) {
        await this.#clock.sleep(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 1_000)
      }
    } finally {
      this.#waiting -= 1
    }
  }

  async #isTaken(message: UsageMessage): Promise<boolean> {
    try {
      await this.#journal.publish(message)
      return true
    } catch (error) {
      if (isRetryable(error)) return false
      this.#onFault(error, `publishing ${JSON.stringify(message)}`)
      throw error
    }
  }
}
