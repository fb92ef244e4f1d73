/**
 * Exclusive rights to do a named piece of work, such as owning an account partition or feeding a read model. Processes
 * share these rights among themselves. A right ends by itself when its holder falls silent: a killed or stopped process
 * keeps no other waiting. A holder may find out late that it has lost a right, so every use is fenced by something
 * stronger (an expected revision, a checkpoint).
 */
export interface Leases {
  /**
   * One round trip: reports that `member` is alive, extends its rights, takes wanted ones that are free, and gives back
   * those it has finished with. Fails with a retryable error while the database is unavailable.
   */
  renew(round: LeaseRound): Promise<LeaseAnswer>
  /** Gives everything back at once and takes the member off the list, so that others need not wait. */
  leave(group: string, member: string): Promise<void>
  /** The same, but only when another member is there; false, and nothing changed, when this is the last. */
  stepBack(group: string, member: string): Promise<boolean>
}

export interface LeaseRound {
  /** The group whose members share its work: `ledger`, `projectors`. */
  readonly group: string
  /** This process, new at each start. */
  readonly member: string
  /** How long presence and leases last unless renewed. */
  readonly ttlMs: number
  /** Rights to keep, or to take when they are free. Any that this member holds and that is not named is given back. */
  readonly wanted: readonly string[]
}

export interface LeaseAnswer {
  /** Members that are alive, this one included; all members see the same order. */
  readonly members: readonly string[]
  /** Names that this member holds from now on for `ttlMs`. */
  readonly held: readonly string[]
}

/** One process's share of the work of a group, at this moment. */
export interface WorkShare {
  /**
   * Since when this process holds a right without interruption, monotonic milliseconds; null when it does not, also
   * while it is handing it over. It stays while the leases cannot be renewed and no other process is known to have the
   * right (work goes on, fenced by revision or checkpoint). It starts anew after an interruption of more than the
   * leases' time to live: silence that is counted from it never includes a time in which another process might have
   * received messages.
   */
  heldSince(name: string): number | null
  /**
   * Whether no other process can have taken a right that is held here: they were renewed less than their time to live
   * ago. A process that stood still, or cannot reach the leases, is not certain until its next renewal.
   */
  isCertain(): boolean
  /** Names of the rights held now, in no order. */
  held(): readonly string[]
  /** How many processes share the work, this one included; 0 before the first round. */
  members(): number
  /** Calls the listener after a right was begun or its end has begun; answers how to be called no more. */
  onChange(listener: () => void): () => void
  /** Ends all work, gives every right back and leaves; resolves within seconds. */
  stop(): Promise<void>
}

/** Work that can be begun and ended by name; `ShareWork` shares it between processes. */
export interface SharedWork {
  /** All processes that share it use the same. */
  readonly group: string
  readonly names: readonly string[]
  /**
   * Whether this process can do its part at present. While it cannot for some seconds, and others are there, it gives
   * everything to them. Default: always.
   */
  readonly isAble?: () => boolean
  /** The right is held from now on. It must not fail: work that can fail is started here and retried there. */
  begin(name: string): void
  /**
   * Stop doing it; resolves when nothing of it is under way. Waited for at most 2 s, then the right is given back
   * nevertheless. It is not begun again before this has resolved or its time is up.
   */
  end(name: string, reason: EndOfRight): Promise<void>
}

/**
 * `hand-over`: another process should have it and waits; `lost`: another may have it already, after this one fell
 * silent or could not do it; `stop`: this process stops.
 */
export type EndOfRight = 'hand-over' | 'lost' | 'stop'

/** How a process takes part in shared work; composition binds leases, member id and clock. */
export type ShareWork = (work: SharedWork) => WorkShare

/** The right to one piece of work that comes to its end, such as a test of all channels. */
export interface Claim {
  /** Aborts when the right is lost: from then on another process may do the same. */
  readonly signal: AbortSignal
  release(): Promise<void>
}

/** Claims the work of this name; null while this process or another has claimed it. */
export type ClaimWork = (name: string) => Promise<Claim | null>

/**
 * The database that keeps the leases did not answer; the caller retries. A right that was held continues until another
 * process takes it.
 */
export class LeasesUnavailable extends Error {
  readonly code = 'LEASES_UNAVAILABLE'
  readonly retryable = true
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'LeasesUnavailable'
  }
}
