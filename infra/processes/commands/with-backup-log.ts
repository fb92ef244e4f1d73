import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { BackupFailure } from '../../backup/failure.ts'
import { loadTables } from '../../backup/load-tables.ts'
import { MANIFEST_FILE, readManifest, tableFile } from '../../backup/manifest.ts'
import { refuseNewer } from '../../backup/refuse-newer.ts'
import { LOG_TABLES } from '../../backup/saved-tables.ts'
import { verifyChecksums } from '../../backup/checksums.ts'
import { openPostgresEventStore } from '../../event-store/postgres/store.ts'
import { startEmbeddedPostgres } from '../../postgres/embedded.ts'
import { migrate } from '../../postgres/migrate.ts'
import { openPool } from '../../postgres/pool.ts'
import { sourceMigrations } from '../../postgres/source-migrations.ts'
import { openTypedQueries } from '../../postgres/typed-queries.ts'
import type { Engines } from '../engines/engines.ts'
import { openLogger } from '../logger.ts'
import { systemClock } from '../runtime.ts'
import { interruption } from './interruption.ts'
import { VERSION } from '../version.ts'

const CONNECTIONS = 6

/**
 * Puts the log of a backup, and nothing else of it, into a PostgreSQL below the temporary folder, for as long as `use`
 * takes. Nobody's database is touched. Ctrl-C and SIGTERM end the loading, abort the signal that `use` has, and leave
 * nothing behind. Throws BackupFailure for a folder that is no backup, is damaged, of a later
 * Tollgate, or without its log. `readThreads` as the store's option.
 */
export async function withBackupLog<Result>(
  backup: string,
  use: (
    engines: Pick<Engines, 'store' | 'db' | 'batchPool'>,
    signal: AbortSignal,
  ) => Promise<Result>,
  readThreads = 0,
): Promise<Result> {
  const folder = resolve(backup)
  const manifest = await readManifest(folder)
  refuseNewer(manifest, VERSION)
  if (manifest.log !== null) {
    throw new BackupFailure(
      'LOG_UNFIT',
      `the log of the backup ${folder} is in EventStoreDB and not in its folder: put the server's own backup back, and replay with EVENTSTORE_URL`,
    )
  }
  const tables = manifest.tables.filter(({ name }) => LOG_TABLES.some((table) => table === name))
  const files = [MANIFEST_FILE, ...tables.map(({ name }) => tableFile(name))]
  await verifyChecksums(folder, files, () => undefined)
  const logger = openLogger('silent')
  const signal = interruption()
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-replay-'))
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, logger, isDurable: false })
    try {
      const { url } = postgres
      const log = { ...manifest, tables, sequences: [] }
      await loadTables(url, folder, log, () => signal.throwIfAborted())
      const pool = openPool(url, { max: CONNECTIONS, applicationName: 'tollgate-replay' })
      const store = openPostgresEventStore({
        pool,
        databaseUrl: url,
        logger,
        clock: systemClock,
        readThreads,
      })
      try {
        await migrate(pool, sourceMigrations)
        const db = await openTypedQueries(pool)
        signal.throwIfAborted()
        return await use({ store, db, batchPool: pool }, signal)
      } finally {
        await store.close()
        await pool.end()
      }
    } finally {
      await postgres.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
