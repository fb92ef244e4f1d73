import type { Migration } from '@tollgate/domain/ports/migration.ts'

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
    id: 'ledger-0002-append',
    sql: `
      -- Many appends in one call, at most one per stream. An append whose stream does not end where it expects is left
      -- out; the answer has one row for each, with the stream's revision before the call and, if it was stored, the
      -- position of its last event. event_append says which append (from 1) each event belongs to, in order.
      create function ledger.append(
        streams text[], expected_revisions integer[], expected_hashes text[],
        event_append integer[], event_ids uuid[], event_types text[], event_data text[], event_metadata text[],
        at_time timestamptz
      ) returns table (actual_revision integer, last_position bigint)
      language plpgsql as $$
      declare
        head_position bigint;
        actual_revisions integer[];
        is_accepted boolean[];
        last_positions bigint[];
        stored_count bigint;
      begin
        select h.position into strict head_position from ledger.head h for update;

        select array_agg(coalesce(e.revision, -1) order by a.number),
          array_agg(coalesce(e.revision, -1) = a.revision
            and coalesce(substring(e.metadata from length(e.metadata) - 65 for 64), '') = a.hash order by a.number)
        into actual_revisions, is_accepted
        from unnest(streams, expected_revisions, expected_hashes) with ordinality
          as a (stream, revision, hash, number)
        left join lateral (
          select s.revision, s.metadata from ledger.events s
          where s.stream = a.stream collate "C" order by s.revision desc limit 1
        ) e on true;

        with numbered as (
          select n.*, row_number() over (order by n.number) as offset_in_log,
            row_number() over (partition by n.append order by n.number) as offset_in_append
          from unnest(event_append, event_ids, event_types, event_data, event_metadata) with ordinality
            as n (append, id, type, data, metadata, number)
          where is_accepted[n.append]
        ), stored as (
          insert into ledger.events (position, stream, revision, id, type, recorded_at, data, metadata)
          select head_position + n.offset_in_log, streams[n.append],
            expected_revisions[n.append] + n.offset_in_append, n.id, n.type, at_time, n.data, n.metadata
          from numbered n
        ), last as (
          select n.append, max(head_position + n.offset_in_log) as position, count(*) as events
          from numbered n group by n.append
        )
        select array_agg(l.position order by a.number), coalesce(sum(l.events), 0)
        into last_positions, stored_count
        from generate_subscripts(streams, 1) as a (number) left join last l on l.append = a.number;

        if stored_count > 0 then
          update ledger.head set position = head_position + stored_count;
          perform pg_notify('tollgate_ledger', (head_position + stored_count)::text);
        end if;

        return query select * from unnest(actual_revisions, last_positions);
      end $$;
    `,
  },
]
