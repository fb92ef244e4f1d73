import type { DomainEvent } from '../event.ts'

/** Stream of the databases' claims to the log: the newest confirmed one says which database goes with it. */
export const LOG_CLAIMS_STREAM = 'ledger-claims'

/**
 * A process asks to write the log on behalf of its database. Until the claim is confirmed, the database that goes with
 * the log may object by confirming its own claim once more.
 */
export type LogClaimed = DomainEvent<'LogClaimed', LogClaim>

/** The database that made this claim goes with the log from here on. */
export type LogClaimConfirmed = DomainEvent<'LogClaimConfirmed', LogClaim>

interface LogClaim {
  readonly at: number
  /** UUID, new for each claim; the database that made it keeps it. */
  readonly claim: string
}
