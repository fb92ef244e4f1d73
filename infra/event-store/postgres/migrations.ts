import type { Migration } from '@tollgate/command-api/migration.ts'

/**
 * The log's tables. Positions are gapless and in commit order because every append holds the lock of the one row of
 * `ledger.head` until it commits. Data and metadata are text, not jsonb, because hashes are over their bytes.
 */
export const postgresEventStoreMigrations: readonly Migration[] = [
  {
    id: 'ledger-0001-events',
    sql: `
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
    `,
  },
  {
    id: 'ledger-0002-append-group',
    sql: `
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
    `,
  },
  {
    id: 'ledger-0003-append-group-in-one-pass',
    sql: `
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
    `,
  },
  {
    id: 'ledger-0004-write-probe',
    sql: `
      -- One row that is overwritten in place: its versions stay on one page, which is cleaned as it is used.
      create table ledger.write_probe (
        only_row boolean primary key default true check (only_row),
        probed_at timestamptz not null
      ) with (fillfactor = 10);
      insert into ledger.write_probe (probed_at) values (now());
    `,
  },
  {
    id: 'ledger-0005-chain-columns',
    sql: `
      -- The hash that an event's metadata ends in, and the version of the chain that made it. NULL where the event is
      -- another client's, or older than these columns and not the last of its stream by then: nothing asks for those,
      -- and filling them would write the whole log anew.
      alter table ledger.events add column hash bytea, add column chain_version smallint;
    `,
  },
  {
    id: 'ledger-0006-append-group-with-chain-columns',
    sql: `
      -- Appends wait until this is done; reads do not.
      select from ledger.head for update;

      -- For what was written without the columns.
      create function ledger.hash_in(metadata text) returns bytea
      language sql immutable strict parallel safe as $$
        -- Without a regular expression, which takes a hundred times as long.
        select case when ending like ',"hash":"%"}' and translate(substr(ending, 10, 64), '0123456789abcdef', '') = ''
          then decode(substr(ending, 10, 64), 'hex') end
        from right(metadata, 75) as ending
      $$;
      create function ledger.chain_version_in(metadata text) returns smallint
      language sql immutable strict parallel safe as $$
        select case when ledger.hash_in(metadata) is null then null
          when strpos(right(metadata, 175), '"chainVersion":2,"prevHash":"') > 0 then 2 else 1 end::smallint
      $$;

      -- The last event of every stream, which the next append is compared with; from one to the next by the index.
      set local enable_seqscan = off;
      set local enable_hashjoin = off;
      set local enable_mergejoin = off;
      alter table ledger.events disable trigger events_are_append_only;
      with recursive ends as (
        (select stream, revision from ledger.events order by stream desc, revision desc limit 1)
        union all
        select before.stream, before.revision from ends, lateral (
          select e.stream, e.revision from ledger.events e where e.stream < ends.stream
          order by e.stream desc, e.revision desc limit 1
        ) before
      )
      update ledger.events e
      set hash = ledger.hash_in(e.metadata), chain_version = ledger.chain_version_in(e.metadata)
      from ends where e.stream = ends.stream and e.revision = ends.revision;
      alter table ledger.events enable trigger events_are_append_only;

      -- As before, but that hashes are compared with those of the column, and events bring what stands in the columns.
      -- An expected hash of no bytes is that of a stream without events, or of an event whose column is NULL.
      create function ledger.append(
        streams text[], expected_revisions integer[], expected_hashes bytea[],
        event_append integer[], event_revisions integer[], event_ids uuid[], event_types text[],
        event_data text[], event_metadata text[], event_hashes bytea[], event_chain_versions smallint[],
        at_time timestamptz,
        out head_before bigint, out actual_revisions integer[], out are_accepted boolean[]
      ) language plpgsql set plan_cache_mode = force_generic_plan as $$
      declare
        stored_count bigint;
      begin
        select h.position into strict head_before from ledger.head h for update;

        select array_agg(coalesce(e.revision, -1) order by a.number),
          array_agg(coalesce(e.revision, -1) = a.revision and coalesce(e.hash, '') = a.hash order by a.number)
        into actual_revisions, are_accepted
        from unnest(streams, expected_revisions, expected_hashes) with ordinality
          as a (stream, revision, hash, number)
        left join lateral (
          select s.revision, s.hash from ledger.events s
          where s.stream = a.stream collate "C" order by s.revision desc limit 1
        ) e on true;

        if true = all (are_accepted) then
          stored_count := cardinality(event_append);
          insert into ledger.events
            (position, stream, revision, id, type, recorded_at, data, metadata, hash, chain_version)
          select generate_series(head_before + 1, head_before + stored_count), streams[unnest(event_append)],
            unnest(event_revisions), unnest(event_ids), unnest(event_types), at_time,
            unnest(event_data), unnest(event_metadata), unnest(event_hashes), unnest(event_chain_versions);
        else
          insert into ledger.events
            (position, stream, revision, id, type, recorded_at, data, metadata, hash, chain_version)
          select head_before + row_number() over (order by n.number), streams[n.append], n.revision, n.id, n.type,
            at_time, n.data, n.metadata, n.hash, n.chain_version
          from unnest(event_append, event_revisions, event_ids, event_types, event_data, event_metadata,
            event_hashes, event_chain_versions)
            with ordinality as n (append, revision, id, type, data, metadata, hash, chain_version, number)
          where are_accepted[n.append];
          get diagnostics stored_count = row_count;
        end if;

        if stored_count > 0 then
          update ledger.head set position = head_before + stored_count;
          perform pg_notify('tollgate_ledger', (head_before + stored_count)::text);
        end if;
      end $$;

      -- For processes of the version before, during a rolling update.
      create or replace function ledger.append(
        streams text[], expected_revisions integer[], expected_hashes text[],
        event_append integer[], event_revisions integer[], event_ids uuid[], event_types text[],
        event_data text[], event_metadata text[], at_time timestamptz,
        out head_before bigint, out actual_revisions integer[], out are_accepted boolean[]
      ) language plpgsql as $$
      begin
        select a.head_before, a.actual_revisions, a.are_accepted
        into head_before, actual_revisions, are_accepted
        from ledger.append(
          streams, expected_revisions,
          (select array_agg(case when e.hash ~ '^[0-9a-f]{64}$' then decode(e.hash, 'hex') else '' end order by e.number)
            from unnest(expected_hashes) with ordinality e (hash, number)),
          event_append, event_revisions, event_ids, event_types, event_data, event_metadata,
          (select array_agg(ledger.hash_in(e.metadata) order by e.number)
            from unnest(event_metadata) with ordinality e (metadata, number)),
          (select array_agg(ledger.chain_version_in(e.metadata) order by e.number)
            from unnest(event_metadata) with ordinality e (metadata, number)),
          at_time) a;
      end $$;
    `,
  },
  {
    // PostgreSQL compresses the texts of rows above 2,032 bytes otherwise, so that four fit into a page. Charges are about
    // as long: compressing took as long as storing them, and a reader of the log spent a third of its time on it.
    id: 'ledger-0007-events-as-they-are',
    sql: 'alter table ledger.events set (toast_tuple_target = 8160)',
  },
]
