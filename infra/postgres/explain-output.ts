import { EmbeddedPostgresFailure } from './failure.ts'
import type { EmbeddedPostgresFailureCode } from './failure.ts'

/**
 * Turns what a PostgreSQL program printed before it ended into a failure that says what to do. The program speaks
 * English (LC_ALL=C), so its words can be told apart.
 *
 * @param doing what was going on, such as `starting PostgreSQL`
 */
export function explainOutput(
  doing: string,
  output: string,
  exit: ProgramExit,
): EmbeddedPostgresFailure {
  const known = explanations.find(({ pattern }) => pattern.test(output))
  const lastWords = output.trim().split('\n').slice(-lastLines).join(' | ')
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`
  return new EmbeddedPostgresFailure(
    known?.code ?? 'SERVER_EXITED',
    `${doing} failed (${how}): ${known === undefined ? '' : `${known.advice}. `}PostgreSQL said: ${lastWords === '' ? 'nothing' : lastWords}`,
  )
}

export interface ProgramExit {
  readonly code: number | null
  readonly signal: string | null
}

/** Enough for an error with its detail and hint. */
const lastLines = 4

const explanations: readonly {
  readonly pattern: RegExp
  readonly code: EmbeddedPostgresFailureCode
  readonly advice: string
}[] = [
  {
    pattern: /No space left on device|Disk quota exceeded/,
    code: 'DISK_FULL',
    advice:
      'the disk that holds DATA_DIR is full; free some space on it, and Tollgate goes on with everything it had acknowledged',
  },
  {
    pattern: /could not bind .*Address already in use|could not create any TCP\/IP sockets/,
    code: 'PORT_IN_USE',
    advice: 'another program listens on the port of the embedded PostgreSQL; stop that program',
  },
  {
    pattern: /database files are incompatible with server|was initialized by PostgreSQL version/,
    code: 'OTHER_MAJOR_VERSION',
    advice:
      'the data was written by another version of PostgreSQL; start the Tollgate version that wrote it, or point DATA_DIR at another folder',
  },
  {
    pattern: /lock file "postmaster.pid" (already exists|is empty)|bogus data in lock file/,
    code: 'PID_FILE_CORRUPT',
    advice:
      'make sure that no postgres process uses DATA_DIR, then delete postgres/cluster/postmaster.pid in it and start again',
  },
  {
    pattern: /has wrong ownership|has invalid permissions/,
    code: 'DATA_FOLDER_NOT_WRITABLE',
    advice:
      'postgres/cluster in DATA_DIR does not belong to the user that PostgreSQL runs as, as after restoring a copy; run `chown -R` for that user and `chmod 700` on it',
  },
  {
    pattern: /Read-only file system|Permission denied/,
    code: 'DATA_FOLDER_NOT_WRITABLE',
    advice:
      'a file or folder in DATA_DIR cannot be written; give it back to the user that PostgreSQL runs as, or point DATA_DIR at another folder',
  },
]
