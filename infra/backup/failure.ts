/** A backup cannot be made or used; the message says why and what to do. */
export class BackupFailure extends Error {
  readonly code: BackupFailureCode
  readonly retryable = false
  constructor(code: BackupFailureCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.name = 'BackupFailure'
  }
}

export type BackupFailureCode =
  /** Where the backup is to be written, something lies already. */
  | 'BACKUP_EXISTS'
  /** The event log is not in this database. */
  | 'LOG_ELSEWHERE'
  /** There is no backup, or what is there is none. */
  | 'NO_BACKUP'
  /** A file is not what was written. */
  | 'BACKUP_DAMAGED'
  /** Written by a later version. */
  | 'BACKUP_TOO_NEW'
  /** Where it is to be restored, there is data already. */
  | 'TARGET_NOT_EMPTY'
  /** The key that opens the secrets is not there, or is another. */
  | 'WRONG_KEY'
