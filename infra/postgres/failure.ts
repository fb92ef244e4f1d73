/** Why the embedded PostgreSQL cannot do its work; the message says what the operator can do about it. */
export class EmbeddedPostgresFailure extends Error {
  readonly code: EmbeddedPostgresFailureCode
  constructor(code: EmbeddedPostgresFailureCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.name = 'EmbeddedPostgresFailure'
  }

  /** True where waiting can help: another program may free the port, an operator the disk. */
  get retryable(): boolean {
    return this.code === 'PORT_IN_USE' || this.code === 'DISK_FULL' || this.code === 'SERVER_EXITED'
  }
}

export type EmbeddedPostgresFailureCode =
  | 'BINARIES_MISSING'
  | 'NO_UNPRIVILEGED_USER'
  | 'DATA_FOLDER_IN_USE'
  | 'DATA_FOLDER_NOT_WRITABLE'
  | 'DATA_FOLDER_UNREACHABLE'
  | 'OTHER_MAJOR_VERSION'
  | 'PID_FILE_CORRUPT'
  | 'PORT_IN_USE'
  | 'DISK_FULL'
  | 'SERVER_EXITED'
