import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { sourceMigrations } from '@tollgate/infra/postgres/source-migrations.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { migrate } from '@tollgate/infra/postgres/migrate.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'
import type { Pool } from 'pg'

/** The log of a bench that needs no process of Tollgate: it drops everything. */
export const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** An event log in a PostgreSQL of its own. */
export interface EmbeddedLog {
  readonly url: string
  readonly pool: Pool
  readonly store: EventStore
}

/** Runs something over an empty, durable embedded log, which goes afterwards. */
export async function withEmbeddedLog<Result>(
  run: (log: EmbeddedLog) => Promise<Result>,
): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir, logger })
  const { url } = postgres
  const pool = openPool(url, { max: 10, applicationName: 'bench' })
  try {
    await migrate(pool, sourceMigrations)
    const store = openPostgresEventStore({ pool, databaseUrl: url, logger, clock })
    try {
      return await run({ url, pool, store })
    } finally {
      await store.close()
    }
  } finally {
    await pool.end()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Rows a second that the bare engine takes in by COPY: the log's own rows into a table with the same keys. */
export async function copyLog(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ file: string }>(
    "select current_setting('data_directory') || '/bench-copy' as file",
  )
  const file = rows[0]?.file ?? ''
  await pool.query(`copy ledger.events to '${file}'`)
  await pool.query('create table bench_copy (like ledger.events including all)')
  await pool.query('checkpoint')
  const startedAt = performance.now()
  const { rowCount } = await pool.query(`copy bench_copy from '${file}'`)
  const perSecond = ((rowCount ?? 0) * 1000) / (performance.now() - startedAt)
  await pool.query('drop table bench_copy')
  return perSecond
}
