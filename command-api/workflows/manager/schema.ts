import type { Migration } from '../../migration.ts'

/** Tables of the workflow manager: sources, to be saved with the log, as they say which work is still to be done. */
export const workflowMigrations: readonly Migration[] = [
  {
    id: 'process-manager-0001',
    sql: `
      create schema if not exists process_manager;

      create table process_manager.checkpoint (
        is_only boolean primary key default true check (is_only),
        -- Everything up to here has been looked at, and what it began is in "pending" or done.
        position bigint not null,
        updated_at timestamptz not null default now()
      );

      create table process_manager.pending (
        process_id text not null,
        kind text not null,
        -- Where the deciding event stands; null for work that a row left behind.
        stream text,
        revision bigint,
        -- The step that failed last.
        step text not null default '',
        attempts int not null default 0,
        next_attempt_at timestamptz not null,
        last_error text not null default '',
        since timestamptz not null,
        primary key (process_id, kind),
        check ((stream is null) = (revision is null))
      );
      create index pending_next on process_manager.pending (next_attempt_at);
    `,
  },
  {
    id: 'process-manager-0002',
    sql: `
      -- The timeline in which "position" was reached; null in a row that is older than this column.
      alter table process_manager.checkpoint add column log text;
    `,
  },
]
