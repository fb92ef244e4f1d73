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
  /** Nothing can be written where the backup, or what is restored, shall be. */
  | 'FOLDER_UNFIT'
  /** The event log is not the one that the backup goes with, or is older than it, or has no identity yet. */
  | 'LOG_UNFIT'
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

/** For a folder that cannot be looked into or made: fails with FOLDER_UNFIT, or with what was a BackupFailure before. */
export const invalid =
  (folder: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || error instanceof BackupFailure) throw error
    throw new BackupFailure(
      'FOLDER_UNFIT',
      `${folder} cannot be used (${error.message}): name a folder that this user may write to`,
      error,
    )
  }
