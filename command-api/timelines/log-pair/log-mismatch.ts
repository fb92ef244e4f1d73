/** Log and database as people name them in the settings. */
export interface PairPlaces {
  /** Such as `the event log at EVENTSTORE_URL`. */
  readonly log: string
  /** Such as `the database at DATABASE_URL`. */
  readonly database: string
  /** Whether the log is tables of the same database. */
  readonly isLogInDatabase: boolean
}

/** Log and database do not go together; the message names both, and the remedy. */
export class LogMismatch extends Error {
  readonly code = 'LOG_MISMATCH'
  readonly retryable = false
  constructor(problem: string, advice: string) {
    super(`${problem} Nothing was written to either.\n${advice}`)
    this.name = 'LogMismatch'
  }
}

export const ACCEPT = 'npm run ledger -- accept-rollback'

/** Which setting names the log, and which the database. */
export const settingsOf = ({ isLogInDatabase }: PairPlaces): string =>
  isLogInDatabase
    ? 'Set EVENTSTORE_URL to the event log that goes with this database'
    : 'Set EVENTSTORE_URL to the event log that goes with this database, or DATABASE_URL (DATA_DIR, for an embedded one) to the database that goes with this event log'
