import type { Migration } from '../migration.ts'

/** Tables of redemption codes: sources, as no event holds a code or its name. */
export const redemptionMigrations: readonly Migration[] = [
  {
    id: 'redemptions-0001',
    sql: `
      create table secrets.redemptions (
        id bigint generated always as identity primary key,
        name text not null,
        -- Null once deleted.
        code_ciphertext bytea,
        code_hash bytea not null unique,
        is_pending boolean not null default true,
        created_at timestamptz not null,
        touched_at timestamptz not null default now(),
        deleted_at timestamptz
      );
      create index redemptions_name on secrets.redemptions (name text_pattern_ops, id);
      create index redemptions_pending on secrets.redemptions (touched_at) where is_pending;
    `,
  },
]
