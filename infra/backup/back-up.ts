import { createWriteStream } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { sourceMigrations } from '../postgres/source-migrations.ts'
import { checksumOf, writeChecksums } from './checksums.ts'
import { BackupFailure, invalid } from './failure.ts'
import { keyCheck } from './key-check.ts'
import { makeFolder } from './make-folder.ts'
import {
  FORMAT,
  KEY_FILE,
  type Manifest,
  MANIFEST_FILE,
  type ManifestTable,
  type SavedLog,
  tableFile,
} from './manifest.ts'
import { LOG_TABLES, SAVED_TABLES, type SavedTable } from './saved-tables.ts'

export interface BackUpOptions {
  readonly databaseUrl: string
  /** Where the backup shall be; must not be there yet, or be empty. */
  readonly folder: string
  readonly masterKey: Buffer
  /** False leaves the key out, which must then be kept elsewhere. */
  readonly isKeyIncluded: boolean
  /** Null = the log is in the database. Else reads where a log ends that lies elsewhere. */
  readonly readLog: (() => Promise<SavedLog>) | null
  /** Version of the Tollgate that writes. */
  readonly version: string
  /** Now, unix milliseconds. */
  readonly now: number
  /** Events copied in one statement: each holds a snapshot of the database, which must not grow old. Default 50,000. */
  readonly eventsAtOnce?: number
  readonly onProgress: (progress: { readonly events: number; readonly of: number }) => void
}

/** Takes a few hundred milliseconds. */
const EVENTS_AT_ONCE = 50_000
/** Fast, and within a few percent of the default's size on JSON. */
const COMPRESSION_LEVEL = 3

/**
 * Writes a backup of the database, which may be in use. It shows one moment: all tables but the log are read in one
 * transaction, and the log, whose events never change, up to the position that this transaction saw. So it is what a
 * crash at that moment would have left, which every start of Tollgate can go on from. For a log that lies elsewhere,
 * the manifest says where it ended after that moment: no row is newer than it. The folder appears under its name when
 * it is whole. Answers the manifest. Throws BackupFailure, or as `readLog` does.
 */
export async function backUp(options: BackUpOptions): Promise<Manifest> {
  const folder = resolve(options.folder)
  const building = `${folder}.unfinished-${process.pid}`
  await refuseExisting(folder).catch(invalid(folder))
  await makeFolder(building, 0o700).catch(invalid(folder))
  const client = new Client({
    connectionString: options.databaseUrl,
    application_name: 'tollgate-backup',
  })
  try {
    await client.connect()
    const manifest = await copyAll(client, building, options)
    await finish(building, manifest, options)
    await rename(building, folder)
    return manifest
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    throw error
  } finally {
    await client.end()
  }
}

async function refuseExisting(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  if (entries.length === 0) return
  throw new BackupFailure(
    'BACKUP_EXISTS',
    `${folder} is there already and is not empty: name a folder that is not there yet`,
  )
}

async function copyAll(client: Client, folder: string, options: BackUpOptions): Promise<Manifest> {
  // Dates as every PostgreSQL reads them, whatever this one is set to.
  await client.query(`set datestyle to 'ISO, YMD'`)
  await client.query('begin isolation level repeatable read read only')
  const migrations = await rowsOf<Manifest['migrations'][number]>(
    client,
    'select id, sha256 from tollgate.migrations order by applied_at, id',
  )
  const [head] = await rowsOf<{ position: number }>(
    client,
    'select position::float8 as position from ledger.head',
  )
  const headPosition = head?.position ?? -1
  const sequences = await readSequences(client)
  // After the first query, which is the moment that the rows show.
  const log = (await options.readLog?.()) ?? null
  const tables: ManifestTable[] = []
  for (const name of await tablesOf(client, migrations)) {
    if (name === 'ledger.events' || (log !== null && LOG_TABLES.includes(name))) continue
    const columns = await columnsOf(client, name)
    const source = `select ${columns.join(', ')} from ${name}`
    const rows = await writeRows(folder, name, () => copyOut(client, [source]))
    tables.push({ name, columns, rows })
  }
  await client.query('commit')
  if (log === null) tables.push(await copyEvents(client, folder, headPosition, options))
  return {
    format: FORMAT,
    tollgate: options.version,
    takenAt: new Date(options.now).toISOString(),
    headPosition: log?.position ?? headPosition,
    log,
    key: { isIncluded: options.isKeyIncluded, check: keyCheck(options.masterKey) },
    migrations: [...migrations],
    tables: SAVED_TABLES.flatMap((name) => tables.filter((table) => table.name === name)),
    sequences,
  }
}

/** A database that an earlier version wrote last has not got all tables yet. In any other, a missing one is a damage. */
async function tablesOf(
  client: Client,
  migrations: Readonly<Manifest['migrations']>,
): Promise<readonly SavedTable[]> {
  const ran = new Set(migrations.map(({ id }) => id))
  if (sourceMigrations.every(({ id }) => ran.has(id))) return SAVED_TABLES
  const there = await rowsOf<{ name: SavedTable }>(
    client,
    'select name from unnest($1::text[]) name where to_regclass(name) is not null',
    [SAVED_TABLES],
  )
  const names = new Set(there.map(({ name }) => name))
  return SAVED_TABLES.filter((name) => names.has(name))
}

async function copyEvents(
  client: Client,
  folder: string,
  headPosition: number,
  { onProgress, eventsAtOnce = EVENTS_AT_ONCE }: BackUpOptions,
): Promise<ManifestTable> {
  const name = 'ledger.events'
  const columns = await columnsOf(client, name)
  const count = headPosition + 1
  const page = (from: number): string =>
    `select ${columns.join(', ')} from ${name}
     where position >= ${from} and position < ${Math.min(from + eventsAtOnce, count)} order by position`
  const pages = Array.from({ length: Math.ceil(count / eventsAtOnce) }, (_, at) =>
    page(at * eventsAtOnce),
  )
  const rows = await writeRows(folder, name, () =>
    copyOut(client, pages, (events) => onProgress({ events, of: count })),
  )
  if (rows !== count) {
    throw new Error(`the log's head is at ${headPosition}, but ${rows} events were found up to it`)
  }
  return { name, columns, rows }
}

/** Text of all rows that the queries answer; returns how many there were. */
async function* copyOut(
  client: Client,
  queries: readonly string[],
  onRows: (rows: number) => void = () => undefined,
): AsyncGenerator<Buffer, number, undefined> {
  let rows = 0
  for (const query of queries) {
    const stream = client.query(copyTo(`copy (${query}) to stdout`))
    yield* stream as AsyncIterable<Buffer>
    rows += stream.rowCount
    onRows(rows)
  }
  return rows
}

async function writeRows(
  folder: string,
  table: string,
  copy: () => AsyncGenerator<Buffer, number, undefined>,
): Promise<number> {
  let rows = 0
  async function* counted(): AsyncGenerator<Buffer, void, undefined> {
    rows = yield* copy()
  }
  await pipeline(
    Readable.from(counted(), { objectMode: false }),
    createGzip({ level: COMPRESSION_LEVEL }),
    createWriteStream(join(folder, tableFile(table)), { mode: 0o600, flush: true }),
  )
  return rows
}

async function finish(folder: string, manifest: Manifest, options: BackUpOptions): Promise<void> {
  const secret = { mode: 0o600, flush: true }
  await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, secret)
  if (options.isKeyIncluded) {
    await writeFile(join(folder, KEY_FILE), `${options.masterKey.toString('base64')}\n`, secret)
  }
  const checksums = new Map<string, string>()
  for (const file of await readdir(folder))
    checksums.set(file, await checksumOf(join(folder, file)))
  await writeChecksums(folder, checksums)
}

async function columnsOf(client: Client, table: string): Promise<string[]> {
  const columns = await rowsOf<{ name: string }>(
    client,
    `select attname as name from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
  )
  return columns.map(({ name }) => name)
}

/** Where generated ids stand. Sequences do not belong to transactions, so they are never behind the rows. */
async function readSequences(client: Client): Promise<Manifest['sequences']> {
  const generated = await rowsOf<{ table: string; column: string; sequence: string }>(
    client,
    `select attrelid::regclass::text as table, attname as column,
       pg_get_serial_sequence(attrelid::regclass::text, attname) as sequence
     from pg_attribute
     where attrelid::regclass::text = any($1) and attidentity <> '' order by 1, 2`,
    [SAVED_TABLES],
  )
  const sequences: Manifest['sequences'] = []
  for (const { table, column, sequence } of generated) {
    const [state] = await rowsOf<{ lastValue: number; isCalled: boolean }>(
      client,
      `select last_value::float8 as "lastValue", is_called as "isCalled" from ${sequence}`,
    )
    if (state !== undefined) sequences.push({ table, column, ...state })
  }
  return sequences
}

const rowsOf = async <Row extends object>(
  client: Client,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> => (await client.query<Row>(sql, [...values])).rows
