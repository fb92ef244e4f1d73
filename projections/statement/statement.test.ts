import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { askRoute } from '@tollgate/tests/support/ask-route.ts'
import { csvBatches } from '@tollgate/tests/support/command-api.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { journal } from '../journal/projector.ts'
import { balanceAnswer, balancesAnswer, type StatementAnswer, statementAnswer } from './answers.ts'
import { type BalanceDeps, balanceRoutes } from './balance-routes.ts'
import { TERM_OF, TERMS } from './line-filter.ts'
import { GROUPS } from './lines.ts'
import { type StatementDeps, statementRoutes } from './routes.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const USERS = 5
const ZONES = ['UTC', 'Asia/Shanghai', 'Asia/Kathmandu', 'America/New_York']

let log: ProjectionLog
let [start, end] = [Number.MAX_SAFE_INTEGER, 0]
const chance = seededChance(17)
const below = (bound: number): number => Math.floor(chance() * bound)

beforeAll(async () => {
  log = await openProjectionLog()
  const from = Date.UTC(2026, 8, 20)
  const history = randomHistory({ seed: 21, steps: 700, users: USERS, from, stepMs: 4 * HOUR_MS })
  for (const { stream, event } of history.events) {
    // Clocks of owners that stepped back, as events of older versions have it.
    const at = chance() < 0.2 ? event.data.at - below(9 * HOUR_MS) : event.data.at
    await log.append(stream, { ...event, data: { ...event.data, at } })
    start = Math.min(start, at)
    end = Math.max(end, at)
  }
  await log.project([journal])
})
afterAll(() => log.close())

let present: number | null = null
let isComplete: StatementDeps['isComplete'] = async () => false
const root: Caller = { userId: 1, username: 'root', role: 100, group: 'default', sessionId: null }
const nobody = async (): Promise<ReadonlyMap<never, string>> => new Map<never, string>()

const deps = (): BalanceDeps => ({
  reads: log.reads,
  store: log.store,
  clock: { ...testClock, now: () => present ?? testClock.now() },
  names: { users: nobody, tokens: nobody, notes: nobody },
  isComplete,
})

async function ask(url: string, caller = root): Promise<unknown> {
  const routes = [...statementRoutes(deps()), ...balanceRoutes(deps())]
  const reply = await askRoute(routes, url, caller)
  if (reply.success === false) throw new Error(reply.message)
  return reply.data
}
type Query = Readonly<Record<string, string | number>>
const statementOf = async (query: Query): Promise<StatementAnswer> => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  return statementAnswer.parse(await ask(`/api/ledger/statement?${search.toString()}`))
}

/** All pages of a statement as one. */
async function wholeStatement(query: Query, limit: number): Promise<StatementAnswer> {
  let page = await statementOf({ ...query, limit })
  const lines = [...page.lines]
  while (page.next !== null) {
    expect(page.lines).toHaveLength(limit)
    page = await statementOf({ ...query, limit, after: page.next })
    lines.push(...page.lines)
  }
  return { ...page, lines }
}

/** The sums of the events themselves, apart from postings, projector and sums. */
interface Told {
  readonly posted: number
  readonly held: number
  readonly credits: number
  readonly charges: number
  readonly refunds: number
  readonly deductions: number
}
async function toldByEvents(user: number, from: number, to: number): Promise<Told> {
  const { rows } = await log.pool.query<Told>(
    `with event as (
       select type, (replace(data, '\\u0000', '')::json->>'amount')::bigint as amount, (replace(data, '\\u0000', '')::json->>'fromHold')::bigint as from_hold,
         (replace(data, '\\u0000', '')::json->>'fromWallet')::bigint as from_wallet,
         max((replace(data, '\\u0000', '')::json->>'at')::bigint) over (order by revision) as effective
       from ledger.events where stream = 'account-' || $1
     ), sums as (
       select
         sum(amount) filter (where type in ('QuotaCredited', 'AffiliateQuotaTransferred')) as credits,
         sum(from_hold + from_wallet) filter (where type = 'UsageCharged') as charges,
         sum(amount) filter (where type = 'UsageRefunded') as refunds,
         sum(amount) filter (where type = 'QuotaDebited') as deductions,
         sum(amount) filter (where type in ('QuotaHeld', 'HoldExtended')) as placed,
         sum(amount) filter (where type in ('HoldReduced', 'HoldReleased', 'HoldExpired')) as returned,
         sum(from_hold) as drawn
       from event where effective >= $2 and effective < $3
     )
     select coalesce(credits, 0)::bigint as credits, coalesce(charges, 0)::bigint as charges,
       coalesce(refunds, 0)::bigint as refunds, coalesce(deductions, 0)::bigint as deductions,
       (coalesce(credits, 0) - coalesce(charges, 0) + coalesce(refunds, 0) - coalesce(deductions, 0))::bigint as posted,
       (coalesce(placed, 0) - coalesce(returned, 0) - coalesce(drawn, 0))::bigint as held
     from sums`,
    [user, from, to],
  )
  const [told] = rows
  if (told === undefined) throw new Error('no sums')
  return told
}

const instant = (): number => start - HOUR_MS + below(end - start + 2 * HOUR_MS)
const EVER = -1_000_000_000

test('given 200 random instants, when balances are asked for as of them, then SQL over the events agrees', async () => {
  let moving = 0
  for (let turn = 0; turn < 200; turn++) {
    const [user, at] = [1 + below(USERS), instant()]
    const told = await toldByEvents(user, EVER, at)
    const found = balanceAnswer.parse(await ask(`/api/ledger/balance?user_id=${user}&at=${at}`))
    expect([user, at, found]).toMatchObject([
      user,
      at,
      { posted: told.posted, held: told.held, available: told.posted - told.held, at },
    ])
    if (told.posted !== 0) moving += 1
  }
  expect(moving).toBeGreaterThan(100)
})

test('given an event dated before its predecessor, when asked as of its date, then it is not in yet', async () => {
  const { rows } = await log.pool.query<{
    user_id: number
    position: number
    at: number
    effective_at: number
  }>(
    `select user_id, position, at, effective_at from journal.postings where at < effective_at order by position limit 20`,
  )
  expect(rows).toHaveLength(20)
  for (const { user_id, position, effective_at } of rows) {
    const at = effective_at
    const before = balanceAnswer.parse(await ask(`/api/ledger/balance?user_id=${user_id}&at=${at}`))
    expect(before.position).toBeLessThan(position)
    const after = balanceAnswer.parse(
      await ask(`/api/ledger/balance?user_id=${user_id}&at=${at + 1}`),
    )
    expect(after.position).toBeGreaterThanOrEqual(position)
  }
})

test('given random positions, when balances are asked for as of them, then they are those after the event', async () => {
  const head = await log.store.headPosition()
  for (let turn = 0; turn < 60; turn++) {
    const [user, position] = [1 + below(USERS), below(head + 1)]
    const { rows } = await log.pool.query<{ posted: number; held: number }>(
      `select coalesce(sum(case type when 'QuotaCredited' then amount when 'AffiliateQuotaTransferred' then amount
           when 'UsageRefunded' then amount when 'QuotaDebited' then -amount
           when 'UsageCharged' then -(from_hold + from_wallet) else 0 end), 0)::bigint as posted
       from (select type, (replace(data, '\\u0000', '')::json->>'amount')::bigint as amount, (replace(data, '\\u0000', '')::json->>'fromHold')::bigint as from_hold,
               (replace(data, '\\u0000', '')::json->>'fromWallet')::bigint as from_wallet
             from ledger.events where stream = 'account-' || $1 and position <= $2) as event`,
      [user, position],
    )
    const url = `/api/ledger/balance?user_id=${user}&position=${position}`
    expect(balanceAnswer.parse(await ask(url))).toMatchObject({ ...rows[0], position, final: true })
  }
})

test('given random bounds, when the holds open then are asked for, then they sum to what was held', async () => {
  const head = await log.store.headPosition()
  let listed = 0
  for (let turn = 0; turn < 200; turn++) {
    const user = 1 + below(USERS)
    const asOf = turn % 2 === 0 ? `position=${below(head + 1)}` : `at=${instant()}`
    const url = `/api/ledger/balance?user_id=${user}&${asOf}&holds=true`
    const { held, holds = [] } = balanceAnswer.parse(await ask(url))
    expect([url, holds.reduce((sum, { remaining }) => sum + remaining, 0)]).toEqual([url, held])
    for (const hold of holds) {
      const opening = await log.store.newestAt(hold.position)
      expect(opening).toMatchObject({ stream: `account-${user}`, type: 'QuotaHeld' })
    }
    listed += holds.length
  }
  expect(listed).toBeGreaterThan(100)
})

test('given random periods, zones and groupings, when read by pages, then lines agree with the events', async () => {
  for (let turn = 0; turn < 63; turn++) {
    const user = 1 + below(USERS)
    const [from, to] = [instant(), instant()].toSorted((a, b) => a - b) as [number, number]
    const zone = ZONES[turn % ZONES.length] ?? 'UTC'
    const group = GROUPS[turn % GROUPS.length] ?? 'none'
    const query = { user_id: user, from, to: to + 1, zone, group }
    const statement = await wholeStatement(query, 5 + below(60))
    const told = await toldByEvents(user, from, to + 1)
    const opening = (await toldByEvents(user, EVER, from)).posted
    const { credits, charges, refunds, deductions } = told
    const about = JSON.stringify(query)
    expect([about, statement]).toMatchObject([
      about,
      { opening, credits, charges, refunds, deductions, closing: opening + told.posted },
    ])
    let balance = opening
    for (const line of statement.lines) {
      balance += line.credit - line.debit
      if (group !== 'token' && group !== 'model' && group !== 'source') {
        expect([about, line.balance]).toEqual([about, balance])
      }
    }
    expect([about, balance]).toEqual([about, statement.closing])
    const debits = statement.lines.reduce((sum, line) => sum + line.debit, 0)
    expect([about, debits]).toEqual([about, statement.debits])
  }
})

test('given a journal without sums by day, when statements are read, then they are the same', async () => {
  const read = () =>
    Promise.all(
      ZONES.flatMap((tz) =>
        ['month', 'day', 'model'].map((group) =>
          statementOf({
            user_id: 2,
            from: start + 12_345,
            to: end - 54_321,
            tz,
            group,
            limit: 500,
          }),
        ),
      ),
    )
  const expected = await read()
  await log.pool.query('alter table journal.source_days rename to source_days_to_come')
  try {
    expect(await read()).toEqual(expected)
  } finally {
    await log.pool.query('alter table journal.source_days_to_come rename to source_days')
  }
})

test('given lines by day and model, when one is opened, then its events are those and no others', async () => {
  const query = { user_id: 1, from: start, to: end + 1, zone: 'Asia/Kathmandu' }
  const { lines } = await wholeStatement(query, 50)
  const sums = lines.filter((line) => line.type === 'sum')
  expect(sums.length).toBeGreaterThan(20)
  expect(sums.some((line) => line.events > 1)).toBe(true)
  for (const line of sums.filter((_, index) => index % 4 === 0)) {
    const { from, to, kind, model, first_position, last_position } = line
    const inside = await wholeStatement(
      { ...query, group: 'none', from, to, source: kind, model, first_position, last_position },
      7,
    )
    expect(inside.lines).toHaveLength(line.events)
    expect(inside.lines.reduce((sum, one) => sum + one.debit, 0)).toBe(line.debit)
    expect(inside.lines.reduce((sum, one) => sum + one.credit, 0)).toBe(line.credit)
    expect(inside.lines.map((one) => one.type === 'event' && one.position)).toEqual(
      expect.arrayContaining([line.first_position, line.last_position]),
    )
    expect(to - from).toBeLessThanOrEqual(DAY_MS)
  }
})

test('given a term of the sum, when lines are filtered by it, then they add up to it', async () => {
  for (const group of GROUPS) {
    for (const term of TERMS) {
      const found = await wholeStatement({ user_id: 2, from: start, to: end + 1, group, term }, 30)
      const amount = found.lines.reduce((sum, line) => sum + line.credit + line.debit, 0)
      expect([group, term, amount]).toEqual([group, term, found[term]])
      for (const { kind } of found.lines) {
        if (kind !== '') expect([group, kind, TERM_OF[kind]]).toEqual([group, kind, term])
      }
    }
  }
})

test('given holds to be shown, when events are listed, then they stand between and change no balance', async () => {
  const query = { user_id: 1, from: start, to: end + 1, group: 'none' }
  const without = await wholeStatement(query, 100)
  const all = await wholeStatement({ ...query, holds: 'true' }, 100)
  const holds = all.lines.filter((line) => line.kind === 'hold')
  expect(holds.length).toBeGreaterThan(5)
  expect(all.lines).toHaveLength(without.lines.length + holds.length)
  for (const line of holds) expect(line).toMatchObject({ credit: 0, debit: 0 })
})

test('given a user, when they read their own statement, then it has neither channels nor actors', async () => {
  const caller: Caller = { ...root, userId: 3, role: 1 }
  const url = '/api/ledger/statement/self?group=none&limit=1000'
  const own = statementAnswer.parse(await ask(url, caller))
  expect(own.user_id).toBe(3)
  expect(own.lines.length).toBeGreaterThan(20)
  for (const line of own.lines) expect(line).toMatchObject({ channel: 0, actor: '' })
  const asAdmin = await statementOf({ user_id: 3, group: 'none', limit: 1000 })
  expect(asAdmin.lines.some((line) => line.type === 'event' && line.channel > 0)).toBe(true)
})

test('given all accounts, when asked as of an instant, then each that existed is as alone', async () => {
  for (const asOf of [`at=${instant()}`, `position=${below(2000)}`, 'position=0']) {
    const all = balancesAnswer.parse(await ask(`/api/ledger/balances?${asOf}&page_size=100`))
    const listed = new Map(all.items.map((item) => [item.user_id, item]))
    let [posted, existing] = [0n, 0]
    for (let userId = 1; userId <= USERS; userId += 1) {
      const alone = balanceAnswer.parse(await ask(`/api/ledger/balance?user_id=${userId}&${asOf}`))
      if (await hasPosting(userId, asOf)) {
        const { posted: own, held, affiliate } = alone
        expect(listed.get(userId)).toMatchObject({ posted: own, held, affiliate })
        existing += 1
      } else {
        expect(listed.has(userId)).toBe(false)
      }
      posted += BigInt(alone.posted)
    }
    expect([all.items.length, all.total]).toEqual([existing, existing])
    expect(all.totals.posted).toBe(String(posted))
  }
})

test('given a moment before the first posting, when asked for all accounts, then none is listed', async () => {
  const all = balancesAnswer.parse(await ask('/api/ledger/balances?at=1&page_size=100'))
  expect(all).toMatchObject({ items: [], total: 0, totals: { posted: '0' } })
})

async function hasPosting(userId: number, asOf: string): Promise<boolean> {
  const [name, bound] = asOf.split('=')
  const { rowCount } = await log.pool.query(
    `select from journal.postings where user_id = $1 and ${name === 'at' ? 'effective_at <' : 'position <='} $2 limit 1`,
    [userId, bound],
  )
  return rowCount === 1
}

test('given all accounts, when exported as of a position, then lines are as listed, with unit and bound', async () => {
  const position = String(below((await log.store.headPosition()) + 1))
  const listed = balancesAnswer.parse(
    await ask(`/api/ledger/balances?position=${position}&page_size=100`),
  )
  const lines: unknown[] = []
  const query = { position, page_size: '1' }
  for await (const rows of csvBatches(balanceRoutes(deps()), 'GET /api/ledger/balances', { query }))
    lines.push(...rows)
  const cells = { unit: 'QUOTA', as_of: '', complete_to: Number(position), final: true }
  expect(lines).toEqual(listed.items.map((item) => ({ ...item, ...cells })))
})

test('given balances as of now and of the last position, when asked for, then only the latter are final', async () => {
  const head = await log.store.headPosition()
  const finalOf = async (query: string) => [
    balanceAnswer.parse(await ask(`/api/ledger/balance?user_id=1${query}`)).final,
    balancesAnswer.parse(await ask(`/api/ledger/balances?p=1${query}`)).final,
  ]
  expect(await finalOf('')).toEqual([false, false])
  expect(await finalOf(`&position=${head}`)).toEqual([true, true])
  expect(await finalOf(`&position=${head + 1}`)).toEqual([false, false])
  expect((await statementOf({ user_id: 1 })).final).toBe(false)
})

test('given all accounts, when exported as of a time, then each line says the time and if it is final', async () => {
  const head = await log.store.headPosition()
  const cellsOf = async (query: Readonly<Record<string, string>>) => {
    const files = csvBatches(balanceRoutes(deps()), 'GET /api/ledger/balances', { query })
    const [line] = (await Array.fromAsync(files)).flat()
    return [line?.['unit'], line?.['as_of'], line?.['complete_to'], line?.['final']]
  }
  const at = start + 50 * HOUR_MS
  expect(await cellsOf({ at: String(at) })).toEqual([
    'QUOTA',
    new Date(at).toISOString(),
    head,
    true,
  ])
  expect(await cellsOf({})).toEqual(['QUOTA', '', head, false])
})

test('given an instant, when is it final, then only once the stream or the log has passed it', async () => {
  const { rows } = await log.pool.query<{ user_id: number; at: number }>(
    'select user_id, effective_at as at from journal.moments where effective_at < $1 order by user_id limit 1',
    [end - HOUR_MS],
  )
  const finalAt = async (user: number, at: number): Promise<boolean> =>
    balanceAnswer.parse(await ask(`/api/ledger/balance?user_id=${user}&at=${at}`)).final
  const [{ user_id: user, at } = { user_id: 0, at: 0 }] = rows
  expect(await finalAt(user, at)).toBe(true)
  expect(await finalAt(user, end - 600_000)).toBe(true)
  expect(await finalAt(user, end - 599_999)).toBe(false)
})

test('given a log that has ended, when the clock passes an instant, then it is final with a full journal', async () => {
  const url = `/api/ledger/balance?user_id=1&at=${end + HOUR_MS}`
  const isFinal = async (): Promise<boolean> => balanceAnswer.parse(await ask(url)).final
  expect(await isFinal()).toBe(false)
  const head = await log.store.headPosition()
  isComplete = async (position) => position >= head
  try {
    present = end + HOUR_MS + 599_999
    expect(await isFinal()).toBe(false)
    present += 1
    expect(await isFinal()).toBe(true)
  } finally {
    present = null
    isComplete = async () => false
  }
})

test.each([
  ['from=2026-10-01T00:00:00', /from/],
  ['to=2026-02-30T00:00:00Z', /to/],
  ['from=2026-10-01', /from/],
  ['from=2&to=1', /早于/],
  ['zone=Mars/Base', /Mars/],
  ['zone=%2B08:00', /时区/],
  ['group=week', /group/],
  ['after=x', /after/],
  ['group=model&after=1.2', /after/],
  ['first_position=1', /first_position/],
  ['group=day&last_position=1', /last_position/],
  ['group=none&last_position=x', /last_position/],
])('given the query %s, when a statement is asked for, then it is refused', async (query, why) => {
  await expect(ask(`/api/ledger/statement?user_id=1&${query}`)).rejects.toThrow(why)
})

test('given both an instant and a position, when a balance is asked for, then it is refused', async () => {
  await expect(ask('/api/ledger/balance?user_id=1&at=1&position=1')).rejects.toThrow(/position/)
  await expect(ask('/api/ledger/balance?user_id=1&position=x')).rejects.toThrow(/position/)
  await expect(ask('/api/ledger/balance')).rejects.toThrow(/user_id/)
})
