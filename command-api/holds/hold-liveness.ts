import { type HoldId, partsOfHold } from '@tollgate/domain/ids.ts'
import { elapsedMs, type Moment, momentOf } from '@tollgate/domain/moment.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Ownership } from '../accounts/ownership.ts'

/** Silence after which a hold whose relay claims nothing any more is expired (architecture 6, rule 7). */
const HOLD_SILENCE_MS = 30_000
/** Silence is looked for every few seconds; after so long a gap the process stood still and could hear nobody. */
const STANDSTILL_MS = 15_000

/**
 * When holds were last heard of. Only memory: an owner that took a partition over counts silence from then, as claims
 * made before went to another.
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

  /**
   * Holds of owned accounts that have been silent for too long; none while another may own them and hear their claims.
   * Drops what is not owned any more. To be called every few seconds.
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
