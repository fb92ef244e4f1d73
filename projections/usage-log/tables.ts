import { sumsTable } from './sums.ts'

/**
 * `rows` has one row per entry, partitioned by month of `created_at` (unix seconds); partitions are made as rows come.
 * `hours` counts the rows by everything that they can be filtered by, so that totals and statistics over millions of
 * rows read thousands, `suppressed` the failures that rows of type 5 stand for besides their own; `totals` counts by type and user alone, which most readers ask for; `sums` over all users, by what `sums.ts` lists. `settings` are the options that decide about rows, as they stood at the last event.
 * `prices` has each price (JSON) once: millions of rows share a few. Where an entry has no price, `price_key` is 0.
 * Where an entry has no token, channel, model or group there is 0 or ''.
 */
export const tables = `
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
    suppressed bigint not null,
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
    suppressed bigint not null,
    primary key (hour, user_id, type)
  );
  ${sumsTable};
  create table prices (price_key bigint primary key, price text not null);
  create table models (model text collate "C" primary key);
  create table settings (key text primary key, value text not null)`

export const indexes = `
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
  create index on sums (hour)`

/** The counts by hour are compared with the rows that they count, too; not `sums`, which version 5 does not have. */
export const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('rows', count(*), 'quota', sum(quota),
    'tokens', sum(prompt_tokens + completion_tokens)) as figures
  from {rows} group by user_id
  union all
  select 'hours of user ' || user_id, jsonb_build_object('count', sum(count), 'quota', sum(quota), 'tokens', sum(tokens))
  from {hours} group by user_id
  union all
  select 'totals of user ' || user_id, jsonb_build_object('count', sum(count), 'quota', sum(quota), 'tokens', sum(tokens))
  from {totals} group by user_id`
