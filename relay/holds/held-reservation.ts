import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import { minus, plus, type Quota } from '@tollgate/domain/quota.ts'
import type { Reservation } from './reservation.ts'
import type { LocalHold } from './local-hold.ts'

/** The operations of a hold's keeper that a reservation needs. */
export interface ReservationKeeper {
  /**
   * Takes at least `missing` more out of the hold for a running request; nothing when the owner refuses it. Fails with
   * HoldOwnerUnavailable when the owner does not answer or the hold has ended.
   */
  coverMore(hold: LocalHold, missing: Quota): Quota | Promise<Quota>
  /** The request has ended with a price. */
  settleReservation(
    hold: LocalHold,
    reserved: Quota,
    amount: Quota,
    request: ChargedUsage,
  ): Promise<void>
  /** The request has ended without one. */
  releaseReservation(hold: LocalHold, reserved: Quota): void
}

/** A drawing on one hold; ending it twice is a bug. */
export class HeldReservation implements Reservation {
  readonly #keeper: ReservationKeeper
  readonly #hold: LocalHold
  #reserved: Quota
  #hasEnded = false

  constructor(keeper: ReservationKeeper, hold: LocalHold, reserved: Quota) {
    this.#keeper = keeper
    this.#hold = hold
    this.#reserved = reserved
  }

  get reserved(): Quota {
    return this.#reserved
  }

  cover(total: Quota): boolean | Promise<boolean> {
    if (total <= this.#reserved) return true
    const more = this.#keeper.coverMore(this.#hold, minus(total, this.#reserved))
    if (typeof more === 'number') return this.#add(more, total)
    return more.then((gained) => this.#add(gained, total))
  }

  settle(amount: Quota, request: ChargedUsage): Promise<void> {
    this.#end()
    return this.#keeper.settleReservation(this.#hold, this.#reserved, amount, request)
  }

  release(): void {
    this.#end()
    this.#keeper.releaseReservation(this.#hold, this.#reserved)
  }

  #add(gained: Quota, total: Quota): boolean {
    this.#reserved = plus(this.#reserved, gained)
    return this.#reserved >= total
  }

  #end(): void {
    if (this.#hasEnded) throw new TypeError('a drawing was ended twice')
    this.#hasEnded = true
  }
}
