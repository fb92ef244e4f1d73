import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { Client, DatabaseError } from 'pg'
import { dataFolder, hasCluster } from './data-folder.ts'
import { startEmbeddedPostgres, urlOfRunningPostgres } from './embedded.ts'
import { EmbeddedPostgresFailure } from './failure.ts'
import type { PostgresLog } from './server.ts'
import { addressByPort } from './socket-folder.ts'
import { formatResult } from './sql-table.ts'

/** Which database to look into. */
export interface SqlTarget {
  /** A PostgreSQL of the operator's own; null = the embedded one in `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  readonly logger: PostgresLog
}

/**
 * Opens the database that Tollgate uses for as long as `use` takes: that of a running Tollgate where there is one, else
 * the embedded cluster is started and stopped again. Throws NoDatabase where Tollgate never ran.
 */
export async function withDatabase<T>(
  target: SqlTarget,
  use: (url: string) => Promise<T>,
): Promise<T> {
  if (target.databaseUrl !== null) return use(target.databaseUrl)
  if (!(await hasCluster(dataFolder(target.dataDir)))) throw new NoDatabase(target.dataDir)
  const embedded = await startEmbeddedPostgres(target).catch(asBusy)
  if (embedded === null) {
    const url = await urlOfRunningPostgres(target.dataDir)
    if (url === null) throw new NoDatabase(target.dataDir)
    return use(url)
  }
  try {
    return await use(embedded.url)
  } finally {
    await embedded.stop()
  }
}

/** Null when a running Tollgate has the cluster, which then answers queries too. */
function asBusy(error: unknown): null {
  if (error instanceof EmbeddedPostgresFailure && error.code === 'DATA_FOLDER_IN_USE') return null
  throw error
}

/** There is no cluster in the data folder. */
class NoDatabase extends Error {
  readonly code = 'NO_DATABASE'
  readonly retryable = false
  constructor(dataDir: string) {
    super(
      `there is no database in ${dataDir}: start Tollgate there once (npm start), or set DATA_DIR or DATABASE_URL to what it uses`,
    )
    this.name = 'NoDatabase'
  }
}

/** Runs one or more statements and gives each one's result as text, the way psql prints it. Throws SqlRefused. */
export async function runQuery(url: string, sql: string): Promise<string> {
  const client = await connect(url)
  try {
    return await answer(client, sql)
  } finally {
    await client.end()
  }
}

/** PostgreSQL refused a statement; the message has its hint and shows the place. */
export class SqlRefused extends Error {
  readonly code = 'SQL_REFUSED'
  readonly retryable = false
  constructor(sql: string, cause: DatabaseError) {
    super([`ERROR: ${cause.message}`, ...placeOf(sql, cause), ...hintsOf(cause)].join('\n'), {
      cause,
    })
    this.name = 'SqlRefused'
  }
}

/**
 * A prompt for where there is no psql: statements end with a semicolon and may take several lines; an error leaves the
 * prompt open. Ends with `\q` or the end of input.
 */
export async function promptForQueries(
  url: string,
  input: Readable,
  output: Writable,
): Promise<void> {
  const client = await connect(url)
  const lines = createInterface({ input, output, prompt: 'tollgate=> ' })
  // Input that is piped in ends before its last lines are answered.
  let isOpen = true
  lines.once('close', () => (isOpen = false))
  try {
    let statement = ''
    lines.prompt()
    for await (const line of lines) {
      if (line.trim() === '\\q') break
      statement += `${line}\n`
      if (statement.trim() === '') statement = ''
      if (statement.trimEnd().endsWith(';')) {
        output.write(`${await answer(client, statement).catch(messageOfRefusal)}\n`)
        statement = ''
      }
      lines.setPrompt(statement === '' ? 'tollgate=> ' : 'tollgate-> ')
      if (isOpen) lines.prompt()
    }
  } finally {
    lines.close()
    await client.end()
  }
}

/**
 * Hands the terminal to psql. Returns its exit code, or null when it is not installed. The password goes through the
 * environment, where other users of the machine cannot see it.
 */
export async function openPsql(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number | null> {
  const address = new URL(addressByPort(url))
  const password = decodeURIComponent(address.password)
  address.password = ''
  const child = spawn('psql', [address.href], {
    stdio: 'inherit',
    env: { ...env, PGPASSWORD: password },
  })
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return code ?? 1
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'tollgate-sql',
    // Values are shown as PostgreSQL writes them, not as JavaScript would.
    types: { getTypeParser: () => (value: string) => value },
  })
  await client.connect()
  // A server that goes away is reported by the query that meets it.
  client.on('error', () => undefined)
  return client
}

async function answer(client: Client, sql: string): Promise<string> {
  try {
    const results = await client.query<(string | null)[]>({ text: sql, rowMode: 'array' })
    return [results].flat().map(formatResult).join('\n\n')
  } catch (error) {
    throw error instanceof DatabaseError ? new SqlRefused(sql, error) : error
  }
}

function messageOfRefusal(error: unknown): string {
  if (error instanceof SqlRefused) return error.message
  throw error
}

function placeOf(sql: string, { position }: DatabaseError): string[] {
  if (position === undefined) return []
  const before = sql.slice(0, Number(position) - 1)
  const lineNumber = before.split('\n').length
  const column = before.length - (before.lastIndexOf('\n') + 1)
  const prefix = `LINE ${lineNumber}: `
  return [
    `${prefix}${sql.split('\n')[lineNumber - 1] ?? ''}`,
    `${' '.repeat(prefix.length + column)}^`,
  ]
}

const hintsOf = ({ detail, hint }: DatabaseError): string[] => [
  ...(detail === undefined ? [] : [`DETAIL: ${detail}`]),
  ...(hint === undefined ? [] : [`HINT: ${hint}`]),
]
