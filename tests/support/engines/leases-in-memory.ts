import type { LeaseAnswer, LeaseRound, Leases } from '@tollgate/domain/ports/leases.ts'
import { LeasesUnavailable } from '@tollgate/domain/ports/leases.ts'

/** Leases of processes that a test plays itself, by the test's clock; held to the same contract as the real ones. */
export class LeasesInMemory implements Leases {
  /** While true, every call fails, as if the database were unavailable. */
  isUnavailable = false
  readonly #now: () => number
  readonly #aliveUntil = new Map<string, number>()
  readonly #leases = new Map<string, { member: string; until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  async renew({ group, member, ttlMs, wanted }: LeaseRound): Promise<LeaseAnswer> {
    this.#failWhenUnavailable()
    const now = this.#now()
    const until = now + ttlMs
    for (const [key, end] of this.#aliveUntil) if (end <= now) this.#aliveUntil.delete(key)
    this.#aliveUntil.set(keyOf(group, member), until)
    const keys = new Set(wanted.map((name) => keyOf(group, name)))
    for (const [key, lease] of this.#leases) {
      const isDone = isOf(group, key) && lease.member === member && !keys.has(key)
      if (isDone || lease.until <= now) this.#leases.delete(key)
    }
    for (const key of keys) {
      const lease = this.#leases.get(key)
      if (lease === undefined || lease.member === member) this.#leases.set(key, { member, until })
    }
    const held = [...this.#leases].filter(([, lease]) => lease.member === member)
    return {
      members: namesOf(group, this.#aliveUntil.keys()),
      held: namesOf(
        group,
        held.map(([key]) => key),
      ),
    }
  }

  async leave(group: string, member: string): Promise<void> {
    this.#failWhenUnavailable()
    this.#aliveUntil.delete(keyOf(group, member))
    for (const [key, lease] of this.#leases) {
      if (isOf(group, key) && lease.member === member) this.#leases.delete(key)
    }
  }

  async stepBack(group: string, member: string): Promise<boolean> {
    this.#failWhenUnavailable()
    const now = this.#now()
    const isLast = ![...this.#aliveUntil].some(
      ([key, end]) => isOf(group, key) && key !== keyOf(group, member) && end > now,
    )
    if (!isLast) await this.leave(group, member)
    return !isLast
  }

  #failWhenUnavailable(): void {
    if (this.isUnavailable) throw new LeasesUnavailable('away')
  }
}

const keyOf = (group: string, name: string): string => `${group}/${name}`
const isOf = (group: string, key: string): boolean => key.startsWith(`${group}/`)
const namesOf = (group: string, keys: Iterable<string>): readonly string[] =>
  [...keys]
    .filter((key) => isOf(group, key))
    .map((key) => key.slice(group.length + 1))
    .toSorted()
