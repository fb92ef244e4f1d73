import type { Migration } from '@tollgate/command-api/migration.ts'

/** Recent attempts, counted by all processes together; see postgres-rate-limiter.ts. Nothing here is worth a backup. */
export const rateLimitMigrations: readonly Migration[] = [
  {
    id: 'coordination-0002-rate-windows',
    sql: `
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
    `,
  },
  {
    id: 'coordination-0003-rate-windows-unflushed',
    sql: `
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
    `,
  },
]
