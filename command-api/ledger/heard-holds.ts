import { type HoldId, partsOfHold } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Ownership } from './ownership.ts'

/** Silence after which a hold whose relay claims nothing any more is expired (architecture 6, rule 7). */
const HOLD_SILENCE_MS = 30_000

/**
 * When holds were last heard of. Only memory: an owner that took a partition over counts silence from then, as claims
 * made before went to another.
 */
export class HeardHolds {
  readonly #clock: Clock
  readonly #ownership: Ownership
  /** Monotonic milliseconds. */
  readonly #heardAt = new Map<HoldId, number>()

  constructor(clock: Clock, ownership: Ownership) {
    this.#clock = clock
    this.#ownership = ownership
  }

  /** Takes note of a sign of life; false when another process owns the account and has to hear it. */
  hear(hold: HoldId): boolean {
    if (this.#ownership.ownedSince(partsOfHold(hold).account) === null) return false
    this.#heardAt.set(hold, this.#clock.monotonicMs())
    return true
  }

  /** Says that a hold is open that may never have been heard of here; its silence counts from now at the earliest. */
  notice(hold: HoldId): void {
    if (!this.#heardAt.has(hold)) this.hear(hold)
  }

  forget(hold: HoldId): void {
    this.#heardAt.delete(hold)
  }

  /** Holds of owned accounts that have been silent for too long. Drops what is not owned any more. */
  silent(): readonly HoldId[] {
    const now = this.#clock.monotonicMs()
    const silent: HoldId[] = []
    for (const [hold, heardAt] of this.#heardAt) {
      const since = this.#ownership.ownedSince(partsOfHold(hold).account)
      if (since === null) this.#heardAt.delete(hold)
      else if (now - Math.max(heardAt, since) > HOLD_SILENCE_MS) silent.push(hold)
    }
    return silent
  }
}
