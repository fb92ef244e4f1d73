import { type HoldId, partsOfHold } from '@tollgate/domain/ids.ts'
import { elapsedMs, type Moment, momentOf } from '@tollgate/domain/moment.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Ownership } from '../accounts/ownership.ts'

/** Silence after which a hold whose relay claims nothing any more is expired (architecture 6, rule 7). */
const HOLD_SILENCE_MS = 30_000
/** Silence is looked for every few seconds; after so long a gap the process stood still and received nothing. */
const STANDSTILL_MS = 15_000

/**
 * The last sign of life of each hold. Only memory: an owner that took a partition over counts silence from then, as
 * earlier claims went to another process.
 */
export class HoldLiveness {
  readonly #clock: Clock
  readonly #ownership: Ownership
  /** Monotonic milliseconds. */
  readonly #heardAt = new Map<HoldId, number>()
  #lookedAt: Moment | null = null
  /** Monotonic milliseconds at the end of the last standstill. */
  #awakeSince = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, ownership: Ownership) {
    this.#clock = clock
    this.#ownership = ownership
  }

  /** Notes a sign of life; false when another process owns the account and must receive it. */
  hear(hold: HoldId): boolean {
    if (this.#ownership.ownedSince(partsOfHold(hold).account) === null) return false
    this.#heardAt.set(hold, this.#clock.monotonicMs())
    return true
  }

  /** Notes an open hold without a sign of life here so far; its silence counts from now at the earliest. */
  notice(hold: HoldId): void {
    if (!this.#heardAt.has(hold)) this.hear(hold)
  }

  forget(hold: HoldId): void {
    this.#heardAt.delete(hold)
  }

  /**
   * Holds of owned accounts that have been silent for too long; none while another process may own them and receive
   * their claims. Drops holds of accounts that are not owned any more. To be called every few seconds.
   */
  silent(): readonly HoldId[] {
    const now = this.#clock.monotonicMs()
    const looked = this.#lookedAt
    if (looked !== null && elapsedMs(looked, this.#clock) > STANDSTILL_MS) this.#awakeSince = now
    this.#lookedAt = momentOf(this.#clock)
    if (!this.#ownership.isCertain()) return []
    const silent: HoldId[] = []
    for (const [hold, heardAt] of this.#heardAt) {
      const since = this.#ownership.ownedSince(partsOfHold(hold).account)
      if (since === null) this.#heardAt.delete(hold)
      else if (now - Math.max(heardAt, since, this.#awakeSince) > HOLD_SILENCE_MS) silent.push(hold)
    }
    return silent
  }
}
