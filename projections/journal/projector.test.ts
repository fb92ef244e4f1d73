import { readCheckpoint } from '../runner/checkpoints.ts'
import { liveCopy } from '../runner/projector.ts'
import { waitForCheckpoints } from '../runner/runner.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { journal } from './projector.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const AT = Date.UTC(2026, 10, 20, 12)

test('given a journal of the version before, when the runner starts, then the new one replaces it', async () => {
  const history = randomHistory({ seed: 8, steps: 120 })
  for (const { stream, event } of history.events) await log.append(stream, event)
  await log.project([journal])
  const { rows: before } = await log.pool.query(
    'select sum(amount) as amount from journal.postings',
  )
  await log.pool.query(
    `alter table journal.postings drop column actor, drop column source, drop column model;
     drop table journal.hours, journal.source_days, journal.days, journal.totals;
     update projections.checkpoints set version = 2 where name = 'journal'`,
  )
  await log.runner([journal]).start()
  const head = await log.append('account-1', { type: 'AccountSuspended', data: { at: AT } })
  expect(
    await waitForCheckpoints(log.pool, testClock, {
      names: ['journal'],
      position: head,
      timeoutMs: 10_000,
    }),
  ).toBe(true)
  expect(await readCheckpoint(log.pool, liveCopy('journal'))).toMatchObject({
    version: journal.version,
  })
  const { rows: after } = await log.pool.query('select sum(amount) as amount from journal.postings')
  expect(after).toEqual(before)
  const { rows } = await log.pool.query(
    `select (select count(*) from journal.hours) > 0 as hours, count(*) filter (where actor = '') as nobody,
       array_agg(distinct model order by model) filter (where source = 'usage') as models
     from journal.postings`,
  )
  expect(rows).toEqual([{ hours: true, nobody: 0, models: MODELS }])
})

/** Models of the history; a NUL, which PostgreSQL cannot store, is dropped. */
const MODELS = ['claude-3-opus', 'deepseek-chat', 'gpt-4o', 'gpt-4o-mini', 'o3-mini']

test('given changes of every kind, when projected, then postings say who, what for and why', async () => {
  const by = (source: string, amount: number, more: object = {}) => ({
    type: 'QuotaCredited' as const,
    data: { at: AT, amount, source, reason: '', ...more },
  })
  const adjustment = { from: 0, to: 5, reasonCode: 'balance_edited', note: 'n1' }
  await log.append(
    'account-7',
    { type: 'AccountOpened', data: { at: AT } },
    by('top-up', 100, { reason: 'T-93' }),
    by('grant', 5, { adjustment }),
    { type: 'AffiliateRewardEarned', data: { at: AT, amount: 3, invitee: 9 } } as never,
    { type: 'AffiliateQuotaTransferred', data: { at: AT, amount: 2 } } as never,
  )
  await log.project([journal])
  const { rows } = await log.pool.query(
    'select source, reason, adjustment, actor, amount from journal.postings order by position, line',
  )
  expect(rows).toEqual([
    { source: 'top-up', reason: 'T-93', adjustment: '', actor: 'system', amount: 100 },
    {
      source: 'grant',
      reason: '',
      adjustment: JSON.stringify(adjustment),
      actor: 'system',
      amount: 5,
    },
    { source: 'affiliate-reward', reason: '9', adjustment: '', actor: 'system', amount: 3 },
    { source: 'affiliate-transfer', reason: '', adjustment: '', actor: 'system', amount: 2 },
  ])
  const { rows: hours } = await log.pool.query(
    'select source, change, events from journal.hours order by first_position',
  )
  // A reward stands on the affiliate account: the posted balance has not changed.
  expect(hours).toEqual([
    { source: 'top-up', change: 100, events: 1 },
    { source: 'grant', change: 5, events: 1 },
    { source: 'affiliate-transfer', change: 2, events: 1 },
  ])
})
