import type { Migration } from '@tollgate/command-api/migration.ts'

/**
 * Leases: who is alive and who may do what; see postgres-leases.ts. Rows last seconds: nothing here is worth a backup.
 */
export const leaseMigrations: readonly Migration[] = [
  {
    id: 'coordination-0001-leases',
    sql: `
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
    `,
  },
  {
    id: 'coordination-0002-step-back',
    sql: `
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
    `,
  },
  {
    id: 'coordination-0003-clocks',
    sql: `
      -- How far each process's wall clock was ahead of this database's when it last looked; see clock-watch.ts.
      create table coordination.clocks (
        member text collate "C" primary key,
        ahead_ms bigint not null,
        measured_at timestamptz not null
      ) with (fillfactor = 50);
    `,
  },
]
