import { type HoldId, partsOfHold, type RelayId, type UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Relays } from '@tollgate/domain/ports/hold-owner.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'

/** How long relays get to return idle quota before a refusal stands (architecture 6, rule 6). */
const RECALL_MS = 100

/** Calls quota back that relays hold and do not use. */
export class IdleQuota {
  readonly #ledger: AccountLedger
  readonly #relays: Relays
  readonly #clock: Clock
  readonly #awaited = new Map<UserId, Set<Awaited>>()

  constructor(ledger: AccountLedger, relays: Relays, clock: Clock) {
    this.#ledger = ledger
    this.#relays = relays
    this.#clock = clock
  }

  /**
   * Asks every relay with a hold of the account, but not for the hold `except`. Resolves when the quota they gave back
   * is in the account, or the time for it is up; false when none came.
   */
  async callBack(account: UserId, except: HoldId | null): Promise<boolean> {
    const relays = await this.#holders(account, except)
    if (relays.length === 0) return false
    const until = this.#clock.monotonicMs() + RECALL_MS
    const awaited = this.#await(account)
    try {
      const recall = { account, except }
      const amounts = await Promise.all(
        relays.map((relay) => this.#relays.recall(relay, recall, RECALL_MS)),
      )
      const given = amounts.reduce((sum, amount) => sum + amount, 0)
      // Between processes the answer may overtake the returned quota itself.
      await this.#untilArrived(awaited, given, until - this.#clock.monotonicMs())
      return given > 0 || awaited.arrived > 0
    } finally {
      this.#awaited.get(account)?.delete(awaited)
      if (this.#awaited.get(account)?.size === 0) this.#awaited.delete(account)
    }
  }

  /** To be called for every return that is in the log. */
  hasArrived(hold: HoldId, amount: number): void {
    for (const awaited of this.#awaited.get(partsOfHold(hold).account) ?? []) awaited.add(amount)
  }

  #holders(account: UserId, except: HoldId | null): Promise<readonly RelayId[]> {
    return this.#ledger.inspect(account, ({ holds }) => {
      const others = [...holds].filter(([hold, { remaining }]) => hold !== except && remaining > 0)
      return [...new Set(others.map(([, { relay }]) => relay))]
    })
  }

  async #untilArrived(awaited: Awaited, amount: number, withinMs: number): Promise<void> {
    const over = new AbortController()
    await Promise.race([awaited.reaches(amount), this.#clock.sleep(withinMs, over.signal)])
    over.abort()
  }

  #await(account: UserId): Awaited {
    const awaited = new Awaited()
    const all = this.#awaited.get(account) ?? new Set()
    this.#awaited.set(account, all.add(awaited))
    return awaited
  }
}

/** Returned quota that one recall waits for. */
class Awaited {
  arrived = 0
  #whenMore: (() => void) | null = null

  add(amount: number): void {
    this.arrived += amount
    this.#whenMore?.()
  }

  reaches(amount: number): Promise<void> {
    return new Promise((resolve) => {
      this.#whenMore = () => {
        if (this.arrived >= amount) resolve()
      }
      this.#whenMore()
    })
  }
}
