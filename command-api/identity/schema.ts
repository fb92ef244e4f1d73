import type { Migration } from '../migration.ts'

/**
 * Source tables of the write side: who people are and what must stay secret. They are backed up, never rebuilt from
 * events (events name users, tokens and channels by id only). Role, status, group and deletion of a user are projected
 * from the user's stream (users/project-user.ts). `is_pending` of a user: row, stream and account may differ, and
 * recovery looks at them; without an event the row only reserves names. `is_pending` of a channel's changed key: its
 * event may be missing. `is_pending` of all other secrets: nobody has looked for their event yet
 * (workflows/orphan-recovery.ts). `is_opened`: the account is open and has its opening quota (processes of before
 * `revision` set it alone). The workflow manager finishes what a crash left.
 */
export const identityMigrations: readonly Migration[] = [
  {
    id: 'identity-0001-users',
    sql: `
      create schema if not exists identity;
      create schema if not exists secrets;

      create table identity.users (
        id bigint generated always as identity primary key,
        username text not null unique,
        -- argon2id in PHC form; null for an account that signs in through others only.
        password_hash text,
        display_name text not null default '',
        role smallint not null default 1 check (role in (1, 10, 100)),
        -- 1 on, 2 banned.
        status smallint not null default 1 check (status in (1, 2)),
        email text not null default '',
        github_id text not null default '',
        oidc_id text not null default '',
        wechat_id text not null default '',
        telegram_id text not null default '',
        linux_do_id text not null default '',
        access_token_ciphertext bytea,
        access_token_hash bytea unique,
        user_group text not null default 'default',
        aff_code text unique,
        inviter_id bigint,
        setting text not null default '',
        -- Credited once when the account is opened.
        opening_quota bigint not null default 0,
        opening_source text not null default 'sign-up' check (opening_source in ('sign-up', 'grant')),
        -- The account is open and has its opening quota.
        is_opened boolean not null default false,
        is_pending boolean not null default true,
        -- Log position of the latest write made with the access token.
        last_position bigint not null default -1,
        created_at timestamptz not null default now(),
        touched_at timestamptz not null default now(),
        deleted_at timestamptz
      );
      create index users_email on identity.users (email) where email <> '';
      create index users_pending on identity.users (touched_at) where is_pending;

      create table identity.sessions (
        id uuid primary key,
        -- SHA-256 of the cookie's value.
        token_hash bytea not null unique,
        user_id bigint not null references identity.users (id) on delete cascade,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        -- Log position of the session's latest write.
        last_position bigint not null default -1
      );
      create index sessions_user on identity.sessions (user_id);

      create table identity.setup (
        is_only boolean primary key default true check (is_only),
        version text not null,
        initialized_at timestamptz not null
      );
    `,
  },
  {
    id: 'identity-0002-secrets',
    sql: `
      create table secrets.tokens (
        id bigint generated always as identity primary key,
        user_id bigint not null,
        name text not null,
        -- Null once the token is deleted: its name stays for the log, its key does not.
        key_ciphertext bytea,
        key_hash bytea not null unique,
        is_pending boolean not null default true,
        created_at timestamptz not null,
        deleted_at timestamptz
      );
      create index tokens_user on secrets.tokens (user_id, id) where deleted_at is null;
      create index tokens_pending on secrets.tokens (created_at) where is_pending;

      create table secrets.channels (
        id bigint generated always as identity primary key,
        name text not null,
        key_ciphertext bytea,
        key_hash bytea not null,
        -- Null = no proxy.
        proxy_ciphertext bytea,
        is_pending boolean not null default true,
        created_at timestamptz not null,
        deleted_at timestamptz
      );
      create index channels_key on secrets.channels (key_hash) where deleted_at is null;
      create index channels_pending on secrets.channels (created_at) where is_pending;

      create table secrets.options (
        key text primary key,
        ciphertext bytea not null
      );
    `,
  },
  {
    id: 'identity-0003-pending-since',
    sql: `
      -- When a row was last written ahead of its event: the sweeper leaves fresh ones to whoever works on them.
      alter table secrets.tokens add column touched_at timestamptz not null default now();
      alter table secrets.channels add column touched_at timestamptz not null default now();
      drop index secrets.tokens_pending;
      drop index secrets.channels_pending;
      create index tokens_pending on secrets.tokens (touched_at) where is_pending;
      create index channels_pending on secrets.channels (touched_at) where is_pending;
    `,
  },
  {
    id: 'identity-0004-webhook-secret',
    sql: `
      -- Signs what is sent to the user's webhook; the rest of their notification settings is in "setting".
      alter table identity.users add column webhook_secret_ciphertext bytea;
    `,
  },
  {
    id: 'identity-0005-key-destinations',
    sql: `
      -- Where the key may go, as domain/channel/destination.ts has it; null = given before this was noted.
      alter table secrets.channels add column destination text;
      -- Counts changes: of two that are made at once, the later is refused.
      alter table secrets.channels add column revision bigint not null default 0;
    `,
  },
  {
    id: 'identity-0006-session-origin',
    sql: `
      -- By which its user knows a session again; '' = opened before this was noted.
      alter table identity.sessions add column ip text not null default '';
      alter table identity.sessions add column user_agent text not null default '';
      -- To the minute; null = not since this is noted.
      alter table identity.sessions add column last_seen_at timestamptz;
    `,
  },
  {
    id: 'identity-0007-adjustment-notes',
    sql: `
      -- What administrators said of an adjustment; events have its id alone, so that it can be erased.
      create table identity.adjustment_notes (
        id uuid primary key default gen_random_uuid(),
        user_id bigint not null,
        words text not null
      );
      create index adjustment_notes_user on identity.adjustment_notes (user_id);
    `,
  },
  {
    id: 'identity-0008-user-revision',
    sql: `
      -- Revision of the user's stream that role, status, user_group and deleted_at are of; -1 = no event yet. Rows from
      -- before this go with their first event at least.
      alter table identity.users add column revision bigint not null default 0;
      alter table identity.users alter column revision set default -1;
    `,
  },
  {
    id: 'identity-0009-token-addresses',
    sql: `
      -- Where a token may be used from; events have its id alone, so that it can be erased.
      create table identity.token_addresses (
        id uuid primary key default gen_random_uuid(),
        user_id bigint not null,
        addresses text[] not null,
        -- When it was written, or last looked for in the log.
        checked_at timestamptz not null default now()
      );
      create index token_addresses_user on identity.token_addresses (user_id);
      create index token_addresses_checked on identity.token_addresses (checked_at);
    `,
  },
]
