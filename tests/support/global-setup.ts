import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataFolder, FolderLock } from '@tollgate/infra/postgres/data-folder.ts'
import { dataFolder, hasCluster, lockDataFolder } from '@tollgate/infra/postgres/data-folder.ts'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { EmbeddedPostgresFailure } from '@tollgate/infra/postgres/failure.ts'
import { endLeftovers } from '@tollgate/infra/postgres/leftover-processes.ts'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Admin URL of the run's PostgreSQL; tests take a database of their own from `createTestDatabase`. */
    postgresUrl: string
  }
}

/** One PostgreSQL cluster for the whole run, in a folder that goes with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await clearAwayKilledRuns()
  const dataDir = await mkdtemp(join(tmpdir(), folderPrefix))
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLog, isDurable: false })
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const folderPrefix = 'tollgate-tests-'

/** A run that was killed leaves PostgreSQL running and its folder behind; the next one clears both away. */
async function clearAwayKilledRuns(): Promise<void> {
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
