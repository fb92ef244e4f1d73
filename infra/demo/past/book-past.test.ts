import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import { channelId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemRandomness } from '../../processes/runtime.ts'
import { DemoClock } from '../demo-clock.ts'
import { planHistory, type PlannedRequest } from '../history.ts'
import { PEOPLE } from '../people.ts'
import { bookPast } from './book-past.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const FROM = Date.UTC(2026, 0, 1)
const TO = Date.UTC(2026, 0, 8)
const BOOK = priceBookFrom(
  optionsFrom([
    ['ModelRatio', JSON.stringify({ 'gpt-4o-mini': 0.075 })],
    ['GroupRatio', JSON.stringify({ default: 1 })],
  ]),
  7,
)

const UNLIMITED = {
  unlimited: true,
  expiresAt: null,
  group: '',
  models: null,
  allowedIps: [],
} as const

async function book(plans: readonly PlannedRequest[], balance: number): Promise<void> {
  const clock = new DemoClock(FROM)
  const ledger = new AccountLedger({
    timelines: exampleTimelines,
    store: log.store,
    clock,
    randomness: systemRandomness,
  })
  const relays = new LocalRelays(clock)
  const holdService = new HoldService({ ledger, clock, relays, ownership: ownsEverything(clock) })
  const [id, token] = [userId(5), tokenId(50)]
  const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
  await ledger.execute(id, { type: 'OpenAccount' }, cause)
  const amount = quota(balance)
  await ledger.execute(id, { type: 'CreditQuota', amount, source: 'grant', reason: '' }, cause)
  const issue = { type: 'IssueToken', token, remain: quota(0), ...UNLIMITED } as const
  await ledger.execute(id, issue, cause)
  await bookPast(plans, {
    clock,
    owner: holdService,
    journal: holdService,
    accounts: new Map([
      ['omar', { id, group: 'default', tokens: new Map([['homework-helper', token]]) }],
    ]),
    book: BOOK,
    channelsOf: () => [channelId(1), channelId(2)],
    uuid: () => systemRandomness.uuid(),
    signal: new AbortController().signal,
    onBooked: () => undefined,
  })
  ledger.stop()
}

const omars = () =>
  planHistory({
    people: PEOPLE.filter(({ username }) => username === 'omar'),
    requests: 120,
    from: FROM,
    to: TO,
    seed: 3,
  })

interface Charged {
  readonly at: number
  readonly amount: number
  readonly startedAt: number
}

const CHARGES = `select (data::jsonb->>'at')::bigint as at, (data::jsonb->>'amount')::int as amount,
    (data::jsonb->'request'->>'startedAt')::bigint as "startedAt"
  from ledger.events where type = 'UsageCharged' order by position`

test('given a week, when booked, then each request is charged what its tokens cost, when it ended', async () => {
  const plans = omars()
  await book(plans, 1_000_000_000)
  const charged = plans.filter(({ failure }) => failure !== 'bad-request')
  const { rows } = await log.pool.query<Charged>(CHARGES)
  expect(rows.map(({ startedAt }) => startedAt)).toEqual(charged.map(({ at }) => at))
  // 4 = the built-in completion ratio of gpt-4o-mini.
  const amountOf = ({ promptTokens, answerTokens }: PlannedRequest): number =>
    Math.max(1, Math.floor((promptTokens + 4 * answerTokens) * 0.075 + 0.5))
  expect(rows.map(({ amount }) => amount)).toEqual(charged.map(amountOf))
  expect(rows.every(({ at }) => at >= FROM && at < TO + 600_000)).toBe(true)
  const late = `select count(*)::int as late from ledger.events where type = 'UsageCharged' and (data::jsonb->>'late')::boolean`
  expect((await log.pool.query(late)).rows).toEqual([{ late: 0 }])
})

test('given too little quota, when booked, then the days that it does not pay for have no charge', async () => {
  const balance = 3_000
  await book(omars(), balance)
  const { rows } = await log.pool.query<Charged>(CHARGES)
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.length).toBeLessThan(60)
  expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(balance)
})
