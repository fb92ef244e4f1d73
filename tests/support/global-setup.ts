import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Admin URL of the run's PostgreSQL; tests take a database of their own from `createTestDatabase`. */
    postgresUrl: string
  }
}

/** One PostgreSQL cluster for the whole run, in a folder that goes with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-tests-'))
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLog, isDurable: false })
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true })
  }
}

const silentLog = { info() {}, warn() {}, debug() {} }
