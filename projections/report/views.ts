import type pg from 'pg'
import { inTransaction } from '../runner/session.ts'

/** The schema of the views for analysts, and the role that may read them and nothing else. */
export const REPORT_SCHEMA = 'report'
export const REPORT_ROLE = 'tollgate_report'

/** Tables that the views read; without any of them there are no views yet. */
const SOURCES = [
  'usage_log.rows',
  'usage_log.hours',
  'balances.accounts',
  'journal.postings',
  'options.options',
  'identity.users',
  'secrets.tokens',
  'secrets.channels',
]

/** Quota of one dollar, as the option QuotaPerUnit has it now. */
const UNIT = `(select coalesce((select value::numeric from options.options where key = 'QuotaPerUnit'), 500000) as quota) unit`

/** Digits behind the point: a quota of 1 is 0.000002 dollars. */
const dollars = (quota: string): string => `round((${quota}) / unit.quota, 6)`

const NAMES = `
  left join identity.users u on u.id = source.user_id
  left join secrets.tokens t on t.id = source.token_id
  left join secrets.channels c on c.id = source.channel`

const NAMED = `
  source.user_id, u.username, nullif(source.token_id, 0) as token_id, t.name as token_name,
  nullif(source.channel, 0) as channel_id, c.name as channel_name, nullif(source.model, '') as model`

/** Log rows of type 2 are charges (Log type of the console API). */
const viewsIn = (schema: string): string => `
  create schema ${schema};

  create view ${schema}.usage as
    select source.id, to_timestamp(source.created_at) as at, ${NAMED}, source.group_name as "group",
      source.quota, ${dollars('source.quota')} as dollars,
      source.prompt_tokens, source.completion_tokens, source.use_time as duration_seconds,
      source.is_stream, nullif(source.request_id, '') as request_id
    from usage_log.rows source ${NAMES} cross join ${UNIT}
    where source.type = 2;

  create view ${schema}.daily_cost as
    select to_timestamp(source.hour - source.hour % 86400) as day, ${NAMED}, source.group_name as "group",
      sum(source.count)::bigint as requests, sum(source.tokens)::bigint as tokens,
      sum(source.quota)::bigint as quota, round(sum(source.quota) / min(unit.quota), 6) as dollars
    from usage_log.hours source ${NAMES} cross join ${UNIT}
    where source.type = 2
    group by 1, source.user_id, u.username, source.token_id, t.name, source.channel, c.name,
      source.model, source.group_name;

  create view ${schema}.balances as
    select source.user_id, u.username, source.status,
      source.posted, source.held, source.wallet as available, source.affiliate, source.used_quota,
      source.request_count, ${dollars('source.posted')} as posted_dollars,
      ${dollars('source.held')} as held_dollars, ${dollars('source.wallet')} as available_dollars,
      ${dollars('source.affiliate')} as affiliate_dollars,
      ${dollars('source.used_quota')} as used_dollars,
      to_timestamp(source.opened_at / 1000.0) as opened_at
    from balances.accounts source left join identity.users u on u.id = source.user_id
    cross join ${UNIT};

  create view ${schema}.postings as
    select source.position, source.line, to_timestamp(source.effective_at / 1000.0) as at,
      to_timestamp(source.at / 1000.0) as recorded_at, ${NAMED},
      source.from_account, source.to_account, source.amount, ${dollars('source.amount')} as dollars,
      source.source, source.event_id, source.event_type, nullif(source.request_id, '') as request_id,
      source.actor, nullif(source.reason, '') as reason
    from journal.postings source ${NAMES} cross join ${UNIT};

  comment on schema ${schema} is
    'For analysts: views that keep their columns. Times are timestamptz; dollars are quota divided by the present QuotaPerUnit.';
  comment on view ${schema}.usage is 'One row for each charged request, named; quota and dollars are what it cost.';
  comment on view ${schema}.daily_cost is
    'Requests, tokens, quota and dollars by day (UTC, its first moment), user, token, channel, model and group.';
  comment on view ${schema}.balances is
    'One row for each account, as it stands: posted = held + available; quota and dollars.';
  comment on view ${schema}.postings is
    'The journal: amount moves from one ledger account to another; at is when it took effect, recorded_at when it was written.';`

/** A role belongs to the cluster: another database, or another process at the same time, may have made it. */
const ROLE = `
  do $$ begin
    create role ${REPORT_ROLE} nologin;
  exception when duplicate_object or unique_violation then null;
  end $$`

const NEXT = `${REPORT_SCHEMA}_next`
const OLD = `${REPORT_SCHEMA}_old`

/**
 * Puts new views in the place of those that are there. A view goes by the identity of its tables, not by their names, so
 * this belongs into the transaction that puts other tables in their place. Renaming waits for no query that runs; what
 * it leaves is dropped by `dropOldReport`, after the commit.
 */
async function replaceReport(client: pg.ClientBase): Promise<void> {
  // Two processes that start, or start and swap, at the same time come one after the other.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('${REPORT_SCHEMA}', 0))`)
  const isThere = await hasReport(client)
  await client.query(
    `drop schema if exists ${NEXT} cascade;
     drop schema if exists ${OLD} cascade;
     ${viewsIn(NEXT)}
     grant usage on schema ${NEXT} to ${REPORT_ROLE};
     grant select on all tables in schema ${NEXT} to ${REPORT_ROLE};
     ${isThere ? `alter schema ${REPORT_SCHEMA} rename to ${OLD};` : ''}
     alter schema ${NEXT} rename to ${REPORT_SCHEMA}`,
  )
}

/** Removes the views that were replaced; waits for queries that still read them. */
export const dropOldReport = async (pool: pg.Pool): Promise<void> =>
  void (await pool.query(`drop schema if exists ${OLD} cascade`))

/** As part of a swap of read models: the views, where there are any, read the tables that have the names now. */
export async function pointReport(client: pg.ClientBase): Promise<void> {
  if (await hasReport(client)) await replaceReport(client)
}

async function hasReport(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [
    REPORT_SCHEMA,
  ])
  return rowCount === 1
}

/**
 * Makes the views and the role that reads them. False while one of their sources is missing. Fails with SQLSTATE 42501
 * where Tollgate's own role may make no schemas or no roles.
 */
export async function makeReport(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ missing: string }>(
    'select count(*) filter (where to_regclass(name) is null) as missing from unnest($1::text[]) name',
    [SOURCES],
  )
  if (Number(rows[0]?.missing) > 0) return false
  await pool.query(ROLE)
  await inTransaction(pool, 'begin', replaceReport)
  await dropOldReport(pool)
  return true
}
