/**
 * SQLSTATE classes and codes after which the same work can succeed: connection trouble, lack of resources, shutdown,
 * deadlock and serialisation (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58'])
const PASSING_CODES: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])
const PASSING_SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** What pg says, without a code, when a connection ends or cannot be had. */
const PASSING_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|connection ended/i

/** True for a failure of the database's surroundings, false for one that the same work would meet again. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('retryable' in error && error.retryable === true) return true
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    PASSING_CODES.has(code) ||
    PASSING_SOCKET_CODES.has(code) ||
    (code.length === 5 && PASSING_CLASSES.has(code.slice(0, 2))) ||
    PASSING_MESSAGE.test(error.message)
  )
}
