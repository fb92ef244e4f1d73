import type { Migration } from '../../migration.ts'

/** Codes that were sent by e-mail and are still good for something. */
export const emailCodeMigrations: readonly Migration[] = [
  {
    id: 'email-codes-0001-codes',
    sql: `
      create table identity.email_codes (
        purpose text not null check (purpose in ('verification', 'password-reset')),
        -- In lower case.
        email text collate "C" not null,
        -- HMAC under a key that the database does not have.
        code_hash bytea not null,
        tries_left smallint not null,
        expires_at timestamptz not null,
        primary key (purpose, email)
      );
      create index email_codes_expired on identity.email_codes (expires_at);
    `,
  },
]
