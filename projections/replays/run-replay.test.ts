import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { charge } from '@tollgate/domain/pricing/charge.ts'
import { findPrice, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { chargeAt } from '@tollgate/tests/support/histories/charge-history.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ReplayDefinition } from './definition.ts'
import { expectedPositions } from './landmarks.ts'
import { exportData, readData, type ReplayItem } from './queries.ts'
import { addReplay, cancelReplay, claimReplay, findReplay, rerunReplay } from './replay-table.ts'
import { type ReplayEnd, type ReplayPace, rowsMost, runReplay } from './run-replay.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const RUNNER = '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70'
const ID = '6f0c5a3e-0b9d-4a57-9d1e-2f6f3f1c8a71'
const FROM = Date.UTC(2026, 9, 31)
const ALL: ReplayDefinition = {
  from: 0,
  to: Date.UTC(2030, 0),
  filters: {},
  prices: 'as-charged',
  bucket: 'day',
  zone: 'UTC',
  by: ['model', 'user+model'],
}

interface Run {
  readonly store?: EventStore
  readonly rowsMax?: number
  readonly signal?: AbortSignal
  readonly pageEvents?: number
  readonly clock?: typeof testClock
  readonly landmarkEvery?: number
  readonly pace?: ReplayPace
}

async function claimAndRun(run: Run = {}): Promise<ReplayEnd> {
  const claimed = await claimReplay(log.pool, RUNNER, 1)
  if (claimed === null) throw new Error('nothing to claim')
  const signal = run.signal ?? new AbortController().signal
  return runReplay(claimed, {
    store: log.store,
    pool: log.pool,
    clock: testClock,
    runner: RUNNER,
    ...run,
    signal,
  })
}

async function add(definition: ReplayDefinition, id = ID): Promise<string> {
  const limits = { kept: 5, active: 5 }
  await addReplay(log.pool, { id, owner: 1, name: 'test', definition, at: 1 }, limits)
  return id
}

async function replay(definition: ReplayDefinition, id = ID): Promise<string> {
  await add(definition, id)
  expect(await claimAndRun()).toBe('done')
  return id
}

const data = async (table: string, isSummed = false, id = ID): Promise<readonly ReplayItem[]> =>
  (await readData(log.reads, { replay: id, table, isSummed, limit: 1_000, offset: 0 })).items

async function appendHistory(steps = 400): Promise<void> {
  const history = randomHistory({ seed: 3, steps })
  for (const { stream, event } of history.events) await log.append(stream, event)
}

const CHARGED = `with charged as (
    select substring(stream from 9) as "user", replace(data, '\\u0000', '')::jsonb as data from ledger.events where type = 'UsageCharged')
  select (floor((data->>'at')::bigint / 86400000) * 86400000)::bigint as bucket, "user" as key,
    data->'request'->>'group' as key2, count(*)::int as requests, sum((data->>'amount')::bigint)::bigint as quota
  from charged group by 1, 2, 3 order by 1, 2, 3`

test('given a history, when replayed as charged, then its sums are those of SQL over the events', async () => {
  await appendHistory()
  await replay({ ...ALL, by: ['user+group'] })
  const { rows } = await log.pool.query(CHARGED)
  expect(rows.length).toBeGreaterThan(2)
  const items = (await data('user+group')).filter(({ requests }) => requests > 0)
  expect(
    items.map(({ bucket, key, key2, requests, quota }) => ({ bucket, key, key2, requests, quota })),
  ).toEqual(rows)
  expect(items.every(({ quota, repriced }) => quota === repriced)).toBe(true)
  const failed = `select sum(1 + substring(data from '"suppressed":([0-9]+)')::int)::int as failures from ledger.events
    where type = 'RequestFailed'`
  const [total] = await data('total', true)
  expect((await log.pool.query(failed)).rows).toEqual([{ failures: total?.failures }])
})

const OLD = priceBookFrom(optionsFrom([]), -1)
const DRAFT = { ModelRatio: '{"gpt-4o": 3.3, "o3-mini": 0.7}', GroupRatio: '{"vip": 0.5}' }

async function appendCharges(): Promise<readonly UsageCharged[]> {
  const usage = { ...NO_USAGE, textIn: 812, textOut: 96, cachedIn: 40 }
  const charges = [
    chargeAt(FROM + 1, 'a', OLD, { model: 'gpt-4o', usage }),
    chargeAt(FROM + 2, 'b', OLD, { model: 'gpt-4o', usage: { ...usage, textIn: 1 }, group: 'vip' }),
    chargeAt(FROM + 3, 'c', OLD, { model: 'o3-mini', usage: { ...NO_USAGE, textIn: 1 } }),
    chargeAt(FROM + 4, 'd', OLD, { model: 'claude-3-opus-20240229', usage }),
    chargeAt(FROM + 5, 'e', OLD, { model: 'o3-mini' }),
  ]
  await log.append('account-1', ...charges)
  return charges
}

test('given other prices today, when replayed at them, then each charge costs what hand pricing gives', async () => {
  const charges = await appendCharges()
  for (const [key, value] of Object.entries(DRAFT)) {
    const change = { at: FROM + 9, key, value, previous: null, note: null }
    await log.append('settings', { type: 'OptionChanged', data: change })
  }
  const book = priceBookFrom(optionsFrom(Object.entries(DRAFT)), 0)
  const byHand = new Map<string, number>()
  for (const { data: one } of charges) {
    const { model, group, usage } = one.request
    const found = findPrice(book, { model, group, acceptsUnsetRatio: false })
    const amount = found.status === 'priced' ? charge(found.price, usage).amount : one.amount
    byHand.set(model, (byHand.get(model) ?? 0) + amount)
  }
  await replay({ ...ALL, prices: 'today' })
  const items = await data('model', true)
  expect(new Map(items.map(({ key, repriced }) => [key, repriced]))).toEqual(byHand)
  expect(items.find(({ key }) => key === 'gpt-4o')?.repriced).not.toBe(
    items.find(({ key }) => key === 'gpt-4o')?.quota,
  )
  // The draft's table has no ratio for it: it stands as it was charged, and says so.
  const gone = items.find(({ key }) => key.startsWith('claude'))
  expect(gone).toMatchObject({ unpriced: 1, repriced: gone?.quota })
  expect((await findReplay(log.pool, ID))?.bookRevision).toBe(6)
})

test('given a draft, when replayed at it, then rounding is told apart from prices', async () => {
  await appendCharges()
  await replay({ ...ALL, prices: { options: DRAFT } })
  const [total] = await data('total', true)
  if (total === undefined) throw new Error('no total')
  // o3-mini: one token at 0.55 and 0.7 is charged as 1 both times.
  const small = (await data('model', true)).find(({ key }) => key === 'o3-mini')
  expect(small).toMatchObject({ quota: 1, repriced: 1, exact: '0.55', exactRepriced: '0.7' })
  expect(Math.abs(total.quota - Number(total.exact))).toBeLessThan(4)
  expect(Math.abs(total.repriced - Number(total.exactRepriced))).toBeLessThan(4)

  // Written after each event: sums of decimals in PostgreSQL keep zeros at their end.
  await add({ ...ALL, prices: { options: DRAFT } }, ID.replace('6', '7'))
  let now = 0
  const clock = { ...testClock, monotonicMs: () => (now += 3_000) }
  expect(await claimAndRun({ clock, pageEvents: 1 })).toBe('done')
  expect(await data('total', true, ID.replace('6', '7'))).toEqual([total])
})

test('given prices that changed since, when replayed at an older revision, then all costs what it did', async () => {
  const charges = await appendCharges()
  const change = {
    at: FROM + 9,
    key: 'ModelRatio',
    value: DRAFT.ModelRatio,
    previous: null,
    note: null,
  }
  await log.append('settings', { type: 'OptionChanged', data: change })
  await replay({ ...ALL, prices: 0 })
  const sum = charges.reduce((all, { data: { amount } }) => all + amount, 0)
  expect(await data('total', true)).toMatchObject([
    { quota: sum, repriced: sum, unpriced: 0, exact: (await data('total'))[0]?.exactRepriced },
  ])
})

test('given prices that are only planned, when replayed at their revision, then it is as at such a draft', async () => {
  await appendCharges()
  const changes = Object.entries(DRAFT).map(([key, value]) => ({ key, value, previous: null }))
  const revised = { at: FROM + 9, number: 1, effectiveAt: FROM + 10_000, changes, note: null }
  const revision = await log.append('settings', { type: 'PriceBookRevised', data: revised })
  await replay({ ...ALL, prices: revision })
  const [planned] = await data('total', true)
  const drafted = await replay({ ...ALL, prices: { options: DRAFT } }, crypto.randomUUID())
  expect(await data('total', true, drafted)).toEqual([planned])
  expect(planned?.repriced).not.toBe(planned?.quota)
})

test('given filters, when replayed, then only what they let through counts', async () => {
  await appendCharges()
  await replay({ ...ALL, filters: { groups: ['vip'], late: false, stream: false } })
  expect(await data('total', true)).toMatchObject([{ requests: 1 }])
  await replay({ ...ALL, filters: { users: [2] } }, RUNNER)
  expect(await data('total', true, RUNNER)).toEqual([])
  await replay({ ...ALL, to: FROM + 3, from: FROM + 2 }, ID.replace('6', '7'))
  expect(await data('total', true, ID.replace('6', '7'))).toMatchObject([{ requests: 1 }])
})

test('given endpoints, when replayed, then charges of these count, and no failures', async () => {
  await appendCharges()
  const endpoint = '/v1/messages'
  await log.append('account-1', chargeAt(FROM, 'message', OLD, { model: 'gpt-4o', endpoint }))
  await replay({ ...ALL, filters: { endpoints: [endpoint] } })
  expect(await data('total', true)).toMatchObject([{ requests: 1, failures: 0 }])
})

test('given positions, when replayed at today’s prices, then events from the first to the last count', async () => {
  await appendHistory(600)
  const head = await log.store.headPosition()
  const [first, last] = [Math.floor(head * 0.3), Math.floor(head * 0.7)]
  const { rows } = await log.pool.query<{ requests: number; quota: number }>(
    `select count(*)::int as requests, sum((replace(data, '\\u0000', '')::jsonb->>'amount')::bigint)::bigint as quota
     from ledger.events where type = 'UsageCharged' and position between $1 and $2`,
    [first, last],
  )
  await add({ ...ALL, prices: 'today', positions: { first, last } })
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  const found = await data('total', true)
  expect(found.map(({ requests, quota }) => ({ requests, quota }))).toEqual(rows)
  const ended = await findReplay(log.pool, ID)
  expect([ended?.logStart, ended?.position, ended?.logEnd]).toEqual([first - 1, last, head])
  expect(ended?.positionsRead).toBe(last - first + 1)
  expect(await expectedPositions(log.pool, { ...ALL, positions: { first, last } }, head)).toBe(
    last - first + 1,
  )

  // The landmarks of a whole replay are right beside those that a part left.
  await replay({ ...ALL, by: [] }, RUNNER)
  const whole = await data('total', true, RUNNER)
  await add({ ...ALL, by: [], positions: { first: 0 } }, ID.replace('6', '7'))
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  expect(await data('total', true, ID.replace('6', '7'))).toEqual(whole)
  await add({ ...ALL, positions: { first: head + 1 } }, ID.replace('6', '8'))
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  expect(await data('total', true, ID.replace('6', '8'))).toEqual([])
})

test('given the same definition, when run twice and once in pieces, then the numbers are the same', async () => {
  await appendHistory(1_200)
  await replay({ ...ALL, by: ['channel', 'token'] })
  const tables = ['total', 'channel', 'token']
  const first = await Promise.all(tables.map((table) => data(table)))
  expect(await rerunReplay(log.pool, ID, 1)).toBe('queued')
  expect(await data('total')).toEqual([])
  const ending = new AbortController()
  let now = 0
  const clock = { ...testClock, monotonicMs: () => (now += 3_000) }
  const halfway = { clock, pageEvents: 50, store: endingAtPage(3, ending), signal: ending.signal }
  expect(await claimAndRun(halfway)).toBe('stopped')
  expect((await findReplay(log.pool, ID))?.position).toBeGreaterThan(50)
  await log.pool.query(`update replays.replays set noted_at = now() - interval '1 minute'`)
  expect(await claimAndRun()).toBe('done')
  expect(await Promise.all(tables.map((table) => data(table)))).toEqual(first)
  const exported: ReplayItem[] = []
  for await (const batch of exportData(log.reads, ID, 'channel')) exported.push(...batch)
  expect(exported).toEqual(first[1])
})

test('given others who want the processors at times, when replayed, then it rests and counts the same', async () => {
  await appendHistory(1_200)
  await replay(ALL)
  const limits: number[] = []
  const store = storeThatTells((_, limit) => void limits.push(limit))
  let rests = 0
  const pace: ReplayPace = {
    isShared: () => limits.length % 3 !== 0,
    async rest() {
      rests += 1
    },
  }
  const id = await add(ALL, crypto.randomUUID())
  expect(await claimAndRun({ store, pace, pageEvents: 300 })).toBe('done')
  expect(limits.length).toBeGreaterThan(4)
  expect(new Set(limits)).toEqual(new Set([SHARED_PAGE, 300]))
  expect(rests).toBeGreaterThan(2)
  expect(await data('user+model', false, id)).toEqual(await data('user+model'))
})

/** Events of a page while others want the processors, where a whole page has 300. */
const SHARED_PAGE = 30

test('given an engine without columns, when replayed at a draft, then the numbers are the same', async () => {
  await appendHistory(600)
  const definition = { ...ALL, prices: { options: DRAFT }, by: ['user+group', 'channel'] } as const
  await replay(definition)
  const ofObjects: EventStore = { ...log.store }
  delete ofObjects.readColumns
  const ofWholeEvents = { ...ofObjects }
  delete ofWholeEvents.readBare
  for (const store of [ofObjects, ofWholeEvents]) {
    const id = await add(definition, crypto.randomUUID())
    expect(await claimAndRun({ store, pageEvents: 70 })).toBe('done')
    for (const table of ['total', ...definition.by]) {
      expect(await data(table, false, id)).toEqual(await data(table))
    }
  }
})

function readColumnsOf(store: EventStore, ...args: Parameters<ReadColumns>) {
  if (store.readColumns === undefined) throw new Error('the store reads no columns')
  return store.readColumns(...args)
}
type ReadColumns = NonNullable<EventStore['readColumns']>

/** Reads as the store does, and ends the run at a page. */
function endingAtPage(last: number, ending: AbortController): EventStore {
  let pages = 0
  return storeThatTells(() => {
    pages += 1
    if (pages === last) ending.abort()
  })
}

/** The log's store, which tells of each page before it is read. */
const storeThatTells = (tell: (after: number, limit: number) => void): EventStore => ({
  ...log.store,
  readColumns(after, filter, limit) {
    tell(after, limit)
    return readColumnsOf(log.store, after, filter, limit)
  },
})

test('given a replay cancelled while it runs, when it writes next, then nothing more is written', async () => {
  await appendCharges()
  await add(ALL)
  const store = {
    ...log.store,
    headPosition: async () => {
      expect(await cancelReplay(log.pool, ID, 5)).toBe(true)
      return log.store.headPosition()
    },
  }
  expect(await claimAndRun({ store })).toBe('lost')
  expect(await findReplay(log.pool, ID)).toMatchObject({ status: 'cancelled', endedAt: 5 })
  expect(await data('total')).toEqual([])
})

test('given more rows than a replay may have, when it is run, then it stops and says what to do', async () => {
  await appendCharges()
  await add(ALL)
  expect(await claimAndRun({ rowsMax: 3 })).toBe('failed')
  const failed = await findReplay(log.pool, ID)
  expect(failed?.problem).toContain('more than 3 rows')
  expect(failed?.problemCode).toBe('too-many-rows')
})

test('given the usage of one user, when replayed, then it may have a tenth of the rows of all', () => {
  expect(rowsMost({ users: [7] })).toBe(rowsMost({}) / 10)
})

test('given as many replays as somebody may keep, when one more is asked for, then it is refused', async () => {
  const ask = (owner: number) =>
    addReplay(
      log.pool,
      { id: crypto.randomUUID(), owner, name: 'n', definition: ALL, at: 1 },
      { kept: 2, active: 1 },
    )
  expect(await ask(1)).toMatchObject({ status: 'queued' })
  expect(await ask(1)).toBe('too-many-active')
  expect(await ask(2)).toMatchObject({ owner: 2 })
  await log.pool.query(`update replays.replays set status = 'done'`)
  await ask(1)
  expect(await ask(1)).toBe('too-many-kept')
})

test('given ten replays asked for at once, when they are noted, then no more wait than may', async () => {
  const limits = { kept: 5, active: 3 }
  const asked = await Promise.all(
    Array.from({ length: 10 }, () =>
      addReplay(
        log.pool,
        { id: crypto.randomUUID(), owner: 1, name: 'n', definition: ALL, at: 1 },
        limits,
      ),
    ),
  )
  expect(asked.filter((one) => typeof one === 'object')).toHaveLength(3)
})

test('given ended replays, when all are run again, then no more wait than may', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => add(ALL, crypto.randomUUID())))
  expect(await rerunReplay(log.pool, ids[0] ?? '', 3)).toBe('not-ended')
  await log.pool.query(`update replays.replays set status = 'done'`)
  const again = await Promise.all(ids.map((id) => rerunReplay(log.pool, id, 2)))
  expect(again.toSorted()).toEqual(['queued', 'queued', 'too-many-active'])
})

test('given an owner whose replays run one after another, when another asks, then theirs is next', async () => {
  await add(ALL, crypto.randomUUID())
  await add(ALL, crypto.randomUUID())
  const other = { id: ID, owner: 2, name: 'n', definition: ALL, at: 2 }
  await addReplay(log.pool, other, { kept: 5, active: 5 })
  expect(await claimReplay(log.pool, RUNNER, 3)).toMatchObject({ owner: 1 })
  expect(await claimReplay(log.pool, RUNNER, 4)).toMatchObject({ id: ID })
  expect(await claimReplay(log.pool, RUNNER, 5)).toMatchObject({ owner: 1 })
})

const LANDMARKS = { landmarkEvery: 20, pageEvents: 10 } as const

test('given a replay that has passed a time, when a later one is replayed, then it begins behind it', async () => {
  await appendHistory(600)
  const { rows } = await log.pool.query<{ at: number }>(
    `select (replace(data, '\\u0000', '')::jsonb->>'at')::bigint as at from ledger.events
     where type = 'UsageCharged' order by at`,
  )
  const from = rows[Math.floor(rows.length * 0.7)]?.at ?? 0
  const sum = `select count(*)::int as requests, sum((data->>'amount')::bigint)::bigint as quota from (
      select replace(data, '\\u0000', '')::jsonb as data from ledger.events where type = 'UsageCharged') as charged
    where (data->>'at')::bigint >= $1`
  await add(ALL)
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  // A clock that was put back since: this one lies before what is behind it in the log.
  await log.append('account-1', chargeAt(from + 1, 'stepped', OLD, { model: 'gpt-4o' }))
  await add({ ...ALL, from }, RUNNER)
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  const wanted = (await log.pool.query(sum, [from])).rows
  const ended = await findReplay(log.pool, RUNNER)
  expect(ended?.logStart).toBeGreaterThan(20)
  expect(ended?.positionsRead).toBe((ended?.logEnd ?? 0) - (ended?.logStart ?? 0))
  const found = await data('total', true, RUNNER)
  expect(found.map(({ requests, quota }) => ({ requests, quota }))).toEqual(wanted)

  await log.pool.query('update replays.landmarks set event_id = gen_random_uuid()')
  expect(await rerunReplay(log.pool, RUNNER, 5)).toBe('queued')
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  expect((await findReplay(log.pool, RUNNER))?.logStart).toBe(-1)
  expect(await data('total', true, RUNNER)).toEqual(found)
})

test('given a log read to its end, when an earlier time is replayed, then later charges are not read', async () => {
  await appendHistory(600)
  await add(ALL)
  expect(await claimAndRun(LANDMARKS)).toBe('done')
  const { rows } = await log.pool.query<{ at: number }>(
    `select (replace(data, '\\u0000', '')::jsonb->>'at')::bigint as at from ledger.events
     where type = 'UsageCharged' order by at`,
  )
  const to = rows[Math.floor(rows.length * 0.3)]?.at ?? 0
  // A clock that was put back since: this one is dated before what stands before it in the log.
  await log.append('account-1', chargeAt(to - 1, 'stepped', OLD, { model: 'gpt-4o' }))
  const read: number[] = []
  const store = storeThatTells((after) => void read.push(after))
  await add({ ...ALL, to }, RUNNER)
  const head = await log.store.headPosition()
  const expected = await expectedPositions(log.pool, { ...ALL, to }, head)
  expect(await claimAndRun({ ...LANDMARKS, store })).toBe('done')
  expect(read.length * LANDMARKS.pageEvents).toBeLessThan(head * 0.7)
  expect(read.at(-1)).toBeGreaterThan(head - LANDMARKS.landmarkEvery - LANDMARKS.pageEvents * 2)
  const ended = await findReplay(log.pool, RUNNER)
  expect(ended?.positionsRead).toBe(ended?.positionsToRead)
  expect(ended?.positionsRead).toBeLessThan(head * 0.7)
  // A page may reach into a stretch before the rest of it is skipped.
  expect(ended?.positionsRead).toBeGreaterThanOrEqual(expected)
  expect(ended?.positionsRead).toBeLessThan(expected + head * 0.2)
  const sum = `select count(*)::int as requests, sum((data->>'amount')::bigint)::bigint as quota from (
      select replace(data, '\\u0000', '')::jsonb as data from ledger.events where type = 'UsageCharged') as charged
    where (data->>'at')::bigint < $1`
  const found = await data('total', true, RUNNER)
  expect(found.map(({ requests, quota }) => ({ requests, quota }))).toEqual(
    (await log.pool.query(sum, [to])).rows,
  )
})
