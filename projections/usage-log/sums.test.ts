import type { TestOfChannel } from '@tollgate/domain/ports/channel-telemetry.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reconcile } from '../audit/reconcile.ts'
import { channelTelemetry, removeOldTelemetry, TELEMETRY_KEPT_MS } from '../channels/telemetry.ts'
import { readModels } from '../read-models.ts'
import { rebuild } from '../runner/rebuild.ts'
import { type LogFilter, sqlFilter } from './filter.ts'
import { usageLog } from './projector.ts'
import { distinctPage, logPage, logStatistics } from './queries.ts'
import { CONSUMPTION, FAILURE } from './row.ts'

const FROM = Date.UTC(2026, 9, 31)
const HOUR_SECONDS = 3600

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

/** Filters with the table that answers them. */
const FILTERS: readonly (readonly [LogFilter, string])[] = [
  [{}, "'all'"],
  [{ type: CONSUMPTION }, "'all'"],
  [{ modelPattern: 'gpt-4o' }, "'model'"],
  [{ modelPattern: 'gpt%' }, "'model'"],
  [{ channel: 1, type: FAILURE }, "'channel'"],
  [{ channel: 4 }, "'channel'"],
  [{ group: 'default' }, "'group'"],
  [{ group: '' }, "'group'"],
  [{ channel: 1, modelPattern: 'gpt-4o-mini' }, "'channel and model'"],
  [{ group: 'default', modelPattern: 'gpt-4o' }, "'channel, model and group'"],
  [{ channel: 1, group: 'default' }, "'channel, model and group'"],
  [{ channel: 1, group: 'default', modelPattern: 'gpt%' }, "'channel, model and group'"],
  [{ userId: 2 }, 'usage_log.days'],
  [{ userId: 2, modelPattern: 'gpt-4o' }, 'usage_log.days'],
  [{ tokenIds: [10] }, 'usage_log.days'],
]

/** Within whole hours and days, and beside them. */
const TIMES: readonly Pick<LogFilter, 'from' | 'to'>[] = [
  {},
  { from: FROM / 1000 + 20 * HOUR_SECONDS },
  { from: FROM / 1000 + 1_234, to: FROM / 1000 + 40 * HOUR_SECONDS + 77 },
]

/** Totals and statistics under each filter. */
const told = async (): Promise<readonly unknown[]> => {
  const answers: unknown[] = []
  for (const [filter] of FILTERS) {
    for (const time of TIMES) {
      const asked = { ...filter, ...time }
      const { total, rows } = await logPage(log.reads, asked, 1, 1_000)
      const { quota, tokens, failed } = await logStatistics(log.reads, asked, testClock.now())
      answers.push({ asked, total, listed: rows.length, quota, tokens, failed })
    }
  }
  return answers
}

/** Ids of the distinct rows under each filter. */
const distinctTold = (): Promise<readonly unknown[]> =>
  underEach(async (filter) => {
    const { total, rows } = await distinctPage(log.reads, filter, 1, 1_000)
    return { total, ids: rows.map(({ id }) => id) }
  })

/** The pages of distinct rows have the rows of the one that has room for all. */
async function expectSamePages(filter: LogFilter): Promise<void> {
  const { total, rows } = await distinctPage(log.reads, filter, 1, 1_000)
  const size = Math.ceil(total / 3)
  const ids: number[] = []
  // The last has no rows.
  for (let page = 1; page <= 4; page += 1) {
    const found = await distinctPage(log.reads, filter, page, size)
    expect(found.total).toBe(total)
    ids.push(...found.rows.map(({ id }) => id))
  }
  expect(ids).toEqual(rows.map(({ id }) => id))
}

/** The same from the rows alone: the first of each user, token, model and channel, newest first. */
const distinctCounted = (): Promise<readonly unknown[]> =>
  underEach(async (filter) => {
    const { rows } = await logPage(log.reads, filter, 1, 1_000)
    const combinations = new Map<string, number>()
    for (const { id, user_id: user, token_id: token, model, channel } of rows) {
      const combination = JSON.stringify([user, token, model, channel])
      if (!combinations.has(combination)) combinations.set(combination, id)
    }
    return { total: combinations.size, ids: [...combinations.values()] }
  })

async function underEach(
  ask: (filter: LogFilter) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const [filter] of FILTERS) {
    for (const time of TIMES) answers.push(await ask({ ...filter, ...time }))
  }
  return answers
}

/** The same from the rows alone. */
const counted = async (): Promise<readonly unknown[]> => {
  const answers: unknown[] = []
  for (const [filter] of FILTERS) {
    for (const time of TIMES) {
      const asked = { ...filter, ...time }
      const { rows } = await logPage(log.reads, asked, 1, 1_000)
      const { type: _, ...anyType } = asked
      const { rows: all } = await logPage(log.reads, anyType, 1, 1_000)
      const used = all.filter((row) => row.type === CONSUMPTION)
      const sum = (ofRow: (row: (typeof all)[number]) => number): number =>
        used.reduce((total, row) => total + ofRow(row), 0)
      const failed = all
        .filter((row) => row.type === FAILURE)
        .reduce((total, { detail }) => {
          const { suppressed = 0 } = JSON.parse(detail) as { suppressed?: number }
          return total + 1 + suppressed
        }, 0)
      answers.push({
        asked,
        total: rows.length,
        listed: rows.length,
        quota: sum((row) => row.quota),
        tokens: sum((row) => row.prompt_tokens + row.completion_tokens),
        failed,
      })
    }
  }
  return answers
}

const differences = async (): Promise<unknown> =>
  (await reconcile({ store: log.store, pool: log.pool })).models.find(
    ({ name }) => name === 'usage-log',
  )
const AGREEING = { differences: 0, note: null }

const tested = (number: number): TestOfChannel => ({
  id: `0b0e5f0c-7f0e-4f0a-9d3c-${String(number).padStart(12, '0')}`,
  channel: 1 + (number % 2),
  isLogged: true,
  test: {
    at: FROM + number * 1_800_000,
    model: number % 3 === 0 ? 'gpt-4o' : 'tested-only',
    succeeded: true,
    durationMs: 1_600,
    error: '',
    promptTokens: number,
    completionTokens: 2,
    testedBy: 1,
  },
})

test('given one busy channel, when distinct rows are asked for, then older ones are found behind it', async () => {
  const telemetry = channelTelemetry(log.pool)
  await log.project(readModels)
  const day = (number: number): number => FROM + number * 86_400_000
  const testedAt = (number: number, channel: number) => {
    const one = tested(number)
    return { ...one, channel, test: { ...one.test, at: day(number), model: 'gpt-4o' } }
  }
  for (let number = 0; number < 5; number += 1) await telemetry.recordTest(testedAt(number, number))
  for (let number = 5; number < 40; number += 1) await telemetry.recordTest(testedAt(number, 9))
  // The last day is not asked for, so that each day names its newest rows.
  const before = { to: day(39) / 1000 - 1 }
  for (const [page, channels] of [
    [1, [9, 4]],
    [2, [3, 2]],
    [3, [1, 0]],
    [4, []],
  ] as const) {
    const { rows, total } = await distinctPage(log.reads, before, page, 2)
    expect([total, rows.map(({ channel }) => channel)]).toEqual([6, channels])
  }
})

test.each([21, 22])(
  'given a random history (seed %i), then sums are those of the rows, also cleared and rebuilt',
  async (seed) => {
    const telemetry = channelTelemetry(log.pool)
    await log.project(readModels)
    const { events } = randomHistory({ seed, steps: 300 })
    const middle = Math.floor(events.length / 2)
    for (const { stream, event } of events.slice(0, middle)) await log.append(stream, event)
    await log.project(readModels)
    for (let number = 1; number <= 12; number += 1) await telemetry.recordTest(tested(number))
    for (const { stream, event } of events.slice(middle)) await log.append(stream, event)
    await log.project(readModels)
    expect(await told()).toEqual(await counted())
    expect(await distinctTold()).toEqual(await distinctCounted())
    for (const time of TIMES) await expectSamePages(time)
    expect(await differences()).toMatchObject(AGREEING)

    const old = FROM + 6 * 1_800_000 + 1
    await removeOldTelemetry(log.pool, old + TELEMETRY_KEPT_MS, new AbortController().signal)
    const before = FROM + 9 * 3_600_000 + 123_000
    const cleared = { at: before, before }
    await log.append('settings', { type: 'LogsCleared', data: cleared })
    await log.project(readModels)
    const after = await counted()
    expect(await told()).toEqual(after)
    expect(await distinctTold()).toEqual(await distinctCounted())
    expect(await differences()).toMatchObject(AGREEING)

    await rebuild({ ...log, projector: usageLog, clock: testClock, logger: silentLogger })
    expect(await told()).toEqual(after)
    expect(await differences()).toMatchObject(AGREEING)
  },
)

/** The tables that version 6 had in place of `days`, as far as queries read them. */
const VERSION_6 = `
  create table usage_log.hours as
    select created_at - created_at % 3600 as hour, type, user_id, token_id, channel, model, group_name,
      count(*) as count, sum(quota)::bigint as quota, sum(prompt_tokens + completion_tokens)::bigint as tokens,
      sum(case when type = 5 then coalesce((detail::jsonb ->> 'suppressed')::bigint, 0) else 0 end)::bigint as suppressed,
      max(created_at) as last_created_at, (array_agg(id order by created_at desc, id desc))[1] as last_id
    from usage_log.rows group by 1, 2, 3, 4, 5, 6, 7;
  drop table usage_log.days, usage_log.newest, usage_log.sums;
  update projections.checkpoints set version = 6 where name = 'usage-log'`

test('given tables of version 6, then their hours tell the same until days are built', async () => {
  for (const { stream, event } of randomHistory({ seed: 24, steps: 300 }).events) {
    await log.append(stream, event)
  }
  await log.project([usageLog])
  const sourceOf = async (filter: LogFilter) =>
    (await sqlFilter(log.reads, filter)).counts.table.sql
  for (const [filter, source] of FILTERS) expect(await sourceOf(filter)).toContain(source)
  const [before, distinct] = [await told(), await distinctTold()]
  await log.pool.query(VERSION_6)
  for (const [filter] of FILTERS) expect(await sourceOf(filter)).toBe('usage_log.hours')
  expect([await told(), await distinctTold()]).toEqual([before, distinct])

  const { comparison } = await rebuild({
    ...log,
    projector: usageLog,
    clock: testClock,
    logger: silentLogger,
  })
  expect(comparison).toEqual({ differing: 0, differences: [] })
  for (const [filter, source] of FILTERS) expect(await sourceOf(filter)).toContain(source)
  expect([await told(), await distinctTold()]).toEqual([before, distinct])
})
