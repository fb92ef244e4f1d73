import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acceptRollback } from '@tollgate/command-api/timelines/accept-rollback.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { newEvents } from '@tollgate/command-api/aggregates/cause.ts'
import { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import { ensureTimelines, openTimeline } from '@tollgate/command-api/timelines/timelines.ts'
import { watchedStore } from '@tollgate/command-api/timelines/watched-store.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '../support/example-usage.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { holdId, relayId, userId } from '@tollgate/domain/ids.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { currentTimeline } from '@tollgate/domain/timeline/timelines.ts'
import { backUp } from '@tollgate/infra/backup/back-up.ts'
import { restore } from '@tollgate/infra/backup/restore.ts'
import { type NatsLink, openNats } from '@tollgate/infra/bus/nats/connection.ts'
import { exchangeLogMarks } from '@tollgate/infra/bus/nats/log-marks.ts'
import { USAGE_STREAM } from '@tollgate/infra/bus/nats/subjects.ts'
import { consumeUsage } from '@tollgate/infra/bus/nats/usage-consumer.ts'
import { natsUsageJournal } from '@tollgate/infra/bus/nats/usage-journal.ts'
import { openUsageStream } from '@tollgate/infra/bus/nats/usage-stream.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { migrate } from '@tollgate/infra/postgres/migrate.ts'
import { sourceMigrations } from '@tollgate/infra/postgres/source-migrations.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/engines/database.ts'
import { type NatsServer, startNatsServer } from '../support/engines/nats-server.ts'
import { memorySpool } from '../support/memory-spool.ts'
import { until } from '../support/processes.ts'
import { runCommand } from '../support/run-command.ts'
import { freePort } from '../support/free-port.ts'
import { TollgateProcess } from '../support/tollgate-process.ts'

/** A log that is put back to an older state beside a NATS that goes on. */

const clock = systemClock
const randomness = systemRandomness
const logger = { info() {}, warn() {}, error() {}, debug() {} }
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const ACCOUNT = userId(7)
const OPENING = 1_000_000
const PRICE = 70
const MASTER_KEY = randomBytes(32)
const VERSION = '1.0.0'
const LEDGER_CLI = new URL('../../infra/processes/commands/ledger-cli.ts', import.meta.url)

let server: NatsServer
let folder: string
const endings: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  server = await startNatsServer()
  folder = await mkdtemp(join(tmpdir(), 'tollgate-restored-'))
})
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})
afterAll(async () => {
  await server.dispose()
  await rm(folder, { recursive: true })
})

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  endings.push(() => database.drop())
  return database
}

async function openLink(): Promise<NatsLink> {
  const link = await openNats({ url: server.url, credsFile: null, name: 'test', logger })
  endings.push(() => link.close())
  return link
}

/** The one owner of all accounts and its relay, as one process has them, over a real log and a real NATS. */
async function startProcess(database: TestDatabase) {
  const real = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger,
    clock,
  })
  endings.push(() => real.close())
  const timelines = await ensureTimelines({ store: real, clock, randomness })
  const distrusted: (string | null)[] = []
  const watch = new LogWatch({
    store: real,
    clock,
    timelines,
    onChange: (reason) => distrusted.push(reason),
  })
  const store = watchedStore(real, watch)
  const ledger = new AccountLedger({ store, clock, randomness, timelines })
  const relays = new LocalRelays(clock)
  const refused: string[] = []
  const holdService = new HoldService({
    ledger,
    clock,
    relays,
    ownership: ownsEverything(clock),
    admit: (seen) => watch.admit(seen),
    seen: () => watch.markOfAnswer(),
    onOtherTimeline: (what) => refused.push(what),
  })
  const link = await openLink()
  const stream = await openUsageStream({
    link,
    replicas: 1,
    bytesMax: 64 * 1024 * 1024,
    deployment: 'test',
  })
  // Messages that a test leaves would not be believed by the log of the next one.
  endings.push(() => stream.manager.streams.purge(USAGE_STREAM))
  const journal = natsUsageJournal(stream)
  const relay = relayId(randomUUID())
  const keeper = new HoldKeeper({
    relay,
    log: watch,
    spool: memorySpool(),
    owner: holdService,
    journal,
    clock,
    randomness,
    onFault: (error, what) => {
      throw new Error(`a fault while ${what}`, { cause: error })
    },
  })
  endings.push(async () => ledger.stop())
  return {
    store,
    real,
    timelines,
    watch,
    distrusted,
    ledger,
    holdService,
    link,
    journal,
    relay,
    keeper,
    refused,
    /** Takes in what NATS has, from now on. */
    consume() {
      const partition = partitionOf(ACCOUNT)
      const consumer = consumeUsage({
        stream,
        partition,
        take: (message) => holdService.publish(message),
      })
      endings.push(() => consumer.stop())
      return consumer
    },
  }
}
type Process = Awaited<ReturnType<typeof startProcess>>

async function openAccount({ ledger }: Process): Promise<void> {
  await ledger.execute(ACCOUNT, { type: 'OpenAccount' }, cause)
  const amount = quota(OPENING)
  const credit = { type: 'CreditQuota', amount, source: 'grant', reason: '' } as const
  await ledger.execute(ACCOUNT, credit, cause)
}

async function request({ keeper }: Process, id: string): Promise<void> {
  const result = await keeper.draw(ACCOUNT, null, quota(100))
  if (result.status !== 'drawn') throw new Error(`expected quota, got ${result.status}`)
  await result.reservation.settle(quota(PRICE), exampleUsage(id))
}

async function requests(process: Process, prefix: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await request(process, `${prefix}-${n}`)
}

async function chargesIn({ real }: Process) {
  const charges: { readonly id: string; readonly late: boolean; readonly fromWallet: number }[] = []
  for await (const event of real.readStream(accountStream(ACCOUNT))) {
    const { type, data } = event as unknown as AccountEvent
    if (type !== 'UsageCharged') continue
    charges.push({ id: data.request.id, late: data.late, fromWallet: data.fromWallet })
  }
  return charges
}

const postedIn = ({ ledger }: Process): Promise<number> =>
  ledger.inspect(ACCOUNT, ({ posted }) => posted)

/** Puts the log back to where it was, as a restored server or a promoted standby would show it. */
const putBack = ({ pool }: TestDatabase, position: number): Promise<unknown> =>
  pool.query(`
    begin;
    set local session_replication_role = replica;
    delete from ledger.events where position > ${position};
    update ledger.head set position = ${position};
    commit`)

/** The environment of a process or command of the product. */
const envOf = ({ url }: TestDatabase): Record<string, string> => ({
  DATABASE_URL: url,
  NATS_URL: server.url,
  MASTER_KEY: MASTER_KEY.toString('base64'),
  DATA_DIR: join(folder, 'product'),
})

async function readiness({ url }: TollgateProcess): Promise<string> {
  try {
    return await (await fetch(`${url}/readyz`)).text()
  } catch {
    // It begins anew and does not listen yet.
    return ''
  }
}

describe('given a backup that was taken before charges went to NATS,', () => {
  test('when restored beside that NATS, then 30 old and 30 new charges are charged, once each', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const before = await startProcess(database)
    await openAccount(before)
    const backup = join(folder, 'backup')
    const common = { masterKey: MASTER_KEY, version: VERSION, onProgress: () => undefined }
    const saved = { folder: backup, databaseUrl: database.url, isKeyIncluded: false }
    await backUp({ ...common, ...saved, readLog: null, now: Date.now() })
    await requests(before, 'old', 30)

    const target = await emptyDatabase()
    await restore({
      ...common,
      folder: backup,
      dataDir: join(folder, 'data'),
      databaseUrl: target.url,
      log: null,
      logger,
    })
    const after = await startProcess(target)
    expect(after.timelines.map((timeline) => timeline.cause)).toEqual(['first-start', 'restore'])
    await requests(after, 'new', 30)
    const consumer = after.consume()
    await until('everything is taken', () => consumer.isDrained(), 30_000)

    const charges = await chargesIn(after)
    const ids = (prefix: string) => Array.from({ length: 30 }, (_, n) => `${prefix}-${n}`)
    expect(charges.map(({ id }) => id).toSorted()).toEqual(
      [...ids('old'), ...ids('new')].toSorted(),
    )
    const late = charges.filter((charge) => charge.late)
    expect(late.map(({ id }) => id).toSorted()).toEqual(ids('old').toSorted())
    expect(late.every(({ fromWallet }) => fromWallet === PRICE)).toBe(true)
    expect(await postedIn(after)).toBe(OPENING - 60 * PRICE)
    expect(after.distrusted).toEqual([])
  }, 60_000)
})

describe('given an owner of the present timeline,', () => {
  test('when a relay of another claims, extends, returns and charges, then only the charge is taken', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const first = await startProcess(database)
    await openAccount(first)
    const ask = { account: ACCOUNT, token: null, relay: first.relay, nonce: 'n' }
    const held = await first.holdService.placeHold({ ...ask, need: quota(100), want: quota(100) })
    if (held.status !== 'held') throw new Error(held.status)
    const { hold } = held
    await openTimeline({ store: first.real, clock, randomness }, 'accept-rollback')

    const second = await startProcess(database)
    const { holdService, relay } = second
    const lost = { log: currentTimeline(first.timelines).log, relay }
    // One that this log knows and has open, and one that it has lost, with a revision that it has not reached.
    for (const foreign of [hold, holdId(ACCOUNT, 5_000, lost)]) {
      const named = { account: ACCOUNT, relay, hold: foreign }
      const extension = { relay, hold: foreign, number: 1, need: quota(1), want: quota(1) }
      expect(await holdService.claimHolds(relay, [foreign])).toEqual([])
      expect(await holdService.extendHold(extension)).toEqual({ status: 'closed' })
      const amount = quota(10)
      await holdService.publish({ type: 'return', ...named, sequence: 1, amount, at: 0 })
      const charge = {
        type: 'usage',
        ...named,
        sequence: 2,
        token: null,
        amount,
        request: exampleUsage(`lost-${foreign}`),
        final: false,
        endedAt: 0,
      } as const
      await holdService.publish(charge)
      await holdService.publish(charge)
    }
    expect(second.refused).toEqual(['claim', 'extension', 'return', 'claim', 'extension', 'return'])
    expect(await chargesIn(second)).toEqual([
      { id: `lost-${hold}`, late: true, fromWallet: 10 },
      { id: `lost-${holdId(ACCOUNT, 5_000, lost)}`, late: true, fromWallet: 10 },
    ])
    // Also when nothing of it is remembered.
    const third = await startProcess(database)
    for (const { id } of await chargesIn(second)) {
      const [, foreign = ''] = /^lost-(.*)$/.exec(id) ?? []
      await third.holdService.publish({
        type: 'usage',
        account: ACCOUNT,
        relay,
        hold: foreign as typeof hold,
        sequence: 2,
        token: null,
        amount: quota(10),
        request: exampleUsage(id),
        final: false,
        endedAt: 0,
      })
    }
    expect(await chargesIn(third)).toHaveLength(2)
    expect(await third.ledger.inspect(ACCOUNT, ({ posted }) => posted)).toBe(OPENING - 20)
  }, 60_000)
})

describe('given a log that is put back beneath a running process,', () => {
  test('when it is noticed, then nothing is appended and nothing new begun until the rollback is accepted', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const process = await startProcess(database)
    await openAccount(process)
    const position = await process.real.headPosition()
    await requests(process, 'lost', 3)
    process.consume()
    await until('they are charged', async () => (await chargesIn(process)).length === 3)
    // Waits in NATS, with how far its relay had seen the log.
    await putBack(database, position)
    await process.watch.check()
    expect(process.watch.readinessProblem()).toMatch(/accept-rollback/)
    const head = await process.real.headPosition()
    const credit = {
      type: 'CreditQuota',
      amount: quota(1),
      source: 'grant',
      reason: '',
    } as const
    process.ledger.stop()
    await expect(process.ledger.execute(ACCOUNT, credit, cause)).rejects.toThrow(/accept-rollback/)
    expect((await process.keeper.draw(ACCOUNT, null, quota(1))).status).toBe('unavailable')
    expect(await process.real.headPosition()).toBe(head)

    // A process that starts now has seen nothing, and hears of it from the one that has.
    const { watch } = process
    const ofFirst = { seen: () => watch.seen, hear: () => undefined }
    const telling = await exchangeLogMarks({ link: process.link, ...ofFirst })
    const second = await startProcess(database)
    expect(second.watch.readinessProblem()).toBeNull()
    const hearing = await exchangeLogMarks({
      link: second.link,
      seen: () => second.watch.seen,
      hear: (mark) => second.watch.hear(mark),
    })
    await until('it knows', () => second.watch.readinessProblem() !== null)
    telling.stop()
    hearing.stop()

    await openTimeline({ store: process.real, clock, randomness }, 'accept-rollback')
    await Promise.all([process.watch.check(), second.watch.check()])
    expect((await process.watch.changed).message).toMatch(/begins anew/)
    expect((await second.watch.changed).code).toBe('TIMELINE_CHANGED')
    const third = await startProcess(database)
    const seen = watch.seen
    if (seen !== null) third.watch.hear(seen)
    await third.watch.check()
    expect(third.watch.readinessProblem()).toBeNull()
    await requests(third, 'after', 2)
    const consumer = third.consume()
    await until('everything is taken', () => consumer.isDrained(), 30_000)
    expect((await chargesIn(third)).map(({ id }) => id).toSorted()).toEqual(['after-0', 'after-1'])
  }, 60_000)

  test('when only a message tells of what the log had, then it is not taken until the rollback is accepted', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const before = await startProcess(database)
    await openAccount(before)
    const position = await before.real.headPosition()
    await requests(before, 'waiting', 2)
    await putBack(database, position)

    const blind = await startProcess(database)
    blind.consume()
    await until('the message is not believed', () => blind.watch.readinessProblem() !== null)
    expect(await chargesIn(blind)).toEqual([])
    await openTimeline({ store: blind.real, clock, randomness }, 'accept-rollback')
    await blind.watch.check()
    await blind.watch.changed
    const after = await startProcess(database)
    const consumer = after.consume()
    await until('everything is taken', () => consumer.isDrained(), 30_000)
    const charges = await chargesIn(after)
    expect(charges.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'waiting-0', late: true, fromWallet: PRICE },
      { id: 'waiting-1', late: true, fromWallet: PRICE },
    ])
  }, 60_000)

  test('when it catches up, as a standby that lagged does, then the process goes on', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const process = await startProcess(database)
    await openAccount(process)
    const { rows } = await database.pool.query('select position from ledger.head')
    await database.pool.query('create table kept as select * from ledger.events')
    await putBack(database, 1)
    await process.watch.check()
    expect(process.watch.isTrusted()).toBe(false)
    await database.pool.query('insert into ledger.events select * from kept where position > 1')
    await database.pool.query('update ledger.head set position = $1', [rows[0]?.position])
    await process.watch.check()
    expect(process.distrusted).toEqual([expect.stringMatching(/accept-rollback/), null])
    await requests(process, 'on', 1)
  }, 60_000)
})

describe('given a log that is put back beneath what follows it,', () => {
  test('when the rollback is accepted, then a running projector starts over, its read models being ahead', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const process = await startProcess(database)
    await openAccount(process)
    const position = await process.real.headPosition()
    const projector = new TollgateProcess('projector', await freePort(), envOf(database))
    endings.push(() => projector.terminate())
    await projector.start()
    await requests(process, 'lost', 3)
    process.consume()
    await until('they are charged', async () => (await chargesIn(process)).length === 3)
    const head = await process.real.headPosition()
    await until('its read models have seen them', async () => {
      const { rows } = await database.pool.query<{ position: string }>(
        `select position from projections.checkpoints where name = 'balances'`,
      )
      return Number(rows[0]?.position) >= head
    })
    await putBack(database, position)
    const places = { log: 'the log', database: 'the database', isLogInDatabase: true }
    await acceptRollback({ store: process.real, clock, randomness }, database.db, places)
    await until(
      'it says that its read models have seen another log',
      async () => (await readiness(projector)).includes('ahead of the event log'),
      60_000,
    )
  }, 120_000)

  test('when an operator accepts it, then readers wait for no lost position', async () => {
    const database = await emptyDatabase()
    await migrate(database.pool, sourceMigrations)
    const process = await startProcess(database)
    await openAccount(process)
    await database.pool.query(`
      insert into identity.users (username, last_position) values ('reader', 900)`)
    expect(await runCommand(LEDGER_CLI, ['accept-rollback'], envOf(database))).toMatchObject({
      code: 0,
    })
    const { rows } = await database.pool.query(`
      select last_position::int as read from identity.users`)
    expect(rows).toEqual([{ read: -1 }])
  }, 60_000)
})

test('given holds from before timelines, when Tollgate starts, then charges are taken from them', async () => {
  const database = await emptyDatabase()
  await migrate(database.pool, sourceMigrations)
  const old = openPostgresEventStore({
    pool: database.pool,
    databaseUrl: database.url,
    logger,
    clock,
  })
  endings.push(() => old.close())
  const relay = relayId('0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001')
  const hold = holdId(ACCOUNT, 2, null)
  const amount = quota(100)
  const data = { at: 1, hold, token: null, relay, nonce: 'n', amount }
  const written: AccountEvent[] = [
    { type: 'AccountOpened', data: { at: 1 } },
    {
      type: 'QuotaCredited',
      data: { at: 1, amount: quota(OPENING), source: 'grant', reason: '' },
    },
    { type: 'QuotaHeld', data },
  ]
  await old.append(accountStream(ACCOUNT), newEvents(written, cause, randomness), EMPTY_STREAM)
  const process = await startProcess(database)
  // As commit d4bfc43 published it.
  const message = {
    type: 'usage',
    account: ACCOUNT,
    relay,
    hold: '7@2',
    sequence: 1,
    amount: PRICE,
    at: 1,
    token: null,
    request: exampleUsage('old'),
    final: true,
  }
  await process.link.client
    .jetstream()
    .publish('tollgate.usage.7.7', JSON.stringify(message), { msgID: '7@2/1' })
  const consumer = process.consume()
  await until('everything is taken', () => consumer.isDrained(), 30_000)
  expect(await chargesIn(process)).toEqual([{ id: 'old', late: false, fromWallet: 0 }])
  expect(await process.ledger.inspect(ACCOUNT, ({ holds }) => holds.size)).toBe(0)
  await request(process, 'new')
  await until('the new one is charged', async () => (await chargesIn(process)).length === 2)
}, 60_000)
