import { EventEmitter, once } from 'node:events'
import {
  type BareEvent,
  type DomainEvent,
  LOG_START,
  type Position,
} from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { EndOfRight, SharedWork, WorkShare } from '@tollgate/domain/ports/leases.ts'
import { shareWork } from '@tollgate/infra/leases/share-work.ts'
import { LeasesInMemory } from '@tollgate/tests/support/engines/leases-in-memory.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { trialBalanceAsOf } from '../statement/trial-balance.ts'
import { readModels } from '../read-models.ts'
import { countLogsBefore } from '../usage-log/queries.ts'
import { readCheckpoints } from './checkpoints.ts'
import { openFollower } from './follower.ts'
import { type AnyProjector, liveCopy, type Projector, schemaOf } from './projector.ts'
import { rebuild } from './rebuild.ts'
import { waitForCheckpoints } from './runner.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const names = readModels.map(({ name }) => name)

/** All rows of all tables of all read models, in an order of their own. */
async function contents(): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {}
  for (const name of names) {
    const { rows: tables } = await log.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'p')
         and not relispartition order by 1`,
      [schemaOf(name)],
    )
    for (const table of tables) {
      const full = `${schemaOf(name)}.${table.name}`
      const { rows } = await log.pool.query<{ row: string }>(
        `select to_json(t)::text as row from ${full} as t order by 1`,
      )
      found[full] = rows.map(({ row }) => row)
    }
  }
  return found
}

async function appendHistory(seed: number, steps: number): Promise<Position> {
  let position = -1
  for (const { stream, event } of randomHistory({ seed, steps }).events) {
    position = await log.append(stream, event)
  }
  return position
}

/** Counts the opened accounts; goes wrong where `poison` says so. */
const accountCounter = (
  name: string,
  poison: (event: BareEvent) => boolean = () => false,
): Projector<'AccountOpened'> => ({
  name,
  version: 1,
  streamPrefixes: ['account-'],
  eventTypes: ['AccountOpened'],
  tables: 'create table counter (accounts int not null); insert into counter values (0)',
  indexes: '',
  comparison:
    "select 'all' as key, jsonb_build_object('accounts', accounts) as figures from {counter}",
  async handle(batch, tx) {
    await tx.query('update {counter} set accounts = accounts + $1', [batch.length])
    if (batch.some(poison)) throw new RangeError('this account is poison')
  },
})

const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }
const accountsIn = async (schema: string): Promise<number | undefined> =>
  (await log.pool.query<{ accounts: number }>(`select accounts from ${schema}.counter`)).rows[0]
    ?.accounts

describe('read models', () => {
  test.each([1, 2, 3])(
    'given a random history (seed %i), when every read model is rebuilt, then all agree with the fold',
    async (seed) => {
      const history = randomHistory({ seed, steps: 400 })
      const runner = log.runner(readModels)
      await runner.start()
      let position = -1
      for (const { stream, event } of history.events) position = await log.append(stream, event)
      expect(await runner.waitFor(names, position, 20_000)).toBe(true)
      await runner.stop()
      const live = await contents()
      expect(live['usage_log.rows']?.length).toBeGreaterThan(20)

      for (const projector of readModels) {
        const { pool, store } = log
        await rebuild({ store, pool, projector, clock: testClock, logger: silentLogger })
      }
      expect(await contents()).toEqual(live)

      const { rows } = await log.pool.query<Record<string, unknown>>(
        `select user_id, posted, held, affiliate, used_quota, request_count from balances.accounts
         where user_id < 500 order by 1`,
      )
      expect(rows).toEqual(
        [...history.accounts].map(([user, state]) => ({
          user_id: user,
          posted: state.posted,
          held: state.held,
          affiliate: state.affiliate,
          used_quota: state.usedQuota,
          request_count: state.requestCount,
        })),
      )
      const { rows: sums } = await log.pool.query(
        `select a.user_id from balances.accounts as a join journal.balances as j using (user_id)
         where a.wallet <> j.wallet or a.held <> j.held or a.affiliate <> j.affiliate`,
      )
      expect(sums).toEqual([])
      const { rows: open } = await log.pool.query<{ hold: string; remaining: number }>(
        'select hold, remaining from balances.holds order by hold',
      )
      expect(open).toEqual(
        [...history.accounts.values()]
          .flatMap((state) =>
            [...state.holds].map(([hold, { remaining }]) => ({ hold, remaining })),
          )
          .sort((a, b) => (a.hold < b.hold ? -1 : 1)),
      )
      const total = (
        await trialBalanceAsOf(log.reads, { before: Number.MAX_SAFE_INTEGER }, 'by-kind')
      ).reduce((sum, { balance }) => sum + BigInt(balance), 0n)
      expect(total).toBe(0n)
    },
  )

  test('given cleared logs, when hours and rows are compared, then they count the same', async () => {
    await appendHistory(11, 400)
    const before = Date.UTC(2026, 10, 1, 4, 17)
    const counted = log.project(readModels).then(() => countLogsBefore(log.reads, before))
    expect(await counted).toBeGreaterThan(10)
    await log.append('settings', {
      type: 'LogsCleared',
      data: { at: before, before },
    } as DomainEvent)
    await log.project(readModels)

    expect(await countLogsBefore(log.reads, before)).toBe(0)
    const { rows } = await log.pool.query<{
      days: number
      sums: number
      rows: number
      dated: number
    }>(
      `select (select sum(count)::int from usage_log.days) as days,
              (select sum(count)::int from usage_log.sums where counted_by = 'all') as sums,
              (select count(*)::int from usage_log.rows) as rows,
              (select count(*)::int from usage_log.rows where created_at < $1) as dated`,
      [before / 1000],
    )
    expect(rows[0]?.rows).toBeGreaterThan(10)
    const left = rows[0]?.rows
    expect(rows[0]).toEqual({ days: left, sums: left, rows: left, dated: 0 })
  })
})

/** A right that the test gives and takes. */
function sharedByHand() {
  let work: SharedWork | undefined
  return {
    share: (shared: SharedWork): WorkShare => {
      work = shared
      return {
        heldSince: () => null,
        isCertain: () => false,
        held: () => [],
        members: () => 1,
        onChange: () => () => undefined,
        stop: async () => shared.end(shared.names[0] ?? '', 'stop'),
      }
    },
    begin: () => work?.begin(work.names[0] ?? ''),
    end: async (reason: EndOfRight) => work?.end(work.names[0] ?? '', reason),
  }
}

describe('the runner', () => {
  test('given a poison event, when it is met, then that projector stops at it and the others go on', async () => {
    const careful = accountCounter('careful', (event) => event.stream === 'account-3')
    const runner = log.runner([careful, accountCounter('plain')])
    for (let account = 1; account <= 5; account += 1) await log.append(`account-${account}`, opened)
    const head = await log.store.headPosition()
    await runner.start()

    expect(await runner.waitFor(['plain'], head, 10_000)).toBe(true)
    expect(await runner.waitFor(['careful'], head, 10_000)).toBe(false)
    expect(await accountsIn('plain')).toBe(5)
    expect(await accountsIn('careful')).toBe(2)
    const status = runner.status().projectors.find(({ name }) => name === 'careful')
    expect(status).toMatchObject({
      state: 'stopped',
      poison: {
        stream: 'account-3',
        revision: 0,
        type: 'AccountOpened',
        message: 'this account is poison',
      },
    })
    await runner.stop()
    const stored = (await readCheckpoints(log.pool)).find(({ name }) => name === 'careful')
    expect(stored?.failure).toContain('account-3')
    expect(stored?.position).toBeLessThan(status?.poison?.position ?? 0)
  })

  test('given a stopped projector, when a later version rebuilds it, then the running one follows again', async () => {
    const stopping = accountCounter('counter', (event) => event.stream === 'account-2')
    const runner = log.runner([stopping])
    await runner.start()
    await log.append('account-1', opened)
    const poisoned = await log.append('account-2', opened)
    expect(await runner.waitFor(['counter'], poisoned, 10_000)).toBe(false)

    const projector = accountCounter('counter')
    const { pool, store } = log
    await rebuild({ store, pool, projector, clock: testClock, logger: silentLogger })
    const last = await log.append('account-3', opened)
    expect(
      await waitForCheckpoints(pool, testClock, {
        names: ['counter'],
        position: last,
        timeoutMs: 10_000,
      }),
    ).toBe(true)
    expect(await accountsIn('counter')).toBe(3)
  })

  test.each<[at: string, moved: string]>([
    ['beyond the end of the log', 'position = 99, mark = null'],
    ['at another event', `mark = jsonb_set(mark, '{hash}', '"other"')`],
  ])(
    'given a checkpoint %s, when rebuilt before that is written down, then the new copy is followed',
    async (_, moved) => {
      const projector = accountCounter('counter')
      await log.append('account-1', opened)
      await log.project([projector])
      await log.pool.query(`update projections.checkpoints set ${moved}`)
      const { pool, store } = log
      let rebuilds = 0
      const judging: EventStore = {
        ...store,
        // Asked for when the checkpoint has been read and held against the log.
        async headPosition() {
          rebuilds += 1
          await rebuild({ store, pool, projector, clock: testClock, logger: silentLogger })
          return store.headPosition()
        },
      }
      const runner = log.runner([projector], judging)
      await runner.start()
      await until('it is followed', () =>
        runner.status().projectors.some(({ state }) => state === 'following'),
      )
      expect((await readCheckpoints(pool))[0]?.failure).toBeNull()
      const last = await log.append('account-2', opened)
      expect(await runner.waitFor(['counter'], last, 10_000)).toBe(true)
      expect(await accountsIn('counter')).toBe(2)
      expect(rebuilds).toBe(1)
    },
  )

  test('given a poison event, when it is rebuilt before that is written down, then the new copy is followed', async () => {
    const better = accountCounter('counter')
    const worse = accountCounter('counter', () => true)
    await log.project([worse])
    const { pool, store } = log
    const shared = { store, clock: testClock, logger: silentLogger }
    const head = await log.append('account-1', opened)
    let rebuilding: Promise<unknown> | null = null
    const writing = Object.assign(Object.create(pool) as typeof pool, {
      connect: () => pool.connect(),
      // The batch goes over a connection of its own: what comes here first is the reason.
      async query(sql: string, values: readonly unknown[] = []) {
        await (rebuilding ??= rebuild({ ...shared, pool, projector: better }))
        return pool.query(sql, [...values])
      },
    })
    const copy = liveCopy('counter')
    const [stored] = await readCheckpoints(pool)
    const position = stored?.position ?? LOG_START
    const onChange = (): void => undefined
    const place = { projector: worse, copy, position, onChange }
    const follower = openFollower({ ...shared, ...place, pool: writing })
    const events = await store.readAll(position, 'all', 10)
    await follower.deliver({ events, after: position, upTo: head }, new AbortController().signal)
    expect(follower.status().state).toBe('stopped')
    expect(await readCheckpoints(pool)).toMatchObject([{ position: head, failure: null }])
    expect(await follower.revive()).toBe(true)
    expect(follower.status()).toMatchObject({ state: 'following', position: head })
  })

  test('given several read models, when a small batch comes, then one transaction has all of it', async () => {
    const counters = ['first', 'second', 'third'].map((name) => accountCounter(name))
    const runner = log.runner(counters)
    await runner.start()
    // Rights come one by one: from the first event on all three are followed together.
    const names = ['first', 'second', 'third']
    const first = await log.append('account-1', opened)
    expect(await runner.waitFor(names, first, 10_000)).toBe(true)
    const last = await log.append('account-2', opened)
    expect(await runner.waitFor(names, last, 10_000)).toBe(true)
    const { rows } = await log.pool.query<{ transactions: number }>(
      `select count(distinct xmin::text)::int as transactions from (
         select xmin from projections.checkpoints
         union all select xmin from first.counter union all select xmin from second.counter
         union all select xmin from third.counter
       ) as written`,
    )
    expect(rows).toEqual([{ transactions: 1 }])
  })

  test('given a locked checkpoint, when events come, then the other read models do not wait for it', async () => {
    const runner = log.runner([accountCounter('held'), accountCounter('free')])
    await runner.start()
    const holder = await log.pool.connect()
    try {
      await holder.query(
        "begin; select 1 from projections.checkpoints where name = 'held' for update",
      )
      const last = await log.append('account-1', opened)
      expect(await runner.waitFor(['free'], last, 10_000)).toBe(true)
      expect(await accountsIn('held')).toBe(0)
      await holder.query('commit')
      expect(await runner.waitFor(['held'], last, 10_000)).toBe(true)
    } finally {
      holder.release(true)
    }
    expect([await accountsIn('held'), await accountsIn('free')]).toEqual([1, 1])
  })

  test('given a locked checkpoint, when a position is to be written down, then nothing waits for it', async () => {
    const projector = accountCounter('held')
    await log.project([projector])
    const copy = liveCopy('held')
    const [stored] = await readCheckpoints(log.pool)
    const follower = openFollower({
      projector,
      copy,
      store: log.store,
      pool: log.pool,
      clock: testClock,
      logger: silentLogger,
      position: stored?.position ?? -1,
      onChange: () => undefined,
    })
    const after = follower.status().position
    const to = after + 5
    await follower.deliver({ events: [], after, upTo: to }, new AbortController().signal)
    const holder = await log.pool.connect()
    try {
      await holder.query(
        "begin; select 1 from projections.checkpoints where name = 'held' for update",
      )
      expect(await follower.persist()).toBe('held')
    } finally {
      await holder.query('commit')
      holder.release()
    }
    expect(await follower.persist()).toBe('done')
    expect((await readCheckpoints(log.pool))[0]?.position).toBe(to)
  })

  test('given a crash between rows and checkpoint, when started again, then every event counts once', async () => {
    let crashes = 0
    const crashing: AnyProjector = {
      ...accountCounter('counter'),
      async handle(batch, tx) {
        await accountCounter('counter').handle(batch, tx)
        crashes += 1
        // The connection dies after the rows were written and before the checkpoint is.
        if (crashes === 1) await tx.query('select pg_terminate_backend(pg_backend_pid())')
      },
    }
    const runner = log.runner([crashing])
    for (let account = 1; account <= 4; account += 1) await log.append(`account-${account}`, opened)
    const head = await log.store.headPosition()
    await runner.start()
    expect(await runner.waitFor(['counter'], head, 10_000)).toBe(true)
    expect(crashes).toBeGreaterThan(1)
    expect(await accountsIn('counter')).toBe(4)
  })

  test('given a running follower, when its read model is rebuilt under writes, then nothing is lost', async () => {
    const projector = accountCounter('counter')
    const runner = log.runner([projector])
    await runner.start()
    const { pool, store } = log
    let account = 0
    const write = async (): Promise<void> => {
      for (let round = 0; round < 60; round += 1)
        await log.append(`account-${(account += 1)}`, opened)
    }
    await write()
    const rebuilding = rebuild({ store, pool, projector, clock: testClock, logger: silentLogger })
    await Promise.all([rebuilding, write()])
    const last = await log.append(`account-${(account += 1)}`, opened)
    expect(await runner.waitFor(['counter'], last, 10_000)).toBe(true)
    expect(await accountsIn('counter')).toBe(account)
  })

  test('given two runners that share by leases, when the first leaves, then each event counts once', async () => {
    const counters = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => accountCounter(name))
    const leases = new LeasesInMemory(() => testClock.monotonicMs())
    const member = (name: string) => (work: SharedWork) =>
      shareWork({ ...work, leases, member: name, clock: testClock, logger: silentLogger })
    const first = log.runner(counters, log.store, member('first'))
    const second = log.runner(counters, log.store, member('second'))
    await Promise.all([first.start(), second.start()])
    const fed = (): number => first.status().projectors.length + second.status().projectors.length
    await until('each read model is fed', () => fed() === counters.length)
    await until('the two share them', () =>
      [first, second].every((one) => one.status().projectors.length > 0),
    )
    const before = await log.append('account-1', opened)
    const all = counters.map(({ name }) => name)
    expect(await first.waitFor(all, before, 10_000)).toBe(true)
    expect(await second.waitFor(all, before, 10_000)).toBe(true)
    await first.stop()
    const after = await log.append('account-2', opened)
    expect(await second.waitFor(all, after, 10_000)).toBe(true)
    expect(second.status().projectors).toHaveLength(counters.length)
    for (const name of all) expect(await accountsIn(name)).toBe(2)
  })

  test('given a paused runner after its lease, when another took over, then each event counts once', async () => {
    const [paused, other] = [sharedByHand(), sharedByHand()]
    const counters = [accountCounter('counter')]
    const [first, second] = [paused, other].map(({ share }) =>
      log.runner(counters, log.store, share),
    )
    await Promise.all([first?.start(), second?.start()])
    paused.begin()
    const before = await log.append('account-1', opened)
    expect(await first?.waitFor(['counter'], before, 10_000)).toBe(true)
    other.begin()
    const both = await log.append('account-2', opened)
    expect(await first?.waitFor(['counter'], both, 10_000)).toBe(true)
    expect(await second?.waitFor(['counter'], both, 10_000)).toBe(true)
    await paused.end('lost')
    expect(first?.status()).toMatchObject({ state: 'standby', projectors: [] })
    const after = await log.append('account-3', opened)
    expect(await second?.waitFor(['counter'], after, 10_000)).toBe(true)
    expect(await accountsIn('counter')).toBe(3)
  })

  test('given events of an unknown type, when they are met, then they are counted and passed', async () => {
    const runner = log.runner([accountCounter('counter')])
    await runner.start()
    await log.append('account-1', opened, { type: 'SomethingNewer', data: { at: 1 } })
    const last = await log.append('account-2', opened)
    expect(await runner.waitFor(['counter'], last, 10_000)).toBe(true)
    expect(runner.status()).toMatchObject({ state: 'active', unknownEvents: { SomethingNewer: 1 } })
  })

  test('given a position that nobody has written, when it is waited for, then the wait ends with false', async () => {
    const runner = log.runner([accountCounter('counter')])
    await runner.start()
    expect(await runner.waitFor(['counter'], 999, 50)).toBe(false)
    expect(await runner.waitFor(['no-such-model'], -1, 50)).toBe(false)
  })

  test('given an event store that fails for a while, when it is back, then following goes on', async () => {
    const failing = new EventEmitter()
    let failures = 0
    const flaky: EventStore = {
      ...log.store,
      async *subscribeAll(after, filter, signal) {
        failures += 1
        if (failures === 1) {
          failing.emit('failed')
          throw new Error('the store went away')
        }
        yield* log.store.subscribeAll(after, filter, signal)
      },
    }
    const failed = once(failing, 'failed')
    const runner = log.runner([accountCounter('counter')], flaky)
    await runner.start()
    await failed
    const last = await log.append('account-1', opened)
    expect(
      await waitForCheckpoints(log.pool, testClock, {
        names: ['counter'],
        position: last,
        timeoutMs: 10_000,
      }),
    ).toBe(true)
  })
})
