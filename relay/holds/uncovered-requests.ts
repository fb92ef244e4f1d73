import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import type { Reservation } from './reservation.ts'

/** Requests of one account in this relay that may run with less reserved than they are expected to cost. */
export const UNCOVERED_MAX = 4

/**
 * Counts requests whose expected cost exceeds the reservation that could be made. Reasoning is not seen as it is
 * written, so they cannot be covered as they go, and their number bounds how far an account can fall below zero.
 */
export class UncoveredRequests {
  readonly #running = new Map<UserId, number>()

  running(account: UserId): number {
    return this.#running.get(account) ?? 0
  }

  hasRoom(account: UserId): boolean {
    return this.running(account) < UNCOVERED_MAX
  }

  /** One more runs; answers the function to call, once, when it has ended. */
  begin(account: UserId): () => void {
    this.#running.set(account, this.running(account) + 1)
    return () => {
      const left = this.running(account) - 1
      if (left === 0) this.#running.delete(account)
      else this.#running.set(account, left)
    }
  }
}

/** A drawing that says when it ends, before its quota comes free. */
export class EndingReservation implements Reservation {
  readonly #reservation: Reservation
  readonly #onEnd: () => void

  constructor(reservation: Reservation, onEnd: () => void) {
    this.#reservation = reservation
    this.#onEnd = onEnd
  }

  get reserved(): Quota {
    return this.#reservation.reserved
  }

  cover(total: Quota): boolean | Promise<boolean> {
    return this.#reservation.cover(total)
  }

  settle(amount: Quota, request: ChargedUsage): Promise<void> {
    this.#onEnd()
    return this.#reservation.settle(amount, request)
  }

  release(): void {
    this.#onEnd()
    this.#reservation.release()
  }
}
