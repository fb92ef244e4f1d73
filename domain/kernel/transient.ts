/**
 * SQLSTATE classes and codes after which the same work can succeed: connection trouble, lack of resources, shutdown,
 * deadlock and serialisation (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const TRANSIENT_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58'])
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])
const TRANSIENT_SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** The messages of pg, without a code, when a connection ends or cannot be had. */
const TRANSIENT_MESSAGE =
  /connection terminated|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|connection ended/i

/** The claim of an error of ours: whether the same may succeed later; null for one that claims nothing. */
export const retryableOf = (error: unknown): boolean | null =>
  error instanceof Error && 'retryable' in error && typeof error.retryable === 'boolean'
    ? error.retryable
    : null

/** True for a failure of the surroundings, false for one that the same work would meet again. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (retryableOf(error) === true) return true
  const code = codeOf(error)
  return (
    TRANSIENT_CODES.has(code) ||
    TRANSIENT_SOCKET_CODES.has(code) ||
    (code === 'ENOENT' && isOfConnecting(error)) ||
    (code.length === 5 && TRANSIENT_CLASSES.has(code.slice(0, 2))) ||
    TRANSIENT_MESSAGE.test(error.message) ||
    // A library that words a failure anew keeps the first as its cause.
    (code === '' && isTransient(error.cause))
  )
}

/**
 * True when the work that a transient failure ended may have been done all the same: the connection went while it was
 * under way. False when nothing was sent, or the server took nothing.
 */
export function mayHaveBeenDone(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('outcome' in error) return error.outcome === 'unknown'
  if ('retryable' in error || isOfConnecting(error)) return false
  const code = codeOf(error)
  return (
    ENDED_UNDER_WAY_CODES.has(code) ||
    (code.length === 5 && code.startsWith('08') && !NEVER_CONNECTED_CODES.has(code)) ||
    (TRANSIENT_MESSAGE.test(error.message) && !/trying to connect/i.test(error.message))
  )
}

/** A shutdown that ends a statement, and connections that break. */
const ENDED_UNDER_WAY_CODES: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const NEVER_CONNECTED_CODES: ReadonlySet<string> = new Set(['08001', '08004'])

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : ''

/** A server that is down has no socket of its name; no other missing file passes. */
const isOfConnecting = (error: Error): boolean => 'syscall' in error && error.syscall === 'connect'
