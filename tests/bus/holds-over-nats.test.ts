import { exampleLogView, exampleTimelines } from '../support/example-timelines.ts'
import { randomUUID } from 'node:crypto'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '../support/example-usage.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { relayId, type UserId, userId } from '@tollgate/domain/ids.ts'
import type { HoldAsk, HoldOwner } from '@tollgate/domain/ports/hold-owner.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { askOwners } from '@tollgate/infra/bus/nats/rpc-client.ts'
import { type NatsLink, openNats } from '@tollgate/infra/bus/nats/connection.ts'
import { natsHoldOwner } from '@tollgate/infra/bus/nats/owner-client.ts'
import { serveOwner } from '@tollgate/infra/bus/nats/owner-service.ts'
import { natsRelays, serveRecalls } from '@tollgate/infra/bus/nats/relays.ts'
import { recallSubject } from '@tollgate/infra/bus/nats/subjects.ts'
import { consumeUsage, type UsageConsumer } from '@tollgate/infra/bus/nats/usage-consumer.ts'
import { natsUsageJournal } from '@tollgate/infra/bus/nats/usage-journal.ts'
import { openUsageStream } from '@tollgate/infra/bus/nats/usage-stream.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../support/engines/database.ts'
import { type NatsServer, startNatsServer } from '../support/engines/nats-server.ts'
import { until } from '../support/processes.ts'
import { memorySpool } from '../support/memory-spool.ts'

/** Relays and the accounts' owner with nothing between them but a real nats-server, over a real log. */

const clock = systemClock
const randomness = { uuid: () => randomUUID(), fraction: () => Math.random() }
const logger = { info() {}, warn() {}, error() {} }
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const STREAM_BYTES_MAX = 64 * 1024 * 1024

let server: NatsServer
let database: TestDatabase
let store: EventStore
let nextAccount = 1
const endings: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startNatsServer()
  database = await createMigratedDatabase()
  store = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger,
    clock,
  })
})
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})
afterAll(async () => {
  await store.close()
  await database.drop()
  await server.dispose()
})

async function openLink(name: string): Promise<NatsLink> {
  const link = await openNats({ url: server.url, credsFile: null, name, logger })
  endings.push(() => link.close())
  return link
}

const openStream = async (link: NatsLink) =>
  openUsageStream({ link, replicas: 1, bytesMax: STREAM_BYTES_MAX, deployment: 'test' })

/** The owner of one account with a balance. */
async function startOwner(balance: number, clockAheadMs = 0) {
  const account = userId(nextAccount++)
  const partition = partitionOf(account)
  const link = await openLink('owner')
  const stream = await openStream(link)
  const ownClock = {
    now: () => clock.now() + clockAheadMs,
    monotonicMs: clock.monotonicMs.bind(clock),
    sleep: clock.sleep.bind(clock),
  }
  let appendMs = 0
  const slowStore: EventStore = {
    ...store,
    async append(...args) {
      if (appendMs > 0) await clock.sleep(appendMs)
      return store.append(...args)
    },
  }
  const ledger = new AccountLedger({
    timelines: exampleTimelines,
    store: slowStore,
    clock: ownClock,
    randomness,
  })
  let consumer: UsageConsumer | null = null
  const ownership = {
    ...ownsEverything(clock),
    isBacklogAppended: async () => (await consumer?.isDrained()) ?? false,
  }
  const holdService = new HoldService({
    ledger,
    clock: ownClock,
    relays: natsRelays(link),
    ownership,
  })
  await ledger.execute(account, { type: 'OpenAccount' }, cause)
  const credit = {
    type: 'CreditQuota',
    amount: quota(balance),
    source: 'grant',
    reason: '',
  } as const
  await ledger.execute(account, credit, cause)
  const owner = {
    placeHold: holdService.placeHold.bind(holdService),
    extendHold: holdService.extendHold.bind(holdService),
    claimHolds: holdService.claimHolds.bind(holdService),
    finishHold: holdService.finishHold.bind(holdService),
    recallIdleQuota: holdService.recallIdleQuota.bind(holdService),
    execute: ledger.execute.bind(ledger),
  }
  const service = serveOwner({ link, partition, owner, owns: () => true })
  const refused: string[] = []
  consumer = consumeUsage({
    stream,
    partition,
    take: (message) => holdService.publish(message),
    onRefused: ({ reason }) => refused.push(reason),
  })
  const taking = consumer
  endings.push(
    async () => ledger.stop(),
    () => taking.stop(),
    () => service.stop(),
  )
  await link.client.flush()
  const state = () =>
    ledger.inspect(account, ({ posted, held, holds }) => ({
      posted,
      held,
      open: holds.size,
    }))
  const slowBy = (ms: number): void => void (appendMs = ms)
  return {
    account,
    state,
    refused,
    owner,
    slowBy,
    isDrained: () => taking.isDrained(),
  }
}

/** A relay in a process of its own, as far as NATS can tell. */
async function startRelay(ownerOf = (owner: HoldOwner) => owner): Promise<HoldKeeper> {
  const relay = relayId(randomUUID())
  const link = await openLink('relay')
  const stream = await openStream(link)
  const keeper = new HoldKeeper({
    log: exampleLogView,
    relay,
    spool: memorySpool(),
    clock,
    randomness,
    owner: ownerOf(natsHoldOwner({ ask: askOwners(link), logger })),
    journal: natsUsageJournal(stream),
    onFault(error, what) {
      throw new Error(`a fault while ${what}`, { cause: error })
    },
  })
  const recalls = serveRecalls({ link, relay, listener: keeper })
  endings.push(
    () => recalls.stop(),
    () => keeper.stop(5_000),
  )
  await link.client.flush()
  return keeper
}

/** One request that costs nothing. */
async function drawOnce(relay: HoldKeeper, account: UserId): Promise<void> {
  const result = await relay.draw(account, null, quota(100))
  if (result.status !== 'drawn') throw new Error(`expected quota, got ${result.status}`)
  result.reservation.release()
}

/** Notes the questions for new holds, and what becomes of them. */
function noting(owner: HoldOwner) {
  const asked: HoldAsk[] = []
  const answers: string[] = []
  const placeHold: HoldOwner['placeHold'] = async (ask) => {
    asked.push(ask)
    const answer = await owner.placeHold(ask)
    answers.push(answer.status)
    return answer
  }
  return { owner: { ...owner, placeHold }, asked, answers }
}

async function grantsOf(account: number): Promise<number> {
  let grants = 0
  for await (const { type } of store.readStream(accountStream(account))) {
    if (type === 'QuotaHeld') grants += 1
  }
  return grants
}

async function chargesOf(account: number): Promise<string[]> {
  const requests: string[] = []
  for await (const event of store.readStream(accountStream(account))) {
    const { type, data } = event as unknown as AccountEvent
    if (type === 'UsageCharged') requests.push(data.request.id)
  }
  return requests
}

describe('given an owner and two relays with NATS between them,', () => {
  test('when requests are served, then each is charged once and every hold ends with its relay', async () => {
    const { account, state, isDrained } = await startOwner(100_000)
    const relays = [await startRelay(), await startRelay()]
    const served: string[] = []
    for (let n = 0; n < 40; n++) {
      for (const [at, relay] of relays.entries()) {
        const result = await relay.draw(account, null, quota(100))
        if (result.status !== 'drawn') throw new Error(`expected quota, got ${result.status}`)
        await result.reservation.settle(quota(70), exampleUsage(`${at}-${n}`))
        served.push(`${at}-${n}`)
      }
    }
    await until('all charges are in the log', isDrained)
    expect((await state()).posted).toBe(100_000 - 80 * 70)
    expect((await chargesOf(account)).toSorted()).toEqual(served.toSorted())
    await Promise.all(relays.map((relay) => relay.stop(5_000)))
    await until('every hold has ended', async () => (await state()).open === 0)
  })

  test('when 200 requests come at once and the balance pays for 10, then no more than that is spent', async () => {
    const { account, state, isDrained } = await startOwner(1_000)
    const relays = [await startRelay(), await startRelay()]
    const results = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => relays[n % 2]?.draw(account, null, quota(100))),
    )
    const reservations = results.flatMap((result) =>
      result?.status === 'drawn' ? result.reservation : [],
    )
    expect(reservations.length).toBeLessThanOrEqual(10)
    expect(reservations.length).toBeGreaterThanOrEqual(9)
    await Promise.all(
      reservations.map((reservation, n) => reservation.settle(quota(100), exampleUsage(`${n}`))),
    )
    await until('all charges are in the log', isDrained)
    expect((await state()).posted).toBe(1_000 - reservations.length * 100)
  })

  test('when one relay holds idle quota that the other needs, then it is called back over NATS', async () => {
    const { account, state, isDrained } = await startOwner(1_000)
    const [one, other] = [await startRelay(), await startRelay()]
    const first = await one.draw(account, null, quota(900))
    if (first.status !== 'drawn') throw new Error(`expected quota, got ${first.status}`)
    await first.reservation.settle(quota(10), exampleUsage('first'))
    const second = await other.draw(account, null, quota(900))
    if (second.status !== 'drawn') throw new Error(`expected quota, got ${second.status}`)
    await second.reservation.settle(quota(800), exampleUsage('second'))
    await until('all charges are in the log', isDrained)
    expect((await state()).posted).toBe(190)
  })

  test('when NATS is killed and restarted under load, then no request fails and each is charged once', async () => {
    const { account, state, refused, isDrained } = await startOwner(1_000_000)
    const relays = [await startRelay(), await startRelay()]
    const served: string[] = []
    const over = new AbortController()
    const client = async (name: string, relay: HoldKeeper): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n++) {
        const result = await relay.draw(account, null, quota(100))
        if (result.status !== 'drawn') throw new Error(`expected quota, got ${result.status}`)
        await result.reservation.settle(quota(70), exampleUsage(`${name}-${n}`))
        served.push(`${name}-${n}`)
      }
    }
    const clients = Promise.all(
      relays.flatMap((relay, at) =>
        Array.from({ length: 8 }, (_, number) => client(`${at}-${number}`, relay)),
      ),
    )
    for (const end of ['kill', 'stop', 'kill'] as const) {
      const before = served.length
      await until('requests are served', () => served.length > before + 200, 30_000)
      await server[end]()
      await server.start()
    }
    const before = served.length
    await until('requests are served again', () => served.length > before + 200, 30_000)
    over.abort()
    await clients
    await until('all charges are in the log', isDrained, 30_000)
    expect((await chargesOf(account)).toSorted()).toEqual(served.toSorted())
    expect((await state()).posted).toBe(1_000_000 - served.length * 70)
    expect(refused).toEqual([])
    await Promise.all(relays.map((relay) => relay.stop(5_000)))
    await until('every hold has ended', async () => (await state()).open === 0)
  })

  test('when NATS stays away, then requests are turned away in time and charges are kept until it is back', async () => {
    const { account, state, isDrained } = await startOwner(10_000)
    const relay = await startRelay()
    const result = await relay.draw(account, null, quota(100))
    if (result.status !== 'drawn') throw new Error(`expected quota, got ${result.status}`)
    await server.stop()
    const settling = result.reservation.settle(quota(70), exampleUsage('kept'))
    const refused = await relay.draw(account, null, quota(9_999))
    expect(refused).toEqual({ status: 'unavailable', retryAfterSeconds: 2 })
    expect(relay.unsettledCharges).toBe(1)
    await server.start()
    await settling
    await until('the charge is in the log', isDrained)
    expect((await state()).posted).toBe(9_930)
  })
})

describe('given an owner whose appends take 300 ms,', () => {
  test.each(['over NATS', 'in one process'])(
    'when a request needs a hold %s, then the question is repeated and one hold is granted',
    async (way) => {
      const { account, owner, slowBy } = await startOwner(1_000)
      slowBy(300)
      let asked: readonly HoldAsk[] = []
      const relay = await startRelay((remote) => {
        const noted = noting(way === 'over NATS' ? remote : owner)
        asked = noted.asked
        return noted.owner
      })
      await drawOnce(relay, account)
      expect(asked.length).toBeGreaterThan(2)
      expect(new Set(asked.map(({ nonce }) => nonce)).size).toBe(1)
      expect(await grantsOf(account)).toBe(1)
    },
  )

  test('when a question waits longer than its deadline behind another command, then it leaves no event', async () => {
    const { account, owner, slowBy } = await startOwner(1_000)
    slowBy(300)
    const credit = {
      type: 'CreditQuota',
      amount: quota(5),
      source: 'grant',
      reason: '',
    } as const
    const crediting = owner.execute(account, credit, cause)
    await clock.sleep(50)
    const relay = relayId(randomUUID())
    const ask = {
      account,
      token: null,
      relay,
      nonce: 'n-1',
      need: quota(1),
      want: quota(1),
    }
    const waiting = owner.placeHold({ ...ask, deadline: clock.now() + 100 })
    await expect(waiting).rejects.toMatchObject({
      code: 'COMMAND_OVERDUE',
      outcome: 'none',
    })
    await crediting
    const late = await owner.placeHold({ ...ask, deadline: clock.now() - 1 })
    expect(late).toMatchObject({ status: 'expired' })
    await owner.execute(account, credit, cause)
    expect(await grantsOf(account)).toBe(0)
  })
})

test('given silent relays, when a recall takes all of a question’s time, then its refusal is heard', async () => {
  const { account, owner } = await startOwner(1_000)
  const silent = await openLink('silent')
  const gone = relayId(randomUUID())
  silent.client.subscribe(recallSubject(gone))
  await silent.client.flush()
  const ask = { account, token: null, need: quota(900), want: quota(900) }
  expect(await owner.placeHold({ ...ask, relay: gone, nonce: 'n-1' })).toMatchObject({
    status: 'held',
  })
  const relay = await startRelay()
  const before = performance.now()
  expect((await relay.draw(account, null, quota(900))).status).toBe('refused')
  expect(performance.now() - before).toBeLessThan(2_000)
})

test.each([5_000, -5_000, 3_600_000])(
  'given an owner whose clock is %i ms ahead, when holds are wanted, then one question at most expires',
  async (aheadMs) => {
    const { account } = await startOwner(1_000, aheadMs)
    let answers: readonly string[] = []
    const relay = await startRelay((remote) => {
      const noted = noting(remote)
      answers = noted.answers
      return noted.owner
    })
    await drawOnce(relay, account)
    expect(answers.filter((status) => status === 'expired')).toHaveLength(aheadMs > 0 ? 1 : 0)
    expect(answers).toContain('held')
    expect(await grantsOf(account)).toBe(1)
  },
)
