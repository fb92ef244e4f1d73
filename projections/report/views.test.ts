import { bareAttempt, UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import type { AccountEvent, ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { ChannelTested } from '@tollgate/domain/channel/events.ts'
import { channelId, holdId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readModels } from '../read-models.ts'
import type { RunnerLogger } from '../runner/logger.ts'
import { rebuild } from '../runner/rebuild.ts'
import { usageLog } from '../usage-log/projector.ts'
import { dropSetAside } from '../runner/set-aside.ts'
import { makeReport, offerReport, REPORT_ROLE } from './views.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
  await log.pool.query(
    `insert into identity.users (username, password_hash) values ('mei', null);
     insert into secrets.tokens (user_id, name, key_hash, created_at) values (1, 'shop', '\\x01', now());
     insert into secrets.channels (name, key_hash, created_at) values ('north', '\\x02', now())`,
  )
})
afterEach(() => log.close())

const at = Date.UTC(2026, 10, 3, 12, 30)
const hold = holdId(userId(1), 2, null)

const request = (name: string): ChargedUsage => ({
  id: requestId(name),
  channel: channelId(1),
  model: 'gpt-4o-mini',
  upstreamModel: 'gpt-4o-mini',
  group: 'default',
  endpoint: '/v1/chat/completions',
  usage: { ...NO_USAGE, textIn: 1000, textOut: 500 },
  price: {
    by: 'tokens',
    bookRevision: -1,
    groupRatio: '1',
    quotaPerUnit: '500000',
    modelRatio: '0.075',
    completionRatio: '4',
    cacheRatio: '0.5',
    cacheWriteRatio: '1.25',
    audioRatio: '1',
    audioCompletionRatio: '1',
    webSearchPrice: null,
    fileSearchPrice: null,
  },
  stream: false,
  startedAt: at,
  firstByteMs: 120,
  durationMs: 2300,
  admittedAt: 0,
  attempts: [bareAttempt(channelId(1))],
  upstream: UNTOLD,
  estimated: false,
  cancelled: false,
  cutShort: false,
  reasoningEffort: null,
})

const opened: readonly AccountEvent[] = [
  { type: 'AccountOpened', data: { at } },
  {
    type: 'QuotaCredited',
    data: { at, amount: quota(1_000_000), source: 'grant', reason: '' },
  },
]

const charged = (sequence: number, name: string, amount: number): AccountEvent => ({
  type: 'UsageCharged',
  data: {
    at,
    hold,
    sequence,
    token: tokenId(1),
    amount: quota(amount),
    fromHold: quota(0),
    fromWallet: quota(amount),
    late: false,
    request: request(name),
    endedAt: at,
  },
})

const read = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
  (await log.pool.query<Record<string, unknown>>(sql)).rows

const rebuildUsageLog = (logger: RunnerLogger = silentLogger) =>
  rebuild({ store: log.store, pool: log.pool, projector: usageLog, clock: testClock, logger })

/** The schemas that wait to be dropped. */
const replaced = () => read("select nspname from pg_namespace where nspname ~ '_old_[0-9]+$'")

/** The comment of the schema, as a version with other views would have left it. */
const OF_ANOTHER_VERSION = "Tollgate''s views for analysts, with other columns"

function listening(): { readonly logger: RunnerLogger; readonly warnings: string[] } {
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: object, text: string) => void warnings.push(text) }
  return { logger, warnings }
}

test('given a charge, when analysts ask, then each view names who spent what on which day', async () => {
  await log.append('account-1', ...opened, charged(1, 'req-1', 250_000))
  await log.project(readModels)
  expect(await makeReport(log.pool)).toBe('made')
  const who = { username: 'mei', token_name: 'shop', channel_name: 'north', model: 'gpt-4o-mini' }
  expect(await read('select * from report.usage')).toEqual([
    expect.objectContaining({
      ...who,
      at: new Date(at),
      quota: 250000,
      dollars: '0.500000',
      prompt_tokens: 1000,
      completion_tokens: 500,
      request_id: 'req-1',
    }),
  ])
  expect(await read('select * from report.daily_cost')).toEqual([
    expect.objectContaining({
      ...who,
      day: new Date(Date.UTC(2026, 10, 3)),
      requests: 1,
      tokens: 1500,
      dollars: '0.500000',
    }),
  ])
  expect(await read('select * from report.balances')).toEqual([
    expect.objectContaining({ username: 'mei', posted: 750000, posted_dollars: '1.500000' }),
  ])
  expect(await read("select * from report.postings where source = 'usage'")).toEqual([
    expect.objectContaining({ ...who, at: new Date(at), dollars: '0.500000' }),
  ])
})

test('given another QuotaPerUnit, when analysts ask, then dollars go by it', async () => {
  await log.append('account-1', ...opened)
  await log.append('settings', {
    type: 'PriceBookRevised',
    data: {
      at,
      number: 1,
      effectiveAt: at,
      changes: [{ key: 'QuotaPerUnit', value: '1000000', previous: null }],
      note: null,
    },
  } as SettingsEvent)
  await log.project(readModels)
  await makeReport(log.pool)
  expect(await read('select posted_dollars from report.balances')).toEqual([
    { posted_dollars: '1.000000' },
  ])
})

test('given views, when a read model is rebuilt and swapped in, then they read its new tables', async () => {
  await log.append('account-1', ...opened, charged(1, 'req-1', 250_000))
  await log.project(readModels)
  await makeReport(log.pool)
  await rebuildUsageLog()
  await log.append('account-1', charged(2, 'req-2', 100))
  await log.project(readModels)
  expect(await read('select request_id from report.usage order by id')).toEqual([
    { request_id: 'req-1' },
    { request_id: 'req-2' },
  ])
  expect(await replaced()).toEqual([])
})

test('given tests of channels in the usage log, when analysts ask, then these are no charges', async () => {
  await log.append('account-1', ...opened, charged(1, 'req-1', 250_000))
  await log.append('channel-1', {
    type: 'ChannelTested',
    data: {
      at,
      model: 'gpt-4o-mini',
      succeeded: true,
      durationMs: 900,
      error: '',
      promptTokens: 8,
      completionTokens: 2,
      testedBy: 1,
    },
  } as ChannelTested)
  await log.project(readModels)
  await makeReport(log.pool)
  expect(await read('select count(*) from usage_log.rows where type = 2')).toEqual([{ count: 2 }])
  expect(await read('select request_id from report.usage')).toEqual([{ request_id: 'req-1' }])
  expect(await read('select requests, tokens from report.daily_cost')).toEqual([
    { requests: 1, tokens: 1500 },
  ])
})

test('given foreign schemas under the views’ names, when offered and swapped, then they are left alone', async () => {
  await log.append('account-1', ...opened)
  await log.project(readModels)
  await log.pool.query(
    `create schema report; create table report.mine (n int);
     create schema report_old; create table report_old.mine (n int)`,
  )
  const { logger, warnings } = listening()
  await offerReport(log.pool, logger)
  await rebuildUsageLog(logger)
  expect(warnings).toEqual([
    expect.stringContaining('rename it'),
    expect.stringContaining('rename it'),
  ])
  expect(await read('select * from report.mine union all select * from report_old.mine')).toEqual(
    [],
  )
  const inReport = await read(
    "select relname from pg_class where relnamespace = 'report'::regnamespace",
  )
  expect(inReport).toEqual([{ relname: 'mine' }])
})

test('given current views, when a process starts, then what others built upon them stays', async () => {
  await log.project(readModels)
  await makeReport(log.pool)
  await log.pool.query('create view public.mine as select username from report.usage')
  expect(await makeReport(log.pool)).toBe('current')
  expect(await read('select * from public.mine')).toEqual([])
})

test('given an analyst’s open transaction, when views or read models change, then neither waits for it', async () => {
  await log.append('account-1', ...opened, charged(1, 'req-1', 250_000))
  await log.project(readModels)
  await makeReport(log.pool)
  const analyst = await log.pool.connect()
  try {
    await analyst.query(`begin; set local role ${REPORT_ROLE}; select * from report.usage`)
    await log.pool.query(`comment on schema report is '${OF_ANOTHER_VERSION}'`)
    expect(await makeReport(log.pool)).toBe('made')
    await rebuildUsageLog()
    await log.append('account-1', charged(2, 'req-2', 100))
    await log.project(readModels)
    expect(await read('select request_id from report.usage order by id')).toHaveLength(2)
    expect(await replaced()).not.toEqual([])
  } finally {
    await analyst.query('rollback')
    analyst.release()
  }
  await dropSetAside(log.pool)
  expect(await replaced()).toEqual([])
})

test('given views that cannot be made, when a read model is swapped, then they are made the next time', async () => {
  await log.append('account-1', ...opened, charged(1, 'req-1', 250_000))
  await log.project(readModels)
  await makeReport(log.pool)
  const other = await log.pool.connect()
  const { logger, warnings } = listening()
  try {
    await other.query("begin; select pg_advisory_xact_lock(hashtextextended('report', 0))")
    await rebuildUsageLog(logger)
  } finally {
    await other.query('rollback')
    other.release()
  }
  expect(warnings).toEqual([
    expect.stringContaining('not made within the swap'),
    expect.stringContaining('not made'),
  ])
  expect(await makeReport(log.pool)).toBe('made')
  expect(await read('select request_id from report.usage')).toEqual([{ request_id: 'req-1' }])
})

test('given a role of analysts that is there, when Tollgate may make no roles, then it makes the views', async () => {
  await log.project(readModels)
  await makeReport(log.pool)
  await log.pool.query('drop schema report cascade')
  const role = `without_createrole_${crypto.randomUUID().replaceAll('-', '')}`
  await log.pool.query(
    `create role ${role}; grant pg_read_all_data to ${role};
     do $$ begin execute format('grant create on database %I to ${role}', current_database()); end $$`,
  )
  const pool = new pg.Pool({ connectionString: log.url, options: `-c role=${role}` })
  // Its end does not wait for the connections' ends: the removal of the database may end them first.
  pool.on('error', () => undefined)
  try {
    expect(await makeReport(pool)).toBe('made')
  } finally {
    await pool.end()
    await log.pool.query(`drop owned by ${role} cascade; drop role ${role}`)
  }
})

test('given the role of analysts, when it reads, then it gets the views and nothing else', async () => {
  await log.append('account-1', ...opened)
  await log.project(readModels)
  await makeReport(log.pool)
  const client = await log.pool.connect()
  try {
    await client.query(`set role ${REPORT_ROLE}`)
    for (const view of ['usage', 'daily_cost', 'balances', 'postings']) {
      await client.query(`select * from report.${view}`)
    }
    for (const table of ['identity.users', 'secrets.tokens', 'usage_log.rows', 'ledger.events']) {
      await expect(client.query(`select * from ${table}`)).rejects.toThrow(/permission denied/u)
    }
    await expect(client.query('create table public.mine (n int)')).rejects.toThrow(/denied/u)
  } finally {
    client.release(true)
  }
})

test('given every view and its columns, when listed, then each view has a comment', async () => {
  await log.project(readModels)
  await makeReport(log.pool)
  const views = await read(
    `select relname as view from pg_class
     where relnamespace = 'report'::regnamespace and obj_description(oid) is not null order by 1`,
  )
  expect(views.map(({ view }) => view)).toEqual(['balances', 'daily_cost', 'postings', 'usage'])
})

test('given a table of an older version, when offered, then the views are made with its swap', async () => {
  await log.append('account-1', ...opened, charged(1, 'req-1', 250_000))
  await log.project(readModels)
  await log.pool.query('alter table usage_log.rows rename column token_id to token')
  const { logger, warnings } = listening()
  await offerReport(log.pool, logger)
  expect(await read("select 1 from pg_namespace where nspname = 'report'")).toEqual([])
  await rebuildUsageLog(logger)
  expect(await read('select request_id from report.usage')).toEqual([{ request_id: 'req-1' }])
  expect(warnings).toEqual([])
})

test('given no read models yet, when the views are to be made, then there are none', async () => {
  expect(await makeReport(log.pool)).toBe('no sources')
  expect(await read("select 1 from pg_namespace where nspname = 'report'")).toEqual([])
})
