import type { DomainEvent, EventData } from '@tollgate/domain/event.ts'
import type { TestOfChannel } from '@tollgate/domain/ports/channel-telemetry.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reconcile } from '../audit/reconcile.ts'
import { readModels } from '../read-models.ts'
import { createIfMissing } from '../runner/checkpoints.ts'
import { nextCopy } from '../runner/projector.ts'
import { rebuild } from '../runner/rebuild.ts'
import { usageLog } from '../usage-log/projector.ts'
import { logPage } from '../usage-log/queries.ts'
import { findChannel } from './queries.ts'
import { channelTelemetry, removeOldTelemetry, TELEMETRY_KEPT_MS } from './telemetry.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const at = Date.UTC(2026, 10, 3, 12, 30)
const told = {
  at,
  model: 'gpt-4o',
  succeeded: true,
  durationMs: 1_600,
  error: '',
  promptTokens: 8,
  completionTokens: 2,
  testedBy: 3,
}
let made = 0
const record = (more: Partial<TestOfChannel['test']> = {}, isLogged = true): Promise<void> =>
  channelTelemetry(log.pool).recordTest({
    id: `0b0e5f0c-7f0e-4f0a-9d3c-${String((made += 1)).padStart(12, '0')}`,
    channel: 4,
    test: { ...told, ...more },
    isLogged,
  })
const added: DomainEvent = {
  type: 'ChannelAdded',
  data: {
    at,
    type: 1,
    openaiOrganization: '',
    testModel: '',
    baseUrl: '',
    other: '',
    models: ['m'],
    groups: ['default'],
    modelMapping: '',
    statusCodeMapping: '',
    paramOverride: '',
    setting: '',
    priority: 0,
    weight: 0,
    autoBan: true,
    tag: '',
    maxInputTokens: 0,
  } as EventData,
}
const tested: DomainEvent = {
  type: 'ChannelTested',
  data: { ...told, at: at + 1_000 },
}

const rows = async () => (await logPage(log.reads, {}, 1, 20)).rows
const built = () =>
  rebuild({
    store: log.store,
    pool: log.pool,
    projector: usageLog,
    clock: testClock,
    logger: silentLogger,
  })
const differences = async () =>
  (await reconcile({ store: log.store, pool: log.pool })).models.find(
    ({ name }) => name === 'usage-log',
  )

test('given tests in the log and beside it, when the usage log is built anew, then its rows are the same', async () => {
  await record({ at: at - 5_000 })
  await log.append('channel-4', added, tested)
  await log.project(readModels)
  await record()
  await record({ testedBy: null, model: 'o3' })
  await record({ succeeded: false, error: 'no' }, false)
  const before = await rows()
  expect(before.map((row) => [row.created_at, row.user_id, row.model, row.quota])).toEqual([
    [at / 1000 + 1, 3, 'gpt-4o', 0],
    [at / 1000, 1, 'o3', 0],
    [at / 1000, 3, 'gpt-4o', 0],
    [at / 1000 - 5, 3, 'gpt-4o', 0],
  ])
  expect(before[1]).toMatchObject({ type: 2, token_id: 0, channel: 4, content: '模型测试' })
  expect(new Set(before.map(({ id }) => id)).size).toBe(4)
  expect(await differences()).toMatchObject({ differences: 0, note: null })
  expect((await built()).comparison).toEqual({ differing: 0, differences: [] })
  expect(await rows()).toEqual(before)
  expect(await differences()).toMatchObject({ differences: 0, note: null })
})

test('given logs that were cleared, when built anew, then tests before the moment stay away', async () => {
  await log.project(readModels)
  await record()
  await record({ at: at + 60_000 })
  const cleared = { at: at + 120_000, before: at + 60_000 }
  await log.append('settings', { type: 'LogsCleared', data: cleared })
  await log.project(readModels)
  const dates = async () => (await rows()).map((row) => row.created_at)
  expect(await dates()).toEqual([at / 1000 + 60])
  expect(await differences()).toMatchObject({ differences: 0 })
  await built()
  expect(await dates()).toEqual([at / 1000 + 60])
})

test('given a row of a test that is gone or changed, when reconciled, then it is told', async () => {
  await log.project(readModels)
  await record()
  await log.pool.query('update usage_log.rows set prompt_tokens = 9')
  expect((await differences())?.differences).toBeGreaterThan(0)
  await log.pool.query('delete from usage_log.rows')
  expect((await differences())?.differences).toBeGreaterThan(0)
})

test('given a copy that is being built, when a channel is tested, then both have the row', async () => {
  await log.project([usageLog])
  await createIfMissing(log.pool, usageLog, nextCopy('usage-log'), 'tables')
  await record()
  const { rows: counted } = await log.pool.query(
    'select (select count(*)::int from usage_log.rows) as live, (select count(*)::int from usage_log_next.rows) as next',
  )
  expect(counted).toEqual([{ live: 1, next: 1 }])
})

test('given a test that is recorded again, then it has one row', async () => {
  await log.project([usageLog])
  const telemetry = channelTelemetry(log.pool)
  const id = '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a002'
  const one = { id, channel: 4, test: told, isLogged: true }
  await telemetry.recordTest(one)
  await telemetry.recordTest(one)
  expect(await rows()).toMatchObject([{ event_id: id }])
})

test('given looks as events and beside them, when a channel is listed, then the latest of each is shown', async () => {
  const balance = { type: 'ChannelBalanceRead', data: { at, balanceUsd: '7' } } as DomainEvent
  await log.append('channel-4', added, tested, balance)
  await log.project(readModels)
  await record({ durationMs: 9 })
  expect(await findChannel(log.reads, 4)).toMatchObject({
    test_at: at + 1_000,
    test_ms: 1_600,
    balance_usd: '7',
  })
  await record({ at: at + 2_000, durationMs: 8, succeeded: false })
  await channelTelemetry(log.pool).recordBalance(4, { at: at + 3, balanceUsd: '6.5' })
  expect(await findChannel(log.reads, 4)).toMatchObject({
    test_at: at + 2_000,
    test_ms: 8,
    test_succeeded: false,
    balance_at: at + 3,
    balance_usd: '6.5',
  })
})

const forget = (now: number) =>
  removeOldTelemetry(log.pool, now + TELEMETRY_KEPT_MS, new AbortController().signal)

test('given tests that are too old, when they are removed, then log, counts and a rebuild agree', async () => {
  await log.append('channel-4', added, tested)
  await log.project(readModels)
  await record({ model: 'gone' })
  await record({ at: at + 2_000, model: 'o3' })
  await record({ at: at + 60_000 })
  await record({ at: at + 61_000, succeeded: false, error: 'no' }, false)
  await forget(at + 60_001)
  const models = async () => (await rows()).map((row) => [row.created_at, row.model])
  expect(await models()).toEqual([[at / 1000 + 1, 'gpt-4o']])
  const { rows: listed } = await log.pool.query('select model from usage_log.models order by model')
  expect(listed).toEqual([{ model: 'gpt-4o' }])
  expect(await differences()).toMatchObject({ differences: 0, note: null })
  expect((await built()).comparison).toEqual({ differing: 0, differences: [] })
  expect(await models()).toEqual([[at / 1000 + 1, 'gpt-4o']])
})

test('given looks of two channels, when old ones are removed, then each keeps its newest', async () => {
  await log.project([usageLog])
  const telemetry = channelTelemetry(log.pool)
  for (const channel of [4, 5]) {
    for (const balanceUsd of ['7', '6']) {
      await telemetry.recordBalance(channel, { at: at + Number(balanceUsd), balanceUsd })
    }
  }
  await record({ durationMs: 1 })
  await record({ durationMs: 2 })
  await forget(at + 1_000)
  const { rows: kept } = await log.pool.query(
    `select channel_id, balance_usd from telemetry.channel_balances order by channel_id`,
  )
  expect(kept).toEqual([
    { channel_id: 4, balance_usd: '7' },
    { channel_id: 5, balance_usd: '7' },
  ])
  const { rows: tests } = await log.pool.query('select duration_ms from telemetry.channel_tests')
  expect(tests).toEqual([{ duration_ms: 2 }])
})

test('given a copy that is being built, when old tests are removed, then both lose the row', async () => {
  await log.project([usageLog])
  await createIfMissing(log.pool, usageLog, nextCopy('usage-log'), 'tables')
  await record()
  await record({ at: at + 60_000 })
  await forget(at + 1)
  const { rows: counted } = await log.pool.query(
    `select (select count(*)::int from usage_log.rows) as live,
       (select sum(count)::int from usage_log.days) as "liveCount",
       (select count(*)::int from usage_log_next.rows) as next,
       (select sum(count)::int from usage_log_next.days) as "nextCount"`,
  )
  expect(counted).toEqual([{ live: 1, liveCount: 1, next: 1, nextCount: 1 }])
})

test('given tables of the version before, when new ones are built under writes, then those replace them', async () => {
  await record()
  await log.append('channel-4', added, tested)
  await log.project([usageLog])
  await log.pool.query(
    "update projections.checkpoints set version = version - 1 where name = 'usage-log'",
  )
  for (const seconds of [60, 61]) await record({ at: at + seconds * 1_000 })
  await forget(at + 1)
  expect((await built()).comparison).toEqual({ differing: 0, differences: [] })
  expect((await rows()).map(({ created_at: second }) => second)).toEqual([
    at / 1000 + 61,
    at / 1000 + 60,
    at / 1000 + 1,
  ])
})
