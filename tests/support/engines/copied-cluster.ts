import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { dataFolder } from '@tollgate/infra/postgres/data-folder.ts'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'

const run = promisify(execFile)
const silent = { info() {}, warn() {}, debug() {} }

/**
 * Puts a new PostgreSQL cluster into a data folder that has none, as the first start of a product or an engine would.
 * Copying a cluster takes a quarter of the processor time of `initdb`. Outside a test run it does nothing: then the
 * start makes the cluster itself.
 */
export async function copyNewCluster(dataDir: string): Promise<void> {
  const kept = process.env['TOLLGATE_TEST_CLUSTER']
  const { home } = dataFolder(dataDir)
  if (kept === undefined || existsSync(home)) return
  if (!existsSync(kept)) await makeCluster(kept)
  const from = dataFolder(kept).home
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // Owners and modes too: PostgreSQL insists on them. Port and lock belong to one server alone.
  await run('cp', ['-a', join(from, 'password'), join(from, 'cluster'), home])
}

/** Workers that come to it at the same time each make one; the first is kept. */
async function makeCluster(folder: string): Promise<void> {
  const made = mkdtempSync(join(dirname(folder), 'making-cluster-'))
  const postgres = await startEmbeddedPostgres({ dataDir: made, logger: silent, isDurable: false })
  await postgres.stop()
  try {
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(made, { recursive: true })
  }
}
