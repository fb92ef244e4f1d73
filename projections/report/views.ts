import { hash } from 'node:crypto'
import pg from 'pg'
import type { RunnerLogger } from '../runner/logger.ts'
import { inTransaction } from '../runner/session.ts'
import { BRIEF_WAIT, setAside } from '../runner/set-aside.ts'

/** The schema of the views for analysts, and the role that may read them and nothing else. */
export const REPORT_SCHEMA = 'report'
export const REPORT_ROLE = 'tollgate_report'

/** Tables that the views read; without any of them there are no views yet. */
const SOURCES = [
  'usage_log.rows',
  'usage_log.days',
  'balances.accounts',
  'journal.postings',
  'options.options',
  'identity.users',
  'secrets.tokens',
  'secrets.channels',
]

const VIEW_NAMES = ['usage', 'daily_cost', 'balances', 'postings']

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

/** Log rows of type 2 are charges and tests of channels (Log type of the console API); tests have no group. */
const IS_CHARGE = `source.type = 2 and source.group_name <> ''`

const VIEWS = `
  create schema ${REPORT_SCHEMA};

  create view ${REPORT_SCHEMA}.usage as
    select source.id, to_timestamp(source.created_at) as at, ${NAMED}, source.group_name as "group",
      source.quota, ${dollars('source.quota')} as dollars,
      source.prompt_tokens, source.completion_tokens, source.use_time as duration_seconds,
      source.is_stream, nullif(source.request_id, '') as request_id
    from usage_log.rows source ${NAMES} cross join ${UNIT}
    where ${IS_CHARGE};

  create view ${REPORT_SCHEMA}.daily_cost as
    select to_timestamp(source.day) as day, ${NAMED}, source.group_name as "group",
      sum(source.count)::bigint as requests, sum(source.tokens)::bigint as tokens,
      sum(source.quota)::bigint as quota, round(sum(source.quota) / min(unit.quota), 6) as dollars
    from usage_log.days source ${NAMES} cross join ${UNIT}
    where ${IS_CHARGE}
    group by 1, source.user_id, u.username, source.token_id, t.name, source.channel, c.name,
      source.model, source.group_name;

  create view ${REPORT_SCHEMA}.balances as
    select source.user_id, u.username, source.status,
      source.posted, source.held, source.wallet as available, source.affiliate, source.used_quota,
      source.request_count, ${dollars('source.posted')} as posted_dollars,
      ${dollars('source.held')} as held_dollars, ${dollars('source.wallet')} as available_dollars,
      ${dollars('source.affiliate')} as affiliate_dollars,
      ${dollars('source.used_quota')} as used_dollars,
      to_timestamp(source.opened_at / 1000.0) as opened_at
    from balances.accounts source left join identity.users u on u.id = source.user_id
    cross join ${UNIT};

  create view ${REPORT_SCHEMA}.postings as
    select source.position, source.line, to_timestamp(source.effective_at / 1000.0) as at,
      to_timestamp(source.at / 1000.0) as recorded_at, ${NAMED},
      source.from_account, source.to_account, source.amount, ${dollars('source.amount')} as dollars,
      source.source, source.event_id, source.event_type, nullif(source.request_id, '') as request_id,
      source.actor, nullif(source.reason, '') as reason
    from journal.postings source ${NAMES} cross join ${UNIT};

  comment on view ${REPORT_SCHEMA}.usage is
    'One row for each charged request in the usage log, named; quota and dollars are what it cost. Missing: charges made while LogConsumeEnabled was off, and logs that were cleared; postings has them all.';
  comment on view ${REPORT_SCHEMA}.daily_cost is
    'The rows of usage, counted: requests, tokens, quota and dollars by day (UTC, its first moment), user, token, channel, model and group. The same are missing.';
  comment on view ${REPORT_SCHEMA}.balances is
    'One row for each account, as it stands: posted = held + available; quota and dollars.';
  comment on view ${REPORT_SCHEMA}.postings is
    'The journal, complete: amount moves from one ledger account to another; at is when it took effect, recorded_at when it was written.';

  grant usage on schema ${REPORT_SCHEMA} to ${REPORT_ROLE};
  grant select on all tables in schema ${REPORT_SCHEMA} to ${REPORT_ROLE}`

/** How the comment of a schema begins that Tollgate has made; a company may have one of the same name. */
const MARK = "Tollgate's views for analysts"

/** A role belongs to the cluster: another database, or another process at the same time, may have made it. */
const ROLE = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${REPORT_ROLE}') then
      create role ${REPORT_ROLE} nologin;
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$;

  -- Sessions left open, and queries without end, keep replaced tables on the disk. A role with settings keeps its own.
  do $$ begin
    if exists (select from pg_roles where rolname = '${REPORT_ROLE}' and rolconfig is null) then
      alter role ${REPORT_ROLE} set idle_in_transaction_session_timeout = '1min';
      alter role ${REPORT_ROLE} set statement_timeout = '15min';
    end if;
  -- Not this role's to change, or changed by another process at the same time (internal_error).
  exception when insufficient_privilege or unique_violation or internal_error then null;
  end $$`

/** The outcome for the views; without their sources, or with a schema of somebody else in their place, there are none. */
type ReportOutcome = 'made' | 'current' | 'no sources' | 'name taken'

/** Makes the views and the role that reads them, where they are not there as they should be. */
export const makeReport = (pool: pg.Pool): Promise<ReportOutcome> =>
  inTransaction(pool, `begin; ${BRIEF_WAIT}`, placeReport)

/** SQLSTATE: insufficient_privilege, undefined_column. */
const DENIED = '42501'
const NO_COLUMN = '42703'
const isOfCode = (code: string, err: unknown): boolean =>
  err instanceof Error && 'code' in err && err.code === code
/** Tables of another version of Tollgate have other columns; the swap of the last of them makes the views. */
const isTooEarly = (err: unknown): boolean => isOfCode(NO_COLUMN, err)

/** The same as an offer: a database where the views cannot be made serves without, and the log says why. */
export async function offerReport(pool: pg.Pool, logger: RunnerLogger): Promise<void> {
  try {
    if ((await makeReport(pool)) === 'name taken') {
      logger.warn(
        { schema: REPORT_SCHEMA },
        "report: the views for analysts were not made: the database has a schema of that name that is not Tollgate's; rename it to have them",
      )
    }
  } catch (err) {
    if (isTooEarly(err)) {
      const reason = err instanceof Error ? err.message : ''
      logger.info(
        { reason },
        'report: the views for analysts wait until all read models are of this version',
      )
      return
    }
    logger.warn(
      { err },
      isOfCode(DENIED, err)
        ? `report: the views for analysts were not made: the role of DATABASE_URL may not; grant it CREATE on the database, and CREATEROLE or make the role ${REPORT_ROLE} yourself`
        : 'report: the views for analysts were not made; the next start tries again',
    )
  }
}

/**
 * As part of a swap of read models: the views read the tables that have the names now. Whatever hinders that does not
 * hinder the swap; `offerReport` after it tries again.
 */
export async function pointReport(client: pg.ClientBase, logger: RunnerLogger): Promise<void> {
  await client.query(`savepoint report; ${BRIEF_WAIT}`)
  try {
    await placeReport(client)
  } catch (err) {
    await client.query('rollback to savepoint report')
    if (isTooEarly(err)) return
    logger.warn({ err }, 'report: the views for analysts were not made within the swap')
  }
}

/**
 * Puts views in the place of those that are there. A view goes by the identity of its tables, not by their names, so this
 * belongs into the transaction that puts other tables in their place.
 */
async function placeReport(client: pg.ClientBase): Promise<ReportOutcome> {
  // Two processes that start, or start and swap, at the same time come one after the other.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('${REPORT_SCHEMA}', 0))`)
  const { sources, isThere, comment, isWhole } = await readReportState(client)
  if (isThere && comment?.startsWith(MARK) !== true) return 'name taken'
  if (sources.includes(null)) return 'no sources'
  const made = `${MARK}: they keep their columns. Times are timestamptz; dollars are quota divided by the present QuotaPerUnit. Made as ${hash('sha256', `${VIEWS} ${sources.join(' ')}`)}.`
  if (isWhole && comment === made) return 'current'
  if (isThere) await setAside(client, REPORT_SCHEMA)
  await client.query(
    `${ROLE}; ${VIEWS}; comment on schema ${REPORT_SCHEMA} is ${pg.escapeLiteral(made)}`,
  )
  return 'made'
}

/** The tables that the views are made from, and the schema that has their name. */
interface ReportState {
  /** The identity of each of SOURCES; null = it is missing. */
  readonly sources: readonly (string | null)[]
  readonly isThere: boolean
  /** The schema's comment. */
  readonly comment: string | null
  /** All views and the role are there. */
  readonly isWhole: boolean
}

async function readReportState(client: pg.ClientBase): Promise<ReportState> {
  const { rows } = await client.query<ReportState>(
    `select array(select to_regclass(name)::oid::text from unnest($1::text[]) with ordinality as source (name, number)
                  order by number) as sources,
       schema is not null as "isThere", obj_description(schema, 'pg_namespace') as comment,
       (select count(*) from pg_class where relnamespace = schema and relkind = 'v' and relname = any($2)) = $3
         and exists (select from pg_roles where rolname = $4) as "isWhole"
     from (select to_regnamespace($5)::oid as schema) as named`,
    [SOURCES, VIEW_NAMES, VIEW_NAMES.length, REPORT_ROLE, REPORT_SCHEMA],
  )
  const [state] = rows
  if (state === undefined) throw new Error('a query without conditions gave no row')
  return state
}
