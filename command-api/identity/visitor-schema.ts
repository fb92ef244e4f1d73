import type { Migration } from '../migration.ts'

/** Facts that are kept for minutes about a browser that is not signed in. */
export const visitorMigrations: readonly Migration[] = [
  {
    id: 'visitors-0001-visitors',
    sql: `
      create table identity.visitors (
        -- SHA-256 of the cookie's value.
        token_hash bytea primary key,
        expires_at timestamptz not null,
        -- Until when the human check counts as passed.
        human_until timestamptz,
        -- SHA-256 of the state that a provider hands back; null = no sign-in has begun.
        state_hash bytea,
        -- Who was signed in as it began; null = nobody, so that it is no binding.
        user_id bigint,
        aff_code text not null default '',
        -- Both null when the client that began does not take part in OpenID Connect's proofs.
        nonce text,
        code_verifier text
      );
      create index visitors_expired on identity.visitors (expires_at);
    `,
  },
]
