import { Socket } from 'node:net'
import { Pool, types } from 'pg'
import { ReadBufferSocket } from './read-buffer-socket.ts'

/**
 * The one way to open connections to PostgreSQL. 64-bit integers arrive as numbers: quota, positions and ids are safe
 * integers by design, and a value that is not one throws instead of being rounded.
 */
export function openPool(url: string, options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser: typeParser },
    pipeline: options.isPipelined === true,
    ...(options.hasReadBuffers === true ? { stream: socketOf } : {}),
    ...(options.isDurable === false ? { options: '-c synchronous_commit=off' } : {}),
    ...(options.answerTimeoutMs === undefined ? {} : { query_timeout: options.answerTimeoutMs }),
  })
  // An idle connection that breaks (PostgreSQL restarting) has no query to report to. The pool has already thrown it
  // away and the next query opens a new one, so nobody needs more than a log line; without a listener Node would exit.
  pool.on('error', (error) => options.onIdleError?.(idleError(error)))
  // One that breaks between two queries of whoever uses it has none to report to either: the next query fails.
  pool.on('connect', (client) => client.on('error', ignoreError))
  return pool
}

/** pg says whether TLS will take the socket over, which reads in its own way. */
const socketOf = ({ ssl }: { readonly ssl?: unknown } = {}): Socket =>
  ssl === undefined || ssl === false ? new ReadBufferSocket() : new Socket()

const ignoreError = (): void => undefined

/** Why an idle connection broke: SQLSTATE (57P01) or the network's code (ECONNRESET), '' when there is neither. */
export interface IdleError {
  readonly message: string
  readonly code: string
}

/** pg hangs the whole client on the error, with the secret that cancels its queries: none of that is for a log. */
function idleError(error: Error): IdleError {
  return { message: error.message, code: 'code' in error ? String(error.code) : '' }
}

export interface PoolOptions {
  /** Connections at most; the embedded server takes 150 in all. */
  readonly max: number
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  /**
   * A query without an answer for this long fails and its connection is given up: one that fell silent (a firewall that
   * forgot it, a server that moved) would keep whoever asked for hours. Default none, for work that takes minutes.
   */
  readonly answerTimeoutMs?: number
  readonly onIdleError?: (error: IdleError) => void
  /**
   * False where a commit may be lost with the machine, because what it wrote is derived and made again: commits then
   * do not wait for the disk. Default true.
   */
  readonly isDurable?: boolean
  /**
   * Queries of one connection are sent without waiting for the answers to those before; they are answered in order.
   * Default false.
   */
  readonly isPipelined?: boolean
  /** For pools through which much of the log is read: see ReadBufferSocket. Default false. */
  readonly hasReadBuffers?: boolean
}

/** Longer than PostgreSQL needs to come back after a crash of its own, so that a short outage is a wait, not an error. */
const connectTimeoutMs = 10_000
const idleTimeoutMs = 30_000
/**
 * A machine that is gone without a word is noticed by who waits for its answer some 15 s after this (ten probes, a
 * second apart), not after the system's two hours.
 */
export const keepAliveAfterMs = 5_000
/**
 * A client that hangs inside a transaction (a paused process) keeps its locks from its successor. Transactions of
 * Tollgate wait on nothing but the database, for milliseconds; the few that wait for the log say so themselves.
 */
const idleInTransactionTimeoutMs = 10_000

const int8Oid = 20

/** pg passes the number of any type; its own declaration knows the built-in ones alone. */
type TypeParser = (oid: number, format?: 'text' | 'binary') => (value: string) => unknown
const builtInParser = types.getTypeParser as TypeParser

const typeParser: TypeParser = (oid, format) =>
  oid === int8Oid && format !== 'binary' ? parseInt8 : builtInParser(oid, format)

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(
      `PostgreSQL returned ${text}, which a JavaScript number cannot hold exactly; select it as text`,
    )
  }
  return value
}
