import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataFolder, FolderLock } from '@tollgate/infra/postgres/data-folder.ts'
import { dataFolder, hasCluster, lockDataFolder } from '@tollgate/infra/postgres/data-folder.ts'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { EmbeddedPostgresFailure } from '@tollgate/infra/postgres/failure.ts'
import { migrate } from '@tollgate/infra/postgres/migrate.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { sourceMigrations } from '@tollgate/infra/postgres/source-migrations.ts'
import { endLeftovers } from '@tollgate/infra/postgres/leftover-processes.ts'
import type { TestProject } from 'vitest/node'
import { TEMPLATE } from './engines/database.ts'
import { queryOnce } from './query-once.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Admin URL of the run's PostgreSQL; tests take a database of their own from `createTestDatabase`. */
    postgresUrl: string
  }
}

/** One PostgreSQL cluster and one cache of modules for the whole run, in a folder that goes with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeKilledRuns()
  const dataDir = await mkdtemp(join(tmpdir(), folderPrefix))
  // Every product process and command of the run loads the same modules: compiling them is a third of its start.
  process.env['NODE_COMPILE_CACHE'] = join(dataDir, 'compile-cache')
  process.env['TOLLGATE_TEST_MODULES'] = join(dataDir, 'imports.json')
  process.env['TOLLGATE_TEST_CLUSTER'] = join(dataDir, 'new-cluster')
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLog, isDurable: false })
  await makeTemplate(postgres.url)
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Migrated once: a copy of it takes a third of the time that migrating takes. */
async function makeTemplate(adminUrl: string): Promise<void> {
  await queryOnce(adminUrl, `create database ${TEMPLATE}`)
  const url = new URL(adminUrl)
  url.pathname = `/${TEMPLATE}`
  const pool = openPool(url.href, { max: 1, applicationName: 'test' })
  await migrate(pool, sourceMigrations)
  await pool.end()
}

const folderPrefix = 'tollgate-tests-'

/** A run that was killed leaves PostgreSQL running and its folder behind; the next one clears both away. */
async function removeKilledRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue
    const folder = dataFolder(join(tmpdir(), name))
    const lock = lockOf(folder)
    if (lock === null) continue
    if (await hasCluster(folder)) await endLeftovers(folder.clusterFolder, silentLog)
    await rm(join(tmpdir(), name), { recursive: true, force: true })
    lock.release()
  }
}

/** Null when the folder belongs to a run that lives, or to one that has not come to its own lock yet. */
function lockOf(folder: DataFolder): FolderLock | null {
  if (!existsSync(join(folder.home, 'tollgate.pid'))) return null
  try {
    return lockDataFolder(folder)
  } catch (error) {
    if (error instanceof EmbeddedPostgresFailure) return null
    throw error
  }
}

const silentLog = { info() {}, warn() {}, debug() {} }
