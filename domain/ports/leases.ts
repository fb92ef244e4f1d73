/**
 * Exclusive rights to do a named piece of work, such as owning an account partition or feeding a read model, for
 * processes that share them out among themselves. A right ends by itself when its holder falls silent: a process that
 * was killed or stopped keeps nobody waiting. Whoever holds a right may still find out late that it has lost it, so
 * every use is fenced by something stronger (an expected revision, a checkpoint).
 */
export interface Leases {
  /**
   * One round trip: says that `member` is alive, extends what it holds, takes what it wants and nobody holds, and
   * gives back what it is done with. Fails with a retryable error while the database is away.
   */
  renew(round: LeaseRound): Promise<LeaseAnswer>
  /** Gives everything back at once and takes the member off the list, so that others need not wait. */
  leave(group: string, member: string): Promise<void>
}

export interface LeaseRound {
  /** Who shares among whom: `ledger`, `projectors`. */
  readonly group: string
  /** This process, new at each start. */
  readonly member: string
  /** How long presence and leases last unless renewed. */
  readonly ttlMs: number
  /** Rights to keep, or to take when they are free. Any that this member holds and that is not named is given back. */
  readonly wanted: readonly string[]
}

export interface LeaseAnswer {
  /** Members that are alive, this one included, in the same order for everybody. */
  readonly members: readonly string[]
  /** Names that this member holds from now on for `ttlMs`. */
  readonly held: readonly string[]
}
