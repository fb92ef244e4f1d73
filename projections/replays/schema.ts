/** Replays and their results. Source tables: what somebody asked for is in no event; results are made from the log. */
export const replayMigrations = [
  {
    id: 'replays-0001-replays',
    sql: `
      create schema replays;

      create table replays.replays (
        id uuid primary key,
        owner bigint not null,
        name text not null,
        -- A ReplayDefinition as JSON.
        definition jsonb not null,
        status text not null check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
        -- Unix milliseconds.
        created_at bigint not null,
        started_at bigint,
        ended_at bigint,
        -- The log is read up to here, inclusive; fixed when the replay first runs.
        log_end bigint,
        -- Everything up to here is in the rows.
        position bigint not null default -1,
        charges bigint not null default 0,
        row_count bigint not null default 0,
        -- The book that the prices came to; null as charged.
        book_revision bigint,
        problem text,
        -- The thread that runs it, and when that last said so; one that fell silent has lost it.
        runner uuid,
        noted_at timestamptz
      );
      create index on replays.replays (owner, created_at desc);

      create table replays.rows (
        replay uuid not null references replays.replays on delete cascade,
        dimension text collate "C" not null,
        bucket bigint not null,
        key text collate "C" not null,
        key2 text collate "C" not null,
        requests bigint not null,
        failures bigint not null,
        quota bigint not null,
        repriced bigint not null,
        unpriced bigint not null,
        exact numeric not null,
        exact_repriced numeric not null,
        prompt_tokens bigint not null,
        completion_tokens bigint not null,
        cached_tokens bigint not null,
        cache_write_tokens bigint not null,
        -- Counts by slot (latency.ts).
        latency bigint[],
        first_byte bigint[],
        primary key (replay, dimension, bucket, key, key2)
      );

      -- Counts by slot, added slot by slot; null without any.
      create function replays.added(bigint[], bigint[]) returns bigint[] language sql immutable parallel safe as $$
        select array_agg(coalesce(one, 0) + coalesce(other, 0) order by slot)
        from unnest($1, $2) with ordinality as u (one, other, slot)
      $$;
      create aggregate replays.added_up(bigint[]) (sfunc = replays.added, stype = bigint[]);
    `,
  },
  {
    id: 'replays-0002-landmarks',
    sql: `
      -- Everything up to here lies before the replay's time and was not read; -1 = read from the log's start.
      alter table replays.replays add column log_start bigint not null default -1;

      -- Places of the log, each with its event, and the latest date of all charges and failures up to there
      -- (landmarks.ts).
      create table replays.landmarks (
        position bigint primary key,
        event_id uuid not null,
        latest bigint not null
      );
      create index on replays.landmarks (latest, position);
    `,
  },
  {
    id: 'replays-0003-stretches',
    sql: `
      -- The earliest date of the charges and failures behind since and up to the landmark; null = not known.
      alter table replays.landmarks add column since bigint, add column earliest bigint;
      create index on replays.landmarks (earliest, position);
    `,
  },
  {
    id: 'replays-0004-problem-code',
    sql: `
      -- Which problem it is, for texts in any language; null for those of older versions.
      alter table replays.replays add column problem_code text;
    `,
  },
  {
    id: 'replays-0005-positions-read',
    sql: `
      -- Positions that the run has read, and those that a whole run reads: what it skips counts in neither. The
      -- latter is null before the replay runs.
      alter table replays.replays add column positions_read bigint not null default 0, add column positions_to_read bigint;
      update replays.replays set positions_read = position - log_start, positions_to_read = log_end - log_start
      where log_end is not null and position >= log_start;
    `,
  },
] as const
