import { bareAttempt, UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import { holdId, channelId, relayId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import type { AccountEvent, ChargedUsage } from '@tollgate/domain/account/events.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { balancesOf, openHoldsOfFormerRelays } from '../balances/queries.ts'
import { readModels } from '../read-models.ts'
import { rebuild } from '../runner/rebuild.ts'
import { usageLog } from './projector.ts'
import { logPage } from './queries.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const at = Date.UTC(2026, 10, 3, 12, 30)
const hold = holdId(userId(1), 2, null)

const request: ChargedUsage = {
  id: requestId('req-1'),
  channel: channelId(4),
  model: 'gpt-4o\u0000-mini',
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
  stream: true,
  startedAt: at,
  firstByteMs: 120,
  durationMs: 2300,
  admittedAt: 0,
  attempts: [bareAttempt(channelId(3)), bareAttempt(channelId(4))],
  upstream: UNTOLD,
  estimated: false,
  cancelled: false,
  cutShort: false,
  reasoningEffort: null,
}

const charge: AccountEvent = {
  type: 'UsageCharged',
  data: {
    at,
    hold,
    sequence: 1,
    token: tokenId(9),
    amount: quota(225),
    fromHold: quota(200),
    fromWallet: quota(25),
    late: false,
    request,
    endedAt: at,
  },
}

test('given a charged request, when it is projected, then log, balance and token show it', async () => {
  const terms = {
    unlimited: false,
    expiresAt: null,
    group: '',
    models: null,
    allowedIps: ['10.0.0.0/8'],
  }
  await log.append(
    'account-1',
    { type: 'AccountOpened', data: { at } },
    {
      type: 'QuotaCredited',
      data: { at, amount: quota(10_000), source: 'grant', reason: 'start' },
    } as AccountEvent,
    {
      type: 'QuotaHeld',
      data: { at, hold, token: tokenId(9), relay: relayId('r'), nonce: 'n', amount: quota(500) },
    } as AccountEvent,
    {
      type: 'TokenIssued',
      data: { at, token: tokenId(9), remain: quota(1000), ...terms },
    } as AccountEvent,
    charge,
  )
  await log.project(readModels)

  const { rows, total } = await logPage(log.reads, { type: 2 }, 1, 10)
  expect(total).toBe(1)
  expect(rows[0]).toMatchObject({
    user_id: 1,
    model: 'gpt-4o-mini',
    quota: 225,
    prompt_tokens: 1000,
    completion_tokens: 500,
    use_time: 2,
    created_at: at / 1000,
  })
  expect((await balancesOf(log.reads, [1])).get(1)).toEqual({
    userId: 1,
    status: 'active',
    posted: 9775,
    held: 300,
    available: 9475,
    affiliate: 0,
    affiliateEarned: 0,
    affiliateCount: 0,
    usedQuota: 225,
    requestCount: 1,
  })
  const asked = { grantedBefore: at + 1, present: 'another', after: '', limit: 10 }
  expect(await openHoldsOfFormerRelays(log.reads, asked)).toMatchObject([
    { hold, remaining: 300, relay: 'r' },
  ])
  expect(await openHoldsOfFormerRelays(log.reads, { ...asked, present: 'r' })).toEqual([])
  expect(await openHoldsOfFormerRelays(log.reads, { ...asked, grantedBefore: at })).toEqual([])
  expect(await openHoldsOfFormerRelays(log.reads, { ...asked, after: hold })).toEqual([])
  const { rows: tokens } = await log.pool.query('select * from tokens.tokens')
  expect(tokens).toMatchObject([
    { token_id: 9, remain: 775, used: 225, models: null, allowed_ips: ['10.0.0.0/8'] },
  ])
})

const usageLogTables = async (): Promise<readonly string[]> => {
  const { rows } = await log.pool.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_log.rows'::regclass order by 1",
  )
  return rows.map(({ name }) => name)
}
const datedCharge = (sequence: number, moment: number): AccountEvent => ({
  type: 'UsageCharged',
  data: { ...charge.data, at: moment, sequence },
})
const months = [
  Date.UTC(2026, 7, 9),
  Date.UTC(2026, 8, 9),
  Date.UTC(2026, 9, 9),
  Date.UTC(2026, 9, 20),
]

test('given logs of several months, when cleared, then whole partitions go for good and the ledger stays', async () => {
  await log.append('account-1', ...months.map((moment, index) => datedCharge(index + 1, moment)))
  await log.project([usageLog])
  const before = Date.UTC(2026, 9, 15)
  await log.append('settings', {
    type: 'LogsCleared',
    data: { at: Date.UTC(2026, 9, 21), before },
  } as DomainEvent)
  await log.project([usageLog])
  const left = async (): Promise<unknown> => {
    const { rows, total } = await logPage(log.reads, {}, 1, 10)
    return { total, dates: rows.map((row) => row.created_at) }
  }
  const kept = { total: 1, dates: [Date.UTC(2026, 9, 20) / 1000] }
  expect(await left()).toEqual(kept)
  expect(await usageLogTables()).toEqual(['usage_log.rows_2026_10', 'usage_log.rows_2026_11'])

  const { pool, store } = log
  const { comparison } = await rebuild({
    store,
    pool,
    projector: usageLog,
    clock: testClock,
    logger: silentLogger,
  })
  expect(comparison).toEqual({ differing: 0, differences: [] })
  expect(await left()).toEqual(kept)
  expect(await usageLogTables()).toEqual(['usage_log.rows_2026_10', 'usage_log.rows_2026_11'])
  expect(await store.readAll(-1, 'all', 100)).toHaveLength(months.length + 1)
})

const CHARGES = 60

test('given a log that grows, when a page of all of it is read, then it lists as many rows as it counts', async () => {
  const runner = log.runner([usageLog])
  await runner.start()
  const writing = (async () => {
    for (let sequence = 1; sequence <= CHARGES; sequence += 1) {
      await log.append('account-1', datedCharge(sequence, at + sequence * 60_000))
    }
  })()
  const uneven: unknown[] = []
  let seen = 0
  while (seen < CHARGES) {
    const { rows, total } = await logPage(log.reads, { userId: 1 }, 1, 100)
    seen = total
    if (rows.length !== total) uneven.push([rows.length, total])
  }
  await writing
  expect(uneven).toEqual([])
})

test('given many charges and a clearing, when the log is rebuilt, then it has those after the clearing', async () => {
  const old = Date.UTC(2026, 9, 30)
  const charges = (from: number, count: number, moment: number): readonly AccountEvent[] =>
    Array.from({ length: count }, (_, index) => datedCharge(from + index, moment))
  for (const from of [1, 601]) await log.append('account-1', ...charges(from, 600, old))
  await log.append('settings', {
    type: 'LogsCleared',
    data: { at, before: Date.UTC(2026, 10, 1) },
  } as DomainEvent)
  for (const from of [1_201, 1_801, 2_401, 3_001]) {
    await log.append('account-1', ...charges(from, 575, at))
  }
  const { pool, store } = log
  await rebuild({ store, pool, projector: usageLog, clock: testClock, logger: silentLogger })
  const { rows } = await pool.query(
    `select (select count(*)::int from usage_log.rows) as rows, (select sum(count)::int from usage_log.days) as days,
            (select sum(count)::int from usage_log.sums where counted_by = 'all') as sums,
            (select count(distinct id)::int from usage_log.rows) as ids`,
  )
  expect(rows).toEqual([{ rows: 2_300, days: 2_300, sums: 2_300, ids: 2_300 }])
})
