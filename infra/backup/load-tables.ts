import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { migrate } from '../postgres/migrate.ts'
import { openPool } from '../postgres/pool.ts'
import { sourceMigrations } from '../postgres/source-migrations.ts'
import { BackupFailure } from './failure.ts'
import { type Manifest, type ManifestTable, tableFile } from './manifest.ts'

/** Schemas of the source tables: where one of them is, a Tollgate has been. */
const SCHEMAS = ['tollgate', 'ledger', 'identity', 'secrets', 'process_manager']

/** Throws TARGET_NOT_EMPTY where a Tollgate has already been at work. */
export async function refuseDatabaseInUse(databaseUrl: string): Promise<void> {
  const found = await withClient(databaseUrl, (client) =>
    client.query<{ name: string }>(
      'select nspname as name from pg_namespace where nspname = any($1)',
      [SCHEMAS],
    ),
  )
  if (found.rows.length === 0) return
  throw new BackupFailure(
    'TARGET_NOT_EMPTY',
    `the database at DATABASE_URL is not empty (it has the schema ${found.rows[0]?.name}): restoring never overwrites. Make an empty database and name that`,
  )
}

/**
 * Makes the tables as they were when the backup was taken and fills them, all in one transaction. Migrations that came
 * since run afterwards: those of the log at once, the others at the next start. `onBytes` counts compressed bytes.
 */
export async function loadTables(
  databaseUrl: string,
  folder: string,
  manifest: Manifest,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await makeTables(databaseUrl, manifest)
  await withClient(databaseUrl, async (client) => {
    await client.query(`set datestyle to 'ISO, YMD'`)
    await client.query('begin')
    for (const table of manifest.tables) await loadTable(client, folder, table, onBytes)
    for (const { table, column, lastValue, isCalled } of manifest.sequences) {
      await client.query('select setval(pg_get_serial_sequence($1, $2), $3, $4)', [
        table,
        column,
        lastValue,
        isCalled,
      ])
    }
    if (manifest.log === null) await expectWholeLog(client, manifest)
    await client.query('commit')
    // Everything came in at once: without this the first queries would be planned for empty tables.
    for (const { name } of manifest.tables) await client.query(`analyze ${name}`)
  })
}

async function makeTables(databaseUrl: string, { migrations }: Manifest): Promise<void> {
  const ran = new Set(migrations.map(({ id }) => id))
  const pool = openPool(databaseUrl, { max: 1, applicationName: 'tollgate-restore' })
  try {
    await migrate(
      pool,
      sourceMigrations.filter(({ id }) => ran.has(id)),
    )
  } finally {
    await pool.end()
  }
}

async function loadTable(
  client: Client,
  folder: string,
  { name, columns, rows }: ManifestTable,
  onBytes: (bytes: number) => void,
): Promise<void> {
  // The head's row is made with its table; the log itself refuses this, and begins empty.
  if (name !== 'ledger.events') await client.query(`delete from ${name}`)
  const copy = client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`))
  await pipeline(
    createReadStream(join(folder, tableFile(name))),
    (chunks: AsyncIterable<Buffer>) => counted(chunks, onBytes),
    createGunzip(),
    copy,
  )
  if (copy.rowCount !== rows) {
    throw new Error(`${name}: ${copy.rowCount} rows came in, the backup says ${rows}`)
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

async function expectWholeLog(client: Client, { headPosition }: Manifest): Promise<void> {
  const { rows } = await client.query<{ head: number; last: number; events: number }>(
    `select (select position from ledger.head)::float8 as head,
       coalesce(max(position), -1)::float8 as last, count(*)::float8 as events from ledger.events`,
  )
  const [log] = rows
  if (log?.head === headPosition && log.last === headPosition && log.events === headPosition + 1) {
    return
  }
  throw new Error(`the log that came in is not whole: ${JSON.stringify(log)}, head ${headPosition}`)
}

async function withClient<T>(databaseUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'tollgate-restore',
  })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
