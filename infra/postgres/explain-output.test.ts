import { describe, expect, test } from 'vitest'
import { explainOutput } from './explain-output.ts'

/** The output of PostgreSQL 18, word for word. */
const outputs = [
  [
    'a full disk at run time',
    'PANIC:  could not write to file "pg_wal/xlogtemp.4711": No space left on device\nLOG:  checkpointer process (PID 12) was terminated by signal 6: Aborted',
    'DISK_FULL',
    /free some space/,
  ],
  [
    'a full disk while creating',
    'initdb: error: could not write file "postgresql.conf": No space left on device\ninitdb: removing contents of data directory',
    'DISK_FULL',
    /free some space/,
  ],
  [
    'a taken port',
    'LOG:  could not bind IPv4 address "127.0.0.1": Address already in use\nHINT:  Is another postmaster already running on port 5999? If not, wait a few seconds and retry.\nWARNING:  could not create listen socket for "127.0.0.1"\nFATAL:  could not create any TCP/IP sockets',
    'PORT_IN_USE',
    /another program listens/,
  ],
  [
    'data of another version',
    'FATAL:  database files are incompatible with server\nDETAIL:  The data directory was initialized by PostgreSQL version 15, which is not compatible with this version 18.4.',
    'OTHER_MAJOR_VERSION',
    /DATA_DIR at another folder/,
  ],
  [
    'a pid file of a live process',
    'FATAL:  lock file "postmaster.pid" already exists\nHINT:  Is another postmaster (PID 17) running in data directory "/proc/self/cwd"?',
    'PID_FILE_CORRUPT',
    /delete postgres\/cluster\/postmaster.pid/,
  ],
  [
    'a cluster of somebody else',
    'FATAL:  data directory "/proc/self/cwd" has wrong ownership\nHINT:  The server must be started by the user that owns the data directory.',
    'DATA_FOLDER_NOT_WRITABLE',
    /chown -R/,
  ],
  [
    'a read-only disk',
    'FATAL:  could not create lock file "postmaster.pid": Read-only file system',
    'DATA_FOLDER_NOT_WRITABLE',
    /cannot be written/,
  ],
] as const

describe('explainOutput', () => {
  test.each(outputs)('given %s, when explained, then the message says what to do', (...row) => {
    const [, output, code, advice] = row
    const failure = explainOutput('starting PostgreSQL', output, { code: 1, signal: null })
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(advice)
    expect(failure.message).toContain(output.split('\n').at(-1))
  })

  test('given words that nobody foresaw, when explained, then they are passed on with the way it ended', () => {
    const failure = explainOutput('running PostgreSQL', 'FATAL:  unheard of', {
      code: null,
      signal: 'SIGSEGV',
    })
    expect(failure).toMatchObject({ code: 'SERVER_EXITED', retryable: true })
    expect(failure.message).toBe(
      'running PostgreSQL failed (signal SIGSEGV): PostgreSQL said: FATAL:  unheard of',
    )
  })
})
