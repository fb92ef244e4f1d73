import { exampleLogView, exampleTimelines } from '../support/example-timelines.ts'
import { randomUUID } from 'node:crypto'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownPartitions } from '@tollgate/command-api/accounts/partition-ownership.ts'
import { sweepOpenHolds } from '@tollgate/command-api/holds/partition-sweep.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '../support/example-usage.ts'
import { PARTITIONS, partitionOf } from '@tollgate/domain/account/partition.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { relayId, type UserId, userId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type EventStore, RevisionConflict } from '@tollgate/domain/ports/event-store.ts'
import { type Leases, LeasesUnavailable } from '@tollgate/domain/ports/leases.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { shareWork } from '@tollgate/infra/leases/share-work.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../support/engines/database.ts'
import { LeasesInMemory } from '../support/engines/leases-in-memory.ts'
import { LocalBus } from '../support/engines/local-bus.ts'
import { until } from '../support/processes.ts'
import { memorySpool } from '../support/memory-spool.ts'

/** Several owners of accounts and two relays over one real log, while partitions go from one owner to another. */

const randomness = { uuid: () => randomUUID(), fraction: () => Math.random() }
const logger = { info() {}, warn() {}, error() {} }
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const ACCOUNTS = 24
const BALANCE = 1_000_000

/** Time runs this much faster here: a hold's silence of 30 s is 5 s. */
const SPEED = 6
const fast: Clock = {
  now: () => Date.now() * SPEED,
  monotonicMs: () => performance.now() * SPEED,
  sleep: (ms, signal) => systemClock.sleep(ms / SPEED, signal),
}

let database: TestDatabase
let store: EventStore
/** How often one owner found that another had written before it. */
let conflicts = 0
let nextAccount = 1

beforeAll(async () => {
  database = await createMigratedDatabase()
  const log = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger,
    clock: systemClock,
  })
  store = {
    append: (...append) =>
      log.append(...append).catch((error: unknown) => {
        if (error instanceof RevisionConflict) conflicts += 1
        throw error
      }),
    readStream: (...read) => log.readStream(...read),
    readAll: (...read) => log.readAll(...read),
    subscribeAll: (...follow) => log.subscribeAll(...follow),
    headPosition: () => log.headPosition(),
    newestAt: (position) => log.newestAt(position),
    hasGaplessPositions: log.hasGaplessPositions,
    describe: () => log.describe(),
    close: () => log.close(),
  }
})
/** Ends what a test left running, also when it failed. */
const endings: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(endings.splice(0).map((end) => end())))
afterAll(async () => {
  await store.close()
  await database.drop()
})

async function runtime() {
  const bus = new LocalBus()
  const leases = new LeasesInMemory(() => fast.monotonicMs())
  const over = new AbortController()
  const sweeping: Promise<void>[] = []
  const accounts = Array.from({ length: ACCOUNTS }, () => userId(nextAccount++))

  /** One process that owns accounts. */
  function ownerProcess(member: string) {
    let isCut = false
    const ledger = new AccountLedger({
      timelines: exampleTimelines,
      store,
      clock: fast,
      randomness,
    })
    const partitions = ownPartitions(ledger)
    const relays = new LocalRelays(fast)
    const holdService = new HoldService({ ledger, clock: fast, relays, ownership: partitions })
    const transport = bus.transportOf(holdService, fast.monotonicMs())
    const ownLeases: Leases = {
      renew: (round) =>
        isCut ? Promise.reject(new LeasesUnavailable('cut off')) : leases.renew(round),
      leave: (group, member) => leases.leave(group, member),
      stepBack: (group, member) =>
        isCut ? Promise.reject(new LeasesUnavailable('cut off')) : leases.stepBack(group, member),
    }
    partitions.start(
      (work) => shareWork({ ...work, leases: ownLeases, member, clock: fast, logger }),
      transport,
    )
    const openHolds = async ({ partitions }: { readonly partitions: readonly number[] }) => {
      const owned = accounts.filter((account) => partitions.includes(partitionOf(account)))
      const open = owned.map((account) => ledger.inspect(account, ({ holds }) => [...holds.keys()]))
      return (await Promise.all(open)).flat()
    }
    async function sweep(): Promise<void> {
      while (!over.signal.aborted) {
        await sweepOpenHolds(() => partitions.owned(), holdService, openHolds, Infinity)
        await holdService.expireSilentHolds()
        await fast.sleep(5_000, over.signal)
      }
    }
    sweeping.push(sweep())
    endings.push(() => partitions.stop())
    return {
      ledger,
      owned: () => partitions.owned().length,
      stop: () => partitions.stop(),
      cutOffLeases: (isCutOff: boolean) => (isCut = isCutOff),
      /** From now on it renews nothing, and nobody hears of what it still does. */
      kill() {
        isCut = true
        transport.cut()
      },
    }
  }

  async function open(ledger: AccountLedger): Promise<void> {
    const credit = { type: 'CreditQuota', source: 'grant', reason: '' } as const
    await Promise.all(
      accounts.flatMap((account) => [
        ledger.execute(account, { type: 'OpenAccount' }, cause),
        ledger.execute(account, { ...credit, amount: quota(BALANCE) }, cause),
      ]),
    )
  }

  const keepers = [1, 2].map(() => {
    const keeper = new HoldKeeper({
      log: exampleLogView,
      relay: relayId(randomUUID()),
      owner: bus.owner,
      journal: bus,
      spool: memorySpool(),
      clock: fast,
      randomness,
      onFault(error, what) {
        throw new Error(`a fault while ${what}`, { cause: error })
      },
    })
    keeper.start()
    return keeper
  })

  /** The charge of each request that was served, by its id. */
  const served = new Map<string, number>()
  const load = new AbortController()
  const clients = accounts.map((account, i) => client(account, i))
  async function client(account: UserId, number: number): Promise<void> {
    const keeper = keepers[number % keepers.length]
    if (keeper === undefined) return
    for (let request = 0; !load.signal.aborted; request++) {
      const drawn = await keeper.draw(account, null, quota(20))
      if (drawn.status !== 'drawn') {
        await systemClock.sleep(20)
        continue
      }
      const id = `${account}-${request}`
      const amount = 1 + (request % 20)
      await systemClock.sleep(5)
      await drawn.reservation.settle(quota(amount), exampleUsage(id))
      served.set(id, amount)
    }
  }

  endings.push(async () => {
    load.abort()
    over.abort()
    await Promise.all([...clients, ...sweeping, ...keepers.map((keeper) => keeper.stop(0))])
  })

  /** Ends the load, waits until all is quiet, and looks at every event. */
  async function expectEachChargedOnce(): Promise<void> {
    load.abort()
    await Promise.all(clients)
    await Promise.all(keepers.map((keeper) => keeper.stop(20_000)))
    await until('all charges are taken in', () => bus.isEmpty(), 20_000)
    const fresh = new AccountLedger({ timelines: exampleTimelines, store, clock: fast, randomness })
    function openHolds(): Promise<readonly number[]> {
      fresh.invalidate(() => true)
      return Promise.all(
        accounts.map((account) => fresh.inspect(account, ({ holds }) => holds.size)),
      )
    }
    await until('all holds have ended', async () => !(await openHolds()).some(Boolean), 30_000)
    over.abort()
    await Promise.all(sweeping)
    const charged = new Map<string, number>()
    let chargedTwice = 0
    for (const account of accounts) {
      let sum = 0
      for (const { type, data } of await eventsOf(account)) {
        if (type !== 'UsageCharged') continue
        if (charged.has(data.request.id)) chargedTwice += 1
        charged.set(data.request.id, data.amount)
        sum += data.amount
      }
      const { posted, held } = await fresh.inspect(account, ({ posted, held }) => ({
        posted,
        held,
      }))
      expect({ posted, held }).toEqual({ posted: BALANCE - sum, held: 0 })
    }
    expect(chargedTwice).toBe(0)
    expect(charged).toEqual(served)
  }

  /** More requests are served and charged from here on. */
  async function goesOn(): Promise<void> {
    const before = { served: served.size, taken: bus.taken() }
    const isMore = () => served.size > before.served + 200 && bus.taken() > before.taken + 400
    await until('requests are served and charged', isMore, 20_000)
  }
  return { ownerProcess, open, goesOn, expectEachChargedOnce }
}

async function eventsOf(account: number): Promise<AccountEvent[]> {
  const events: AccountEvent[] = []
  for await (const event of store.readStream(accountStream(account))) events.push(event as never)
  return events
}

describe('given relays under load,', () => {
  test('when owners join, stop and stop again, then each request is charged once', async () => {
    const { ownerProcess, open, goesOn, expectEachChargedOnce } = await runtime()
    const a = ownerProcess('a')
    await open(a.ledger)
    await until('one owns all', () => a.owned() === PARTITIONS)
    await goesOn()
    const b = ownerProcess('b')
    await until('two share', () => b.owned() > 4 && a.owned() + b.owned() === PARTITIONS)
    await goesOn()
    await a.stop()
    await until('the second owns all', () => b.owned() === PARTITIONS)
    await goesOn()
    const c = ownerProcess('c')
    await until('two share again', () => c.owned() > 4 && b.owned() + c.owned() === PARTITIONS)
    await goesOn()
    await expectEachChargedOnce()
  })

  test('when an owner is killed, then the other takes over and each request is charged once', async () => {
    const { ownerProcess, open, goesOn, expectEachChargedOnce } = await runtime()
    const a = ownerProcess('a')
    const b = ownerProcess('b')
    await open(a.ledger)
    await until('two share', () => b.owned() > 4 && a.owned() + b.owned() === PARTITIONS)
    await goesOn()
    a.kill()
    await until('the other owns all', () => b.owned() === PARTITIONS)
    await goesOn()
    await expectEachChargedOnce()
  })

  test('when an owner is cut off from the leases, then two owners charge each request once', async () => {
    const { ownerProcess, open, goesOn, expectEachChargedOnce } = await runtime()
    const a = ownerProcess('a')
    const b = ownerProcess('b')
    await open(a.ledger)
    await until('two share', () => b.owned() > 4 && a.owned() + b.owned() === PARTITIONS)
    const share = a.owned()
    a.cutOffLeases(true)
    await until('the other owns all', () => b.owned() === PARTITIONS)
    expect(a.owned()).toBe(share)
    conflicts = 0
    await goesOn()
    await until('the two get in each other’s way', () => conflicts > 10)
    a.cutOffLeases(false)
    await until('they share', () => a.owned() === share && b.owned() === PARTITIONS - share)
    await goesOn()
    await expectEachChargedOnce()
  })
})
