import { commandApiMigrations } from '@tollgate/command-api/migrations.ts'
import type { Migration } from '@tollgate/command-api/migration.ts'
import { replayMigrations } from '@tollgate/projections/replays/schema.ts'
import { postgresEventStoreMigrations } from '../event-store/postgres/migrations.ts'
import { leaseMigrations } from '../leases/migrations.ts'
import { rateLimitMigrations } from '../rate-limits/migrations.ts'

/** Makes every table that is not made from events, in order; the log itself is one. */
export const sourceMigrations: readonly Migration[] = [
  ...postgresEventStoreMigrations,
  ...commandApiMigrations,
  ...leaseMigrations,
  ...rateLimitMigrations,
  ...replayMigrations,
]
