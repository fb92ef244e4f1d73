import { exampleLogView, exampleTimelines } from '../support/example-timelines.ts'
import { randomUUID } from 'node:crypto'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '../support/example-usage.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { relayId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import { JournalUnavailable, type UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import type { Reservation } from '@tollgate/relay/holds/reservation.ts'
import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../support/engines/database.ts'
import { memorySpool } from '../support/memory-spool.ts'

/** The relay's hold keeper and the owner's hold service together, over a real log. */

const randomness = { uuid: () => randomUUID(), fraction: () => Math.random() }
const logger = { info() {}, warn() {}, error() {} }
const surprise = (error: unknown, what: string): never => {
  throw new Error(`a fault while ${what}`, { cause: error })
}
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

let database: TestDatabase
let store: EventStore
let nextAccount = 1

beforeAll(async () => {
  database = await createMigratedDatabase()
  store = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger,
    clock: systemClock,
  })
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

/** A world of one account with one owner and as many relays as wanted; its clock can be moved. */
async function runtimeWith(
  balance: number,
  relayCount = 1,
  journalOf = (holdService: HoldService): UsageJournal => holdService,
) {
  let skew = 0
  const clock = {
    ...systemClock,
    now: () => Date.now() + skew,
    monotonicMs: () => performance.now() + skew,
  }
  const account = userId(nextAccount++)
  const ledger = new AccountLedger({ timelines: exampleTimelines, store, clock, randomness })
  const relays = new LocalRelays(clock)
  const holdService = new HoldService({ ledger, clock, relays, ownership: ownsEverything(clock) })
  await ledger.execute(account, { type: 'OpenAccount' }, cause)
  await ledger.execute(
    account,
    { type: 'CreditQuota', amount: quota(balance), source: 'grant', reason: '' },
    cause,
  )
  const keepers = Array.from({ length: relayCount }, () => {
    const journal = journalOf(holdService)
    const relay = relayId(randomUUID())
    const onFault = surprise
    const spool = memorySpool()
    const keeper = new HoldKeeper({
      log: exampleLogView,
      relay,
      onFault,
      owner: holdService,
      journal,
      spool,
      clock,
      randomness,
    })
    relays.add(relay, keeper)
    return keeper
  })
  const state = () =>
    ledger.inspect(account, ({ posted, held, holds }) => ({ posted, held, open: holds.size }))
  const [keeper] = keepers
  if (keeper === undefined) throw new Error('a world needs a relay')
  return {
    account,
    ledger,
    holdService,
    keeper,
    keepers,
    state,
    passTime: (ms: number) => (skew += ms),
  }
}

async function drawn(
  keeper: HoldKeeper,
  account: ReturnType<typeof userId>,
  estimate: number,
): Promise<Reservation> {
  const result = await keeper.draw(account, null, quota(estimate))
  if (result.status !== 'drawn') throw new Error(`expected quota, got ${result.status}`)
  return result.reservation
}

async function eventsOf(account: number): Promise<AccountEvent[]> {
  const events: AccountEvent[] = []
  for await (const event of store.readStream(accountStream(account))) events.push(event as never)
  return events
}

describe('given a balance,', () => {
  test('when 200 requests come at once and it pays for 10, then 10 are served and the others are refused', async () => {
    const { keeper, account, state } = await runtimeWith(1000)
    const results = await Promise.all(
      Array.from({ length: 200 }, async () => keeper.draw(account, null, quota(100))),
    )
    const served = results.filter((result) => result.status === 'drawn')
    expect(served).toHaveLength(10)
    expect(results.filter(({ status }) => status === 'refused')).toHaveLength(190)
    await Promise.all(
      served.map(({ reservation }, i) => reservation.settle(quota(100), exampleUsage(`r${i}`))),
    )
    expect((await state()).posted).toBe(0)
    await keeper.stop(5000)
    await vi.waitFor(async () => expect(await state()).toEqual({ posted: 0, held: 0, open: 0 }))
  })

  test('when requests follow each other, then they draw from one hold and leave less than a reserve', async () => {
    const { keeper, account, state } = await runtimeWith(1050)
    let served = 0
    for (;;) {
      const result = await keeper.draw(account, null, quota(100))
      if (result.status !== 'drawn') break
      await result.reservation.settle(quota(70), exampleUsage(`r${served++}`))
    }
    const { posted } = await state()
    expect(posted).toBe(1050 - served * 70)
    expect(posted).toBeLessThan(100)
    const held = (await eventsOf(account)).filter(({ type }) => type === 'QuotaHeld')
    expect(held.length).toBeLessThan(5)
  })

  test('when two relays share it, then quota idle at one is called back for the other', async () => {
    const { keepers, account, state } = await runtimeWith(1000, 2)
    const [one, other] = keepers as [HoldKeeper, HoldKeeper]
    const first = await drawn(one, account, 900)
    await first.settle(quota(10), exampleUsage('a'))
    const second = await drawn(other, account, 900)
    await second.settle(quota(800), exampleUsage('b'))
    expect((await state()).posted).toBe(190)
  })

  test('when a stream needs more than was reserved, then its hold is extended until nothing is left', async () => {
    const { keeper, account, state } = await runtimeWith(100)
    const reservation = await drawn(keeper, account, 20)
    expect(await reservation.cover(quota(60))).toBe(true)
    expect(await reservation.cover(quota(100))).toBe(true)
    expect(await reservation.cover(quota(101))).toBe(false)
    await reservation.settle(quota(100), exampleUsage('a'))
    expect(await state()).toMatchObject({ posted: 0, held: 0 })
  })

  test('when a request fails, then what was reserved serves the next one and nothing is charged', async () => {
    const { keeper, account, state } = await runtimeWith(100)
    for (let i = 0; i < 5; i++) (await drawn(keeper, account, 100)).release()
    expect((await state()).posted).toBe(100)
    await keeper.stop(5000)
    await vi.waitFor(async () => expect(await state()).toEqual({ posted: 100, held: 0, open: 0 }))
  })
})

describe('given a hold,', () => {
  test('when nobody draws from it for a while, then it is given back', async () => {
    const { keeper, account, state, passTime } = await runtimeWith(100)
    await (await drawn(keeper, account, 10)).settle(quota(10), exampleUsage('a'))
    expect((await state()).open).toBe(1)
    passTime(4_000)
    keeper.tick()
    await vi.waitFor(async () => expect(await state()).toEqual({ posted: 90, held: 0, open: 0 }))
  })

  test('when its relay was asleep for longer than a claim lasts, then it draws from a new one', async () => {
    const { keeper, account, passTime } = await runtimeWith(1000)
    await (await drawn(keeper, account, 10)).settle(quota(10), exampleUsage('a'))
    passTime(21_000)
    await (await drawn(keeper, account, 10)).settle(quota(10), exampleUsage('b'))
    await vi.waitFor(async () => {
      const types = (await eventsOf(account)).map(({ type }) => type)
      expect(types.filter((type) => type === 'QuotaHeld')).toHaveLength(2)
      expect(types.filter((type) => type === 'HoldReleased')).toHaveLength(1)
    })
  })

  test('when its relay slept beyond a claim, then a running request gets no more out of it', async () => {
    const { keeper, account, passTime } = await runtimeWith(1000)
    const first = await drawn(keeper, account, 30)
    first.release()
    const running = await drawn(keeper, account, 10)
    expect(await running.cover(quota(15))).toBe(true)
    passTime(21_000)
    await expect(running.cover(quota(25))).rejects.toThrow(HoldOwnerUnavailable)
    await running.settle(quota(15), exampleUsage('a'))
  })

  test('when its relay falls silent, then the owner expires it, and its charge still comes in late', async () => {
    const { keeper, account, holdService, state, passTime } = await runtimeWith(1000)
    const reservation = await drawn(keeper, account, 10)
    passTime(31_000)
    await holdService.expireSilentHolds()
    expect(await state()).toEqual({ posted: 1000, held: 0, open: 0 })
    await reservation.settle(quota(10), exampleUsage('a'))
    expect(await state()).toEqual({ posted: 990, held: 0, open: 0 })
    expect((await eventsOf(account)).at(-1)).toMatchObject({
      type: 'UsageCharged',
      data: { late: true },
    })
  })
})

test('given an overdrawn account, when others ask, then nothing starts, even on a relay’s held quota', async () => {
  const { keepers, account, state } = await runtimeWith(1000, 2)
  const [one, other] = keepers as [HoldKeeper, HoldKeeper]
  await (await drawn(other, account, 100)).settle(quota(10), exampleUsage('before'))
  const running = await drawn(one, account, 50)
  await (await drawn(one, account, 50)).settle(quota(5_000), exampleUsage('dear'))
  expect((await state()).posted).toBeLessThan(0)
  for (const keeper of [one, other]) {
    await vi.waitFor(async () => {
      const result = await keeper.draw(account, null, quota(1))
      if (result.status === 'drawn') result.reservation.release()
      expect(result).toMatchObject({ status: 'refused', available: 0 })
    })
  }
  await running.settle(quota(50), exampleUsage('running'))
  expect((await state()).posted).toBe(1000 - 10 - 5_000 - 50)
})

test('given a journal that answers late, when charges wait, then each arrives once and in its number', async () => {
  let calls = 0
  const { keeper, account, state } = await runtimeWith(1000, 1, (holdService) => ({
    async publish(message) {
      calls += 1
      if (calls % 3 === 1) throw new JournalUnavailable('away')
      await holdService.publish(message)
      if (calls % 3 === 2) throw new JournalUnavailable('acknowledgement lost')
    },
  }))
  const reservations = await Promise.all(
    Array.from({ length: 10 }, () => drawn(keeper, account, 50)),
  )
  await Promise.all(
    reservations.map((reservation, i) => reservation.settle(quota(50), exampleUsage(`r${i}`))),
  )
  expect((await state()).posted).toBe(500)
  expect((await eventsOf(account)).filter(({ type }) => type === 'UsageCharged')).toHaveLength(10)
})

test('given a token with a limit, when it is used up, then it is exhausted and refused', async () => {
  const { keeper, account, ledger } = await runtimeWith(1000)
  const token = tokenId(nextAccount)
  const terms = { unlimited: false, expiresAt: null, group: '', models: null, allowedIps: [] }
  await ledger.execute(account, { type: 'IssueToken', token, remain: quota(30), ...terms }, cause)
  const result = await keeper.draw(account, token, quota(30))
  if (result.status !== 'drawn') throw new Error('expected quota')
  await result.reservation.settle(quota(30), exampleUsage('a'))
  expect(await ledger.inspect(account, (state) => state.tokens.get(token)?.status)).toBe(
    'exhausted',
  )
  expect(await keeper.draw(account, token, quota(1))).toMatchObject({
    status: 'refused',
    reason: 'insufficient-token-quota',
  })
})

test('given a silent owner, when patience ends, then requests are refused and a late grant taken back', async () => {
  const { account, holdService, state, passTime } = await runtimeWith(1000)
  let answer: (() => void) | undefined
  const hanging = {
    placeHold: async (ask: Parameters<HoldService['placeHold']>[0]) => {
      await new Promise<void>((resolve) => (answer = resolve))
      // It had taken the question in time; one that it takes after its deadline it would drop.
      const { deadline: _, ...taken } = ask
      return holdService.placeHold(taken)
    },
    extendHold: holdService.extendHold.bind(holdService),
    claimHolds: holdService.claimHolds.bind(holdService),
    finishHold: holdService.finishHold.bind(holdService),
  }
  const clock = systemClock
  const keeper = new HoldKeeper({
    log: exampleLogView,
    relay: relayId(randomUUID()),
    onFault: surprise,
    owner: hanging,
    journal: holdService,
    spool: memorySpool(),
    clock,
    randomness,
  })
  const [one, other] = await Promise.all(
    [1, 2].map(async () => keeper.draw(account, null, quota(100))),
  )
  expect(one).toEqual({ status: 'unavailable', retryAfterSeconds: 2 })
  expect(other).toEqual(one)
  answer?.()
  await vi.waitFor(async () => expect((await state()).open).toBe(1))
  passTime(31_000)
  await holdService.expireSilentHolds()
  expect(await state()).toEqual({ posted: 1000, held: 0, open: 0 })
})

test('given a charge that the journal refuses, when published, then it is kept apart', async () => {
  const { account, holdService } = await runtimeWith(1000)
  const faults: string[] = []
  const spool = memorySpool()
  const clock = systemClock
  const keeper = new HoldKeeper({
    log: exampleLogView,
    relay: relayId(randomUUID()),
    owner: holdService,
    journal: { publish: () => Promise.reject(new RangeError('no such amount')) },
    spool,
    clock,
    randomness,
    onFault: (_, what) => faults.push(what),
  })
  const reservation = await drawn(keeper, account, 10)
  await expect(reservation.settle(quota(7), exampleUsage('lost-one'))).rejects.toThrow(
    'no such amount',
  )
  expect(faults).toEqual([expect.stringMatching(/"amount":7.*"lost-one"/)])
  expect(spool.refused).toEqual([expect.objectContaining({ amount: 7, account })])
  expect(keeper.lostCharges).toBe(1)
  expect((await drawn(keeper, account, 10)).reserved).toBe(10)
})
