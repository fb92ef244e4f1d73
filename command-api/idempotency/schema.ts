import type { Migration } from '../migration.ts'

/** Rows that tell a request that is posted again from a new one; kept for a day at most. */
export const postedRequestMigrations: readonly Migration[] = [
  {
    id: 'posted-requests-0001-posted-requests',
    sql: `
      create table identity.posted_requests (
        -- The causation id of what the request changes.
        id uuid not null,
        user_id bigint not null,
        operation text not null,
        -- SHA-256 of the key that the client sent, or of what it asked for.
        key_hash bytea not null,
        contents_hash bytea not null,
        -- Of the log's head before the request was first seen: what it changed comes after.
        position bigint not null,
        expires_at timestamptz not null,
        primary key (user_id, operation, key_hash)
      );
      create index posted_requests_expired on identity.posted_requests (expires_at);
    `,
  },
  {
    id: 'posted-requests-0002-answers',
    sql: `
      alter table identity.posted_requests
        -- Null for requests of before, of which only a part was compared.
        alter column contents_hash drop not null,
        -- Of the log's head before the request first changed something there; null until then.
        alter column position drop not null,
        -- JSON of the ids that were set aside for what the request makes.
        add column reserved text,
        -- Which attempt carries the request out, and until when it does without being heard of.
        add column run uuid,
        add column running_until timestamptz,
        -- The first answer, sealed; null until there is one.
        add column answer bytea;
      update identity.posted_requests set contents_hash = null, operation = case operation
        when 'affiliate-transfer' then 'POST /api/user/aff_transfer' else 'PUT /api/user' end;
      create index posted_requests_run on identity.posted_requests (run);
    `,
  },
]
