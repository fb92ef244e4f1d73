import type { RelayId } from '@tollgate/domain/ids.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Recall, RecallListener, Relays } from '@tollgate/domain/ports/hold-owner.ts'
import { NO_QUOTA, type Quota } from '@tollgate/domain/quota.ts'

/** Relays in the owner's own process. */
export class LocalRelays implements Relays {
  readonly #clock: Clock
  readonly #relays = new Map<RelayId, RecallListener>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(relay: RelayId, listener: RecallListener): void {
    this.#relays.set(relay, listener)
  }

  remove(relay: RelayId): void {
    this.#relays.delete(relay)
  }

  async recall(relay: RelayId, { account, except }: Recall, withinMs: number): Promise<Quota> {
    const listener = this.#relays.get(relay)
    if (listener === undefined) return NO_QUOTA
    const returned = listener.returnIdleQuota(account, except)
    return within(withinMs, this.#clock, returned, () => NO_QUOTA)
  }
}
