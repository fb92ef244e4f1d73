import { createHash } from 'node:crypto'
import type { Migration } from '@tollgate/command-api/migration.ts'
import type { Pool, PoolClient } from 'pg'

/**
 * Brings the source tables up to date: runs those of `migrations` that this database has not seen, in list order, each
 * in a transaction of its own together with its entry in `tollgate.migrations`. Processes that start at the same time
 * wait for each other. Returns the ids that ran now. Throws MigrationChanged or MigrationFailed.
 */
export async function migrate(
  pool: Pool,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  refuseDuplicates(migrations)
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(migrationsTable)
    const landed = await landedFingerprints(client)
    const applied: string[] = []
    for (const migration of migrations) {
      const fingerprint = fingerprintOf(migration)
      const known = landed.get(migration.id)
      if (known === undefined) {
        await apply(client, migration, fingerprint)
        applied.push(migration.id)
      } else if (known !== fingerprint) {
        throw new MigrationChanged(migration.id)
      }
    }
    await client.query('select pg_advisory_unlock($1)', [migrationLock])
    return applied
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    // After a failure the session still holds the advisory lock; destroying the connection lets it go.
    client.release(broken)
  }
}

/** A migration that already ran has another text now: the tables no longer are what the code says. */
export class MigrationChanged extends Error {
  readonly code = 'MIGRATION_CHANGED'
  readonly retryable = false
  constructor(migrationId: string) {
    super(
      `migration ${migrationId} was changed after it ran on this database: restore its text and put the change into a new migration`,
    )
    this.name = 'MigrationChanged'
  }
}

/** PostgreSQL refused a migration; it left nothing behind. */
export class MigrationFailed extends Error {
  readonly code = 'MIGRATION_FAILED'
  readonly retryable = false
  constructor(migrationId: string, cause: unknown) {
    super(
      `migration ${migrationId} failed and was rolled back: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
    this.name = 'MigrationFailed'
  }
}

/** Any constant that no other advisory lock of Tollgate uses: "tollgate" as ASCII, shortened to seven bytes. */
const migrationLock = 0x746f6c6c676174n

const migrationsTable = `
  create schema if not exists tollgate;
  create table if not exists tollgate.migrations (
    id text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
  )`

async function landedFingerprints(client: PoolClient): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; sha256: string }>(
    'select id, sha256 from tollgate.migrations',
  )
  return new Map(rows.map((row) => [row.id, row.sha256]))
}

async function apply(client: PoolClient, migration: Migration, fingerprint: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into tollgate.migrations (id, sha256) values ($1, $2)', [
      migration.id,
      fingerprint,
    ])
    await client.query('commit')
  } catch (error) {
    // The caller destroys the connection, which rolls back.
    throw new MigrationFailed(migration.id, error)
  }
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const ids = new Set<string>()
  for (const { id } of migrations) {
    if (ids.has(id)) throw new TypeError(`two migrations have the id ${id}`)
    ids.add(id)
  }
}

/** Tells whether a migration's text is still the one that ran; SHA-256, lower-case hex. */
export const fingerprintOf = (migration: Migration): string =>
  createHash('sha256').update(migration.sql).digest('hex')
