import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { takeLog } from '@tollgate/command-api/timelines/log-pair/log-claims.ts'
import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { openTimeline } from '@tollgate/command-api/timelines/timelines.ts'
import { currentTimeline } from '@tollgate/domain/timeline/timelines.ts'
import type { Pool } from 'pg'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import { postgresEventStoreMigrations } from '../event-store/postgres/migrations.ts'
import { openPostgresEventStore } from '../event-store/postgres/store.ts'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { migrate } from '../postgres/migrate.ts'
import { openPool } from '../postgres/pool.ts'
import { openTypedQueries } from '../postgres/typed-queries.ts'
import { dataFolder, hasCluster, lockDataFolder } from '../postgres/data-folder.ts'
import { startEmbeddedPostgres } from '../postgres/embedded.ts'
import { endLeftovers } from '../postgres/leftover-processes.ts'
import type { PostgresLog } from '../postgres/server.ts'
import { spoolFolder } from '../spool/spool-folder.ts'
import { verifyChecksums } from './checksums.ts'
import { BackupFailure, invalid } from './failure.ts'
import { keyCheck } from './key-check.ts'
import { makeFolder } from './make-folder.ts'
import { loadTables, refuseDatabaseInUse } from './load-tables.ts'
import { idsMadeSince, refuseInvalidLog } from './log-elsewhere.ts'
import { KEY_FILE, type Manifest, MANIFEST_FILE, readManifest, tableFile } from './manifest.ts'
import { refuseNewer } from './refuse-newer.ts'

export interface RestoreOptions {
  /** The backup. */
  readonly folder: string
  /** Where the embedded topology shall keep its data; must be empty, but for a spool of charges, or not there yet. */
  readonly dataDir: string
  /** A PostgreSQL of the operator's own, which must be empty; null = an embedded one in `dataDir`. */
  readonly databaseUrl: string | null
  /** The log at EVENTSTORE_URL; null = the log is in the database. */
  readonly log: AuditableEventStore | null
  /** Master key of the environment; null = the one in the backup, which then becomes the key file in `dataDir`. */
  readonly masterKey: Buffer | null
  /** Version of the Tollgate that restores. */
  readonly version: string
  readonly logger: PostgresLog
  readonly onProgress: (progress: RestoreProgress) => void
}

export interface RestoreProgress {
  readonly step: 'checking' | 'loading'
  /** Bytes of the compressed files. */
  readonly bytes: number
  readonly of: number
}

/** In the data folder while a restore is under way; what a killed one leaves is cleared away by the next. */
const STAGING = 'restoring'

/** The result of a restore. */
export interface Restored {
  readonly manifest: Manifest
  /** How many rows of each table the log names that were made after the backup; nothing for a log in the backup. */
  readonly missing: Missing
}
type Missing = ReadonlyMap<string, number>

/**
 * Checks every file of a backup, then makes of it a data folder (or fills a database) that Tollgate can be started on;
 * read models are then built from the log. Nothing appears in place before it is whole. A log that lies elsewhere must
 * have all that it had when the backup was taken; it goes with the restored database from then on. Throws BackupFailure.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const folder = resolve(options.folder)
  const manifest = await readManifest(folder)
  refuseNewer(manifest, options.version)
  const log = await logOf(manifest, options)
  if (options.databaseUrl === null) {
    await refuseUsedFolder(options.dataDir).catch(invalid(options.dataDir))
  } else await refuseDatabaseInUse(options.databaseUrl)
  await checkFiles(folder, manifest, options)
  await checkKey(folder, manifest, options)
  const made = log === null ? NOTHING : await idsMadeSince(log, manifest.headPosition)
  const source: Source = { folder, manifest: beyond(manifest, made), log, made }
  const missing =
    options.databaseUrl === null
      ? await restoreFolder(source, options)
      : await restoreDatabase(source, options, options.databaseUrl)
  return { manifest, missing }
}

/** The source of a restore. */
interface Source {
  readonly folder: string
  readonly manifest: Manifest
  /** Null = the backup holds it. */
  readonly log: AuditableEventStore | null
  /** Ids that the log has given away since the backup, by table. */
  readonly made: MadeIds
}
type MadeIds = ReadonlyMap<string, readonly number[]>
const NOTHING: MadeIds = new Map()

/** Generated ids go on behind those that the log has given away: set with the rows, or a crash could give one twice. */
function beyond(manifest: Manifest, made: MadeIds): Manifest {
  const sequences = manifest.sequences.map((sequence) => {
    const ids = made.get(sequence.table) ?? []
    if (ids.length === 0) return sequence
    const lastValue = ids.reduce((one, other) => Math.max(one, other), sequence.lastValue)
    return { ...sequence, lastValue, isCalled: true }
  })
  return { ...manifest, sequences }
}

/** The log that the rows go with, when the backup does not hold it. */
async function logOf({ log: saved }: Manifest, { log }: RestoreOptions): Promise<Source['log']> {
  if (saved === null && log === null) return null
  if (saved === null) {
    throw new BackupFailure(
      'LOG_UNFIT',
      'the backup holds its log, which was in PostgreSQL: unset EVENTSTORE_URL and restore it, then move the log (npm run ledger -- copy)',
    )
  }
  if (log === null) {
    throw new BackupFailure(
      'LOG_UNFIT',
      `the backup goes with the event log ${saved.timelines.at(-1)} in EventStoreDB: put its folder back, start the server, and set EVENTSTORE_URL`,
    )
  }
  await refuseInvalidLog(log, saved)
  return log
}

async function restoreFolder(source: Source, options: RestoreOptions): Promise<Missing> {
  const { dataDir, logger } = options
  const staging = join(dataDir, STAGING)
  await clearStaging(staging, logger)
  await makeFolder(staging).catch(invalid(dataDir))
  try {
    const embedded = await startEmbeddedPostgres({ dataDir: staging, logger })
    let missing: Missing
    try {
      missing = await load(source, options, embedded.url)
    } finally {
      await embedded.stop()
    }
    await placeKey(source.folder, options)
    // The last step, and one that happens or does not: from here on there is something to start.
    await rename(dataFolder(staging).home, dataFolder(dataDir).home)
    return missing
  } catch (error) {
    await rm(join(dataDir, KEY_FILE), { force: true })
    throw error
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function restoreDatabase(
  source: Source,
  options: RestoreOptions,
  databaseUrl: string,
): Promise<Missing> {
  const missing = await load(source, options, databaseUrl)
  await placeKey(source.folder, options)
  return missing
}

async function load(
  { folder, manifest, log, made }: Source,
  { onProgress }: RestoreOptions,
  databaseUrl: string,
): Promise<Missing> {
  const of = await bytesOf(folder, tableFiles(manifest))
  let bytes = 0
  await loadTables(databaseUrl, folder, manifest, (more) =>
    onProgress({ step: 'loading', bytes: (bytes += more), of }),
  )
  const pool = openPool(databaseUrl, { max: 2, applicationName: 'tollgate-restore' })
  try {
    if (log !== null) return await goWith(pool, log, made)
    await beginTimeline(pool, databaseUrl)
    return new Map()
  } finally {
    await pool.end()
  }
}

/**
 * Opens another timeline: events that the log wrote after the backup are not in it any more, and may still be known
 * elsewhere under its names.
 */
async function beginTimeline(pool: Pool, databaseUrl: string): Promise<void> {
  // The event is written as this version does it.
  await migrate(pool, postgresEventStoreMigrations)
  const store = openPostgresEventStore({ pool, databaseUrl, logger: SILENT, clock: systemClock })
  try {
    await openTimeline({ store, clock: systemClock, randomness: systemRandomness }, 'restore')
  } finally {
    await store.close()
  }
}

/**
 * Makes the rows a pair with a log that may be newer than they are, and answers how many it names that are not there. It
 * may have been put back, too, so it gets another timeline.
 */
async function goWith(pool: Pool, store: AuditableEventStore, made: MadeIds): Promise<Missing> {
  const missing = new Map<string, number>()
  for (const [table, ids] of made) {
    const { rows } = await pool.query<{ lacking: number }>(
      `select count(*)::float8 as lacking from unnest($1::bigint[]) made
       where not exists (select from ${table} where id = made)`,
      [ids],
    )
    if (rows[0] !== undefined && rows[0].lacking > 0) missing.set(table, rows[0].lacking)
  }
  const writer = { store, clock: systemClock, randomness: systemRandomness }
  const table = pairTable(await openTypedQueries(pool))
  const timelines = await openTimeline(writer, 'restore')
  await table.pairWith(currentTimeline(timelines).log)
  await takeLog({ ...writer, table })
  return missing
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * An embedded data folder is never overwritten and never mixed with another. Charges that were never delivered may stay:
 * they carry the log's former identity, and the restored ledger takes each once.
 */
async function refuseUsedFolder(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  const spool = basename(spoolFolder(dataDir))
  const used = entries.filter((name) => ![STAGING, spool, 'lost+found'].includes(name))
  if (used.length === 0) return
  throw new BackupFailure(
    'TARGET_NOT_EMPTY',
    `${dataDir} is not empty (it has ${used.slice(0, 3).join(', ')}): restoring never overwrites. Move that away, or point DATA_DIR at an empty folder; charges in a folder "${spool}" may stay or be moved there, they are delivered by the next start`,
  )
}

/** Clears the remains of a restore that was killed: its PostgreSQL may still run. */
async function clearStaging(staging: string, logger: PostgresLog): Promise<void> {
  const folder = dataFolder(staging)
  if (await hasCluster(folder)) {
    const lock = lockDataFolder(folder)
    await endLeftovers(folder.clusterFolder, logger)
    lock.release()
  }
  await rm(staging, { recursive: true, force: true })
}

async function checkFiles(
  folder: string,
  manifest: Manifest,
  { onProgress }: RestoreOptions,
): Promise<void> {
  const files = [
    MANIFEST_FILE,
    ...(manifest.key.isIncluded ? [KEY_FILE] : []),
    ...tableFiles(manifest),
  ]
  const of = await bytesOf(folder, files)
  let bytes = 0
  await verifyChecksums(folder, files, (more) =>
    onProgress({ step: 'checking', bytes: (bytes += more), of }),
  )
}

const tableFiles = ({ tables }: Manifest): readonly string[] =>
  tables.map(({ name }) => tableFile(name))

/** A missing file counts as empty: the check names it. */
async function bytesOf(folder: string, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map((file) => stat(join(folder, file)).catch(() => ({ size: 0 }))),
  )
  return sizes.reduce((total, { size }) => total + size, 0)
}

/** Without the right key every secret would be lost, which shows only when somebody needs one: refused before. */
async function checkKey(
  folder: string,
  { key }: Manifest,
  { masterKey }: RestoreOptions,
): Promise<void> {
  if (masterKey === null && !key.isIncluded) {
    throw new BackupFailure(
      'WRONG_KEY',
      `the backup was made without its key: set MASTER_KEY to what Tollgate ran with then (or to the text in its ${KEY_FILE})`,
    )
  }
  const given = masterKey ?? (await keyIn(folder))
  if (keyCheck(given) === key.check) return
  throw new BackupFailure(
    'WRONG_KEY',
    masterKey === null
      ? `the ${KEY_FILE} in ${folder} is not the one that the secrets were sealed with: use another copy of the backup`
      : `MASTER_KEY is not the one that the secrets in the backup were sealed with: set the one that Tollgate ran with then${key.isIncluded ? ', or unset it to use the key in the backup' : ''}`,
  )
}

const keyIn = async (folder: string): Promise<Buffer> =>
  Buffer.from((await readFile(join(folder, KEY_FILE), 'utf8')).trim(), 'base64')

/** A key that is in the environment stays there. */
async function placeKey(folder: string, { masterKey, dataDir }: RestoreOptions): Promise<void> {
  if (masterKey !== null) return
  await makeFolder(dataDir).catch(invalid(dataDir))
  const text = await readFile(join(folder, KEY_FILE))
  await writeFile(join(dataDir, KEY_FILE), text, { mode: 0o600, flush: true })
}
