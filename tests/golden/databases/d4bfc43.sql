-- The database of an installation that commit d4bfc43 (2026-11-21) set up and ran: its own statements of tables, then
-- every row. One request runs; the master key is "a master key for a golden file!!". upgrade.test.ts starts today's
-- Tollgate on it. Never changed.
  create schema if not exists tollgate;
  create table if not exists tollgate.migrations (
    id text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
  );
-- ledger-0001-events
      create schema if not exists ledger;

      create table ledger.events (
        position bigint primary key,
        stream text collate "C" not null,
        revision integer not null,
        id uuid not null,
        type text collate "C" not null,
        recorded_at timestamptz not null,
        data text not null,
        metadata text not null,
        unique (stream, revision)
      );

      -- Nearly all events are in account streams. Followers of the other streams need not wade through them.
      create index events_beside_accounts on ledger.events (position)
        where stream < 'account-' or stream >= 'account.';

      create table ledger.head (
        only_row boolean primary key default true check (only_row),
        position bigint not null
      ) with (fillfactor = 10);
      insert into ledger.head (position) values (-1);

      create function ledger.refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception 'events are never changed or removed';
      end $$;
      create trigger events_are_append_only before update or delete or truncate on ledger.events
        for each statement execute function ledger.refuse_change();
-- ledger-0002-append-group
      -- Many appends in one call, at most one per stream. An append whose stream does not end where it expects is left
      -- out; the others stand behind head_before in the order given. event_append says which append (from 1) each
      -- event belongs to. Plans are generic because planning anew for every call costs more than the call.
      drop function if exists ledger.append;
      create function ledger.append(
        streams text[], expected_revisions integer[], expected_hashes text[],
        event_append integer[], event_revisions integer[], event_ids uuid[], event_types text[],
        event_data text[], event_metadata text[], at_time timestamptz,
        out head_before bigint, out actual_revisions integer[], out are_accepted boolean[]
      ) language plpgsql set plan_cache_mode = force_generic_plan as $$
      declare
        stored_count bigint;
      begin
        select h.position into strict head_before from ledger.head h for update;

        select array_agg(coalesce(e.revision, -1) order by a.number),
          array_agg(coalesce(e.revision, -1) = a.revision
            and coalesce(substring(e.metadata from length(e.metadata) - 65 for 64), '') = a.hash order by a.number)
        into actual_revisions, are_accepted
        from unnest(streams, expected_revisions, expected_hashes) with ordinality
          as a (stream, revision, hash, number)
        left join lateral (
          select s.revision, s.metadata from ledger.events s
          where s.stream = a.stream collate "C" order by s.revision desc limit 1
        ) e on true;

        if true = all (are_accepted) then
          insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata)
          select head_before + n.number, streams[n.append], n.revision, n.id, n.type, at_time, n.data, n.metadata
          from unnest(event_append, event_revisions, event_ids, event_types, event_data, event_metadata)
            with ordinality as n (append, revision, id, type, data, metadata, number);
        else
          insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata)
          select head_before + row_number() over (order by n.number), streams[n.append], n.revision, n.id, n.type,
            at_time, n.data, n.metadata
          from unnest(event_append, event_revisions, event_ids, event_types, event_data, event_metadata)
            with ordinality as n (append, revision, id, type, data, metadata, number)
          where are_accepted[n.append];
        end if;
        get diagnostics stored_count = row_count;

        if stored_count > 0 then
          update ledger.head set position = head_before + stored_count;
          perform pg_notify('tollgate_ledger', (head_before + stored_count)::text);
        end if;
      end $$;
-- ledger-0003-append-group-in-one-pass
      -- As before, with less to do for each event: arrays are walked side by side without being written down first,
      -- and hashes are cut out of bytes, since cutting a text counts its characters.
      create or replace function ledger.append(
        streams text[], expected_revisions integer[], expected_hashes text[],
        event_append integer[], event_revisions integer[], event_ids uuid[], event_types text[],
        event_data text[], event_metadata text[], at_time timestamptz,
        out head_before bigint, out actual_revisions integer[], out are_accepted boolean[]
      ) language plpgsql set plan_cache_mode = force_generic_plan as $$
      declare
        stored_count bigint;
      begin
        select h.position into strict head_before from ledger.head h for update;

        select array_agg(coalesce(e.revision, -1) order by a.number),
          array_agg(coalesce(e.revision, -1) = a.revision
            and coalesce(substring(e.metadata from octet_length(e.metadata) - 65 for 64), '')
              = convert_to(a.hash, 'UTF8') order by a.number)
        into actual_revisions, are_accepted
        from unnest(streams, expected_revisions, expected_hashes) with ordinality
          as a (stream, revision, hash, number)
        left join lateral (
          select s.revision, convert_to(s.metadata, 'UTF8') as metadata from ledger.events s
          where s.stream = a.stream collate "C" order by s.revision desc limit 1
        ) e on true;

        if true = all (are_accepted) then
          stored_count := cardinality(event_append);
          insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata)
          select generate_series(head_before + 1, head_before + stored_count), streams[unnest(event_append)],
            unnest(event_revisions), unnest(event_ids), unnest(event_types), at_time,
            unnest(event_data), unnest(event_metadata);
        else
          insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata)
          select head_before + row_number() over (order by n.number), streams[n.append], n.revision, n.id, n.type,
            at_time, n.data, n.metadata
          from unnest(event_append, event_revisions, event_ids, event_types, event_data, event_metadata)
            with ordinality as n (append, revision, id, type, data, metadata, number)
          where are_accepted[n.append];
          get diagnostics stored_count = row_count;
        end if;

        if stored_count > 0 then
          update ledger.head set position = head_before + stored_count;
          perform pg_notify('tollgate_ledger', (head_before + stored_count)::text);
        end if;
      end $$;
-- identity-0001-users
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
-- identity-0002-secrets
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
-- identity-0003-pending-since
      -- When a row was last written ahead of its event: the sweeper leaves fresh ones to whoever works on them.
      alter table secrets.tokens add column touched_at timestamptz not null default now();
      alter table secrets.channels add column touched_at timestamptz not null default now();
      drop index secrets.tokens_pending;
      drop index secrets.channels_pending;
      create index tokens_pending on secrets.tokens (touched_at) where is_pending;
      create index channels_pending on secrets.channels (touched_at) where is_pending;
-- identity-0004-webhook-secret
      -- Signs what is sent to the user's webhook; the rest of their notification settings is in "setting".
      alter table identity.users add column webhook_secret_ciphertext bytea;
-- identity-0005-key-destinations
      -- Where the key may go, as domain/channel/destination.ts has it; null = given before this was noted.
      alter table secrets.channels add column destination text;
      -- Counts changes: of two that are made at once, the later is refused.
      alter table secrets.channels add column revision bigint not null default 0;
-- process-manager-0001
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
-- notifications-0001-outbox
      create table identity.notifications (
        id bigint generated always as identity primary key,
        user_id bigint not null,
        type text not null,
        -- Id of the event that it is about.
        causation_id text not null,
        title text not null,
        content text not null,
        -- JSON array of texts.
        content_values text not null,
        happened_at timestamptz not null,
        recorded_at timestamptz not null,
        -- Null until it has been sent.
        delivered_at timestamptz,
        unique (causation_id, user_id, type)
      );
      create index notifications_waiting on identity.notifications (id) where delivered_at is null;
-- notifications-0002-delivery
      alter table identity.notifications
        -- JSON {title, content, values} for readers of English; null = they get the Chinese text.
        add column english text,
        -- 'email' or 'webhook': how it was tried last.
        add column channel text,
        -- Begun attempts, one that a crash cut off too.
        add column attempts int not null default 0,
        add column next_attempt_at timestamptz not null default now(),
        -- Why the last attempt failed, why it was given up or skipped.
        add column last_error text not null default '',
        add column given_up_at timestamptz,
        -- Not meant to be sent: no address, or too many of its type.
        add column skipped_at timestamptz;
      drop index identity.notifications_waiting;
      create index notifications_waiting on identity.notifications (next_attempt_at)
        where delivered_at is null and given_up_at is null and skipped_at is null;
      create index notifications_delivered on identity.notifications (user_id, type, delivered_at)
        where delivered_at is not null;
      create index notifications_recorded on identity.notifications (recorded_at);
-- notifications-0003-quota-warnings
      create table identity.quota_watch (
        is_only boolean primary key default true check (is_only),
        -- Charges up to here were looked at.
        position bigint not null
      );
      create table identity.quota_warnings (
        user_id bigint primary key,
        warned_at timestamptz not null
      );
-- visitors-0001-visitors
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
-- sign-up-0001-invitations-and-emails
      -- What the invitation was worth when the user signed up; null for whom nobody invited.
      alter table identity.users
        add column invitee_reward bigint,
        add column inviter_reward bigint,
        -- The e-mail in lower case, once its owner has shown that it is theirs: one user alone can do that. E-mails that
        -- others vouch for (OAuth) may be those of several users.
        add column own_email text unique;
      drop index identity.users_email;
      create index users_email on identity.users (lower(email collate "C")) where email <> '';
-- redemptions-0001
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
-- audit-0001-jobs
      create schema audit;

      create table audit.jobs (
        id text collate "C" primary key,
        -- An AuditJob as JSON; text, as nobody asks for its parts.
        job text not null,
        is_running boolean not null,
        -- Of the process that runs it, every second; a running job that is not noted any more has lost its process.
        noted_at timestamptz not null
      );
-- tasks-0001-payloads
      create table identity.task_payloads (
        id bigint generated always as identity primary key,
        user_id bigint not null,
        platform text not null,
        channel_id bigint not null,
        upstream_id text not null,
        -- JSON of what TaskSubmitted will say: a crash before that event is finished from here.
        submission text not null,
        is_pending boolean not null default true,
        prompt text not null default '',
        prompt_en text not null default '',
        description text not null default '',
        state text not null default '',
        image_url text not null default '',
        fail_reason text not null default '',
        -- JSON texts, '' = none.
        buttons text not null default '',
        properties text not null default '',
        data text not null default '',
        created_at timestamptz not null,
        -- Since then nothing personal is kept here.
        forgotten_at timestamptz,
        unique (platform, channel_id, upstream_id)
      );
      create index task_payloads_pending on identity.task_payloads (created_at) where is_pending;
      create index task_payloads_user on identity.task_payloads (user_id);
-- email-codes-0001-codes
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
-- external-ids-0001-unique
create unique index users_github_id on identity.users (github_id) where github_id <> '';
create unique index users_oidc_id on identity.users (oidc_id) where oidc_id <> '';
create unique index users_linux_do_id on identity.users (linux_do_id) where linux_do_id <> '';
create unique index users_wechat_id on identity.users (wechat_id) where wechat_id <> '';
create unique index users_telegram_id on identity.users (telegram_id) where telegram_id <> '';
-- external-ids-0002-github-holder
      -- GitHub's number of the account that has the login in github_id: a login that was given up can be had by others.
      -- '' = not seen yet.
      alter table identity.users add column github_holder text not null default '';
-- login-names-0001-folded
      -- Not unique: names that differed by capitals alone before the rule stay.
      create index users_folded_name on identity.users (lower(username collate "C"));
-- posted-requests-0001-posted-requests
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
-- first-tokens-0001-owed
      -- The user was promised a token with the account (GENERATE_DEFAULT_TOKEN) and may not have it yet.
      alter table identity.users add column is_token_owed boolean not null default false;
      create index users_token_owed on identity.users (touched_at) where is_token_owed;
-- used-signatures-0001-used-signatures
      create table identity.used_signatures (
        -- SHA-256 of the signature.
        signature_hash bytea primary key,
        expires_at timestamptz not null
      );
      create index used_signatures_expired on identity.used_signatures (expires_at);
-- tokens-0001-model-list
      -- The list of models in the token's form, also while it does not limit: then no event says it.
      alter table secrets.tokens add column model_list text[] not null default '{}';
-- coordination-0001-leases
      create schema if not exists coordination;

      create table coordination.members (
        sharing text collate "C" not null,
        member text collate "C" not null,
        alive_until timestamptz not null,
        primary key (sharing, member)
      ) with (fillfactor = 50);

      create table coordination.leases (
        sharing text collate "C" not null,
        name text collate "C" not null,
        member text collate "C" not null,
        held_until timestamptz not null,
        primary key (sharing, name)
      ) with (fillfactor = 50);

      -- Rounds of one group come one after the other, so the time is read after the wait: a round that waited must not
      -- go by a moment in which a lease of now was still another's.
      create function coordination.renew(
        in_sharing text, in_member text, ttl interval, wanted text[],
        out members text[], out held text[]
      ) language plpgsql as $$
      declare
        now_time timestamptz;
      begin
        perform pg_advisory_xact_lock(hashtextextended('tollgate leases of ' || in_sharing, 0));
        now_time := clock_timestamp();

        delete from coordination.members m where m.sharing = in_sharing and m.alive_until <= now_time;
        insert into coordination.members (sharing, member, alive_until)
        values (in_sharing, in_member, now_time + ttl)
        on conflict (sharing, member) do update set alive_until = excluded.alive_until;

        delete from coordination.leases l where l.sharing = in_sharing
          and (l.held_until <= now_time or (l.member = in_member and l.name <> all (wanted)));
        insert into coordination.leases (sharing, name, member, held_until)
        select distinct in_sharing, w.name, in_member, now_time + ttl from unnest(wanted) w (name)
        on conflict (sharing, name) do update set held_until = excluded.held_until
          where leases.member = excluded.member;

        select coalesce(array_agg(m.member order by m.member), '{}') into members
        from coordination.members m where m.sharing = in_sharing;
        select coalesce(array_agg(l.name order by l.name), '{}') into held
        from coordination.leases l where l.sharing = in_sharing and l.member = in_member;
      end $$;

      create function coordination.leave(in_sharing text, in_member text) returns void language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended('tollgate leases of ' || in_sharing, 0));
        delete from coordination.members m where m.sharing = in_sharing and m.member = in_member;
        delete from coordination.leases l where l.sharing = in_sharing and l.member = in_member;
      end $$;
-- coordination-0002-step-back
      create function coordination.step_back(in_sharing text, in_member text) returns boolean language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended('tollgate leases of ' || in_sharing, 0));
        if not exists (
          select from coordination.members m
          where m.sharing = in_sharing and m.member <> in_member and m.alive_until > clock_timestamp()
        ) then
          return false;
        end if;
        perform coordination.leave(in_sharing, in_member);
        return true;
      end $$;
-- coordination-0002-rate-windows
      create schema if not exists coordination;

      create table coordination.rate_windows (
        key text collate "C" primary key,
        -- Oldest first.
        attempts timestamptz[] not null,
        -- When the last attempt leaves the window.
        ends_at timestamptz not null
      ) with (fillfactor = 50);
      create index on coordination.rate_windows (ends_at);

      -- Takes one attempt and answers 0, or the milliseconds until the next is let through. Every call clears away two
      -- windows that are over, so the table never holds more than what is new within one window.
      create function coordination.take_attempt(in_key text, attempts_max integer, time_window interval)
      returns bigint language plpgsql as $$
      declare
        recent timestamptz[];
        now_time timestamptz;
        wait_ms bigint := 0;
      begin
        delete from coordination.rate_windows w where w.key in (
          select over.key from coordination.rate_windows over
          where over.ends_at < clock_timestamp() and over.key <> in_key
          order by over.ends_at limit 2 for update skip locked);

        insert into coordination.rate_windows (key, attempts, ends_at) values (in_key, '{}', clock_timestamp())
        on conflict (key) do update set key = excluded.key returning attempts into recent;
        -- Read after the row is locked: whoever waited for it counts from now.
        now_time := clock_timestamp();
        recent := array(select a from unnest(recent) a where a > now_time - time_window order by a);
        if cardinality(recent) >= attempts_max then
          wait_ms := ceil(extract(epoch from
            recent[cardinality(recent) - attempts_max + 1] + time_window - now_time) * 1000);
          return greatest(wait_ms, 1);
        end if;
        recent := recent || now_time;
        update coordination.rate_windows set attempts = recent, ends_at = now_time + time_window where key = in_key;
        return 0;
      end $$;
-- coordination-0003-rate-windows-unflushed
      create or replace function coordination.take_attempt(in_key text, attempts_max integer, time_window interval)
      returns bigint language plpgsql as $$
      declare
        recent timestamptz[];
        now_time timestamptz;
        wait_ms bigint := 0;
      begin
        -- What is counted may be forgotten with a server that crashes; nobody waits for the disk.
        perform set_config('synchronous_commit', 'off', true);
        delete from coordination.rate_windows w where w.key in (
          select over.key from coordination.rate_windows over
          where over.ends_at < clock_timestamp() and over.key <> in_key
          order by over.ends_at limit 2 for update skip locked);

        insert into coordination.rate_windows (key, attempts, ends_at) values (in_key, '{}', clock_timestamp())
        on conflict (key) do update set key = excluded.key returning attempts into recent;
        -- Read after the row is locked: whoever waited for it counts from now.
        now_time := clock_timestamp();
        recent := array(select a from unnest(recent) a where a > now_time - time_window order by a);
        if cardinality(recent) >= attempts_max then
          wait_ms := ceil(extract(epoch from
            recent[cardinality(recent) - attempts_max + 1] + time_window - now_time) * 1000);
          return greatest(wait_ms, 1);
        end if;
        recent := recent || now_time;
        update coordination.rate_windows set attempts = recent, ends_at = now_time + time_window where key = in_key;
        return 0;
      end $$;
-- balances, version 4
create schema balances;
set search_path to balances;
  create table accounts (
    user_id bigint primary key,
    status text not null default 'active',
    wallet bigint not null default 0,
    held bigint not null default 0,
    affiliate bigint not null default 0,
    posted bigint generated always as (wallet + held) stored,
    affiliate_earned bigint not null default 0,
    affiliate_count int not null default 0,
    used_quota bigint not null default 0,
    request_count bigint not null default 0,
    opened_at bigint
  );
  create table holds (
    hold text primary key,
    user_id bigint not null,
    token_id bigint,
    relay text not null,
    remaining bigint not null,
    since bigint not null
  );
  create table expired_holds (
    hold text primary key,
    user_id bigint not null,
    token_id bigint,
    relay text not null,
    amount bigint not null,
    cause text not null,
    at bigint not null
  );
  create index on holds (since);
  create index on expired_holds (at, hold);
  create index on expired_holds (user_id, at, hold);
  create index on accounts (used_quota);
set search_path to public;
-- journal, version 1
create schema journal;
set search_path to journal;
  create table postings (
    position bigint not null,
    line smallint not null,
    at bigint not null,
    user_id bigint not null,
    from_account text not null,
    to_account text not null,
    amount bigint not null,
    wallet bigint not null,
    held bigint not null,
    affiliate bigint not null,
    event_id uuid not null,
    event_type text not null,
    request_id text collate "C" not null
  ) partition by range (at);
  create table balances (
    user_id bigint primary key,
    wallet bigint not null,
    held bigint not null,
    affiliate bigint not null
  );
  create index on postings (user_id, position desc, line desc);
  create index on postings (user_id, at desc, position desc, line desc);
  create index on postings (position);
set search_path to public;
-- usage-log, version 2
create schema usage_log;
set search_path to usage_log;
  create table rows (
    id bigint not null,
    event_id uuid not null,
    created_at bigint not null,
    type smallint not null,
    user_id bigint not null,
    token_id bigint not null,
    channel bigint not null,
    model text collate "C" not null,
    group_name text collate "C" not null,
    quota bigint not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    use_time bigint not null,
    is_stream boolean not null,
    request_id text collate "C" not null,
    content text not null,
    price_key bigint not null,
    detail text not null
  ) partition by range (created_at);
  create table hours (
    hour bigint not null,
    type smallint not null,
    user_id bigint not null,
    token_id bigint not null,
    channel bigint not null,
    model text collate "C" not null,
    group_name text collate "C" not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    last_created_at bigint not null,
    last_id bigint not null,
    primary key (hour, user_id, token_id, channel, model, group_name, type)
  );
  create table totals (
    hour bigint not null,
    type smallint not null,
    user_id bigint not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    primary key (hour, user_id, type)
  );
  create table prices (price_key bigint primary key, price text not null);
  create table models (model text collate "C" primary key);
  create table settings (key text primary key, value text not null);
  create index on rows (created_at, id);
  create index on rows (user_id, created_at, id);
  create index on rows (token_id, created_at, id);
  create index on rows (channel, created_at, id);
  create index on rows (model, created_at, id);
  create index on rows (created_at, id) where content <> '';
  create index on rows (request_id) where request_id <> '';
  create index on hours (user_id, hour);
  create index on hours (token_id, hour);
  create index on hours (channel, hour);
  create index on hours (model, hour);
  create index on totals (user_id, hour);
set search_path to public;
-- dashboard, version 1
create schema dashboard;
set search_path to dashboard;
  create table hours (
    hour bigint not null,
    user_id bigint not null,
    model text collate "C" not null,
    channel bigint not null,
    token_id bigint not null,
    count bigint not null,
    quota bigint not null,
    tokens bigint not null,
    primary key (hour, user_id, model, channel, token_id)
  );
create index on hours (user_id, hour);
set search_path to public;
-- tokens, version 1
create schema tokens;
set search_path to tokens;
  create table tokens (
    token_id bigint primary key,
    user_id bigint not null,
    status smallint not null,
    remain bigint not null,
    used bigint not null,
    unlimited boolean not null,
    expires_at bigint,
    group_name text not null,
    models text[],
    allowed_ips text[] not null,
    created_at bigint not null,
    accessed_at bigint not null,
    deleted_at bigint
  );
  create index on tokens (user_id, token_id desc) where deleted_at is null;
  create index on tokens (expires_at) where status = 1 and expires_at is not null and deleted_at is null;
set search_path to public;
-- channels, version 2
create schema channels;
set search_path to channels;
  create table channels (
    channel_id bigint primary key,
    status text not null,
    terms text not null,
    reason text not null,
    status_at bigint not null,
    recovery_failures bigint,
    retry_at bigint,
    test_at bigint,
    test_succeeded boolean,
    test_ms bigint,
    balance_at bigint,
    balance_usd text,
    created_at bigint not null,
    used_quota bigint not null,
    priority bigint not null,
    tag text not null,
    models text not null,
    groups text not null
  );
  create table abilities (
    group_name text collate "C" not null,
    model text collate "C" not null,
    channel_id bigint not null,
    enabled boolean not null,
    priority bigint not null,
    weight bigint not null,
    tag text not null,
    primary key (group_name, model, channel_id)
  );
  create index on channels (priority desc, channel_id desc);
  create index on abilities (channel_id);
  create index on abilities (model) where enabled;
set search_path to public;
-- users, version 1
create schema users;
set search_path to users;
  create table users (
    user_id bigint primary key,
    role int not null,
    is_banned boolean not null,
    group_name text not null,
    inviter_id bigint,
    registered_at bigint not null,
    deleted_at bigint
  );
set search_path to public;
-- options, version 1
create schema options;
set search_path to options;
  create table options (
    key text primary key,
    value text,
    position bigint not null,
    changed_at bigint not null
  );
set search_path to public;
-- redemptions, version 1
create schema redemptions;
set search_path to redemptions;
  create table codes (
    code_id bigint primary key,
    creator bigint not null,
    status text not null,
    quota bigint not null,
    issued_at bigint not null,
    used_by bigint,
    used_at bigint,
    deleted_at bigint
  );
  create index on codes (code_id desc) where deleted_at is null;
  create index on codes (used_by, code_id desc) where used_by is not null and deleted_at is null;
set search_path to public;
-- drawings, version 1
create schema drawings;
set search_path to drawings;
  create table tasks (
    task_id bigint primary key,
    submission text not null,
    user_id bigint not null,
    channel bigint not null,
    upstream_id text collate "C" not null,
    action text collate "C" not null,
    quota bigint not null,
    status text collate "C" not null,
    percent smallint not null,
    submitted_at bigint not null,
    started_at bigint,
    ended_at bigint,
    updated_at bigint not null,
    failure text
  );
  create index on tasks (user_id, task_id);
  create index on tasks (channel, task_id);
  create index on tasks (upstream_id);
  create index on tasks (submitted_at, task_id);
  create index on tasks (task_id) where ended_at is null;
set search_path to public;
-- tasks, version 1
create schema tasks;
set search_path to tasks;
  create table tasks (
    task_id bigint primary key,
    submission text not null,
    user_id bigint not null,
    channel bigint not null,
    upstream_id text collate "C" not null,
    action text collate "C" not null,
    quota bigint not null,
    status text collate "C" not null,
    percent smallint not null,
    submitted_at bigint not null,
    started_at bigint,
    ended_at bigint,
    updated_at bigint not null,
    failure text
  );
  create index on tasks (user_id, task_id);
  create index on tasks (channel, task_id);
  create index on tasks (upstream_id);
  create index on tasks (submitted_at, task_id);
  create index on tasks (task_id) where ended_at is null;
set search_path to public;
-- top-ups, version 1
create schema top_ups;
set search_path to top_ups;
  create table orders (
    trade_no text collate "C" primary key,
    user_id bigint not null,
    status text not null,
    quota bigint not null,
    money text not null,
    method text not null,
    amount bigint not null,
    unit text not null,
    price text not null,
    group_name text not null,
    group_ratio text not null,
    quota_per_unit text not null,
    requested_at bigint not null,
    paid_at bigint,
    gateway_trade_no text not null,
    abandoned_at bigint
  );
  create index on orders (requested_at desc, trade_no desc);
  create index on orders (user_id, requested_at desc);
  create index on orders (requested_at) where status = 'pending';
set search_path to public;
create schema if not exists projections;
create table if not exists projections.checkpoints (
  name text primary key, version int not null, position bigint not null, failure text,
  updated_at timestamptz not null default now()
);
create table journal.postings_2026_11 partition of journal.postings FOR VALUES FROM ('1793491200000') TO ('1796083200000');
create table journal.postings_2026_12 partition of journal.postings FOR VALUES FROM ('1796083200000') TO ('1798761600000');
create table usage_log.rows_2026_11 partition of usage_log.rows FOR VALUES FROM ('1793491200') TO ('1796083200');
create table usage_log.rows_2026_12 partition of usage_log.rows FOR VALUES FROM ('1796083200') TO ('1798761600');
set session_replication_role to replica;
delete from balances.accounts;
insert into balances.accounts (user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at) overriding system value select user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at from json_populate_record(null::balances.accounts, '{"user_id":1,"status":"active","wallet":100000000,"held":0,"affiliate":0,"posted":100000000,"affiliate_earned":0,"affiliate_count":0,"used_quota":0,"request_count":0,"opened_at":1796045132791}');
insert into balances.accounts (user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at) overriding system value select user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at from json_populate_record(null::balances.accounts, '{"user_id":2,"status":"active","wallet":5009464,"held":1831,"affiliate":0,"posted":5011295,"affiliate_earned":0,"affiliate_count":0,"used_quota":1050,"request_count":10,"opened_at":1796045133608}');
insert into balances.accounts (user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at) overriding system value select user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at from json_populate_record(null::balances.accounts, '{"user_id":3,"status":"suspended","wallet":99790,"held":0,"affiliate":0,"posted":99790,"affiliate_earned":0,"affiliate_count":0,"used_quota":210,"request_count":2,"opened_at":1796045133826}');
insert into balances.accounts (user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at) overriding system value select user_id, status, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count, opened_at from json_populate_record(null::balances.accounts, '{"user_id":4,"status":"suspended","wallet":99790,"held":0,"affiliate":0,"posted":99790,"affiliate_earned":0,"affiliate_count":0,"used_quota":210,"request_count":2,"opened_at":1796045134024}');
delete from balances.holds;
insert into balances.holds (hold, user_id, token_id, relay, remaining, since) overriding system value select hold, user_id, token_id, relay, remaining, since from json_populate_record(null::balances.holds, '{"hold":"2@8","user_id":2,"token_id":1,"relay":"d533514a-9bf5-43ba-b872-e167fe9bd2c7","remaining":1831,"since":1796045134537}');
delete from channels.abilities;
insert into channels.abilities (group_name, model, channel_id, enabled, priority, weight, tag) overriding system value select group_name, model, channel_id, enabled, priority, weight, tag from json_populate_record(null::channels.abilities, '{"group_name":"default","model":"other","channel_id":2,"enabled":false,"priority":0,"weight":0,"tag":""}');
insert into channels.abilities (group_name, model, channel_id, enabled, priority, weight, tag) overriding system value select group_name, model, channel_id, enabled, priority, weight, tag from json_populate_record(null::channels.abilities, '{"group_name":"default","model":"up-model","channel_id":1,"enabled":true,"priority":0,"weight":0,"tag":""}');
insert into channels.abilities (group_name, model, channel_id, enabled, priority, weight, tag) overriding system value select group_name, model, channel_id, enabled, priority, weight, tag from json_populate_record(null::channels.abilities, '{"group_name":"default","model":"up-model","channel_id":2,"enabled":false,"priority":0,"weight":0,"tag":""}');
delete from channels.channels;
insert into channels.channels (channel_id, status, terms, reason, status_at, recovery_failures, retry_at, test_at, test_succeeded, test_ms, balance_at, balance_usd, created_at, used_quota, priority, tag, models, groups) overriding system value select channel_id, status, terms, reason, status_at, recovery_failures, retry_at, test_at, test_succeeded, test_ms, balance_at, balance_usd, created_at, used_quota, priority, tag, models, groups from json_populate_record(null::channels.channels, '{"channel_id":1,"status":"enabled","terms":"{\"type\":1,\"openaiOrganization\":\"\",\"testModel\":\"\",\"baseUrl\":\"http://127.0.0.1:3990\",\"other\":\"\",\"models\":[\"up-model\"],\"groups\":[\"default\"],\"modelMapping\":\"\",\"statusCodeMapping\":\"\",\"paramOverride\":\"\",\"setting\":\"\",\"priority\":0,\"weight\":0,\"autoBan\":true,\"tag\":\"\"}","reason":"","status_at":1796045133153,"recovery_failures":null,"retry_at":null,"test_at":null,"test_succeeded":null,"test_ms":null,"balance_at":null,"balance_usd":null,"created_at":1796045133153,"used_quota":1470,"priority":0,"tag":"","models":"up-model","groups":"default"}');
insert into channels.channels (channel_id, status, terms, reason, status_at, recovery_failures, retry_at, test_at, test_succeeded, test_ms, balance_at, balance_usd, created_at, used_quota, priority, tag, models, groups) overriding system value select channel_id, status, terms, reason, status_at, recovery_failures, retry_at, test_at, test_succeeded, test_ms, balance_at, balance_usd, created_at, used_quota, priority, tag, models, groups from json_populate_record(null::channels.channels, '{"channel_id":2,"status":"disabled","terms":"{\"type\":1,\"openaiOrganization\":\"\",\"testModel\":\"\",\"baseUrl\":\"http://127.0.0.1:3990\",\"other\":\"\",\"models\":[\"up-model\",\"other\"],\"groups\":[\"default\"],\"modelMapping\":\"\",\"statusCodeMapping\":\"\",\"paramOverride\":\"\",\"setting\":\"\",\"priority\":0,\"weight\":0,\"autoBan\":true,\"tag\":\"\"}","reason":"","status_at":1796045133356,"recovery_failures":null,"retry_at":null,"test_at":null,"test_succeeded":null,"test_ms":null,"balance_at":null,"balance_usd":null,"created_at":1796045133193,"used_quota":0,"priority":0,"tag":"","models":"up-model,other","groups":"default"}');
delete from coordination.rate_windows;
insert into coordination.rate_windows (key, attempts, ends_at) overriding system value select key, attempts, ends_at from json_populate_record(null::coordination.rate_windows, '{"key":"127.0.0.1","attempts":["2026-11-30T13:25:32.656467+00:00","2026-11-30T13:25:32.888616+00:00","2026-11-30T13:25:33.628127+00:00","2026-11-30T13:25:33.835947+00:00","2026-11-30T13:25:34.042583+00:00"],"ends_at":"2026-11-30T13:45:34.042583+00:00"}');
insert into coordination.rate_windows (key, attempts, ends_at) overriding system value select key, attempts, ends_at from json_populate_record(null::coordination.rate_windows, '{"key":"api 127.0.0.1","attempts":["2026-11-30T13:25:32.51718+00:00","2026-11-30T13:25:32.652838+00:00","2026-11-30T13:25:32.886529+00:00","2026-11-30T13:25:33.027558+00:00","2026-11-30T13:25:33.05789+00:00","2026-11-30T13:25:33.100772+00:00","2026-11-30T13:25:33.142396+00:00","2026-11-30T13:25:33.183597+00:00","2026-11-30T13:25:33.213456+00:00","2026-11-30T13:25:33.290181+00:00","2026-11-30T13:25:33.336549+00:00","2026-11-30T13:25:33.406889+00:00","2026-11-30T13:25:33.465766+00:00","2026-11-30T13:25:33.626606+00:00","2026-11-30T13:25:33.692279+00:00","2026-11-30T13:25:33.69913+00:00","2026-11-30T13:25:33.743965+00:00","2026-11-30T13:25:33.835038+00:00","2026-11-30T13:25:33.904683+00:00","2026-11-30T13:25:33.909216+00:00","2026-11-30T13:25:33.945882+00:00","2026-11-30T13:25:34.041524+00:00","2026-11-30T13:25:34.105172+00:00","2026-11-30T13:25:34.112798+00:00","2026-11-30T13:25:34.156644+00:00","2026-11-30T13:25:34.181703+00:00","2026-11-30T13:25:34.20897+00:00","2026-11-30T13:25:34.234425+00:00","2026-11-30T13:25:34.244479+00:00","2026-11-30T13:25:34.258535+00:00","2026-11-30T13:25:34.269536+00:00","2026-11-30T13:25:34.296788+00:00","2026-11-30T13:25:34.312113+00:00","2026-11-30T13:25:34.332595+00:00","2026-11-30T13:25:34.35506+00:00","2026-11-30T13:25:34.382186+00:00","2026-11-30T13:25:34.388604+00:00","2026-11-30T13:25:34.406368+00:00","2026-11-30T13:25:34.415798+00:00","2026-11-30T13:25:34.446529+00:00","2026-11-30T13:25:36.528872+00:00","2026-11-30T13:25:36.548211+00:00","2026-11-30T13:25:36.585526+00:00","2026-11-30T13:25:36.622642+00:00","2026-11-30T13:25:39.655966+00:00","2026-11-30T13:25:39.678904+00:00"],"ends_at":"2026-11-30T13:28:39.678904+00:00"}');
insert into coordination.rate_windows (key, attempts, ends_at) overriding system value select key, attempts, ends_at from json_populate_record(null::coordination.rate_windows, '{"key":"sign-in-name:CJABo1Z5oz7z2wyjUNubmi8BNuDjJ1d7BLO5gSdHCWE","attempts":["2026-11-30T13:25:33.630284+00:00"],"ends_at":"2026-11-30T13:45:33.630284+00:00"}');
insert into coordination.rate_windows (key, attempts, ends_at) overriding system value select key, attempts, ends_at from json_populate_record(null::coordination.rate_windows, '{"key":"sign-in-name:HmFJ9sPg8oQ5-x0cP7kEesEPTTPqihxIK-AECJpCBic","attempts":["2026-11-30T13:25:34.044457+00:00"],"ends_at":"2026-11-30T13:45:34.044457+00:00"}');
insert into coordination.rate_windows (key, attempts, ends_at) overriding system value select key, attempts, ends_at from json_populate_record(null::coordination.rate_windows, '{"key":"sign-in-name:KDu53u8C5oQ6v7U476HspwgBvYpwHD-YGR4SNJYzkkc","attempts":["2026-11-30T13:25:33.837234+00:00"],"ends_at":"2026-11-30T13:45:33.837234+00:00"}');
insert into coordination.rate_windows (key, attempts, ends_at) overriding system value select key, attempts, ends_at from json_populate_record(null::coordination.rate_windows, '{"key":"sign-in-name:SBNJTRN-FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I","attempts":["2026-11-30T13:25:32.899812+00:00"],"ends_at":"2026-11-30T13:45:32.899812+00:00"}');
delete from dashboard.hours;
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":2,"model":"up-model","channel":1,"token_id":1,"count":2,"quota":210,"tokens":140}');
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":2,"model":"up-model","channel":1,"token_id":2,"count":2,"quota":210,"tokens":140}');
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":2,"model":"up-model","channel":1,"token_id":3,"count":2,"quota":210,"tokens":140}');
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":2,"model":"up-model","channel":1,"token_id":4,"count":2,"quota":210,"tokens":140}');
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":2,"model":"up-model","channel":1,"token_id":5,"count":2,"quota":210,"tokens":140}');
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":3,"model":"up-model","channel":1,"token_id":6,"count":2,"quota":210,"tokens":140}');
insert into dashboard.hours (hour, user_id, model, channel, token_id, count, quota, tokens) overriding system value select hour, user_id, model, channel, token_id, count, quota, tokens from json_populate_record(null::dashboard.hours, '{"hour":1796043600,"user_id":4,"model":"up-model","channel":1,"token_id":7,"count":2,"quota":210,"tokens":140}');
delete from identity.notifications;
insert into identity.notifications (id, user_id, type, causation_id, title, content, content_values, happened_at, recorded_at, delivered_at, english, channel, attempts, next_attempt_at, last_error, given_up_at, skipped_at) overriding system value select id, user_id, type, causation_id, title, content, content_values, happened_at, recorded_at, delivered_at, english, channel, attempts, next_attempt_at, last_error, given_up_at, skipped_at from json_populate_record(null::identity.notifications, '{"id":1,"user_id":2,"type":"quota_adjusted","causation_id":"376a19f8-8c31-44bf-9a32-8fcb181324b2","title":"您的额度已被管理员调整","content":"{{value}}：{{value}}","content_values":"[\"您的额度已被管理员调整\",\"管理员将用户额度从 ＄0.000000 额度修改为 ＄10.000000 额度\"]","happened_at":"2026-11-30T13:25:33.708+00:00","recorded_at":"2026-11-30T13:25:33.737+00:00","delivered_at":null,"english":"{\"title\":\"An administrator has changed your quota\",\"content\":\"{{value}}: {{value}}\",\"values\":[\"An administrator has changed your quota\",\"管理员将用户额度从 ＄0.000000 额度修改为 ＄10.000000 额度\"]}","channel":null,"attempts":0,"next_attempt_at":"2026-11-30T13:25:33.737+00:00","last_error":"the user has no e-mail address","given_up_at":null,"skipped_at":"2026-11-30T13:25:33.753+00:00"}');
insert into identity.notifications (id, user_id, type, causation_id, title, content, content_values, happened_at, recorded_at, delivered_at, english, channel, attempts, next_attempt_at, last_error, given_up_at, skipped_at) overriding system value select id, user_id, type, causation_id, title, content, content_values, happened_at, recorded_at, delivered_at, english, channel, attempts, next_attempt_at, last_error, given_up_at, skipped_at from json_populate_record(null::identity.notifications, '{"id":2,"user_id":3,"type":"quota_adjusted","causation_id":"1451a339-ca19-467a-9f4d-03c08518791a","title":"您的额度已被管理员调整","content":"{{value}}：{{value}}","content_values":"[\"您的额度已被管理员调整\",\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"]","happened_at":"2026-11-30T13:25:33.914+00:00","recorded_at":"2026-11-30T13:25:33.939+00:00","delivered_at":null,"english":"{\"title\":\"An administrator has changed your quota\",\"content\":\"{{value}}: {{value}}\",\"values\":[\"An administrator has changed your quota\",\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"]}","channel":null,"attempts":0,"next_attempt_at":"2026-11-30T13:25:33.939+00:00","last_error":"the user has no e-mail address","given_up_at":null,"skipped_at":"2026-11-30T13:25:33.95+00:00"}');
insert into identity.notifications (id, user_id, type, causation_id, title, content, content_values, happened_at, recorded_at, delivered_at, english, channel, attempts, next_attempt_at, last_error, given_up_at, skipped_at) overriding system value select id, user_id, type, causation_id, title, content, content_values, happened_at, recorded_at, delivered_at, english, channel, attempts, next_attempt_at, last_error, given_up_at, skipped_at from json_populate_record(null::identity.notifications, '{"id":3,"user_id":4,"type":"quota_adjusted","causation_id":"51d38980-83e5-46c7-b411-5bbf204485e1","title":"您的额度已被管理员调整","content":"{{value}}：{{value}}","content_values":"[\"您的额度已被管理员调整\",\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"]","happened_at":"2026-11-30T13:25:34.122+00:00","recorded_at":"2026-11-30T13:25:34.15+00:00","delivered_at":null,"english":"{\"title\":\"An administrator has changed your quota\",\"content\":\"{{value}}: {{value}}\",\"values\":[\"An administrator has changed your quota\",\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"]}","channel":null,"attempts":0,"next_attempt_at":"2026-11-30T13:25:34.15+00:00","last_error":"the user has no e-mail address","given_up_at":null,"skipped_at":"2026-11-30T13:25:34.161+00:00"}');
delete from identity.posted_requests;
insert into identity.posted_requests (id, user_id, operation, key_hash, contents_hash, position, expires_at) overriding system value select id, user_id, operation, key_hash, contents_hash, position, expires_at from json_populate_record(null::identity.posted_requests, '{"id":"32cc150d-aba6-4db7-9cc2-bd52ec71b929","user_id":1,"operation":"quota-edit","key_hash":"\\x99f08848953c0124c4bf735823274672b5f6276fb7743c77e1b94289582aa779","contents_hash":"\\x96afd956ad313f36d1973e0f611413f4dd67ba482857e017bb7ed28f1fadaad6","position":14,"expires_at":"2026-11-30T13:25:43.912+00:00"}');
insert into identity.posted_requests (id, user_id, operation, key_hash, contents_hash, position, expires_at) overriding system value select id, user_id, operation, key_hash, contents_hash, position, expires_at from json_populate_record(null::identity.posted_requests, '{"id":"3b8a42ad-ecc7-40e4-b953-9b708b019169","user_id":1,"operation":"quota-edit","key_hash":"\\x45b67ed94d3ce0b4a4b98dea8597221b240d5866d9987e4dc4e0bd25078dce5b","contents_hash":"\\x538567d38e7b4e89e20532e12754b9d4c93561caf878ccb379ac8244de0ce03b","position":11,"expires_at":"2026-11-30T13:25:43.703+00:00"}');
insert into identity.posted_requests (id, user_id, operation, key_hash, contents_hash, position, expires_at) overriding system value select id, user_id, operation, key_hash, contents_hash, position, expires_at from json_populate_record(null::identity.posted_requests, '{"id":"75971fdd-d3a4-466d-b335-125858bf4b8b","user_id":1,"operation":"quota-edit","key_hash":"\\x78b83d8ccb4320d8d16e2151012f7d377ec998c99e0ad3dd634af9a10a9b7841","contents_hash":"\\x33dfeba2ad248b33d318a7c139c91220a1d2e6eb48cc08c6819e4e7dafb2ad04","position":17,"expires_at":"2026-11-30T13:25:44.117+00:00"}');
delete from identity.quota_watch;
insert into identity.quota_watch (is_only, position) overriding system value select is_only, position from json_populate_record(null::identity.quota_watch, '{"is_only":true,"position":73}');
delete from identity.sessions;
insert into identity.sessions (id, token_hash, user_id, created_at, expires_at, last_position) overriding system value select id, token_hash, user_id, created_at, expires_at, last_position from json_populate_record(null::identity.sessions, '{"id":"74f376e0-a34e-47b8-9184-b4b4558a11b0","token_hash":"\\x25b7db192386f762e84921d7bc38d7be51b8ee71f995db53930ed5064431c823","user_id":2,"created_at":"2026-11-30T13:25:33.679+00:00","expires_at":"2026-12-30T13:25:33.679+00:00","last_position":61}');
insert into identity.sessions (id, token_hash, user_id, created_at, expires_at, last_position) overriding system value select id, token_hash, user_id, created_at, expires_at, last_position from json_populate_record(null::identity.sessions, '{"id":"a42de2de-7517-4a7a-b1ac-e9ae634b695c","token_hash":"\\x909c6bf63272bad43a8f9ae7235e22e264c464eaf820818ce42b330c7c592c74","user_id":1,"created_at":"2026-11-30T13:25:33.016+00:00","expires_at":"2026-12-30T13:25:33.016+00:00","last_position":65}');
delete from identity.setup;
delete from identity.setup;
insert into identity.setup (is_only, version, initialized_at) overriding system value select is_only, version, initialized_at from json_populate_record(null::identity.setup, '{"is_only":true,"version":"0.1.0","initialized_at":"2026-11-30T13:25:32.827+00:00"}');
delete from identity.users;
insert into identity.users (id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed) overriding system value select id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed from json_populate_record(null::identity.users, '{"id":1,"username":"root","password_hash":"$argon2id$v=19$m=19456,t=2,p=1$k+d5nxKCjNEMmmKxVPX9rA$MtSGngW+THk9nDw4yu7b+O6115LTdlL2nNLUYF42S/I","display_name":"Root User","role":100,"status":1,"email":"","github_id":"","oidc_id":"","wechat_id":"","telegram_id":"","linux_do_id":"","access_token_ciphertext":null,"access_token_hash":null,"user_group":"default","aff_code":null,"inviter_id":null,"setting":"","opening_quota":100000000,"opening_source":"grant","is_opened":true,"is_pending":false,"last_position":-1,"created_at":"2026-11-30T13:25:32.720596+00:00","touched_at":"2026-11-30T13:25:32.720596+00:00","deleted_at":null,"webhook_secret_ciphertext":null,"invitee_reward":null,"inviter_reward":null,"own_email":null,"github_holder":"","is_token_owed":false}');
insert into identity.users (id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed) overriding system value select id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed from json_populate_record(null::identity.users, '{"id":2,"username":"late","password_hash":"$argon2id$v=19$m=19456,t=2,p=1$Xa9B3309hnMLesfgWIGa7w$queuc1Q/PXuCk2PfNc6FimSKHBxV6C5FbH/hlw0Wrhk","display_name":"late","role":1,"status":1,"email":"","github_id":"","oidc_id":"","wechat_id":"","telegram_id":"","linux_do_id":"","access_token_ciphertext":null,"access_token_hash":null,"user_group":"default","aff_code":"iGS4","inviter_id":null,"setting":"","opening_quota":0,"opening_source":"sign-up","is_opened":true,"is_pending":false,"last_position":-1,"created_at":"2026-11-30T13:25:33.589811+00:00","touched_at":"2026-11-30T13:25:33.718171+00:00","deleted_at":null,"webhook_secret_ciphertext":null,"invitee_reward":null,"inviter_reward":null,"own_email":null,"github_holder":"","is_token_owed":false}');
insert into identity.users (id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed) overriding system value select id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed from json_populate_record(null::identity.users, '{"id":3,"username":"gone","password_hash":null,"display_name":"gone","role":1,"status":1,"email":"","github_id":"","oidc_id":"","wechat_id":"","telegram_id":"","linux_do_id":"","access_token_ciphertext":null,"access_token_hash":null,"user_group":"default","aff_code":"ydzJ","inviter_id":null,"setting":"","opening_quota":0,"opening_source":"sign-up","is_opened":true,"is_pending":false,"last_position":-1,"created_at":"2026-11-30T13:25:33.811283+00:00","touched_at":"2026-11-30T13:25:36.625849+00:00","deleted_at":"2026-11-30T13:25:36.625+00:00","webhook_secret_ciphertext":null,"invitee_reward":null,"inviter_reward":null,"own_email":null,"github_holder":"","is_token_owed":false}');
insert into identity.users (id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed) overriding system value select id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id, telegram_id, linux_do_id, access_token_ciphertext, access_token_hash, user_group, aff_code, inviter_id, setting, opening_quota, opening_source, is_opened, is_pending, last_position, created_at, touched_at, deleted_at, webhook_secret_ciphertext, invitee_reward, inviter_reward, own_email, github_holder, is_token_owed from json_populate_record(null::identity.users, '{"id":4,"username":"susp","password_hash":"$argon2id$v=19$m=19456,t=2,p=1$6Rvfgzc2TUfG43EbwbX2Qw$IlaW2Os1eQCflW0E7lWHfy/zGqK50fT3R9iwhmN6eHM","display_name":"susp","role":1,"status":2,"email":"","github_id":"","oidc_id":"","wechat_id":"","telegram_id":"","linux_do_id":"","access_token_ciphertext":null,"access_token_hash":null,"user_group":"default","aff_code":"ADaw","inviter_id":null,"setting":"","opening_quota":0,"opening_source":"sign-up","is_opened":true,"is_pending":false,"last_position":-1,"created_at":"2026-11-30T13:25:34.006536+00:00","touched_at":"2026-11-30T13:25:36.605027+00:00","deleted_at":null,"webhook_secret_ciphertext":null,"invitee_reward":null,"inviter_reward":null,"own_email":null,"github_holder":"","is_token_owed":false}');
delete from journal.balances;
insert into journal.balances (user_id, wallet, held, affiliate) overriding system value select user_id, wallet, held, affiliate from json_populate_record(null::journal.balances, '{"user_id":1,"wallet":100000000,"held":0,"affiliate":0}');
insert into journal.balances (user_id, wallet, held, affiliate) overriding system value select user_id, wallet, held, affiliate from json_populate_record(null::journal.balances, '{"user_id":2,"wallet":5009464,"held":1831,"affiliate":0}');
insert into journal.balances (user_id, wallet, held, affiliate) overriding system value select user_id, wallet, held, affiliate from json_populate_record(null::journal.balances, '{"user_id":3,"wallet":99790,"held":0,"affiliate":0}');
insert into journal.balances (user_id, wallet, held, affiliate) overriding system value select user_id, wallet, held, affiliate from json_populate_record(null::journal.balances, '{"user_id":4,"wallet":99790,"held":0,"affiliate":0}');
delete from journal.postings;
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":12,"line":0,"at":1796045133708,"user_id":2,"from_account":"adjustments","to_account":"wallet","amount":5000000,"wallet":5000000,"held":0,"affiliate":0,"event_id":"376a19f8-8c31-44bf-9a32-8fcb181324b2","event_type":"QuotaCredited","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":15,"line":0,"at":1796045133914,"user_id":3,"from_account":"adjustments","to_account":"wallet","amount":100000,"wallet":100000,"held":0,"affiliate":0,"event_id":"1451a339-ca19-467a-9f4d-03c08518791a","event_type":"QuotaCredited","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":18,"line":0,"at":1796045134122,"user_id":4,"from_account":"adjustments","to_account":"wallet","amount":100000,"wallet":100000,"held":0,"affiliate":0,"event_id":"51d38980-83e5-46c7-b411-5bbf204485e1","event_type":"QuotaCredited","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":2,"line":0,"at":1796045132811,"user_id":1,"from_account":"adjustments","to_account":"wallet","amount":100000000,"wallet":100000000,"held":0,"affiliate":0,"event_id":"d717f243-f8e2-43eb-8f92-676c9f09d64b","event_type":"QuotaCredited","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":29,"line":0,"at":1796045134480,"user_id":2,"from_account":"redemptions","to_account":"wallet","amount":12345,"wallet":5012345,"held":0,"affiliate":0,"event_id":"10ec082e-d06d-4ed6-ae24-54352d1ff762","event_type":"QuotaCredited","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":30,"line":0,"at":1796045134537,"user_id":2,"from_account":"wallet","to_account":"held","amount":935,"wallet":5011410,"held":935,"affiliate":0,"event_id":"c9622e53-5efd-4126-9db5-177669b1d10e","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":31,"line":0,"at":1796045134716,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5011410,"held":830,"affiliate":0,"event_id":"0f3c0c17-88eb-486e-a05d-a947af6e7799","event_type":"UsageCharged","request_id":"20261130132534514547144u7RUvasA"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":32,"line":0,"at":1796045134742,"user_id":2,"from_account":"wallet","to_account":"held","amount":151,"wallet":5011259,"held":981,"affiliate":0,"event_id":"224fcc69-46de-4cd4-880d-e8dba6da2f48","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":33,"line":0,"at":1796045134814,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5011259,"held":876,"affiliate":0,"event_id":"47dd2850-9003-467d-94b2-2284effbde35","event_type":"UsageCharged","request_id":"20261130132534737214119uOiSRN83"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":34,"line":0,"at":1796045134848,"user_id":2,"from_account":"wallet","to_account":"held","amount":935,"wallet":5010324,"held":1811,"affiliate":0,"event_id":"ab758141-11e0-49f2-97e3-e462dbb61c73","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":35,"line":0,"at":1796045134964,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5010324,"held":1706,"affiliate":0,"event_id":"74f5c7d2-3f86-4eb0-bb56-983bb04aec9d","event_type":"UsageCharged","request_id":"20261130132534828312914yqHEmedt"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":36,"line":0,"at":1796045134994,"user_id":2,"from_account":"wallet","to_account":"held","amount":151,"wallet":5010173,"held":1857,"affiliate":0,"event_id":"fe245562-2912-4ac2-902d-eed34dbab427","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":37,"line":0,"at":1796045135081,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5010173,"held":1752,"affiliate":0,"event_id":"f21e5ed7-21e9-4aea-ab19-1b6d0b906e2b","event_type":"UsageCharged","request_id":"20261130132534993677694Hs496Wqu"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":38,"line":0,"at":1796045135174,"user_id":2,"from_account":"wallet","to_account":"held","amount":935,"wallet":5009238,"held":2687,"affiliate":0,"event_id":"e05afe1d-d671-4257-be7a-91423f2006db","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":39,"line":0,"at":1796045135270,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5009238,"held":2582,"affiliate":0,"event_id":"c8d1b214-763b-48d5-8d85-880a3fb412c6","event_type":"UsageCharged","request_id":"20261130132535097388228EF121iYz"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":40,"line":0,"at":1796045135284,"user_id":2,"from_account":"wallet","to_account":"held","amount":151,"wallet":5009087,"held":2733,"affiliate":0,"event_id":"a54a7779-2f6c-4e16-81ef-0a619b869b26","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":41,"line":0,"at":1796045135355,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5009087,"held":2628,"affiliate":0,"event_id":"c1c473fb-b808-4cb7-b124-825cb09129cf","event_type":"UsageCharged","request_id":"20261130132535279244351I0kGUiht"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":42,"line":0,"at":1796045135386,"user_id":2,"from_account":"wallet","to_account":"held","amount":935,"wallet":5008152,"held":3563,"affiliate":0,"event_id":"0f280f5d-2929-4ae9-9f12-30dd53b4cf44","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":43,"line":0,"at":1796045135490,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5008152,"held":3458,"affiliate":0,"event_id":"8762f4df-c603-4599-b389-0cd5d444ac27","event_type":"UsageCharged","request_id":"20261130132535374883767IJ6D5ZUW"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":44,"line":0,"at":1796045135525,"user_id":2,"from_account":"wallet","to_account":"held","amount":151,"wallet":5008001,"held":3609,"affiliate":0,"event_id":"d989893a-7b66-4878-bcce-6e0cca578ae6","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":45,"line":0,"at":1796045135603,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5008001,"held":3504,"affiliate":0,"event_id":"9dd1ea99-7b4a-4564-806a-d0ee71af9af0","event_type":"UsageCharged","request_id":"202611301325355244721614l49WbYX"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":46,"line":0,"at":1796045135636,"user_id":2,"from_account":"wallet","to_account":"held","amount":935,"wallet":5007066,"held":4439,"affiliate":0,"event_id":"2e7d852a-3d22-4c47-924c-0d84caa54456","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":47,"line":0,"at":1796045135743,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5007066,"held":4334,"affiliate":0,"event_id":"c75b55d0-ed83-4d7f-96d8-533c9ad07274","event_type":"UsageCharged","request_id":"20261130132535626481008JDa9LZue"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":48,"line":0,"at":1796045135768,"user_id":2,"from_account":"wallet","to_account":"held","amount":151,"wallet":5006915,"held":4485,"affiliate":0,"event_id":"f4929253-ad57-4f63-a675-16fbd5660ec3","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":49,"line":0,"at":1796045135853,"user_id":2,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":5006915,"held":4380,"affiliate":0,"event_id":"474a4fe6-8ac7-4a64-9ecf-3edef04ae1b9","event_type":"UsageCharged","request_id":"20261130132535766204664yloBAw9P"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":50,"line":0,"at":1796045135905,"user_id":3,"from_account":"wallet","to_account":"held","amount":935,"wallet":99065,"held":935,"affiliate":0,"event_id":"4ea56413-6885-4aef-a2ae-6a804a194243","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":51,"line":0,"at":1796045136047,"user_id":3,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":99065,"held":830,"affiliate":0,"event_id":"410521ce-3e53-4e3a-8130-052085cd4721","event_type":"UsageCharged","request_id":"20261130132535875893218wVxVwkLt"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":52,"line":0,"at":1796045136071,"user_id":3,"from_account":"wallet","to_account":"held","amount":151,"wallet":98914,"held":981,"affiliate":0,"event_id":"e5bc3386-cbb1-4f33-8b70-2c21f236694d","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":53,"line":0,"at":1796045136152,"user_id":3,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":98914,"held":876,"affiliate":0,"event_id":"31e0e27c-6851-4327-b791-7e22869e24f7","event_type":"UsageCharged","request_id":"20261130132536070788793qsKTk01u"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":54,"line":0,"at":1796045136222,"user_id":4,"from_account":"wallet","to_account":"held","amount":935,"wallet":99065,"held":935,"affiliate":0,"event_id":"839eff8d-c9f1-4a52-85fd-eaf75f15a175","event_type":"QuotaHeld","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":55,"line":0,"at":1796045136392,"user_id":4,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":99065,"held":830,"affiliate":0,"event_id":"489080d2-fdd3-4956-ac9d-c81e1920b362","event_type":"UsageCharged","request_id":"20261130132536187416792e1pK4bmC"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":56,"line":0,"at":1796045136406,"user_id":4,"from_account":"wallet","to_account":"held","amount":151,"wallet":98914,"held":981,"affiliate":0,"event_id":"d6679693-b038-4586-9012-5b1645b91cea","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":57,"line":0,"at":1796045136483,"user_id":4,"from_account":"held","to_account":"usage-revenue","amount":105,"wallet":98914,"held":876,"affiliate":0,"event_id":"d907ab3f-7995-49dd-9323-775acbf16c44","event_type":"UsageCharged","request_id":"20261130132536405039893zClSSvlM"}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":66,"line":0,"at":1796045136655,"user_id":2,"from_account":"wallet","to_account":"held","amount":230,"wallet":5006685,"held":4610,"affiliate":0,"event_id":"a6d817ea-3059-4287-aae6-6f1a73249978","event_type":"HoldExtended","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":67,"line":0,"at":1796045138965,"user_id":2,"from_account":"held","to_account":"wallet","amount":876,"wallet":5007561,"held":3734,"affiliate":0,"event_id":"91aedf3e-2dcd-4ea0-9ce1-fe38e5e6210d","event_type":"HoldReleased","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":68,"line":0,"at":1796045138965,"user_id":2,"from_account":"held","to_account":"wallet","amount":876,"wallet":5008437,"held":2858,"affiliate":0,"event_id":"52529d9c-d79f-4210-ae37-6d19165a73f1","event_type":"HoldReleased","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":69,"line":0,"at":1796045138965,"user_id":2,"from_account":"held","to_account":"wallet","amount":876,"wallet":5009313,"held":1982,"affiliate":0,"event_id":"f9a64308-1c65-4da4-92e2-3e5bfedbf99e","event_type":"HoldReleased","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":70,"line":0,"at":1796045138965,"user_id":2,"from_account":"held","to_account":"wallet","amount":876,"wallet":5010189,"held":1106,"affiliate":0,"event_id":"6c83a3be-7b04-4d39-a820-e767203b56b3","event_type":"HoldReleased","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":71,"line":0,"at":1796045139971,"user_id":3,"from_account":"held","to_account":"wallet","amount":876,"wallet":99790,"held":0,"affiliate":0,"event_id":"054c865f-c925-442b-851d-2a4280b7814e","event_type":"HoldReleased","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":72,"line":0,"at":1796045139971,"user_id":4,"from_account":"held","to_account":"wallet","amount":876,"wallet":99790,"held":0,"affiliate":0,"event_id":"bec81737-2682-4634-af37-eb9c252b1fd9","event_type":"HoldReleased","request_id":""}');
insert into journal.postings (position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id) overriding system value select position, line, at, user_id, from_account, to_account, amount, wallet, held, affiliate, event_id, event_type, request_id from json_populate_record(null::journal.postings, '{"position":73,"line":0,"at":1796045154831,"user_id":2,"from_account":"wallet","to_account":"held","amount":725,"wallet":5009464,"held":1831,"affiliate":0,"event_id":"370d3552-d081-444e-b1a3-13cb8dd7520d","event_type":"HoldExtended","request_id":""}');
delete from ledger.events;
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":0,"stream":"user-1","revision":0,"id":"6403d2b5-32da-4d47-922c-76b77b4a0456","type":"UserRegistered","recorded_at":"2026-11-30T13:25:32.741+00:00","data":"{\"at\":1796045132738,\"role\":100,\"group\":\"default\",\"inviter\":null,\"invitation\":null}","metadata":"{\"actor\":\"system\",\"correlationId\":\"20261130132532651760973aJOLFwJk\",\"causationId\":\"identity.users/1\",\"schemaVersion\":2,\"stream\":\"user-1\",\"type\":\"UserRegistered\",\"id\":\"6403d2b5-32da-4d47-922c-76b77b4a0456\",\"prevHash\":\"\",\"hash\":\"b260c460ea805381e71754b5608b4c5a5c4441bde4a2705d91c1ddf2a2424086\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":1,"stream":"account-1","revision":0,"id":"e0ab489e-d41c-4147-9533-afe161f7a0a2","type":"AccountOpened","recorded_at":"2026-11-30T13:25:32.793+00:00","data":"{\"at\":1796045132791}","metadata":"{\"actor\":\"system\",\"correlationId\":\"20261130132532651760973aJOLFwJk\",\"causationId\":\"identity.users/1\",\"schemaVersion\":1,\"stream\":\"account-1\",\"type\":\"AccountOpened\",\"id\":\"e0ab489e-d41c-4147-9533-afe161f7a0a2\",\"prevHash\":\"\",\"hash\":\"92224fdc03e64b1f9fc02e394120cfae6cc0d4040208ea660aba320f9692cfab\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":10,"stream":"user-2","revision":0,"id":"2a667a6b-f2f6-419d-a2f6-7f803a80290f","type":"UserRegistered","recorded_at":"2026-11-30T13:25:33.597+00:00","data":"{\"at\":1796045133596,\"role\":1,\"group\":\"default\",\"inviter\":null,\"invitation\":null}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533464155967PI0z3Zb9\",\"causationId\":\"identity.users/2\",\"schemaVersion\":2,\"stream\":\"user-2\",\"type\":\"UserRegistered\",\"id\":\"2a667a6b-f2f6-419d-a2f6-7f803a80290f\",\"prevHash\":\"\",\"hash\":\"1d0c94276e2d21f709218706e41cdebe9734f6a417dcb5e81af1778109b0560e\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":11,"stream":"account-2","revision":0,"id":"b22012a1-56d4-4fa8-9f9a-98d9f4ad2c08","type":"AccountOpened","recorded_at":"2026-11-30T13:25:33.608+00:00","data":"{\"at\":1796045133608}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533464155967PI0z3Zb9\",\"causationId\":\"identity.users/2\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"AccountOpened\",\"id\":\"b22012a1-56d4-4fa8-9f9a-98d9f4ad2c08\",\"prevHash\":\"\",\"hash\":\"cc011c4cccece33ea80efe33f47acc33e600cef7a1f953c3783afb1e9b148575\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":12,"stream":"account-2","revision":1,"id":"376a19f8-8c31-44bf-9a32-8fcb181324b2","type":"QuotaCredited","recorded_at":"2026-11-30T13:25:33.71+00:00","data":"{\"at\":1796045133708,\"amount\":5000000,\"source\":\"grant\",\"reason\":\"管理员将用户额度从 ＄0.000000 额度修改为 ＄10.000000 额度\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533698129053ZFRcUyqA\",\"causationId\":\"3b8a42ad-ecc7-40e4-b953-9b708b019169\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaCredited\",\"id\":\"376a19f8-8c31-44bf-9a32-8fcb181324b2\",\"prevHash\":\"cc011c4cccece33ea80efe33f47acc33e600cef7a1f953c3783afb1e9b148575\",\"hash\":\"c05104627ba739a4ad5a4b9c9d8ca810002b0959320c56e60f7c3122d9e46114\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":13,"stream":"user-3","revision":0,"id":"317fecf6-a94e-4251-883c-b709043b4b8d","type":"UserRegistered","recorded_at":"2026-11-30T13:25:33.821+00:00","data":"{\"at\":1796045133820,\"role\":1,\"group\":\"default\",\"inviter\":null,\"invitation\":null}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533742136015DrSmMDKn\",\"causationId\":\"identity.users/3\",\"schemaVersion\":2,\"stream\":\"user-3\",\"type\":\"UserRegistered\",\"id\":\"317fecf6-a94e-4251-883c-b709043b4b8d\",\"prevHash\":\"\",\"hash\":\"12605c16141b4325d778dfa801a1e612023e16dc041d6e5c489b95a23e612f0a\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":14,"stream":"account-3","revision":0,"id":"efdd5237-b7cb-4f0a-a11e-d536f4179482","type":"AccountOpened","recorded_at":"2026-11-30T13:25:33.826+00:00","data":"{\"at\":1796045133826}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533742136015DrSmMDKn\",\"causationId\":\"identity.users/3\",\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"AccountOpened\",\"id\":\"efdd5237-b7cb-4f0a-a11e-d536f4179482\",\"prevHash\":\"\",\"hash\":\"87a34be1b81cb04ac22e26c47b44cd0b6e898f3e25d86c0ca488a3cea8fd6935\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":15,"stream":"account-3","revision":1,"id":"1451a339-ca19-467a-9f4d-03c08518791a","type":"QuotaCredited","recorded_at":"2026-11-30T13:25:33.914+00:00","data":"{\"at\":1796045133914,\"amount\":100000,\"source\":\"grant\",\"reason\":\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533908196246lApPL6SP\",\"causationId\":\"32cc150d-aba6-4db7-9cc2-bd52ec71b929\",\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"QuotaCredited\",\"id\":\"1451a339-ca19-467a-9f4d-03c08518791a\",\"prevHash\":\"87a34be1b81cb04ac22e26c47b44cd0b6e898f3e25d86c0ca488a3cea8fd6935\",\"hash\":\"94fc5b75a6da4b2f79a1bf3a073c3c4033e87c1e1503ae9e684fa0464f51fc75\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":16,"stream":"user-4","revision":0,"id":"d8b023bd-5b99-4091-90f9-cd30d8c24aff","type":"UserRegistered","recorded_at":"2026-11-30T13:25:34.012+00:00","data":"{\"at\":1796045134011,\"role\":1,\"group\":\"default\",\"inviter\":null,\"invitation\":null}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533944277750D0UGQGbE\",\"causationId\":\"identity.users/4\",\"schemaVersion\":2,\"stream\":\"user-4\",\"type\":\"UserRegistered\",\"id\":\"d8b023bd-5b99-4091-90f9-cd30d8c24aff\",\"prevHash\":\"\",\"hash\":\"007ea26d9518c773550f05b707ef4f2a317a4faf1faf63b26a20785c853a61e4\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":17,"stream":"account-4","revision":0,"id":"9e6d4ad4-454c-4fbc-83ae-af44e2e92065","type":"AccountOpened","recorded_at":"2026-11-30T13:25:34.024+00:00","data":"{\"at\":1796045134024}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533944277750D0UGQGbE\",\"causationId\":\"identity.users/4\",\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"AccountOpened\",\"id\":\"9e6d4ad4-454c-4fbc-83ae-af44e2e92065\",\"prevHash\":\"\",\"hash\":\"8ef3b1cd4efd268997119e7450425384a9c56680ab723531618ee29aa09a6c3e\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":18,"stream":"account-4","revision":1,"id":"51d38980-83e5-46c7-b411-5bbf204485e1","type":"QuotaCredited","recorded_at":"2026-11-30T13:25:34.124+00:00","data":"{\"at\":1796045134122,\"amount\":100000,\"source\":\"grant\",\"reason\":\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132534111577372PNE3InT0\",\"causationId\":\"75971fdd-d3a4-466d-b335-125858bf4b8b\",\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"QuotaCredited\",\"id\":\"51d38980-83e5-46c7-b411-5bbf204485e1\",\"prevHash\":\"8ef3b1cd4efd268997119e7450425384a9c56680ab723531618ee29aa09a6c3e\",\"hash\":\"5762ee2ad96903791ef2e028c69f1a0072273e08a764fc49052ea840452d8241\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":19,"stream":"account-2","revision":2,"id":"4c56c22c-6635-4940-8748-21ad9d1d1802","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.168+00:00","data":"{\"at\":1796045134167,\"token\":1,\"remain\":0,\"unlimited\":true,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[]}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534155363723fo7Uds60\",\"causationId\":\"secrets.tokens/1\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenIssued\",\"id\":\"4c56c22c-6635-4940-8748-21ad9d1d1802\",\"prevHash\":\"c05104627ba739a4ad5a4b9c9d8ca810002b0959320c56e60f7c3122d9e46114\",\"hash\":\"0eda9306540d5b839820df94844430ca7ff5c8c4067e22d5b5809a0dec09384d\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":2,"stream":"account-1","revision":1,"id":"d717f243-f8e2-43eb-8f92-676c9f09d64b","type":"QuotaCredited","recorded_at":"2026-11-30T13:25:32.815+00:00","data":"{\"at\":1796045132811,\"amount\":100000000,\"source\":\"grant\",\"reason\":\"\"}","metadata":"{\"actor\":\"system\",\"correlationId\":\"20261130132532651760973aJOLFwJk\",\"causationId\":\"identity.users/1\",\"schemaVersion\":1,\"stream\":\"account-1\",\"type\":\"QuotaCredited\",\"id\":\"d717f243-f8e2-43eb-8f92-676c9f09d64b\",\"prevHash\":\"92224fdc03e64b1f9fc02e394120cfae6cc0d4040208ea660aba320f9692cfab\",\"hash\":\"fed67c51e7d5021327a6ee62481a2e98b09eacff81f2c21d4de262cd447d88ec\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":20,"stream":"account-2","revision":3,"id":"b0161c7d-ad79-4e13-838a-c4d8ea7751fb","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.216+00:00","data":"{\"at\":1796045134216,\"token\":2,\"remain\":3000,\"unlimited\":false,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[]}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534207266766RaKb6fW1\",\"causationId\":\"secrets.tokens/2\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenIssued\",\"id\":\"b0161c7d-ad79-4e13-838a-c4d8ea7751fb\",\"prevHash\":\"0eda9306540d5b839820df94844430ca7ff5c8c4067e22d5b5809a0dec09384d\",\"hash\":\"d74d23ec8aec438c87326e30cca23338af460455f32e3776069445151fc10487\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":21,"stream":"account-2","revision":4,"id":"079fcd46-ae1a-4b64-8da4-48ef600c5a1e","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.249+00:00","data":"{\"at\":1796045134248,\"token\":3,\"remain\":0,\"unlimited\":true,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[]}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534243177923xxOm9bNQ\",\"causationId\":\"secrets.tokens/3\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenIssued\",\"id\":\"079fcd46-ae1a-4b64-8da4-48ef600c5a1e\",\"prevHash\":\"d74d23ec8aec438c87326e30cca23338af460455f32e3776069445151fc10487\",\"hash\":\"098ea813b845f3236c779e1d9870a6ff17c57c86c1d7d50720cbf5a332121307\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":22,"stream":"account-2","revision":5,"id":"51fed337-dd0b-4187-b78d-e75bd69374e6","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.275+00:00","data":"{\"at\":1796045134275,\"token\":4,\"remain\":0,\"unlimited\":true,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[]}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534268353443ho06qb41\",\"causationId\":\"secrets.tokens/4\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenIssued\",\"id\":\"51fed337-dd0b-4187-b78d-e75bd69374e6\",\"prevHash\":\"098ea813b845f3236c779e1d9870a6ff17c57c86c1d7d50720cbf5a332121307\",\"hash\":\"5841039a396f04fbcc47be732915ce8e7f6467117dbef71532a231e6f7ccc9fb\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":23,"stream":"account-2","revision":6,"id":"c0138568-ed2d-4622-a294-752203c42901","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.32+00:00","data":"{\"at\":1796045134319,\"token\":5,\"remain\":0,\"unlimited\":true,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[\"127.0.0.1\"]}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534309060682eAy3t05R\",\"causationId\":\"secrets.tokens/5\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenIssued\",\"id\":\"c0138568-ed2d-4622-a294-752203c42901\",\"prevHash\":\"5841039a396f04fbcc47be732915ce8e7f6467117dbef71532a231e6f7ccc9fb\",\"hash\":\"138b4eba4053d45d0a5376a3b6432a82ecc273583382ce50d75ce53a4c5c2793\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":24,"stream":"account-3","revision":2,"id":"229364fb-744a-4b2e-ac49-d87835e2c82f","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.364+00:00","data":"{\"at\":1796045134363,\"token\":6,\"remain\":0,\"unlimited\":true,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[]}","metadata":"{\"actor\":\"user:3\",\"correlationId\":\"20261130132534353423768g5NmFEri\",\"causationId\":\"secrets.tokens/6\",\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"TokenIssued\",\"id\":\"229364fb-744a-4b2e-ac49-d87835e2c82f\",\"prevHash\":\"94fc5b75a6da4b2f79a1bf3a073c3c4033e87c1e1503ae9e684fa0464f51fc75\",\"hash\":\"116c6ef2e31d254d08d3c7f3177fbd60e2fe21ff6cbfcd913309e186b0be455a\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":25,"stream":"account-4","revision":2,"id":"2de83e65-8faf-460b-bbf7-66008e0c76ed","type":"TokenIssued","recorded_at":"2026-11-30T13:25:34.392+00:00","data":"{\"at\":1796045134391,\"token\":7,\"remain\":0,\"unlimited\":true,\"expiresAt\":null,\"group\":\"\",\"models\":null,\"allowedIps\":[]}","metadata":"{\"actor\":\"user:4\",\"correlationId\":\"20261130132534387293829PywnT1o0\",\"causationId\":\"secrets.tokens/7\",\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"TokenIssued\",\"id\":\"2de83e65-8faf-460b-bbf7-66008e0c76ed\",\"prevHash\":\"5762ee2ad96903791ef2e028c69f1a0072273e08a764fc49052ea840452d8241\",\"hash\":\"d75f0cc9265d32647a73b3f2fbd1b0b2b588192d28d6ede5cf1f3659a894f55d\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":26,"stream":"redemption-1","revision":0,"id":"7c7b4456-87b8-4e5d-ab40-4da646b1aab8","type":"CodeIssued","recorded_at":"2026-11-30T13:25:34.421+00:00","data":"{\"at\":1796045134420,\"quota\":12345,\"creator\":1}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"202611301325344147752246Kh4wtKJ\",\"causationId\":\"secrets.redemptions/1\",\"schemaVersion\":1,\"stream\":\"redemption-1\",\"type\":\"CodeIssued\",\"id\":\"7c7b4456-87b8-4e5d-ab40-4da646b1aab8\",\"prevHash\":\"\",\"hash\":\"7c8d57b4eb9565868dd56b3df74e411e867a86cd4205af59a16c257886877805\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":27,"stream":"redemption-2","revision":0,"id":"4a34f791-4514-4b01-b2c2-bb8463f086bd","type":"CodeIssued","recorded_at":"2026-11-30T13:25:34.425+00:00","data":"{\"at\":1796045134420,\"quota\":12345,\"creator\":1}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"202611301325344147752246Kh4wtKJ\",\"causationId\":\"secrets.redemptions/2\",\"schemaVersion\":1,\"stream\":\"redemption-2\",\"type\":\"CodeIssued\",\"id\":\"4a34f791-4514-4b01-b2c2-bb8463f086bd\",\"prevHash\":\"\",\"hash\":\"08ab3925772d9c27385a7e15634f8d2f2fa5f03ef43ee0b7e991f1396187240a\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":28,"stream":"redemption-1","revision":1,"id":"bf5a4907-d7ec-4661-adcf-d6aeab5ef395","type":"CodeRedeemed","recorded_at":"2026-11-30T13:25:34.475+00:00","data":"{\"at\":1796045134471,\"user\":2,\"quota\":12345}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534438697287OWRRAY1W\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"redemption-1\",\"type\":\"CodeRedeemed\",\"id\":\"bf5a4907-d7ec-4661-adcf-d6aeab5ef395\",\"prevHash\":\"7c8d57b4eb9565868dd56b3df74e411e867a86cd4205af59a16c257886877805\",\"hash\":\"85531064ebee71c295c049987f8a2bc5c4164ac586305164ceb9f9b822d2fdec\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":29,"stream":"account-2","revision":7,"id":"10ec082e-d06d-4ed6-ae24-54352d1ff762","type":"QuotaCredited","recorded_at":"2026-11-30T13:25:34.486+00:00","data":"{\"at\":1796045134480,\"amount\":12345,\"source\":\"redemption\",\"reason\":\"1\"}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132534438697287OWRRAY1W\",\"causationId\":\"bf5a4907-d7ec-4661-adcf-d6aeab5ef395\",\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaCredited\",\"id\":\"10ec082e-d06d-4ed6-ae24-54352d1ff762\",\"prevHash\":\"138b4eba4053d45d0a5376a3b6432a82ecc273583382ce50d75ce53a4c5c2793\",\"hash\":\"2a58d3ad8c15d18bb476734b8898542b5c532f483415e39b74da44bbff37c261\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":3,"stream":"settings","revision":0,"id":"606717ab-b479-4501-94e9-d84dc857841b","type":"OptionChanged","recorded_at":"2026-11-30T13:25:33.066+00:00","data":"{\"at\":1796045133063,\"key\":\"ModelRatio\",\"value\":\"{\\\"360GPT_S2_V9\\\":0.8572,\\\"360gpt-pro\\\":0.8572,\\\"360gpt-turbo\\\":0.0858,\\\"360gpt-turbo-responsibility-8k\\\":0.8572,\\\"360gpt2-pro\\\":0.8572,\\\"BLOOMZ-7B\\\":0.273972602739726,\\\"ERNIE-3.5-4K-0205\\\":0.821917808219178,\\\"ERNIE-3.5-8K\\\":0.821917808219178,\\\"ERNIE-3.5-8K-0205\\\":1.643835616438356,\\\"ERNIE-3.5-8K-1222\\\":0.821917808219178,\\\"ERNIE-4.0-8K\\\":8.219178082191782,\\\"ERNIE-Bot-8K\\\":1.643835616438356,\\\"ERNIE-Lite-8K-0308\\\":0.2054794520547945,\\\"ERNIE-Lite-8K-0922\\\":0.547945205479452,\\\"ERNIE-Speed-128K\\\":0.273972602739726,\\\"ERNIE-Speed-8K\\\":0.273972602739726,\\\"ERNIE-Tiny-8K\\\":0.0684931506849315,\\\"Embedding-V1\\\":0.136986301369863,\\\"PaLM-2\\\":1,\\\"SparkDesk-v1.1\\\":1.2858,\\\"SparkDesk-v2.1\\\":1.2858,\\\"SparkDesk-v3.1\\\":1.2858,\\\"SparkDesk-v3.5\\\":1.2858,\\\"SparkDesk-v4.0\\\":1.2858,\\\"ada\\\":10,\\\"babbage\\\":10,\\\"babbage-002\\\":0.2,\\\"bge-large-en\\\":0.136986301369863,\\\"bge-large-zh\\\":0.136986301369863,\\\"chatglm_lite\\\":0.1429,\\\"chatglm_pro\\\":0.7143,\\\"chatglm_std\\\":0.3572,\\\"chatglm_turbo\\\":0.3572,\\\"chatgpt-4o-latest\\\":2.5,\\\"claude-2.0\\\":4,\\\"claude-2.1\\\":4,\\\"claude-3-5-haiku-20241022\\\":0.5,\\\"claude-3-5-sonnet-20240620\\\":1.5,\\\"claude-3-5-sonnet-20241022\\\":1.5,\\\"claude-3-7-sonnet-20250219\\\":1.5,\\\"claude-3-7-sonnet-20250219-thinking\\\":1.5,\\\"claude-3-haiku-20240307\\\":0.125,\\\"claude-3-opus-20240229\\\":7.5,\\\"claude-3-sonnet-20240229\\\":1.5,\\\"claude-instant-1\\\":0.4,\\\"code-davinci-edit-001\\\":10,\\\"command\\\":0.5,\\\"command-light\\\":0.5,\\\"command-light-nightly\\\":0.5,\\\"command-nightly\\\":0.5,\\\"command-r\\\":0.25,\\\"command-r-08-2024\\\":0.075,\\\"command-r-plus\\\":1.5,\\\"command-r-plus-08-2024\\\":1.25,\\\"curie\\\":10,\\\"davinci\\\":10,\\\"davinci-002\\\":1,\\\"deepseek-chat\\\":0.135,\\\"deepseek-coder\\\":0.135,\\\"deepseek-reasoner\\\":0.275,\\\"embedding-bert-512-v1\\\":0.0715,\\\"embedding_s1_v1\\\":0.0715,\\\"gemini-1.5-flash-latest\\\":0.075,\\\"gemini-1.5-pro-latest\\\":1.25,\\\"gemini-2.0-flash\\\":0.05,\\\"gemini-2.5-pro-exp-03-25\\\":0.625,\\\"gemini-2.5-pro-preview-03-25\\\":0.625,\\\"glm-3-turbo\\\":0.3572,\\\"glm-4\\\":7.143,\\\"glm-4-0520\\\":6.8493150684931505,\\\"glm-4-air\\\":0.0684931506849315,\\\"glm-4-airx\\\":0.684931506849315,\\\"glm-4-alltools\\\":6.8493150684931505,\\\"glm-4-flash\\\":0,\\\"glm-4-long\\\":0.0684931506849315,\\\"glm-4-plus\\\":3.4246575342465753,\\\"glm-4v\\\":3.4246575342465753,\\\"glm-4v-plus\\\":0.684931506849315,\\\"gpt-3.5-turbo\\\":0.25,\\\"gpt-3.5-turbo-0125\\\":0.25,\\\"gpt-3.5-turbo-0613\\\":0.75,\\\"gpt-3.5-turbo-1106\\\":0.5,\\\"gpt-3.5-turbo-16k\\\":1.5,\\\"gpt-3.5-turbo-16k-0613\\\":1.5,\\\"gpt-3.5-turbo-instruct\\\":0.75,\\\"gpt-4\\\":15,\\\"gpt-4-0125-preview\\\":5,\\\"gpt-4-0613\\\":15,\\\"gpt-4-1106-preview\\\":5,\\\"gpt-4-1106-vision-preview\\\":5,\\\"gpt-4-32k\\\":30,\\\"gpt-4-32k-0613\\\":30,\\\"gpt-4-all\\\":15,\\\"gpt-4-gizmo-*\\\":15,\\\"gpt-4-turbo\\\":5,\\\"gpt-4-turbo-2024-04-09\\\":5,\\\"gpt-4-turbo-preview\\\":5,\\\"gpt-4-vision-preview\\\":5,\\\"gpt-4.5-preview\\\":37.5,\\\"gpt-4.5-preview-2025-02-27\\\":37.5,\\\"gpt-4o\\\":1.25,\\\"gpt-4o-2024-05-13\\\":2.5,\\\"gpt-4o-2024-08-06\\\":1.25,\\\"gpt-4o-2024-11-20\\\":1.25,\\\"gpt-4o-all\\\":15,\\\"gpt-4o-audio-preview\\\":1.25,\\\"gpt-4o-audio-preview-2024-10-01\\\":1.25,\\\"gpt-4o-gizmo-*\\\":2.5,\\\"gpt-4o-mini\\\":0.075,\\\"gpt-4o-mini-2024-07-18\\\":0.075,\\\"gpt-4o-mini-realtime-preview\\\":0.3,\\\"gpt-4o-mini-realtime-preview-2024-12-17\\\":0.3,\\\"gpt-4o-realtime-preview\\\":2.5,\\\"gpt-4o-realtime-preview-2024-10-01\\\":2.5,\\\"gpt-4o-realtime-preview-2024-12-17\\\":2.5,\\\"grok-2\\\":1,\\\"grok-2-vision\\\":1,\\\"grok-3-beta\\\":1.5,\\\"grok-3-fast-beta\\\":2.5,\\\"grok-3-mini-beta\\\":0.15,\\\"grok-3-mini-fast-beta\\\":0.3,\\\"grok-beta\\\":2.5,\\\"grok-vision-beta\\\":2.5,\\\"hunyuan\\\":7.143,\\\"llama-3-sonar-large-32k-chat\\\":0,\\\"llama-3-sonar-large-32k-online\\\":0,\\\"llama-3-sonar-small-32k-chat\\\":0.1,\\\"llama-3-sonar-small-32k-online\\\":0.1,\\\"o1\\\":7.5,\\\"o1-2024-12-17\\\":7.5,\\\"o1-mini\\\":0.55,\\\"o1-mini-2024-09-12\\\":0.55,\\\"o1-preview\\\":7.5,\\\"o1-preview-2024-09-12\\\":7.5,\\\"o3-mini\\\":0.55,\\\"o3-mini-2025-01-31\\\":0.55,\\\"o3-mini-2025-01-31-high\\\":0.55,\\\"o3-mini-2025-01-31-low\\\":0.55,\\\"o3-mini-2025-01-31-medium\\\":0.55,\\\"o3-mini-high\\\":0.55,\\\"o3-mini-low\\\":0.55,\\\"o3-mini-medium\\\":0.55,\\\"qwen-plus\\\":10,\\\"qwen-turbo\\\":0.8572,\\\"semantic_similarity_s1_v1\\\":0.0715,\\\"tao-8k\\\":0.136986301369863,\\\"text-ada-001\\\":0.2,\\\"text-babbage-001\\\":0.25,\\\"text-curie-001\\\":1,\\\"text-davinci-edit-001\\\":10,\\\"text-embedding-004\\\":0.001,\\\"text-embedding-3-large\\\":0.065,\\\"text-embedding-3-small\\\":0.01,\\\"text-embedding-ada-002\\\":0.05,\\\"text-embedding-v1\\\":0.05,\\\"text-moderation-latest\\\":0.1,\\\"text-moderation-stable\\\":0.1,\\\"text-search-ada-doc-001\\\":10,\\\"tts-1\\\":7.5,\\\"tts-1-1106\\\":7.5,\\\"tts-1-hd\\\":15,\\\"tts-1-hd-1106\\\":15,\\\"whisper-1\\\":15,\\\"yi-34b-chat-0205\\\":0.18,\\\"yi-34b-chat-200k\\\":0.864,\\\"yi-large\\\":1.36986301369863,\\\"yi-large-preview\\\":1.36986301369863,\\\"yi-large-rag\\\":1.7123287671232876,\\\"yi-large-rag-preview\\\":1.7123287671232876,\\\"yi-large-turbo\\\":0.821917808219178,\\\"yi-medium\\\":0.17123287671232876,\\\"yi-medium-200k\\\":0.821917808219178,\\\"yi-spark\\\":0.0684931506849315,\\\"yi-vision\\\":0.410958904109589,\\\"yi-vl-plus\\\":0.432,\\\"up-model\\\":1.5}\",\"previous\":null}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533056080766e2m4QWsP\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"settings\",\"type\":\"OptionChanged\",\"id\":\"606717ab-b479-4501-94e9-d84dc857841b\",\"prevHash\":\"\",\"hash\":\"e196be4c15ef68e96cd635039f87c31a0279d06b1479b0ce7cf9a94d0b246c21\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":30,"stream":"account-2","revision":8,"id":"c9622e53-5efd-4126-9db5-177669b1d10e","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:34.538+00:00","data":"{\"at\":1796045134537,\"hold\":\"2@8\",\"token\":1,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"b723bb77-16a3-48a3-b755-ca1b2512d2a9\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"b723bb77-16a3-48a3-b755-ca1b2512d2a9\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaHeld\",\"id\":\"c9622e53-5efd-4126-9db5-177669b1d10e\",\"prevHash\":\"2a58d3ad8c15d18bb476734b8898542b5c532f483415e39b74da44bbff37c261\",\"hash\":\"c3405bffff72f7f50400a8a25ac556a26763399b55cb08d8adfa86f0ddad3d40\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":31,"stream":"account-2","revision":9,"id":"0f3c0c17-88eb-486e-a05d-a947af6e7799","type":"UsageCharged","recorded_at":"2026-11-30T13:25:34.717+00:00","data":"{\"at\":1796045134716,\"hold\":\"2@8\",\"sequence\":1,\"token\":1,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132534514547144u7RUvasA\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045134531,\"firstByteMs\":45,\"durationMs\":182,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132534514547144u7RUvasA\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"0f3c0c17-88eb-486e-a05d-a947af6e7799\",\"prevHash\":\"c3405bffff72f7f50400a8a25ac556a26763399b55cb08d8adfa86f0ddad3d40\",\"hash\":\"eb9fc5a4e720e65cbea073d0e075f430c14eac81c8a3408251c5949d1dd5870a\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":32,"stream":"account-2","revision":10,"id":"224fcc69-46de-4cd4-880d-e8dba6da2f48","type":"HoldExtended","recorded_at":"2026-11-30T13:25:34.742+00:00","data":"{\"at\":1796045134742,\"hold\":\"2@8\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@8\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"224fcc69-46de-4cd4-880d-e8dba6da2f48\",\"prevHash\":\"eb9fc5a4e720e65cbea073d0e075f430c14eac81c8a3408251c5949d1dd5870a\",\"hash\":\"f841791677ea0b002a83573110d70bf7bafaab9b6af7fc6f625088a8df912037\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":33,"stream":"account-2","revision":11,"id":"47dd2850-9003-467d-94b2-2284effbde35","type":"UsageCharged","recorded_at":"2026-11-30T13:25:34.814+00:00","data":"{\"at\":1796045134814,\"hold\":\"2@8\",\"sequence\":2,\"token\":1,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132534737214119uOiSRN83\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045134737,\"firstByteMs\":null,\"durationMs\":76,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132534737214119uOiSRN83\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"47dd2850-9003-467d-94b2-2284effbde35\",\"prevHash\":\"f841791677ea0b002a83573110d70bf7bafaab9b6af7fc6f625088a8df912037\",\"hash\":\"cb89001536c41f4fb90d0cee6a43c05fd9407ff6591141ec2024b4f7d88a3258\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":34,"stream":"account-2","revision":12,"id":"ab758141-11e0-49f2-97e3-e462dbb61c73","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:34.848+00:00","data":"{\"at\":1796045134848,\"hold\":\"2@12\",\"token\":2,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"48f8e201-855c-40ba-b64c-2e8118d84807\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"48f8e201-855c-40ba-b64c-2e8118d84807\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaHeld\",\"id\":\"ab758141-11e0-49f2-97e3-e462dbb61c73\",\"prevHash\":\"cb89001536c41f4fb90d0cee6a43c05fd9407ff6591141ec2024b4f7d88a3258\",\"hash\":\"0ad79a1cc16511429bfd95ee6a83e427fce8003de5422fe4b1aa523812e49d1a\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":35,"stream":"account-2","revision":13,"id":"74f5c7d2-3f86-4eb0-bb56-983bb04aec9d","type":"UsageCharged","recorded_at":"2026-11-30T13:25:34.964+00:00","data":"{\"at\":1796045134964,\"hold\":\"2@12\",\"sequence\":1,\"token\":2,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132534828312914yqHEmedt\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045134846,\"firstByteMs\":18,\"durationMs\":117,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132534828312914yqHEmedt\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"74f5c7d2-3f86-4eb0-bb56-983bb04aec9d\",\"prevHash\":\"0ad79a1cc16511429bfd95ee6a83e427fce8003de5422fe4b1aa523812e49d1a\",\"hash\":\"197a45ba0d655e3ba88fba48d88c4774c978eb8941f974d07c87969ac753689e\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":36,"stream":"account-2","revision":14,"id":"fe245562-2912-4ac2-902d-eed34dbab427","type":"HoldExtended","recorded_at":"2026-11-30T13:25:35.004+00:00","data":"{\"at\":1796045134994,\"hold\":\"2@12\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@12\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"fe245562-2912-4ac2-902d-eed34dbab427\",\"prevHash\":\"197a45ba0d655e3ba88fba48d88c4774c978eb8941f974d07c87969ac753689e\",\"hash\":\"a76f20b4ad0640a74b1f3cd1ee74bee48ec3dc54c66838433b30f6d82c6473fa\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":37,"stream":"account-2","revision":15,"id":"f21e5ed7-21e9-4aea-ab19-1b6d0b906e2b","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.083+00:00","data":"{\"at\":1796045135081,\"hold\":\"2@12\",\"sequence\":2,\"token\":2,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132534993677694Hs496Wqu\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045134993,\"firstByteMs\":null,\"durationMs\":87,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132534993677694Hs496Wqu\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"f21e5ed7-21e9-4aea-ab19-1b6d0b906e2b\",\"prevHash\":\"a76f20b4ad0640a74b1f3cd1ee74bee48ec3dc54c66838433b30f6d82c6473fa\",\"hash\":\"922102dc530070b5716b2278d5cf6994d71e0ac6352cd3b1d73ce18df6f634f1\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":38,"stream":"account-2","revision":16,"id":"e05afe1d-d671-4257-be7a-91423f2006db","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:35.174+00:00","data":"{\"at\":1796045135174,\"hold\":\"2@16\",\"token\":3,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"7429f8d7-e9a5-47c7-bfde-b4a58afa732d\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"7429f8d7-e9a5-47c7-bfde-b4a58afa732d\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaHeld\",\"id\":\"e05afe1d-d671-4257-be7a-91423f2006db\",\"prevHash\":\"922102dc530070b5716b2278d5cf6994d71e0ac6352cd3b1d73ce18df6f634f1\",\"hash\":\"33b58bb3cefc6c7cb60cd8d70ccabdcedca6a580775299f4587fb76734489add\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":39,"stream":"account-2","revision":17,"id":"c8d1b214-763b-48d5-8d85-880a3fb412c6","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.27+00:00","data":"{\"at\":1796045135270,\"hold\":\"2@16\",\"sequence\":1,\"token\":3,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132535097388228EF121iYz\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045135173,\"firstByteMs\":12,\"durationMs\":97,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132535097388228EF121iYz\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"c8d1b214-763b-48d5-8d85-880a3fb412c6\",\"prevHash\":\"33b58bb3cefc6c7cb60cd8d70ccabdcedca6a580775299f4587fb76734489add\",\"hash\":\"eee7e42904458c13e690795561f3e9dd3bec57a6587e9d5c631bf150ba90f023\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":4,"stream":"settings","revision":1,"id":"7626ae35-bf6f-4f78-808f-59c7830be7b1","type":"OptionChanged","recorded_at":"2026-11-30T13:25:33.109+00:00","data":"{\"at\":1796045133105,\"key\":\"AutomaticDisableChannelEnabled\",\"value\":\"true\",\"previous\":null}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533098239492fTDX4t2t\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"settings\",\"type\":\"OptionChanged\",\"id\":\"7626ae35-bf6f-4f78-808f-59c7830be7b1\",\"prevHash\":\"e196be4c15ef68e96cd635039f87c31a0279d06b1479b0ce7cf9a94d0b246c21\",\"hash\":\"d175e790b007c21bc738116655d05144b224d2f83dc438dcb9ec0ab1e9d7bf37\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":40,"stream":"account-2","revision":18,"id":"a54a7779-2f6c-4e16-81ef-0a619b869b26","type":"HoldExtended","recorded_at":"2026-11-30T13:25:35.284+00:00","data":"{\"at\":1796045135284,\"hold\":\"2@16\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@16\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"a54a7779-2f6c-4e16-81ef-0a619b869b26\",\"prevHash\":\"eee7e42904458c13e690795561f3e9dd3bec57a6587e9d5c631bf150ba90f023\",\"hash\":\"598fdb2c45caeb0dc6e52319db84662f24dafbc49e1ad050bcd8932d0cf3bf00\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":41,"stream":"account-2","revision":19,"id":"c1c473fb-b808-4cb7-b124-825cb09129cf","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.355+00:00","data":"{\"at\":1796045135355,\"hold\":\"2@16\",\"sequence\":2,\"token\":3,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132535279244351I0kGUiht\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045135282,\"firstByteMs\":null,\"durationMs\":72,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132535279244351I0kGUiht\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"c1c473fb-b808-4cb7-b124-825cb09129cf\",\"prevHash\":\"598fdb2c45caeb0dc6e52319db84662f24dafbc49e1ad050bcd8932d0cf3bf00\",\"hash\":\"6ec4c457d1a262e01bf83b4ff81868bdb7f12fb6a505b816cf052b8dc34d2dfc\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":42,"stream":"account-2","revision":20,"id":"0f280f5d-2929-4ae9-9f12-30dd53b4cf44","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:35.386+00:00","data":"{\"at\":1796045135386,\"hold\":\"2@20\",\"token\":4,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"fa15c156-b84a-449c-bd22-50d496a65d01\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"fa15c156-b84a-449c-bd22-50d496a65d01\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaHeld\",\"id\":\"0f280f5d-2929-4ae9-9f12-30dd53b4cf44\",\"prevHash\":\"6ec4c457d1a262e01bf83b4ff81868bdb7f12fb6a505b816cf052b8dc34d2dfc\",\"hash\":\"1a95a37b3bc4324225450871f34a35bf2d68acd0307d3f1845f725b4da8a7c17\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":43,"stream":"account-2","revision":21,"id":"8762f4df-c603-4599-b389-0cd5d444ac27","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.49+00:00","data":"{\"at\":1796045135490,\"hold\":\"2@20\",\"sequence\":1,\"token\":4,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132535374883767IJ6D5ZUW\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045135385,\"firstByteMs\":11,\"durationMs\":104,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132535374883767IJ6D5ZUW\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"8762f4df-c603-4599-b389-0cd5d444ac27\",\"prevHash\":\"1a95a37b3bc4324225450871f34a35bf2d68acd0307d3f1845f725b4da8a7c17\",\"hash\":\"20f076dfcb35ef0a2aff1a046408ae775c528aad783ac42ab709259a4c21d010\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":44,"stream":"account-2","revision":22,"id":"d989893a-7b66-4878-bcce-6e0cca578ae6","type":"HoldExtended","recorded_at":"2026-11-30T13:25:35.526+00:00","data":"{\"at\":1796045135525,\"hold\":\"2@20\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@20\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"d989893a-7b66-4878-bcce-6e0cca578ae6\",\"prevHash\":\"20f076dfcb35ef0a2aff1a046408ae775c528aad783ac42ab709259a4c21d010\",\"hash\":\"f8ece271fafe0d7f70c119a668e2fec579829d35065596762eba74c3c815c1a4\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":45,"stream":"account-2","revision":23,"id":"9dd1ea99-7b4a-4564-806a-d0ee71af9af0","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.604+00:00","data":"{\"at\":1796045135603,\"hold\":\"2@20\",\"sequence\":2,\"token\":4,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"202611301325355244721614l49WbYX\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045135525,\"firstByteMs\":null,\"durationMs\":78,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"202611301325355244721614l49WbYX\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"9dd1ea99-7b4a-4564-806a-d0ee71af9af0\",\"prevHash\":\"f8ece271fafe0d7f70c119a668e2fec579829d35065596762eba74c3c815c1a4\",\"hash\":\"33b0c857ab1d0739fd6adff1ae8a154a962be478e9b2e46e6027db2c774b7404\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":46,"stream":"account-2","revision":24,"id":"2e7d852a-3d22-4c47-924c-0d84caa54456","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:35.637+00:00","data":"{\"at\":1796045135636,\"hold\":\"2@24\",\"token\":5,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"66d5f8e3-5af2-41f1-9b87-7354aa04ea59\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"66d5f8e3-5af2-41f1-9b87-7354aa04ea59\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"QuotaHeld\",\"id\":\"2e7d852a-3d22-4c47-924c-0d84caa54456\",\"prevHash\":\"33b0c857ab1d0739fd6adff1ae8a154a962be478e9b2e46e6027db2c774b7404\",\"hash\":\"a154ce3a965e1d771711af516169d26b08ee7f7e4795864ad83e35f130fd6a8e\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":47,"stream":"account-2","revision":25,"id":"c75b55d0-ed83-4d7f-96d8-533c9ad07274","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.743+00:00","data":"{\"at\":1796045135743,\"hold\":\"2@24\",\"sequence\":1,\"token\":5,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132535626481008JDa9LZue\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045135632,\"firstByteMs\":21,\"durationMs\":111,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132535626481008JDa9LZue\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"c75b55d0-ed83-4d7f-96d8-533c9ad07274\",\"prevHash\":\"a154ce3a965e1d771711af516169d26b08ee7f7e4795864ad83e35f130fd6a8e\",\"hash\":\"6a59bb80a032ac933fa59074b827c75bdd327c2a8b181c9a26901d2615cdc6b5\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":48,"stream":"account-2","revision":26,"id":"f4929253-ad57-4f63-a675-16fbd5660ec3","type":"HoldExtended","recorded_at":"2026-11-30T13:25:35.768+00:00","data":"{\"at\":1796045135768,\"hold\":\"2@24\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@24\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"f4929253-ad57-4f63-a675-16fbd5660ec3\",\"prevHash\":\"6a59bb80a032ac933fa59074b827c75bdd327c2a8b181c9a26901d2615cdc6b5\",\"hash\":\"80e8ac4a27de495caa1a816ce8593d5f38a819a4de04e31006958e6b4c2814f8\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":49,"stream":"account-2","revision":27,"id":"474a4fe6-8ac7-4a64-9ecf-3edef04ae1b9","type":"UsageCharged","recorded_at":"2026-11-30T13:25:35.853+00:00","data":"{\"at\":1796045135853,\"hold\":\"2@24\",\"sequence\":2,\"token\":5,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132535766204664yloBAw9P\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045135767,\"firstByteMs\":null,\"durationMs\":85,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132535766204664yloBAw9P\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"UsageCharged\",\"id\":\"474a4fe6-8ac7-4a64-9ecf-3edef04ae1b9\",\"prevHash\":\"80e8ac4a27de495caa1a816ce8593d5f38a819a4de04e31006958e6b4c2814f8\",\"hash\":\"9bdff43ebc98a7f606cf5d1efa05c8c007cfbf8866b07c9f3648691bcff24e11\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":5,"stream":"channel-1","revision":0,"id":"f940fb0b-33e0-43e0-b076-ae5c19d9bb37","type":"ChannelAdded","recorded_at":"2026-11-30T13:25:33.154+00:00","data":"{\"at\":1796045133153,\"type\":1,\"openaiOrganization\":\"\",\"testModel\":\"\",\"baseUrl\":\"http://127.0.0.1:3990\",\"other\":\"\",\"models\":[\"up-model\"],\"groups\":[\"default\"],\"modelMapping\":\"\",\"statusCodeMapping\":\"\",\"paramOverride\":\"\",\"setting\":\"\",\"priority\":0,\"weight\":0,\"autoBan\":true,\"tag\":\"\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533141948283VJHkwrKV\",\"causationId\":\"secrets.channels/1\",\"schemaVersion\":1,\"stream\":\"channel-1\",\"type\":\"ChannelAdded\",\"id\":\"f940fb0b-33e0-43e0-b076-ae5c19d9bb37\",\"prevHash\":\"\",\"hash\":\"67b09c3839aca46cc96feda0e7fd7fd5e4db429cca018961ff9291bdf1452637\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":50,"stream":"account-3","revision":3,"id":"4ea56413-6885-4aef-a2ae-6a804a194243","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:35.905+00:00","data":"{\"at\":1796045135905,\"hold\":\"3@3\",\"token\":6,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"d22919b0-cb75-4f96-b8ef-67a4bc58e22f\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"d22919b0-cb75-4f96-b8ef-67a4bc58e22f\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"QuotaHeld\",\"id\":\"4ea56413-6885-4aef-a2ae-6a804a194243\",\"prevHash\":\"116c6ef2e31d254d08d3c7f3177fbd60e2fe21ff6cbfcd913309e186b0be455a\",\"hash\":\"5739d031fc8d81a924a83ce94f528971d2cce20476b2ea325b68afd52a1ba2c9\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":51,"stream":"account-3","revision":4,"id":"410521ce-3e53-4e3a-8130-052085cd4721","type":"UsageCharged","recorded_at":"2026-11-30T13:25:36.048+00:00","data":"{\"at\":1796045136047,\"hold\":\"3@3\",\"sequence\":1,\"token\":6,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132535875893218wVxVwkLt\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045135904,\"firstByteMs\":18,\"durationMs\":143,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132535875893218wVxVwkLt\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"UsageCharged\",\"id\":\"410521ce-3e53-4e3a-8130-052085cd4721\",\"prevHash\":\"5739d031fc8d81a924a83ce94f528971d2cce20476b2ea325b68afd52a1ba2c9\",\"hash\":\"16c1ffcc3f08872479c997e02b54e7598380446506c50a33c3bb40a2256bbbbd\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":52,"stream":"account-3","revision":5,"id":"e5bc3386-cbb1-4f33-8b70-2c21f236694d","type":"HoldExtended","recorded_at":"2026-11-30T13:25:36.071+00:00","data":"{\"at\":1796045136071,\"hold\":\"3@3\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"3@3\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"HoldExtended\",\"id\":\"e5bc3386-cbb1-4f33-8b70-2c21f236694d\",\"prevHash\":\"16c1ffcc3f08872479c997e02b54e7598380446506c50a33c3bb40a2256bbbbd\",\"hash\":\"a4c74e6ed0685ec20b0bb4dda0aa3ad77352feedbe28671ae2a91b809e5e5e39\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":53,"stream":"account-3","revision":6,"id":"31e0e27c-6851-4327-b791-7e22869e24f7","type":"UsageCharged","recorded_at":"2026-11-30T13:25:36.153+00:00","data":"{\"at\":1796045136152,\"hold\":\"3@3\",\"sequence\":2,\"token\":6,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132536070788793qsKTk01u\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045136070,\"firstByteMs\":null,\"durationMs\":82,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132536070788793qsKTk01u\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"UsageCharged\",\"id\":\"31e0e27c-6851-4327-b791-7e22869e24f7\",\"prevHash\":\"a4c74e6ed0685ec20b0bb4dda0aa3ad77352feedbe28671ae2a91b809e5e5e39\",\"hash\":\"a679c81d9d5d18c79164434ba6f3c207f7b67b699fe0c20123fa2e61acb8fd5f\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":54,"stream":"account-4","revision":3,"id":"839eff8d-c9f1-4a52-85fd-eaf75f15a175","type":"QuotaHeld","recorded_at":"2026-11-30T13:25:36.222+00:00","data":"{\"at\":1796045136222,\"hold\":\"4@3\",\"token\":7,\"relay\":\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"nonce\":\"c862904a-5204-4e08-81c5-afa3db14bd7a\",\"amount\":935}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"c862904a-5204-4e08-81c5-afa3db14bd7a\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"QuotaHeld\",\"id\":\"839eff8d-c9f1-4a52-85fd-eaf75f15a175\",\"prevHash\":\"d75f0cc9265d32647a73b3f2fbd1b0b2b588192d28d6ede5cf1f3659a894f55d\",\"hash\":\"821d322dd84ab74c826b59ed874cfe54e637a8ac5bdf32711de1f3f348bc31fd\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":55,"stream":"account-4","revision":4,"id":"489080d2-fdd3-4956-ac9d-c81e1920b362","type":"UsageCharged","recorded_at":"2026-11-30T13:25:36.392+00:00","data":"{\"at\":1796045136392,\"hold\":\"4@3\",\"sequence\":1,\"token\":7,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132536187416792e1pK4bmC\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":true,\"startedAt\":1796045136221,\"firstByteMs\":31,\"durationMs\":171,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132536187416792e1pK4bmC\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"UsageCharged\",\"id\":\"489080d2-fdd3-4956-ac9d-c81e1920b362\",\"prevHash\":\"821d322dd84ab74c826b59ed874cfe54e637a8ac5bdf32711de1f3f348bc31fd\",\"hash\":\"75f2dd14b43d8d7957529804b5981a46b8d84effd853d5eaec6882c6ae34c40a\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":56,"stream":"account-4","revision":5,"id":"d6679693-b038-4586-9012-5b1645b91cea","type":"HoldExtended","recorded_at":"2026-11-30T13:25:36.406+00:00","data":"{\"at\":1796045136406,\"hold\":\"4@3\",\"number\":1,\"amount\":151}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"4@3\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"HoldExtended\",\"id\":\"d6679693-b038-4586-9012-5b1645b91cea\",\"prevHash\":\"75f2dd14b43d8d7957529804b5981a46b8d84effd853d5eaec6882c6ae34c40a\",\"hash\":\"19f101ce6652200264d473bd7bec78fa1809710fd179d7b07380163722d5d14b\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":57,"stream":"account-4","revision":6,"id":"d907ab3f-7995-49dd-9323-775acbf16c44","type":"UsageCharged","recorded_at":"2026-11-30T13:25:36.484+00:00","data":"{\"at\":1796045136483,\"hold\":\"4@3\",\"sequence\":2,\"token\":7,\"amount\":105,\"fromHold\":105,\"fromWallet\":0,\"late\":false,\"request\":{\"id\":\"20261130132536405039893zClSSvlM\",\"channel\":1,\"model\":\"up-model\",\"upstreamModel\":\"up-model\",\"group\":\"default\",\"endpoint\":\"/v1/chat/completions\",\"usage\":{\"textIn\":10,\"cachedIn\":0,\"cacheWriteIn\":0,\"audioIn\":0,\"imageIn\":0,\"textOut\":60,\"audioOut\":0,\"reasoningOut\":0,\"webSearchCalls\":0,\"fileSearchCalls\":0},\"price\":{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"},\"stream\":false,\"startedAt\":1796045136405,\"firstByteMs\":null,\"durationMs\":78,\"path\":[1],\"estimated\":false,\"cancelled\":false,\"cutShort\":false,\"reasoningEffort\":null}}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132536405039893zClSSvlM\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"UsageCharged\",\"id\":\"d907ab3f-7995-49dd-9323-775acbf16c44\",\"prevHash\":\"19f101ce6652200264d473bd7bec78fa1809710fd179d7b07380163722d5d14b\",\"hash\":\"f58874cbcff852507d78066fbd0285ab035d08094afe00447c1494d6763ba914\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":58,"stream":"relay-failures-d533514a-9bf5-43ba-b872-e167fe9bd2c7-20787","revision":0,"id":"6d499ba3-f54d-4362-bb74-d47b8eda618a","type":"RequestFailed","recorded_at":"2026-11-30T13:25:36.502+00:00","data":"{\"account\":2,\"token\":1,\"request\":\"20261130132536498311571CYs0A1cd\",\"at\":1796045136502,\"model\":\"nobody-serves-this\",\"group\":\"default\",\"channel\":null,\"channelType\":null,\"path\":[],\"stream\":true,\"durationMs\":3,\"status\":404,\"errorType\":\"invalid_request_error\",\"errorCode\":\"model_not_found\",\"message\":\"The model ''nobody-serves-this'' does not exist or no channel serves it (无可用渠道)\"}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"20261130132536498311571CYs0A1cd\",\"causationId\":null,\"schemaVersion\":2,\"stream\":\"relay-failures-d533514a-9bf5-43ba-b872-e167fe9bd2c7-20787\",\"type\":\"RequestFailed\",\"id\":\"6d499ba3-f54d-4362-bb74-d47b8eda618a\",\"prevHash\":\"\",\"hash\":\"84c4ff83f1ee7fc640b0aeb535b7756da92e0ad3886ad07a383827c9e8a34c52\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":59,"stream":"account-2","revision":28,"id":"7006eccf-3e18-47ab-a678-b39bbcaa2035","type":"TokenDeleted","recorded_at":"2026-11-30T13:25:36.536+00:00","data":"{\"at\":1796045136535,\"token\":3}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132536513108209b4UaYYva\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenDeleted\",\"id\":\"7006eccf-3e18-47ab-a678-b39bbcaa2035\",\"prevHash\":\"9bdff43ebc98a7f606cf5d1efa05c8c007cfbf8866b07c9f3648691bcff24e11\",\"hash\":\"d1cb041207a97e440eee516effe694702ed663d65fcae1dea43524d83132e2e5\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":6,"stream":"channel-2","revision":0,"id":"9c77b221-4357-4971-b188-974d0fb6938c","type":"ChannelAdded","recorded_at":"2026-11-30T13:25:33.196+00:00","data":"{\"at\":1796045133193,\"type\":1,\"openaiOrganization\":\"\",\"testModel\":\"\",\"baseUrl\":\"http://127.0.0.1:3990\",\"other\":\"\",\"models\":[\"up-model\",\"other\"],\"groups\":[\"default\"],\"modelMapping\":\"\",\"statusCodeMapping\":\"\",\"paramOverride\":\"\",\"setting\":\"\",\"priority\":0,\"weight\":0,\"autoBan\":true,\"tag\":\"\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533182241975ssRmWTp1\",\"causationId\":\"secrets.channels/2\",\"schemaVersion\":1,\"stream\":\"channel-2\",\"type\":\"ChannelAdded\",\"id\":\"9c77b221-4357-4971-b188-974d0fb6938c\",\"prevHash\":\"\",\"hash\":\"2628c990e5f726b7720e4079dc879e863f61c26b52004a31c2fc723500d9d9f0\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":60,"stream":"account-2","revision":29,"id":"02d1f192-0408-4c54-a855-62f0441b1917","type":"TokenDisabled","recorded_at":"2026-11-30T13:25:36.565+00:00","data":"{\"at\":1796045136564,\"token\":4}","metadata":"{\"actor\":\"user:2\",\"correlationId\":\"20261130132536546949082cQAmNpIu\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"TokenDisabled\",\"id\":\"02d1f192-0408-4c54-a855-62f0441b1917\",\"prevHash\":\"d1cb041207a97e440eee516effe694702ed663d65fcae1dea43524d83132e2e5\",\"hash\":\"6ea4ac299a8f38692e5a189bed507e74d04558c3a6f81c74e2c168d4cfed4423\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":61,"stream":"account-2","revision":30,"id":"0db96fae-cc8f-46af-b87e-4102763ce087","type":"BalanceCarriedForward","recorded_at":"2026-11-30T13:25:36.565+00:00","data":"{\"at\":1796045136564,\"account\":{\"status\":\"active\",\"posted\":5011295,\"affiliate\":0,\"usedQuota\":1050,\"requestCount\":10,\"tokens\":[[1,\"enabled\",0,210,1,null,\"\",null,[]],[2,\"enabled\",2790,210,0,null,\"\",null,[]],[4,\"disabled\",0,210,1,null,\"\",null,[]],[5,\"enabled\",0,210,1,null,\"\",null,[\"127.0.0.1\"]]],\"holds\":[[\"2@8\",1,\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"b723bb77-16a3-48a3-b755-ca1b2512d2a9\",876,935,[[1,2]],1,151],[\"2@12\",2,\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"48f8e201-855c-40ba-b64c-2e8118d84807\",876,935,[[1,2]],1,151],[\"2@16\",3,\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"7429f8d7-e9a5-47c7-bfde-b4a58afa732d\",876,935,[[1,2]],1,151],[\"2@20\",4,\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"fa15c156-b84a-449c-bd22-50d496a65d01\",876,935,[[1,2]],1,151],[\"2@24\",5,\"d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"66d5f8e3-5af2-41f1-9b87-7354aa04ea59\",876,935,[[1,2]],1,151]]}}","metadata":"{\"actor\":\"system\",\"correlationId\":\"carry-forward\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"BalanceCarriedForward\",\"id\":\"0db96fae-cc8f-46af-b87e-4102763ce087\",\"prevHash\":\"6ea4ac299a8f38692e5a189bed507e74d04558c3a6f81c74e2c168d4cfed4423\",\"hash\":\"19b260215853e6bd81679c2859167ef4ccca526c546040ec3fed86a0bd4277b3\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":62,"stream":"user-4","revision":1,"id":"d46cdb79-68e1-457f-a23e-5fea9b7da8e3","type":"UserBanned","recorded_at":"2026-11-30T13:25:36.613+00:00","data":"{\"at\":1796045136612}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132536583940781uuVF3wuS\",\"causationId\":\"identity.users/4\",\"schemaVersion\":1,\"stream\":\"user-4\",\"type\":\"UserBanned\",\"id\":\"d46cdb79-68e1-457f-a23e-5fea9b7da8e3\",\"prevHash\":\"007ea26d9518c773550f05b707ef4f2a317a4faf1faf63b26a20785c853a61e4\",\"hash\":\"5d48c13b0ba4374ef60e4c9e27cbe00e31f8a479d6e67bcd5d2cf6378aeb7936\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":63,"stream":"account-4","revision":7,"id":"8ce2b126-46dc-4cdc-9f48-0106aba6c852","type":"AccountSuspended","recorded_at":"2026-11-30T13:25:36.616+00:00","data":"{\"at\":1796045136615}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132536583940781uuVF3wuS\",\"causationId\":\"identity.users/4\",\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"AccountSuspended\",\"id\":\"8ce2b126-46dc-4cdc-9f48-0106aba6c852\",\"prevHash\":\"f58874cbcff852507d78066fbd0285ab035d08094afe00447c1494d6763ba914\",\"hash\":\"6dbd3bf75bb74b32aa39c7397f1ed207b7af8820082e972b7f080de7ee34ad78\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":64,"stream":"user-3","revision":1,"id":"3d9aaa64-1f21-4f65-b5ab-1266da53e67c","type":"UserDeleted","recorded_at":"2026-11-30T13:25:36.628+00:00","data":"{\"at\":1796045136627}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132536621530252iCn6XU5f\",\"causationId\":\"identity.users/3\",\"schemaVersion\":1,\"stream\":\"user-3\",\"type\":\"UserDeleted\",\"id\":\"3d9aaa64-1f21-4f65-b5ab-1266da53e67c\",\"prevHash\":\"12605c16141b4325d778dfa801a1e612023e16dc041d6e5c489b95a23e612f0a\",\"hash\":\"20ed57969431d49e58bacda7cf05a36d2d8d21f961be20b3e7200aba5f70b8a0\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":65,"stream":"account-3","revision":7,"id":"a785127d-33ad-4e3e-8a7d-2ce2aed060d7","type":"AccountSuspended","recorded_at":"2026-11-30T13:25:36.632+00:00","data":"{\"at\":1796045136632}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132536621530252iCn6XU5f\",\"causationId\":\"identity.users/3\",\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"AccountSuspended\",\"id\":\"a785127d-33ad-4e3e-8a7d-2ce2aed060d7\",\"prevHash\":\"a679c81d9d5d18c79164434ba6f3c207f7b67b699fe0c20123fa2e61acb8fd5f\",\"hash\":\"ab965e7392c56fdef2643943c3b8166bf5970f67384d27141005b2ae1bdd0710\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":66,"stream":"account-2","revision":31,"id":"a6d817ea-3059-4287-aae6-6f1a73249978","type":"HoldExtended","recorded_at":"2026-11-30T13:25:36.655+00:00","data":"{\"at\":1796045136655,\"hold\":\"2@8\",\"number\":2,\"amount\":230}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@8\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"a6d817ea-3059-4287-aae6-6f1a73249978\",\"prevHash\":\"19b260215853e6bd81679c2859167ef4ccca526c546040ec3fed86a0bd4277b3\",\"hash\":\"9f248ede302657cf94353316f2977a5d915c4cad330a459457ff089fbd902e9f\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":67,"stream":"account-2","revision":32,"id":"91aedf3e-2dcd-4ea0-9ce1-fe38e5e6210d","type":"HoldReleased","recorded_at":"2026-11-30T13:25:38.966+00:00","data":"{\"at\":1796045138965,\"hold\":\"2@12\",\"amount\":876}","metadata":"{\"actor\":\"system\",\"correlationId\":\"2@12\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldReleased\",\"id\":\"91aedf3e-2dcd-4ea0-9ce1-fe38e5e6210d\",\"prevHash\":\"9f248ede302657cf94353316f2977a5d915c4cad330a459457ff089fbd902e9f\",\"hash\":\"25e7d7de68f5c93627a9628f4db7e98febc7172fe70d36ee00c90e724fa72d7c\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":68,"stream":"account-2","revision":33,"id":"52529d9c-d79f-4210-ae37-6d19165a73f1","type":"HoldReleased","recorded_at":"2026-11-30T13:25:38.966+00:00","data":"{\"at\":1796045138965,\"hold\":\"2@16\",\"amount\":876}","metadata":"{\"actor\":\"system\",\"correlationId\":\"2@16\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldReleased\",\"id\":\"52529d9c-d79f-4210-ae37-6d19165a73f1\",\"prevHash\":\"25e7d7de68f5c93627a9628f4db7e98febc7172fe70d36ee00c90e724fa72d7c\",\"hash\":\"509d870a0c038dedaa2a92e73b2ec979dafea2d560c4ba2c8a3d6037a6d6e1e5\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":69,"stream":"account-2","revision":34,"id":"f9a64308-1c65-4da4-92e2-3e5bfedbf99e","type":"HoldReleased","recorded_at":"2026-11-30T13:25:38.966+00:00","data":"{\"at\":1796045138965,\"hold\":\"2@20\",\"amount\":876}","metadata":"{\"actor\":\"system\",\"correlationId\":\"2@20\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldReleased\",\"id\":\"f9a64308-1c65-4da4-92e2-3e5bfedbf99e\",\"prevHash\":\"509d870a0c038dedaa2a92e73b2ec979dafea2d560c4ba2c8a3d6037a6d6e1e5\",\"hash\":\"f7af936e0188a38bc9b785c1102e88f134f4bcc274e6d6e81704161eb46468b0\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":7,"stream":"channel-3","revision":0,"id":"add08f68-bd4e-410b-ac38-dc936ec78720","type":"ChannelAdded","recorded_at":"2026-11-30T13:25:33.229+00:00","data":"{\"at\":1796045133227,\"type\":1,\"openaiOrganization\":\"\",\"testModel\":\"\",\"baseUrl\":\"http://127.0.0.1:3990\",\"other\":\"\",\"models\":[\"other\"],\"groups\":[\"default\"],\"modelMapping\":\"\",\"statusCodeMapping\":\"\",\"paramOverride\":\"\",\"setting\":\"\",\"priority\":0,\"weight\":0,\"autoBan\":true,\"tag\":\"\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533211308000MkHjJbQl\",\"causationId\":\"secrets.channels/3\",\"schemaVersion\":1,\"stream\":\"channel-3\",\"type\":\"ChannelAdded\",\"id\":\"add08f68-bd4e-410b-ac38-dc936ec78720\",\"prevHash\":\"\",\"hash\":\"75adedea7868485ab9a892bca3083d21ef80a169ce34398c06353005d4f10a31\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":70,"stream":"account-2","revision":35,"id":"6c83a3be-7b04-4d39-a820-e767203b56b3","type":"HoldReleased","recorded_at":"2026-11-30T13:25:38.966+00:00","data":"{\"at\":1796045138965,\"hold\":\"2@24\",\"amount\":876}","metadata":"{\"actor\":\"system\",\"correlationId\":\"2@24\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldReleased\",\"id\":\"6c83a3be-7b04-4d39-a820-e767203b56b3\",\"prevHash\":\"f7af936e0188a38bc9b785c1102e88f134f4bcc274e6d6e81704161eb46468b0\",\"hash\":\"62e24b4de63515680ccf291b807260a08715eae652925cb70d76e1e48b6bccf4\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":71,"stream":"account-3","revision":8,"id":"054c865f-c925-442b-851d-2a4280b7814e","type":"HoldReleased","recorded_at":"2026-11-30T13:25:39.972+00:00","data":"{\"at\":1796045139971,\"hold\":\"3@3\",\"amount\":876}","metadata":"{\"actor\":\"system\",\"correlationId\":\"3@3\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-3\",\"type\":\"HoldReleased\",\"id\":\"054c865f-c925-442b-851d-2a4280b7814e\",\"prevHash\":\"ab965e7392c56fdef2643943c3b8166bf5970f67384d27141005b2ae1bdd0710\",\"hash\":\"b4873e67da3255b5c5bbe711da07a593584c14b2ab7e495e25da7b83cb092545\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":72,"stream":"account-4","revision":8,"id":"bec81737-2682-4634-af37-eb9c252b1fd9","type":"HoldReleased","recorded_at":"2026-11-30T13:25:39.972+00:00","data":"{\"at\":1796045139971,\"hold\":\"4@3\",\"amount\":876}","metadata":"{\"actor\":\"system\",\"correlationId\":\"4@3\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-4\",\"type\":\"HoldReleased\",\"id\":\"bec81737-2682-4634-af37-eb9c252b1fd9\",\"prevHash\":\"6dbd3bf75bb74b32aa39c7397f1ed207b7af8820082e972b7f080de7ee34ad78\",\"hash\":\"0599fa23d830d863c9fbaaac62b90a85a40daa575c96ddb22638790cdb58aaec\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":73,"stream":"account-2","revision":36,"id":"370d3552-d081-444e-b1a3-13cb8dd7520d","type":"HoldExtended","recorded_at":"2026-11-30T13:25:54.832+00:00","data":"{\"at\":1796045154831,\"hold\":\"2@8\",\"number\":3,\"amount\":725}","metadata":"{\"actor\":\"relay:d533514a-9bf5-43ba-b872-e167fe9bd2c7\",\"correlationId\":\"2@8\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"account-2\",\"type\":\"HoldExtended\",\"id\":\"370d3552-d081-444e-b1a3-13cb8dd7520d\",\"prevHash\":\"62e24b4de63515680ccf291b807260a08715eae652925cb70d76e1e48b6bccf4\",\"hash\":\"d17114afd2543ad33005df6723fdd363e41b5adaa462b62376e21288263fdbaa\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":8,"stream":"channel-2","revision":1,"id":"e17cb73d-f50b-488a-9dad-09842f6a1b72","type":"ChannelDisabled","recorded_at":"2026-11-30T13:25:33.358+00:00","data":"{\"at\":1796045133356,\"reason\":\"\"}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533334473613yyNezcw2\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"channel-2\",\"type\":\"ChannelDisabled\",\"id\":\"e17cb73d-f50b-488a-9dad-09842f6a1b72\",\"prevHash\":\"2628c990e5f726b7720e4079dc879e863f61c26b52004a31c2fc723500d9d9f0\",\"hash\":\"07db013b1a2d623fe993309c82df265b681dc1c43e231cb1b598d80e163749bf\"}"}');
insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata) overriding system value select position, stream, revision, id, type, recorded_at, data, metadata from json_populate_record(null::ledger.events, '{"position":9,"stream":"channel-3","revision":1,"id":"8d07c52c-c60e-4ca0-9f32-68940aa416ae","type":"ChannelDeleted","recorded_at":"2026-11-30T13:25:33.424+00:00","data":"{\"at\":1796045133418}","metadata":"{\"actor\":\"user:1\",\"correlationId\":\"20261130132533403360634VCwxob5s\",\"causationId\":null,\"schemaVersion\":1,\"stream\":\"channel-3\",\"type\":\"ChannelDeleted\",\"id\":\"8d07c52c-c60e-4ca0-9f32-68940aa416ae\",\"prevHash\":\"75adedea7868485ab9a892bca3083d21ef80a169ce34398c06353005d4f10a31\",\"hash\":\"90dd5464a4a51b763e154fe6b6319cfdc0883d2162642cff85cdeddae7542b3a\"}"}');
delete from ledger.head;
delete from ledger.head;
insert into ledger.head (only_row, position) overriding system value select only_row, position from json_populate_record(null::ledger.head, '{"only_row":true,"position":73}');
delete from options.options;
insert into options.options (key, value, position, changed_at) overriding system value select key, value, position, changed_at from json_populate_record(null::options.options, '{"key":"AutomaticDisableChannelEnabled","value":"true","position":4,"changed_at":1796045133105}');
insert into options.options (key, value, position, changed_at) overriding system value select key, value, position, changed_at from json_populate_record(null::options.options, '{"key":"ModelRatio","value":"{\"360GPT_S2_V9\":0.8572,\"360gpt-pro\":0.8572,\"360gpt-turbo\":0.0858,\"360gpt-turbo-responsibility-8k\":0.8572,\"360gpt2-pro\":0.8572,\"BLOOMZ-7B\":0.273972602739726,\"ERNIE-3.5-4K-0205\":0.821917808219178,\"ERNIE-3.5-8K\":0.821917808219178,\"ERNIE-3.5-8K-0205\":1.643835616438356,\"ERNIE-3.5-8K-1222\":0.821917808219178,\"ERNIE-4.0-8K\":8.219178082191782,\"ERNIE-Bot-8K\":1.643835616438356,\"ERNIE-Lite-8K-0308\":0.2054794520547945,\"ERNIE-Lite-8K-0922\":0.547945205479452,\"ERNIE-Speed-128K\":0.273972602739726,\"ERNIE-Speed-8K\":0.273972602739726,\"ERNIE-Tiny-8K\":0.0684931506849315,\"Embedding-V1\":0.136986301369863,\"PaLM-2\":1,\"SparkDesk-v1.1\":1.2858,\"SparkDesk-v2.1\":1.2858,\"SparkDesk-v3.1\":1.2858,\"SparkDesk-v3.5\":1.2858,\"SparkDesk-v4.0\":1.2858,\"ada\":10,\"babbage\":10,\"babbage-002\":0.2,\"bge-large-en\":0.136986301369863,\"bge-large-zh\":0.136986301369863,\"chatglm_lite\":0.1429,\"chatglm_pro\":0.7143,\"chatglm_std\":0.3572,\"chatglm_turbo\":0.3572,\"chatgpt-4o-latest\":2.5,\"claude-2.0\":4,\"claude-2.1\":4,\"claude-3-5-haiku-20241022\":0.5,\"claude-3-5-sonnet-20240620\":1.5,\"claude-3-5-sonnet-20241022\":1.5,\"claude-3-7-sonnet-20250219\":1.5,\"claude-3-7-sonnet-20250219-thinking\":1.5,\"claude-3-haiku-20240307\":0.125,\"claude-3-opus-20240229\":7.5,\"claude-3-sonnet-20240229\":1.5,\"claude-instant-1\":0.4,\"code-davinci-edit-001\":10,\"command\":0.5,\"command-light\":0.5,\"command-light-nightly\":0.5,\"command-nightly\":0.5,\"command-r\":0.25,\"command-r-08-2024\":0.075,\"command-r-plus\":1.5,\"command-r-plus-08-2024\":1.25,\"curie\":10,\"davinci\":10,\"davinci-002\":1,\"deepseek-chat\":0.135,\"deepseek-coder\":0.135,\"deepseek-reasoner\":0.275,\"embedding-bert-512-v1\":0.0715,\"embedding_s1_v1\":0.0715,\"gemini-1.5-flash-latest\":0.075,\"gemini-1.5-pro-latest\":1.25,\"gemini-2.0-flash\":0.05,\"gemini-2.5-pro-exp-03-25\":0.625,\"gemini-2.5-pro-preview-03-25\":0.625,\"glm-3-turbo\":0.3572,\"glm-4\":7.143,\"glm-4-0520\":6.8493150684931505,\"glm-4-air\":0.0684931506849315,\"glm-4-airx\":0.684931506849315,\"glm-4-alltools\":6.8493150684931505,\"glm-4-flash\":0,\"glm-4-long\":0.0684931506849315,\"glm-4-plus\":3.4246575342465753,\"glm-4v\":3.4246575342465753,\"glm-4v-plus\":0.684931506849315,\"gpt-3.5-turbo\":0.25,\"gpt-3.5-turbo-0125\":0.25,\"gpt-3.5-turbo-0613\":0.75,\"gpt-3.5-turbo-1106\":0.5,\"gpt-3.5-turbo-16k\":1.5,\"gpt-3.5-turbo-16k-0613\":1.5,\"gpt-3.5-turbo-instruct\":0.75,\"gpt-4\":15,\"gpt-4-0125-preview\":5,\"gpt-4-0613\":15,\"gpt-4-1106-preview\":5,\"gpt-4-1106-vision-preview\":5,\"gpt-4-32k\":30,\"gpt-4-32k-0613\":30,\"gpt-4-all\":15,\"gpt-4-gizmo-*\":15,\"gpt-4-turbo\":5,\"gpt-4-turbo-2024-04-09\":5,\"gpt-4-turbo-preview\":5,\"gpt-4-vision-preview\":5,\"gpt-4.5-preview\":37.5,\"gpt-4.5-preview-2025-02-27\":37.5,\"gpt-4o\":1.25,\"gpt-4o-2024-05-13\":2.5,\"gpt-4o-2024-08-06\":1.25,\"gpt-4o-2024-11-20\":1.25,\"gpt-4o-all\":15,\"gpt-4o-audio-preview\":1.25,\"gpt-4o-audio-preview-2024-10-01\":1.25,\"gpt-4o-gizmo-*\":2.5,\"gpt-4o-mini\":0.075,\"gpt-4o-mini-2024-07-18\":0.075,\"gpt-4o-mini-realtime-preview\":0.3,\"gpt-4o-mini-realtime-preview-2024-12-17\":0.3,\"gpt-4o-realtime-preview\":2.5,\"gpt-4o-realtime-preview-2024-10-01\":2.5,\"gpt-4o-realtime-preview-2024-12-17\":2.5,\"grok-2\":1,\"grok-2-vision\":1,\"grok-3-beta\":1.5,\"grok-3-fast-beta\":2.5,\"grok-3-mini-beta\":0.15,\"grok-3-mini-fast-beta\":0.3,\"grok-beta\":2.5,\"grok-vision-beta\":2.5,\"hunyuan\":7.143,\"llama-3-sonar-large-32k-chat\":0,\"llama-3-sonar-large-32k-online\":0,\"llama-3-sonar-small-32k-chat\":0.1,\"llama-3-sonar-small-32k-online\":0.1,\"o1\":7.5,\"o1-2024-12-17\":7.5,\"o1-mini\":0.55,\"o1-mini-2024-09-12\":0.55,\"o1-preview\":7.5,\"o1-preview-2024-09-12\":7.5,\"o3-mini\":0.55,\"o3-mini-2025-01-31\":0.55,\"o3-mini-2025-01-31-high\":0.55,\"o3-mini-2025-01-31-low\":0.55,\"o3-mini-2025-01-31-medium\":0.55,\"o3-mini-high\":0.55,\"o3-mini-low\":0.55,\"o3-mini-medium\":0.55,\"qwen-plus\":10,\"qwen-turbo\":0.8572,\"semantic_similarity_s1_v1\":0.0715,\"tao-8k\":0.136986301369863,\"text-ada-001\":0.2,\"text-babbage-001\":0.25,\"text-curie-001\":1,\"text-davinci-edit-001\":10,\"text-embedding-004\":0.001,\"text-embedding-3-large\":0.065,\"text-embedding-3-small\":0.01,\"text-embedding-ada-002\":0.05,\"text-embedding-v1\":0.05,\"text-moderation-latest\":0.1,\"text-moderation-stable\":0.1,\"text-search-ada-doc-001\":10,\"tts-1\":7.5,\"tts-1-1106\":7.5,\"tts-1-hd\":15,\"tts-1-hd-1106\":15,\"whisper-1\":15,\"yi-34b-chat-0205\":0.18,\"yi-34b-chat-200k\":0.864,\"yi-large\":1.36986301369863,\"yi-large-preview\":1.36986301369863,\"yi-large-rag\":1.7123287671232876,\"yi-large-rag-preview\":1.7123287671232876,\"yi-large-turbo\":0.821917808219178,\"yi-medium\":0.17123287671232876,\"yi-medium-200k\":0.821917808219178,\"yi-spark\":0.0684931506849315,\"yi-vision\":0.410958904109589,\"yi-vl-plus\":0.432,\"up-model\":1.5}","position":3,"changed_at":1796045133063}');
delete from process_manager.checkpoint;
insert into process_manager.checkpoint (is_only, position, updated_at) overriding system value select is_only, position, updated_at from json_populate_record(null::process_manager.checkpoint, '{"is_only":true,"position":73,"updated_at":"2026-11-30T13:25:54.867588+00:00"}');
delete from projections.checkpoints;
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"balances","version":4,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"channels","version":2,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"dashboard","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"drawings","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"journal","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"options","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"redemptions","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"tasks","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"tokens","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"top-ups","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"usage-log","version":2,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
insert into projections.checkpoints (name, version, position, failure, updated_at) overriding system value select name, version, position, failure, updated_at from json_populate_record(null::projections.checkpoints, '{"name":"users","version":1,"position":73,"failure":null,"updated_at":"2026-11-30T13:25:54.841884+00:00"}');
delete from redemptions.codes;
insert into redemptions.codes (code_id, creator, status, quota, issued_at, used_by, used_at, deleted_at) overriding system value select code_id, creator, status, quota, issued_at, used_by, used_at, deleted_at from json_populate_record(null::redemptions.codes, '{"code_id":1,"creator":1,"status":"used","quota":12345,"issued_at":1796045134420,"used_by":2,"used_at":1796045134471,"deleted_at":null}');
insert into redemptions.codes (code_id, creator, status, quota, issued_at, used_by, used_at, deleted_at) overriding system value select code_id, creator, status, quota, issued_at, used_by, used_at, deleted_at from json_populate_record(null::redemptions.codes, '{"code_id":2,"creator":1,"status":"unused","quota":12345,"issued_at":1796045134420,"used_by":null,"used_at":null,"deleted_at":null}');
delete from secrets.channels;
insert into secrets.channels (id, name, key_ciphertext, key_hash, proxy_ciphertext, is_pending, created_at, deleted_at, touched_at, destination, revision) overriding system value select id, name, key_ciphertext, key_hash, proxy_ciphertext, is_pending, created_at, deleted_at, touched_at, destination, revision from json_populate_record(null::secrets.channels, '{"id":1,"name":"steady","key_ciphertext":"\\x01895227d3a2418b3a74a8baf58150abee11e19fda4e0716e970850eca35e6da62a8182ff36b","key_hash":"\\x7a55f39e50209feb1c85fb0b18fbc8c298c987b666b3576a175df5248767aaf4","proxy_ciphertext":null,"is_pending":false,"created_at":"2026-11-30T13:25:33.15+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:33.151271+00:00","destination":"1 http://127.0.0.1:3990","revision":0}');
insert into secrets.channels (id, name, key_ciphertext, key_hash, proxy_ciphertext, is_pending, created_at, deleted_at, touched_at, destination, revision) overriding system value select id, name, key_ciphertext, key_hash, proxy_ciphertext, is_pending, created_at, deleted_at, touched_at, destination, revision from json_populate_record(null::secrets.channels, '{"id":2,"name":"second","key_ciphertext":"\\x017b51d6ce75d35e6317fa2ba181b8f0da4090fba12aa535d6abfd7ede08675f2c2038028147","key_hash":"\\x6e5dcd1f87d8b22fe74ef790e2e3e4649badaaa50162f527101c6b2920795dd8","proxy_ciphertext":null,"is_pending":false,"created_at":"2026-11-30T13:25:33.188+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:33.189258+00:00","destination":"1 http://127.0.0.1:3990","revision":0}');
insert into secrets.channels (id, name, key_ciphertext, key_hash, proxy_ciphertext, is_pending, created_at, deleted_at, touched_at, destination, revision) overriding system value select id, name, key_ciphertext, key_hash, proxy_ciphertext, is_pending, created_at, deleted_at, touched_at, destination, revision from json_populate_record(null::secrets.channels, '{"id":3,"name":"gone","key_ciphertext":null,"key_hash":"\\xa6f59a823ed65ca9709314b1528376b6f6313be2e4dceb00f8aa5b46a46d30d5","proxy_ciphertext":null,"is_pending":false,"created_at":"2026-11-30T13:25:33.222+00:00","deleted_at":"2026-11-30T13:25:33.44+00:00","touched_at":"2026-11-30T13:25:33.412516+00:00","destination":"1 http://127.0.0.1:3990","revision":0}');
delete from secrets.redemptions;
insert into secrets.redemptions (id, name, code_ciphertext, code_hash, is_pending, created_at, touched_at, deleted_at) overriding system value select id, name, code_ciphertext, code_hash, is_pending, created_at, touched_at, deleted_at from json_populate_record(null::secrets.redemptions, '{"id":1,"name":"spring","code_ciphertext":"\\x011493e16ab7389dfc645ddc9a063bdccc1a7659444e79384c8c3e217d6ef12d24b9a8905e6d048bc0c6bd72ccb3fea7817dd96dd4b6a3b2641742faaf","code_hash":"\\x27d819c761b7e6bdf5e4e313f66b123b1b520099e661d25a7863e424f7fc934a","is_pending":false,"created_at":"2026-11-30T13:25:34.418+00:00","touched_at":"2026-11-30T13:25:34.41899+00:00","deleted_at":null}');
insert into secrets.redemptions (id, name, code_ciphertext, code_hash, is_pending, created_at, touched_at, deleted_at) overriding system value select id, name, code_ciphertext, code_hash, is_pending, created_at, touched_at, deleted_at from json_populate_record(null::secrets.redemptions, '{"id":2,"name":"spring","code_ciphertext":"\\x013265e78b1810f8fd5b5367f8f863d87ce1bc242354796b4039c3c94b58cce3370b15c9bb1a1d6a67ce3f667de232d37aa6823b0233a3f2f07d2a226f","code_hash":"\\xa8ea8d75c0514e52a7c5f1e5592f210ff1c6c8b4c7a650dff23dc80e5a0cb3e4","is_pending":false,"created_at":"2026-11-30T13:25:34.418+00:00","touched_at":"2026-11-30T13:25:34.41899+00:00","deleted_at":null}');
delete from secrets.tokens;
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":1,"user_id":2,"name":"free","key_ciphertext":"\\x015641bf2a48a1402a898d5fcfd64b909f6abe6c60b7f21dca1a37945876b15c873d03028d40ea5b6310d1e99e0c756e53a37444c8122f5b1591e28d72bd40f071f370aacea36651c76e06079d","key_hash":"\\x8373e8e7ca532ce31c72e73270c045e4d134ae41875f605f97adae09378ae7e3","is_pending":false,"created_at":"2026-11-30T13:25:34.164+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:34.164946+00:00","model_list":[]}');
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":2,"user_id":2,"name":"limited","key_ciphertext":"\\x01e4d78e823bb4e58a1c9c0f3c960c54148c1c2c532309077b084422e7247260a980ff6b37df5bbd5d5aa91e5acb4f1b1a859745ac261276067f7aa9a53eb0f05fc9fd198ba4ee6398817310d6","key_hash":"\\xe4359db72d954c37782491a8aa5c89374816c3798591e71143cb9b0b0672d2a9","is_pending":false,"created_at":"2026-11-30T13:25:34.214+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:34.214793+00:00","model_list":[]}');
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":3,"user_id":2,"name":"del","key_ciphertext":null,"key_hash":"\\xf518fc86cc8a9da4f11ab701fdcb11614cadac9adfdac3fa2120af0f1b8a48d5","is_pending":false,"created_at":"2026-11-30T13:25:34.247+00:00","deleted_at":"2026-11-30T13:25:36.538+00:00","touched_at":"2026-11-30T13:25:36.532371+00:00","model_list":[]}');
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":4,"user_id":2,"name":"off","key_ciphertext":"\\x01903db3a545f58a3786e6a2cd9d9e13c2545579130aa97afda5fde72af563c27ca0132011d3777be744d1585f9168c2fbcae64875a50683ca4a32ae59b9d609714d90c5c70a9b3c07ee8f6fca","key_hash":"\\x51712d5e9dbd0e836d4eb08b51346f20ae0bce2027d38188b4aecd6054afdc47","is_pending":false,"created_at":"2026-11-30T13:25:34.272+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:34.273234+00:00","model_list":[]}');
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":5,"user_id":2,"name":"ip","key_ciphertext":"\\x01c17869288992e13c7bd9c971282c5730660eea208464d94205592bd3ed5b9d784ff49828fc3a3f7b96b231027afbe0b68555c8f42fff7ab04ca8c9c52682213cdbc5157718dda58d6f622a96","key_hash":"\\x1f5c4b48bfe40f1a8b53de8676db4f60b207a496e372c6989f0c3a1c74646a2c","is_pending":false,"created_at":"2026-11-30T13:25:34.315+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:34.315931+00:00","model_list":[]}');
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":6,"user_id":3,"name":"g","key_ciphertext":"\\x01c2d65d6c3ffeb4bc1fd34fdf5bf8d182e06439cbe5e9db11f9d8cc72c68e69399e5faeee7eb50e280a3413210fea0cd22aa74d3822543a1962d6edffc564bb0d69ae9b21e7e1b290dc70892b","key_hash":"\\x55103608069dac22584d9b76afad5159c342c83ea5111b7c426c69d55595607c","is_pending":false,"created_at":"2026-11-30T13:25:34.358+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:34.35817+00:00","model_list":[]}');
insert into secrets.tokens (id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list) overriding system value select id, user_id, name, key_ciphertext, key_hash, is_pending, created_at, deleted_at, touched_at, model_list from json_populate_record(null::secrets.tokens, '{"id":7,"user_id":4,"name":"s","key_ciphertext":"\\x01ad9617e8de468532871bad4c1c8415a60c0b1376041a35b1a47a8b890ac06d2d1669f17bba4cfaa9ab66770c7182a5150608aab0d201a5ab786c33d59c00e0dff77010ac20623ffdcae77831","key_hash":"\\x7b3c57ebfffa67ffdb2983a774e34b36d6fa47e012498b7c3faa98b75a77d504","is_pending":false,"created_at":"2026-11-30T13:25:34.39+00:00","deleted_at":null,"touched_at":"2026-11-30T13:25:34.390411+00:00","model_list":[]}');
delete from tokens.tokens;
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":1,"user_id":2,"status":1,"remain":0,"used":210,"unlimited":true,"expires_at":null,"group_name":"","models":null,"allowed_ips":[],"created_at":1796045134167,"accessed_at":1796045134814,"deleted_at":null}');
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":2,"user_id":2,"status":1,"remain":2790,"used":210,"unlimited":false,"expires_at":null,"group_name":"","models":null,"allowed_ips":[],"created_at":1796045134216,"accessed_at":1796045135081,"deleted_at":null}');
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":3,"user_id":2,"status":1,"remain":0,"used":210,"unlimited":true,"expires_at":null,"group_name":"","models":null,"allowed_ips":[],"created_at":1796045134248,"accessed_at":1796045135355,"deleted_at":1796045136535}');
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":4,"user_id":2,"status":2,"remain":0,"used":210,"unlimited":true,"expires_at":null,"group_name":"","models":null,"allowed_ips":[],"created_at":1796045134275,"accessed_at":1796045135603,"deleted_at":null}');
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":5,"user_id":2,"status":1,"remain":0,"used":210,"unlimited":true,"expires_at":null,"group_name":"","models":null,"allowed_ips":["127.0.0.1"],"created_at":1796045134319,"accessed_at":1796045135853,"deleted_at":null}');
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":6,"user_id":3,"status":1,"remain":0,"used":210,"unlimited":true,"expires_at":null,"group_name":"","models":null,"allowed_ips":[],"created_at":1796045134363,"accessed_at":1796045136152,"deleted_at":null}');
insert into tokens.tokens (token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at) overriding system value select token_id, user_id, status, remain, used, unlimited, expires_at, group_name, models, allowed_ips, created_at, accessed_at, deleted_at from json_populate_record(null::tokens.tokens, '{"token_id":7,"user_id":4,"status":1,"remain":0,"used":210,"unlimited":true,"expires_at":null,"group_name":"","models":null,"allowed_ips":[],"created_at":1796045134391,"accessed_at":1796045136483,"deleted_at":null}');
delete from tollgate.migrations;
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"audit-0001-jobs","sha256":"d8ff6c62bc43a93d078d33d338111690873ed9fd9150d81b14f7de1ee9968187","applied_at":"2026-11-30T13:25:30.114478+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"coordination-0001-leases","sha256":"289e2b06e1b2a2947f84a64e6232967b51b293c46cd27a3e70cf39e4c20be035","applied_at":"2026-11-30T13:25:30.239781+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"coordination-0002-rate-windows","sha256":"a0cd5d177076f9b0da0b24943bc9560fa5aa9cf38476f81f5e935c359a1c056a","applied_at":"2026-11-30T13:25:30.26634+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"coordination-0002-step-back","sha256":"83205f815c359d0bf7663f28e8b3e333a800edf30faf7e14d654962b81d518b2","applied_at":"2026-11-30T13:25:30.26418+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"coordination-0003-rate-windows-unflushed","sha256":"d03992d1b816fee03692827f8635f93e60464d2ad1ad9b78eaefa4b0073ad0b4","applied_at":"2026-11-30T13:25:30.284071+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"email-codes-0001-codes","sha256":"006967f059732c23db305b179a9b3984b929d23d17529342bc1bd63979714e52","applied_at":"2026-11-30T13:25:30.15612+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"external-ids-0001-unique","sha256":"4f989e0ae81493cf35091c6b7b6eb59740bc34461094906aba295fffc42e449c","applied_at":"2026-11-30T13:25:30.17208+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"external-ids-0002-github-holder","sha256":"9da87f407fb37269dff9b04b696857ed08cac45e1002ac1c42c472f71d59381a","applied_at":"2026-11-30T13:25:30.188177+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"first-tokens-0001-owed","sha256":"9177cae706ba8da3518a6445cf2550602e4b03c83fb36ca761f46dbeb8a517c5","applied_at":"2026-11-30T13:25:30.211794+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"identity-0001-users","sha256":"4db31fa26231ca49734b0c6afdbc8b72f2d0e0fa7131a097a6032837a329de35","applied_at":"2026-11-30T13:25:29.931778+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"identity-0002-secrets","sha256":"74b2cea1c6c9df0c32ab80098e80f3e929079bf0d53fe90224cb03885c2621aa","applied_at":"2026-11-30T13:25:29.972048+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"identity-0003-pending-since","sha256":"8ad7c74060bbbc347207a9d67e9268fca2a29545812b72fade03540271599a83","applied_at":"2026-11-30T13:25:29.999902+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"identity-0004-webhook-secret","sha256":"2e75117a5c2dec275ffbcef655544bd48d15fe7a7a2c0748dd57dcaae428a0f1","applied_at":"2026-11-30T13:25:30.008125+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"identity-0005-key-destinations","sha256":"1e642eb5282ee8c7fc453affbe0f5622ddbd9a3a9cd0aeb9439fdcc2a484de9f","applied_at":"2026-11-30T13:25:30.011795+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"ledger-0001-events","sha256":"f711be9574349b02164badcfb2ad6833b6e4c8aeda72f774ee60d33c25e49279","applied_at":"2026-11-30T13:25:29.905549+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"ledger-0002-append-group","sha256":"9cdce64154843db69f6a462a7ab83a899b0fe0a365cfd115c2e9bf784243f82e","applied_at":"2026-11-30T13:25:29.923926+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"ledger-0003-append-group-in-one-pass","sha256":"84524d1dbbae2578bbe6b7a1033191b7ba08376ff48f0b9a4ee693a9decd5dc8","applied_at":"2026-11-30T13:25:29.927742+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"login-names-0001-folded","sha256":"fa1b4f55f358ecba0eb09f5f0867924abc1aab6297693d5b383f604c55254080","applied_at":"2026-11-30T13:25:30.19192+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"notifications-0001-outbox","sha256":"9cb43e02799bd79137ac5793e6e119766e9a497dda01e55676556ff855dfff8f","applied_at":"2026-11-30T13:25:30.031586+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"notifications-0002-delivery","sha256":"cb0e0b8058573e22e566e377d0c2e7f864ee044f0595113581e696ce8d5f5d10","applied_at":"2026-11-30T13:25:30.043834+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"notifications-0003-quota-warnings","sha256":"536131dcd70ba86c24ada8c61fa9e25c6e3dadd5adc6ffd10620fa4bf068f9a2","applied_at":"2026-11-30T13:25:30.06624+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"posted-requests-0001-posted-requests","sha256":"74cb3423f19ca1c3086f382b968f295a96622b5716a43c9b9aa55333d6415989","applied_at":"2026-11-30T13:25:30.204132+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"process-manager-0001","sha256":"ae2d1cc566e75389f6242d9bf4e33ddd1c7715ef4486081632b95cc460bf0fcd","applied_at":"2026-11-30T13:25:30.01597+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"redemptions-0001","sha256":"3577c9b9ba6ca3e24bc97779410b1e5bc00088adc1c67225cae9c76597a564f5","applied_at":"2026-11-30T13:25:30.09975+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"sign-up-0001-invitations-and-emails","sha256":"ba36bdb9f969c50a1dec5f178d549d38649b8013daf320e52946b075590e340c","applied_at":"2026-11-30T13:25:30.091161+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"tasks-0001-payloads","sha256":"bff49fad22b7540d995257424295e66501a074b496998968483c053226c4fbc8","applied_at":"2026-11-30T13:25:30.129758+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"tokens-0001-model-list","sha256":"2890558bdf3c7ae663ddf83e4c3dd3c678b30d71685c190b249bfd6df535b9bc","applied_at":"2026-11-30T13:25:30.236016+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"used-signatures-0001-used-signatures","sha256":"1feaa6b85b8264ee1eae67adbe2ae6f40a66f9b744ce42b9ef0572b5db763c10","applied_at":"2026-11-30T13:25:30.224135+00:00"}');
insert into tollgate.migrations (id, sha256, applied_at) overriding system value select id, sha256, applied_at from json_populate_record(null::tollgate.migrations, '{"id":"visitors-0001-visitors","sha256":"0c8e89bdb187cb41743c22fe62b8ab7890f5dfa6eb64c04343a385fc0b552e97","applied_at":"2026-11-30T13:25:30.079881+00:00"}');
delete from usage_log.hours;
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":1,"user_id":2,"token_id":0,"channel":0,"model":"","group_name":"","count":1,"quota":0,"tokens":0,"last_created_at":1796045134,"last_id":29}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":2,"token_id":1,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045134,"last_id":33}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":2,"token_id":2,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045135,"last_id":37}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":2,"token_id":3,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045135,"last_id":41}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":2,"token_id":4,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045135,"last_id":45}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":2,"token_id":5,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045135,"last_id":49}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":3,"token_id":6,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045136,"last_id":53}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":2,"user_id":4,"token_id":7,"channel":1,"model":"up-model","group_name":"default","count":2,"quota":210,"tokens":140,"last_created_at":1796045136,"last_id":57}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":3,"user_id":1,"token_id":0,"channel":0,"model":"","group_name":"","count":1,"quota":0,"tokens":0,"last_created_at":1796045132,"last_id":2}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":3,"user_id":2,"token_id":0,"channel":0,"model":"","group_name":"","count":1,"quota":0,"tokens":0,"last_created_at":1796045133,"last_id":12}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":3,"user_id":3,"token_id":0,"channel":0,"model":"","group_name":"","count":1,"quota":0,"tokens":0,"last_created_at":1796045133,"last_id":15}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":3,"user_id":4,"token_id":0,"channel":0,"model":"","group_name":"","count":1,"quota":0,"tokens":0,"last_created_at":1796045134,"last_id":18}');
insert into usage_log.hours (hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id) overriding system value select hour, type, user_id, token_id, channel, model, group_name, count, quota, tokens, last_created_at, last_id from json_populate_record(null::usage_log.hours, '{"hour":1796043600,"type":5,"user_id":2,"token_id":1,"channel":0,"model":"nobody-serves-this","group_name":"default","count":1,"quota":0,"tokens":0,"last_created_at":1796045136,"last_id":58}');
delete from usage_log.models;
insert into usage_log.models (model) overriding system value select model from json_populate_record(null::usage_log.models, '{"model":""}');
insert into usage_log.models (model) overriding system value select model from json_populate_record(null::usage_log.models, '{"model":"nobody-serves-this"}');
insert into usage_log.models (model) overriding system value select model from json_populate_record(null::usage_log.models, '{"model":"up-model"}');
delete from usage_log.prices;
insert into usage_log.prices (price_key, price) overriding system value select price_key, price from json_populate_record(null::usage_log.prices, '{"price_key":0,"price":""}');
insert into usage_log.prices (price_key, price) overriding system value select price_key, price from json_populate_record(null::usage_log.prices, '{"price_key":2046270508286078,"price":"{\"by\":\"tokens\",\"bookRevision\":3,\"groupRatio\":\"1\",\"quotaPerUnit\":\"500000\",\"modelRatio\":\"1.5\",\"completionRatio\":\"1\",\"cacheRatio\":\"1\",\"cacheWriteRatio\":\"1.25\",\"audioRatio\":\"20\",\"audioCompletionRatio\":\"2\",\"webSearchPrice\":\"27.5\",\"fileSearchPrice\":\"2.5\"}"}');
delete from usage_log.rows;
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":12,"event_id":"376a19f8-8c31-44bf-9a32-8fcb181324b2","created_at":1796045133,"type":3,"user_id":2,"token_id":0,"channel":0,"model":"","group_name":"","quota":0,"prompt_tokens":0,"completion_tokens":0,"use_time":0,"is_stream":false,"request_id":"","content":"管理员将用户额度从 ＄0.000000 额度修改为 ＄10.000000 额度","price_key":0,"detail":"{\"amount\":5000000,\"reason\":\"管理员将用户额度从 ＄0.000000 额度修改为 ＄10.000000 额度\"}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":15,"event_id":"1451a339-ca19-467a-9f4d-03c08518791a","created_at":1796045133,"type":3,"user_id":3,"token_id":0,"channel":0,"model":"","group_name":"","quota":0,"prompt_tokens":0,"completion_tokens":0,"use_time":0,"is_stream":false,"request_id":"","content":"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度","price_key":0,"detail":"{\"amount\":100000,\"reason\":\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":18,"event_id":"51d38980-83e5-46c7-b411-5bbf204485e1","created_at":1796045134,"type":3,"user_id":4,"token_id":0,"channel":0,"model":"","group_name":"","quota":0,"prompt_tokens":0,"completion_tokens":0,"use_time":0,"is_stream":false,"request_id":"","content":"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度","price_key":0,"detail":"{\"amount\":100000,\"reason\":\"管理员将用户额度从 ＄0.000000 额度修改为 ＄0.200000 额度\"}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":2,"event_id":"d717f243-f8e2-43eb-8f92-676c9f09d64b","created_at":1796045132,"type":3,"user_id":1,"token_id":0,"channel":0,"model":"","group_name":"","quota":0,"prompt_tokens":0,"completion_tokens":0,"use_time":0,"is_stream":false,"request_id":"","content":"管理员增加用户额度 ＄200.000000 额度","price_key":0,"detail":"{\"amount\":100000000,\"reason\":\"\"}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":29,"event_id":"10ec082e-d06d-4ed6-ae24-54352d1ff762","created_at":1796045134,"type":1,"user_id":2,"token_id":0,"channel":0,"model":"","group_name":"","quota":0,"prompt_tokens":0,"completion_tokens":0,"use_time":0,"is_stream":false,"request_id":"","content":"通过兑换码充值 ＄0.024690 额度，兑换码ID 1","price_key":0,"detail":"{\"amount\":12345,\"reason\":\"1\"}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":31,"event_id":"0f3c0c17-88eb-486e-a05d-a947af6e7799","created_at":1796045134,"type":2,"user_id":2,"token_id":1,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132534514547144u7RUvasA","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":45,\"durationMs\":182,\"path\":[1],\"hold\":\"2@8\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":33,"event_id":"47dd2850-9003-467d-94b2-2284effbde35","created_at":1796045134,"type":2,"user_id":2,"token_id":1,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"20261130132534737214119uOiSRN83","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":76,\"path\":[1],\"hold\":\"2@8\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":35,"event_id":"74f5c7d2-3f86-4eb0-bb56-983bb04aec9d","created_at":1796045134,"type":2,"user_id":2,"token_id":2,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132534828312914yqHEmedt","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":18,\"durationMs\":117,\"path\":[1],\"hold\":\"2@12\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":37,"event_id":"f21e5ed7-21e9-4aea-ab19-1b6d0b906e2b","created_at":1796045135,"type":2,"user_id":2,"token_id":2,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"20261130132534993677694Hs496Wqu","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":87,\"path\":[1],\"hold\":\"2@12\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":39,"event_id":"c8d1b214-763b-48d5-8d85-880a3fb412c6","created_at":1796045135,"type":2,"user_id":2,"token_id":3,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132535097388228EF121iYz","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":12,\"durationMs\":97,\"path\":[1],\"hold\":\"2@16\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":41,"event_id":"c1c473fb-b808-4cb7-b124-825cb09129cf","created_at":1796045135,"type":2,"user_id":2,"token_id":3,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"20261130132535279244351I0kGUiht","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":72,\"path\":[1],\"hold\":\"2@16\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":43,"event_id":"8762f4df-c603-4599-b389-0cd5d444ac27","created_at":1796045135,"type":2,"user_id":2,"token_id":4,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132535374883767IJ6D5ZUW","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":11,\"durationMs\":104,\"path\":[1],\"hold\":\"2@20\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":45,"event_id":"9dd1ea99-7b4a-4564-806a-d0ee71af9af0","created_at":1796045135,"type":2,"user_id":2,"token_id":4,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"202611301325355244721614l49WbYX","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":78,\"path\":[1],\"hold\":\"2@20\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":47,"event_id":"c75b55d0-ed83-4d7f-96d8-533c9ad07274","created_at":1796045135,"type":2,"user_id":2,"token_id":5,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132535626481008JDa9LZue","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":21,\"durationMs\":111,\"path\":[1],\"hold\":\"2@24\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":49,"event_id":"474a4fe6-8ac7-4a64-9ecf-3edef04ae1b9","created_at":1796045135,"type":2,"user_id":2,"token_id":5,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"20261130132535766204664yloBAw9P","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":85,\"path\":[1],\"hold\":\"2@24\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":51,"event_id":"410521ce-3e53-4e3a-8130-052085cd4721","created_at":1796045136,"type":2,"user_id":3,"token_id":6,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132535875893218wVxVwkLt","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":18,\"durationMs\":143,\"path\":[1],\"hold\":\"3@3\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":53,"event_id":"31e0e27c-6851-4327-b791-7e22869e24f7","created_at":1796045136,"type":2,"user_id":3,"token_id":6,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"20261130132536070788793qsKTk01u","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":82,\"path\":[1],\"hold\":\"3@3\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":55,"event_id":"489080d2-fdd3-4956-ac9d-c81e1920b362","created_at":1796045136,"type":2,"user_id":4,"token_id":7,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":true,"request_id":"20261130132536187416792e1pK4bmC","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":31,\"durationMs\":171,\"path\":[1],\"hold\":\"4@3\",\"sequence\":1,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":57,"event_id":"d907ab3f-7995-49dd-9323-775acbf16c44","created_at":1796045136,"type":2,"user_id":4,"token_id":7,"channel":1,"model":"up-model","group_name":"default","quota":105,"prompt_tokens":10,"completion_tokens":60,"use_time":0,"is_stream":false,"request_id":"20261130132536405039893zClSSvlM","content":"","price_key":2046270508286078,"detail":"{\"usage\":{\"textIn\":10,\"textOut\":60},\"endpoint\":\"/v1/chat/completions\",\"firstByteMs\":null,\"durationMs\":78,\"path\":[1],\"hold\":\"4@3\",\"sequence\":2,\"fromWallet\":0}"}');
insert into usage_log.rows (id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail) overriding system value select id, event_id, created_at, type, user_id, token_id, channel, model, group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, request_id, content, price_key, detail from json_populate_record(null::usage_log.rows, '{"id":58,"event_id":"6d499ba3-f54d-4362-bb74-d47b8eda618a","created_at":1796045136,"type":5,"user_id":2,"token_id":1,"channel":0,"model":"nobody-serves-this","group_name":"default","quota":0,"prompt_tokens":0,"completion_tokens":0,"use_time":0,"is_stream":true,"request_id":"20261130132536498311571CYs0A1cd","content":"The model ''nobody-serves-this'' does not exist or no channel serves it (无可用渠道)","price_key":0,"detail":"{\"status\":404,\"errorType\":\"invalid_request_error\",\"errorCode\":\"model_not_found\",\"path\":[],\"durationMs\":3}"}');
delete from usage_log.totals;
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":1,"user_id":2,"count":1,"quota":0,"tokens":0}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":2,"user_id":2,"count":10,"quota":1050,"tokens":700}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":2,"user_id":3,"count":2,"quota":210,"tokens":140}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":2,"user_id":4,"count":2,"quota":210,"tokens":140}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":3,"user_id":1,"count":1,"quota":0,"tokens":0}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":3,"user_id":2,"count":1,"quota":0,"tokens":0}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":3,"user_id":3,"count":1,"quota":0,"tokens":0}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":3,"user_id":4,"count":1,"quota":0,"tokens":0}');
insert into usage_log.totals (hour, type, user_id, count, quota, tokens) overriding system value select hour, type, user_id, count, quota, tokens from json_populate_record(null::usage_log.totals, '{"hour":1796043600,"type":5,"user_id":2,"count":1,"quota":0,"tokens":0}');
delete from users.users;
insert into users.users (user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at) overriding system value select user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at from json_populate_record(null::users.users, '{"user_id":1,"role":100,"is_banned":false,"group_name":"default","inviter_id":null,"registered_at":1796045132738,"deleted_at":null}');
insert into users.users (user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at) overriding system value select user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at from json_populate_record(null::users.users, '{"user_id":2,"role":1,"is_banned":false,"group_name":"default","inviter_id":null,"registered_at":1796045133596,"deleted_at":null}');
insert into users.users (user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at) overriding system value select user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at from json_populate_record(null::users.users, '{"user_id":3,"role":1,"is_banned":false,"group_name":"default","inviter_id":null,"registered_at":1796045133820,"deleted_at":1796045136627}');
insert into users.users (user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at) overriding system value select user_id, role, is_banned, group_name, inviter_id, registered_at, deleted_at from json_populate_record(null::users.users, '{"user_id":4,"role":1,"is_banned":true,"group_name":"default","inviter_id":null,"registered_at":1796045134011,"deleted_at":null}');
set session_replication_role to origin;
select setval('identity.users_id_seq', 4);
select setval('secrets.tokens_id_seq', 7);
select setval('secrets.channels_id_seq', 3);
select setval('identity.notifications_id_seq', 3);
select setval('secrets.redemptions_id_seq', 2);
