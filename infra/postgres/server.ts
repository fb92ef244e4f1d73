import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import type { ClusterAccess } from './cluster-process.ts'
import { spawnOnCluster } from './cluster-process.ts'
import type { ProgramExit } from './explain-output.ts'
import { explainOutput } from './explain-output.ts'
import { EmbeddedPostgresFailure } from './failure.ts'

/** The log of the embedded PostgreSQL for an operator; pino's logger fits. */
export interface PostgresLog {
  info(message: string): void
  warn(message: string): void
  debug(message: string): void
}

/** A PostgreSQL that accepts connections. */
export interface Server {
  readonly pid: number
  /** Settles when the process has ended, whoever ended it; carries the end of what it printed. */
  readonly ended: Promise<EmbeddedPostgresFailure>
  /** Ends all sessions, writes everything out and returns when the process has ended. */
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL on an existing cluster and returns when it accepts connections, which after a crash is when the
 * write-ahead log has been replayed. Throws EmbeddedPostgresFailure when it ends before that.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = spawnOnCluster(options, 'postgres', serverArguments(options), [
    'ignore',
    'ignore',
    'pipe',
  ])
  const output = followOutput(child, options)
  const ended = endOf(child, output)
  const failure = await Promise.race([output.isReady, ended, deadline(readyTimeoutMs)])
  if (failure instanceof EmbeddedPostgresFailure) {
    await stopProcess(child, ended)
    throw failure
  }
  return { pid: child.pid ?? 0, ended, stop: () => stopProcess(child, ended) }
}

export interface ServerOptions extends ClusterAccess {
  /** On 127.0.0.1. */
  readonly port: number
  /** Whether it also listens on a socket in the cluster's folder. */
  readonly hasSocket: boolean
  /** False trades durability for speed; for clusters that nobody will miss. */
  readonly isDurable: boolean
  readonly log: PostgresLog
  /** Told when the server ends all sessions because one of them crashed, and when it accepts connections again. */
  readonly onAvailability: (isAvailable: boolean) => void
}

/** Replaying a write-ahead log of the largest size (1 GB between checkpoints) takes well below this on a slow disk. */
const readyTimeoutMs = 300_000
const fastShutdownTimeoutMs = 20_000

function serverArguments(options: ServerOptions): string[] {
  const settings = options.isDurable ? productSettings : { ...productSettings, ...fastSettings }
  const places = { port: options.port, unix_socket_directories: options.hasSocket ? '.' : '' }
  return Object.entries({ ...settings, ...places }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
}

/** Sized for a machine that runs all of Tollgate: the operating system's cache holds the rest. */
const productSettings = {
  listen_addresses: '127.0.0.1',
  // Those of the cluster's own user and of root.
  unix_socket_permissions: '0700',
  password_encryption: 'scram-sha-256',
  fsync: 'on',
  synchronous_commit: 'on',
  // Enough for two of each kind of process on one server; a connection that is not open costs next to nothing.
  max_connections: '150',
  shared_buffers: '64MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '1GB',
  wal_compression: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are reported to the client that sent them, with their data; they do not belong into a log.
  log_min_messages: 'log',
  log_line_prefix: '',
  log_checkpoints: 'off',
}

const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Several of all of Tollgate, each with a database of its own, and what looks into them.
  max_connections: '250',
}

function followOutput(child: ChildProcess, { log, onAvailability }: ServerOptions) {
  let tail = ''
  let partialLine = ''
  const isReady = new Promise<'ready'>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-tailCharactersMax)
      const lines = (partialLine + text).split('\n')
      partialLine = lines.pop() ?? ''
      for (const line of lines) {
        if (/^(FATAL|PANIC|WARNING): /.test(line)) log.warn(`postgres: ${line}`)
        else log.debug(`postgres: ${line}`)
        if (line.includes('terminating any other active server processes')) onAvailability(false)
        if (line.includes('database system is ready to accept connections')) {
          onAvailability(true)
          resolve('ready')
        }
      }
    })
  })
  return { isReady, tail: () => tail }
}

/** The last words of a server, kept for the failure's message. */
const tailCharactersMax = 4_000

async function endOf(
  child: ChildProcess,
  output: { tail(): string },
): Promise<EmbeddedPostgresFailure> {
  try {
    const [code, signal] = (await once(child, 'close')) as [
      ProgramExit['code'],
      ProgramExit['signal'],
    ]
    return explainOutput('running PostgreSQL', output.tail(), { code, signal })
  } catch (error) {
    return new EmbeddedPostgresFailure(
      'BINARIES_MISSING',
      `PostgreSQL's program cannot be run: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  }
}

/** SIGINT is PostgreSQL's fast shutdown; SIGQUIT leaves recovery to the next start and loses nothing committed. */
async function stopProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    await ended
    return
  }
  child.kill('SIGINT')
  const impatience = setTimeout(() => child.kill('SIGQUIT'), fastShutdownTimeoutMs)
  await ended
  clearTimeout(impatience)
}

function deadline(timeoutMs: number): Promise<EmbeddedPostgresFailure> {
  return new Promise((resolve) => {
    setTimeout(
      () =>
        resolve(
          new EmbeddedPostgresFailure(
            'SERVER_EXITED',
            `PostgreSQL was not ready after ${timeoutMs / 1000} seconds: look at the disk that holds DATA_DIR, and start again`,
          ),
        ),
      timeoutMs,
    ).unref()
  })
}
