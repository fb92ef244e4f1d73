import type { Migration } from '../../migration.ts'

/** Which event log this database goes with; see compare-pair.ts and log-claims.ts. */
export const logPairMigrations: readonly Migration[] = [
  {
    id: 'ledger-pair-0001-pair',
    sql: `
      create table ledger.pair (
        only_row boolean primary key default true check (only_row),
        -- The log's newest timeline.
        log uuid not null,
        -- The newest event of it that a process has seen; null before any.
        position bigint,
        stream text,
        revision integer,
        hash text
      ) with (fillfactor = 10);

      -- Claims to the log that processes have made on behalf of this database.
      create table ledger.own_claims (
        claim uuid primary key,
        made_at timestamptz not null default now()
      );
    `,
  },
]
