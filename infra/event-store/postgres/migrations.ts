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
]
