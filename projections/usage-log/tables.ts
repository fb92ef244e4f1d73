import { TEST_IDS_FROM } from './channel-tests.ts'
import { daysTable, newestTable, sumsTable } from './sums.ts'

/**
 * `rows` has one row per entry, partitioned by month of `created_at` (unix seconds); partitions are made as rows come.
 * `days` counts the rows by everything that they can be filtered by, and `sums` by the hour over all users, by what
 * `sums.ts` lists, so that totals and statistics over millions of rows read thousands; `suppressed` are the failures that
 * rows of type 5 stand for besides their own. `newest` names the newest row of each combination of what distinct rows go by.
 * `settings` are the options that decide about rows, as they stood at the last event.
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
  ${daysTable};
  ${newestTable};
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
  create index on days (user_id, day);
  create index on days (token_id, day);
  create index on sums (hour)`

/**
 * The rows of events alone: tables of the version before count them in another way, and get no more tests of channels
 * once a process of this version records or removes those (`changeSource`).
 */
export const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('rows', count(*), 'quota', sum(quota),
    'tokens', sum(prompt_tokens + completion_tokens)) as figures
  from {rows} where id < ${TEST_IDS_FROM} group by user_id`
