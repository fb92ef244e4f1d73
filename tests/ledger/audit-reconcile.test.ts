import { carryForward } from '@tollgate/domain/account/carry-forward.ts'
import { unopenedAccount } from '@tollgate/domain/account/state.ts'
import { accountStream, type DomainEvent, LOG_START } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Difference } from '@tollgate/projections/audit/differences.ts'
import { reconcile, type ReconcileReport } from '@tollgate/projections/audit/reconcile.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventStoreDbAuditedLog } from '../support/histories/audited-log.ts'
import { randomHistory } from '../support/histories/ledger-history.ts'
import { until } from '../support/processes.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '../support/projection-log.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

async function write(seed: number, steps: number): Promise<ReturnType<typeof randomHistory>> {
  const history = randomHistory({ seed, steps })
  for (const { stream, event } of history.events) await log.append(stream, event)
  return history
}

const compare = (): Promise<ReconcileReport> => reconcile({ store: log.store, pool: log.pool })

test.each([1, 2, 3])(
  'given random history %i with carried balances, when reconciled, then every read model agrees',
  async (seed) => {
    const { accounts } = await write(seed, 300)
    const state = accounts.get(userId(1)) ?? unopenedAccount()
    await log.append(accountStream(1), carryForward(state, Date.now()))
    await log.project(readModels)
    const report = await compare()
    expect(report.first).toEqual([])
    expect(report.differences).toBe(0)
    expect(report.models.map(({ name }) => name)).toEqual(readModels.map(({ name }) => name))
    for (const model of report.models) expect(model).toMatchObject({ note: null, differences: 0 })
    expect(report.events).toBeGreaterThan(250)
    expect(Math.min(...report.models.map(({ rows }) => rows))).toBeGreaterThan(0)
  },
)

describe('given a read model that somebody changed', () => {
  /** One column of one row changed: which model, by which statement, and how it is to be named. */
  const changes: readonly [string, string, Partial<Difference>][] = [
    [
      'balances',
      `update balances.accounts set wallet = wallet + 1 where user_id = 2`,
      { table: 'accounts', key: 'user 2', column: 'wallet' },
    ],
    [
      'balances',
      `update balances.accounts set used_quota = used_quota + 1 where user_id = 1`,
      { table: 'accounts', key: 'user 1', column: 'used_quota' },
    ],
    [
      'balances',
      `delete from balances.accounts where user_id = 3`,
      { table: 'accounts', key: 'user 3', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'balances',
      `insert into balances.holds values ('9@9', 9, null, 'nobody', 5, 0)`,
      { table: 'holds', key: 'hold 9@9', column: '(row)', ledger: 'none', found: 'there' },
    ],
    [
      'balances',
      `update balances.expired_holds set cause = 'nothing'
       where hold = (select hold from balances.expired_holds order by hold limit 1)`,
      { table: 'expired_holds', column: 'cause', ledger: 'silent', found: 'nothing' },
    ],
    [
      'journal',
      `update journal.postings set amount = amount + 1
       where (position, line) = (select position, line from journal.postings order by 1, 2 offset 20 limit 1)`,
      { table: 'postings', column: 'amount', key: expect.stringMatching(/^position \d+, line 0$/) },
    ],
    [
      'journal',
      `update journal.postings set wallet = 0
       where (position, line) = (select position, line from journal.postings order by 1, 2 offset 9 limit 1)`,
      { table: 'postings', column: 'wallet', found: 0 },
    ],
    [
      'journal',
      `delete from journal.postings
       where (position, line) = (select position, line from journal.postings order by 1, 2 offset 30 limit 1)`,
      { table: 'postings', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'journal',
      `insert into journal.postings select 999999, line, at, effective_at, user_id, from_account, to_account, amount, wallet, held,
         affiliate, event_id, event_type, request_id, actor, source, token_id, channel, model, reason, adjustment, late
       from journal.postings limit 1`,
      { table: 'postings', key: 'position 999999, line 0', ledger: 'none', found: 'there' },
    ],
    [
      'journal',
      `update journal.postings set actor = 'user:9' where position = (select max(position) from journal.postings)`,
      { table: 'postings', column: 'actor', ledger: 'system', found: 'user:9' },
    ],
    [
      'journal',
      `update journal.hours set change = change + 1
       where (user_id, hour, source) = (select user_id, hour, source from journal.hours limit 1)`,
      { table: 'hours', column: 'change' },
    ],
    [
      'journal',
      `update journal.source_days set events = events + 1
       where (user_id, day, source) = (select user_id, day, source from journal.source_days limit 1)`,
      { table: 'source_days', column: 'events' },
    ],
    [
      'journal',
      `delete from journal.days where (user_id, day, account) = (select user_id, day, account from journal.days limit 1)`,
      { table: 'days', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'journal',
      `insert into journal.totals values (0, 'wallet', 1, 1)`,
      { table: 'totals', key: 'day 0, account wallet', ledger: 'none', found: 'there' },
    ],
    [
      'journal',
      `update journal.balances set held = held - 1 where user_id = 1`,
      { table: 'balances', key: 'user 1', column: 'held' },
    ],
    [
      'usage-log',
      `update usage_log.rows set quota = quota + 1 where id = (select max(id) from usage_log.rows where type = 2)`,
      {
        table: 'rows',
        column: 'quota',
        key: expect.stringMatching(/^user \d, 2026-\d\d, type 2$/),
      },
    ],
    [
      'usage-log',
      `update usage_log.rows set content = 'x' where id = (select max(id) from usage_log.rows where type = 3)`,
      { table: 'rows', column: 'checksum' },
    ],
    [
      'usage-log',
      `update usage_log.rows set model = 'another' where id = (select max(id) from usage_log.rows where type = 2 and token_id > 0)`,
      { table: 'rows', column: 'model', key: expect.stringMatching(/^id \d+$/), found: 'another' },
    ],
    [
      'usage-log',
      `delete from usage_log.rows where id = (select max(id) from usage_log.rows where type = 2 and token_id > 0)`,
      { table: 'rows', column: '(row)', key: expect.stringMatching(/^id \d+$/), found: 'none' },
    ],
    [
      'usage-log',
      `update usage_log.days set count = count + 1
       where (day, user_id) = (select day, user_id from usage_log.days limit 1)`,
      { table: 'days', column: 'count' },
    ],
    [
      'usage-log',
      `delete from usage_log.days where (day, user_id, type) = (select day, user_id, type from usage_log.days limit 1)`,
      { table: 'days', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'usage-log',
      `delete from usage_log.newest where last_id = (select max(last_id) from usage_log.newest)`,
      { table: 'newest', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'usage-log',
      `update usage_log.newest set last_id = last_id - 1
       where last_id = (select max(last_id) from usage_log.newest)`,
      { table: 'newest', column: 'last_id' },
    ],
    [
      'usage-log',
      `update usage_log.sums set tokens = tokens + 1
       where (counted_by, hour) = (select counted_by, hour from usage_log.sums where counted_by = 'model' limit 1)`,
      { table: 'sums', column: 'tokens' },
    ],
    [
      'usage-log',
      `delete from usage_log.sums where counted_by = 'channel and model'
         and (hour, type) = (select hour, type from usage_log.sums limit 1)`,
      { table: 'sums', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'usage-log',
      `update usage_log.days set last_id = last_id - 1
       where (day, user_id) = (select day, user_id from usage_log.days limit 1)`,
      { table: 'days', column: 'last_id' },
    ],
    [
      'usage-log',
      `update usage_log.days set last_created_at = last_created_at + 1
       where (day, user_id) = (select day, user_id from usage_log.days limit 1)`,
      { table: 'days', column: 'last_created_at' },
    ],
    [
      'usage-log',
      `insert into usage_log.models values ('invented')`,
      { table: 'models', key: 'model invented', ledger: 'none', found: 'there' },
    ],
    [
      'usage-log',
      `delete from usage_log.models where model = 'gpt-4o'`,
      { table: 'models', key: 'model gpt-4o', ledger: 'there', found: 'none' },
    ],
    [
      'usage-log',
      `update usage_log.prices set price = 'x' where price_key = 0`,
      { table: 'prices', key: 'price 0', column: 'price', found: 'x' },
    ],
    [
      'usage-log',
      `delete from usage_log.prices where price_key = 0`,
      { table: 'prices', column: '(row)', found: 'none' },
    ],
    [
      'balances',
      `update projections.checkpoints set mark = jsonb_set(mark, '{hash}', to_jsonb(repeat('0', 64)))
       where name = 'balances'`,
      { table: 'checkpoints', key: 'balances', column: 'mark' },
    ],
    ['usage-log', `delete from usage_log.prices where price_key <> 0`, { table: 'prices' }],
    [
      'usage-log',
      `update usage_log.prices set price = replace(price, '1.25', '1.26') where price_key <> 0`,
      { table: 'prices', column: 'price' },
    ],
    [
      'dashboard',
      `update dashboard.hours set tokens = tokens - 1
       where (hour, user_id, model, channel, token_id) = (select hour, user_id, model, channel, token_id from dashboard.hours limit 1)`,
      { table: 'hours', column: 'tokens' },
    ],
    [
      'dashboard',
      `update dashboard.sums set quota = quota + 1
       where (hour, model, channel) = (select hour, model, channel from dashboard.sums limit 1)`,
      { table: 'sums', column: 'quota' },
    ],
    [
      'dashboard',
      `delete from dashboard.days where (day, user_id, token_id) = (select day, user_id, token_id from dashboard.days limit 1)`,
      { table: 'days', column: '(row)', ledger: 'there', found: 'none' },
    ],
    [
      'tokens',
      `update tokens.tokens set remain = remain + 1 where token_id = 11`,
      { table: 'tokens', key: 'token 11', column: 'remain' },
    ],
    [
      'channels',
      `update channels.channels set used_quota = 0 where channel_id = 1`,
      { table: 'channels', key: 'channel 1', column: 'used_quota', found: 0 },
    ],
    [
      'channels',
      `update channels.channels set terms = replace(terms, '"type":1', '"type":2') where channel_id = 1`,
      { table: 'channels', key: 'channel 1', column: 'terms' },
    ],
    [
      'users',
      `update users.users set role = 100 where user_id = 2`,
      { table: 'users', key: 'user 2', column: 'role', ledger: 1, found: 100 },
    ],
    [
      'drawings',
      `update drawings.tasks set percent = 7 where task_id = 1`,
      { table: 'tasks', key: 'task 1', column: 'percent', ledger: 100, found: 7 },
    ],
    [
      'tasks',
      `update tasks.tasks set submission = replace(submission, '"code":1', '"code":2') where task_id = 2`,
      { table: 'tasks', key: 'task 2', column: 'submission' },
    ],
    [
      'tasks',
      `update tasks.tasks set quota = quota - 1 where task_id = 2`,
      { table: 'tasks', key: 'task 2', column: 'quota', ledger: 50_000, found: 49_999 },
    ],
    [
      'options',
      `update options.options set value = 'x' where key = 'LogConsumeEnabled'`,
      { table: 'options', key: 'option LogConsumeEnabled', column: 'value', found: 'x' },
    ],
    [
      'redemptions',
      `update redemptions.codes set quota = quota + 1 where code_id = 2`,
      { table: 'codes', key: 'code 2', column: 'quota', ledger: 7, found: 8 },
    ],
    [
      'redemptions',
      `update redemptions.codes set used_by = 1 where code_id = 7`,
      { table: 'codes', key: 'code 7', column: 'used_by', ledger: 3, found: 1 },
    ],
    [
      'top-ups',
      `update top_ups.orders set money = '0.01' where status = 'paid' and abandoned_at is null`,
      { table: 'orders', column: 'money', ledger: '7.30', found: '0.01' },
    ],
    [
      'top-ups',
      `update top_ups.orders set status = 'paid' where status = 'pending'`,
      { table: 'orders', column: 'status', ledger: 'pending', found: 'paid' },
    ],
  ]

  test('when reconciled, then each change is named, and a rebuild mends it', async () => {
    await write(7, 300)
    await log.project(readModels)
    for (const [model, sql, expected] of changes) {
      const { rowCount } = await log.pool.query(sql)
      const report = await compare()
      const projector = readModels.find(({ name }) => name === model)
      if (projector === undefined) throw new Error(`no read model ${model}`)
      await rebuild({ ...log, projector, clock: testClock, logger: silentLogger })
      const mended = await compare()
      expect({ sql, rowCount, ...report, mended: mended.differences }).toEqual(
        expect.objectContaining({
          rowCount: expect.toSatisfy((count: number) => count > 0),
          first: expect.arrayContaining([expect.objectContaining({ model, ...expected })]),
          mended: 0,
        }),
      )
      expect(report.first.every((difference) => difference.model === model)).toBe(true)
    }
  }, 240_000)
})

test('given a wrong balance carried forward, when reconciled, then the ledger contradicts itself', async () => {
  const { accounts } = await write(8, 100)
  const state = accounts.get(userId(2)) ?? unopenedAccount()
  const wrong = carryForward(state, Date.now())
  await log.append(accountStream(2), {
    ...wrong,
    data: { ...wrong.data, account: { ...wrong.data.account, posted: 7 } },
  } as DomainEvent)
  await log.project(readModels)
  const report = await compare()
  expect(report).toMatchObject({
    differences: 1,
    first: [
      {
        model: 'balances',
        table: '(carried forward)',
        key: expect.stringMatching(/^account-2, revision \d+$/),
        column: 'posted',
        ledger: String(state.posted),
        found: '7',
      },
    ],
  })
})

test('given a credit twice from one cause, when reconciled, then it is named and figures agree', async () => {
  const { accounts } = await write(8, 100)
  const credit = {
    type: 'QuotaCredited',
    data: { at: Date.now(), amount: 5, source: 'grant', reason: '' },
  } as DomainEvent
  expect(accounts.has(userId(2))).toBe(true)
  await log.appendCaused(accountStream(2), 'code-1', credit)
  await log.appendCaused(accountStream(2), 'code-2', credit)
  await log.appendCaused(accountStream(3), 'code-1', credit)
  await log.appendCaused(accountStream(2), 'code-1', credit)
  await log.project(readModels)
  expect(await compare()).toMatchObject({
    differences: 1,
    first: [
      {
        model: 'balances',
        table: '(booked twice)',
        key: expect.stringMatching(/^account-2, revision \d+$/),
        column: 'QuotaCredited',
        ledger: expect.stringContaining('caused by code-1'),
      },
    ],
  })
})

test.each([
  [0, 0],
  [1, 1],
])(
  'given a balance with refunds as requests, when reconciled, then it is right, with %d more it is not',
  async (more, differences) => {
    const { accounts, events } = await write(3, 300)
    const stream = accountStream(1)
    const refunds = events.filter(
      (one) => one.stream === stream && one.event.type === 'UsageRefunded',
    ).length
    expect(refunds).toBeGreaterThan(0)
    const state = accounts.get(userId(1)) ?? unopenedAccount()
    const requestCount = state.requestCount + refunds + more
    await log.append(stream, carryForward({ ...state, requestCount }, Date.now()))
    await log.project(readModels)
    expect(await compare()).toMatchObject({
      differences,
      first: differences === 0 ? [] : [{ table: '(carried forward)', column: 'requestCount' }],
    })
  },
)

test('given more differences than are listed, when reconciled, then all are counted', async () => {
  await write(9, 100)
  await log.project(readModels)
  await log.pool.query('update journal.postings set amount = amount + 1')
  const report = await reconcile({ store: log.store, pool: log.pool, differencesMax: 5 })
  const { rows } = await log.pool.query<{ count: number }>('select count(*) from journal.postings')
  expect(report.first).toHaveLength(5)
  expect(report.differences).toBe(rows[0]?.count)
})

test('given missing, stopped or other versions of read models, when reconciled, then each is said', async () => {
  await write(10, 60)
  await log.project(readModels.filter(({ name }) => name !== 'users'))
  await log.pool.query(`update projections.checkpoints set version = 99 where name = 'tokens'`)
  await log.pool.query(
    `update projections.checkpoints set failure = 'stopped at x' where name = 'options'`,
  )
  const report = await compare()
  expect(report.differences).toBe(0)
  expect(report.models).toContainEqual(
    expect.objectContaining({
      name: 'users',
      position: null,
      note: expect.stringMatching(/^not built yet/),
    }),
  )
  expect(report.models).toContainEqual(
    expect.objectContaining({
      name: 'tokens',
      position: null,
      note: expect.stringMatching(/version 99/),
    }),
  )
  expect(report.models).toContainEqual(
    expect.objectContaining({
      name: 'options',
      position: expect.any(Number),
      note: 'stopped at x',
    }),
  )
})

test('given a growing log with rebuilds, when reconciled meanwhile, then there is never a difference', async () => {
  const { events } = randomHistory({ seed: 11, steps: 600 })
  const [first, rest] = [events.slice(0, 200), events.slice(200)]
  for (const { stream, event } of first) await log.append(stream, event)
  const runner = log.runner(readModels)
  await runner.start()
  const isWritten = new AbortController()
  const writing = (async () => {
    for (const { stream, event } of rest) await log.append(stream, event)
  })().finally(() => isWritten.abort())
  const positions = new Set<number | null>()
  try {
    while (!isWritten.signal.aborted) {
      const report = await compare()
      expect(report.first).toEqual([])
      for (const { position } of report.models) positions.add(position)
    }
  } finally {
    await writing
    await runner.stop()
  }
  expect(positions.size).toBeGreaterThan(1)
})

test('given a read model rebuilt meanwhile, when reconciled, then it is compared again and agrees', async () => {
  await write(12, 80)
  await log.project(readModels)
  const projector = readModels.find(({ name }) => name === 'dashboard')
  if (projector === undefined) throw new Error('no dashboard')
  const rebuilding: Promise<unknown>[] = []
  let walks = 0
  const store: EventStore = {
    ...log.store,
    async readAll(after, filter, limit) {
      walks += after === LOG_START && filter !== 'all' && filter.streamPrefixes.length > 3 ? 1 : 0
      return log.store.readAll(after, filter, limit)
    },
    // Read once the snapshot stands, as the journal's rows are looked through one by one.
    async *readStream(stream, options) {
      if (stream.startsWith('account-') && rebuilding.length === 0) {
        rebuilding.push(rebuild({ ...log, projector, clock: testClock, logger: silentLogger }))
        await until('the dashboard has been swapped', async () => {
          const { rows } = await log.pool.query<{ there: boolean }>(
            `select exists (select from pg_namespace where nspname like 'dashboard\\_old%') as there`,
          )
          return rows[0]?.there === true
        })
      }
      yield* log.store.readStream(stream, options)
    },
  }
  await log.pool.query('update journal.postings set amount = amount + 1 where user_id = 1')
  const report = await reconcile({ store, pool: log.pool })
  await Promise.all(rebuilding)
  expect(walks).toBe(2)
  expect(report.models).toContainEqual(
    expect.objectContaining({ name: 'dashboard', differences: 0, position: expect.any(Number) }),
  )
  expect(report.first.every(({ model }) => model === 'journal')).toBe(true)
})

test('given a comparison, when its signal aborts while the log is read, then it ends with the reason', async () => {
  await write(13, 60)
  await log.project(readModels)
  const { store, pool } = log
  const ending = new AbortController()
  const onProgress = (): void => ending.abort(new Error('enough'))
  const { signal } = ending
  await expect(reconcile({ store, pool, signal, onProgress, pageEvents: 10 })).rejects.toThrow(
    'enough',
  )
})

test('given a log in EventStoreDB (double), when reconciled, then a changed read model is named', async () => {
  const books = await eventStoreDbAuditedLog()
  try {
    for (const { stream, event } of randomHistory({ seed: 14, steps: 150 }).events) {
      await books.append(stream, event)
    }
    const runner = log.runner(readModels, books.store)
    await runner.start()
    const names = readModels.map(({ name }) => name)
    const head = await books.store.headPosition()
    expect(await runner.waitFor(names, head, 20_000)).toBe(true)
    const { pool } = log
    expect(await reconcile({ store: books.store, pool })).toMatchObject({ differences: 0 })
    await pool.query('update journal.postings set amount = 1 where position = $1', [
      await firstPosition(pool),
    ])
    expect(await reconcile({ store: books.store, pool })).toMatchObject({
      differences: 1,
      first: [{ model: 'journal', column: 'amount', found: 1 }],
    })
    await runner.stop()
  } finally {
    await books.close()
  }
})

async function firstPosition(pool: ProjectionLog['pool']): Promise<number | undefined> {
  const { rows } = await pool.query<{ position: number }>(
    'select min(position) as position from journal.postings',
  )
  return rows[0]?.position
}
