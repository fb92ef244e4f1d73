const MIB = 1024 * 1024

/** How many bytes of bodies may be in flight at once. */
export interface BodyBudgetLimits {
  readonly processBytesMax: number
  readonly accountBytesMax: number
  readonly addressBytesMax: number
  /** Bytes of one address, in requests of unknown callers. */
  readonly strangerBytesMax: number
  /** Bytes of all such requests together, so that they leave room for accounts. */
  readonly strangersBytesMax: number
}

/** Room for the largest body and its compressed form at least twice, whatever limit the operator sets for one. */
export const bodyBudgetLimits = (bodyBytesMax: number): BodyBudgetLimits => ({
  processBytesMax: Math.max(512 * MIB, 4 * bodyBytesMax),
  accountBytesMax: Math.max(64 * MIB, 2 * bodyBytesMax),
  addressBytesMax: Math.max(128 * MIB, 2 * bodyBytesMax),
  strangerBytesMax: MIB,
  strangersBytesMax: 64 * MIB,
})

/** Whose bytes they are. */
export interface UploadOwner {
  /** The user's id; null while the caller is unknown. */
  readonly account: number | null
  /** The client's address, or its network: everything that is counted as one. */
  readonly address: string
}

/** One figure that is kept within a limit. */
export interface BudgetLine {
  readonly key: string
  readonly bytesMax: number
}

/** Counts the bytes of bodies that a process holds: in all, by account, by address, and of strangers. */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits
  /** Bytes in flight; a figure that comes to 0 is forgotten. */
  readonly #bytes = new Map<string, number>()

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits
  }

  /** The lines that a request of this owner counts in. */
  linesOf({ account, address }: UploadOwner): readonly BudgetLine[] {
    const limits = this.#limits
    const shared = [
      { key: 'process', bytesMax: limits.processBytesMax },
      { key: `address ${address}`, bytesMax: limits.addressBytesMax },
    ]
    return account === null
      ? [
          ...shared,
          { key: 'strangers', bytesMax: limits.strangersBytesMax },
          { key: `stranger ${address}`, bytesMax: limits.strangerBytesMax },
        ]
      : [...shared, { key: `account ${account}`, bytesMax: limits.accountBytesMax }]
  }

  /** Takes bytes in all lines, or in none: false when one of them has no room. */
  take(lines: readonly BudgetLine[], bytes: number): boolean {
    if (lines.some(({ key, bytesMax }) => this.#of(key) + bytes > bytesMax)) return false
    for (const { key } of lines) this.#bytes.set(key, this.#of(key) + bytes)
    return true
  }

  give(lines: readonly BudgetLine[], bytes: number): void {
    for (const { key } of lines) {
      const left = this.#of(key) - bytes
      if (left > 0) this.#bytes.set(key, left)
      else this.#bytes.delete(key)
    }
  }

  /** Bytes in flight in the whole process. */
  get bytesInFlight(): number {
    return this.#of('process')
  }

  #of(key: string): number {
    return this.#bytes.get(key) ?? 0
  }
}
