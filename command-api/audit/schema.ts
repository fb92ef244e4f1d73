import type { Migration } from '../migration.ts'

/** Results of audits, for processes that did not run them. Rows last a day. */
export const auditMigrations: readonly Migration[] = [
  {
    id: 'audit-0001-jobs',
    sql: `
      create schema audit;

      create table audit.jobs (
        id text collate "C" primary key,
        -- An AuditJob as JSON; text, as nobody asks for its parts.
        job text not null,
        is_running boolean not null,
        -- Of the process that runs it, every second; a running job that is not noted any more has lost its process.
        noted_at timestamptz not null
      );
    `,
  },
  {
    id: 'audit-0002-database',
    sql: `
      -- Which database this is, for what is noted outside of it.
      create table audit.database (
        only_row boolean primary key default true check (only_row),
        id uuid not null default gen_random_uuid()
      );
      insert into audit.database default values;
    `,
  },
]
