import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/engines/database.ts'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/engines/eventstoredb-double/double.ts'
import { type NatsServer, startNatsServer } from '../support/engines/nats-server.ts'
import { type Gateway, startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import type { SingleProduct } from '../support/product.ts'
import { queryOnce } from '../support/query-once.ts'
import { runCommand } from '../support/run-command.ts'
import { freePort } from '../support/free-port.ts'
import { type Root, TollgateProcess } from '../support/tollgate-process.ts'

/**
 * Log and database are a pair. Beside another one, accounts would belong to other people, and two Tollgates would each
 * grant and close holds in one log.
 */
let home: string
let nats: NatsServer
const MASTER_KEY = randomBytes(32).toString('base64')
const MODEL = 'gpt-4o-mini'
/** A start on a small machine that runs other tests beside it. */
const START_MS = 60_000

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tollgate-pairs-'))
  nats = await startNatsServer()
})
afterAll(async () => {
  await nats.dispose()
  rmSync(home, { recursive: true, force: true })
})

type Env = Readonly<Record<string, string>>

/** A process of its own, with a data folder of its own. */
const processOf = async (root: Root, env: Env): Promise<TollgateProcess> => {
  const port = await freePort()
  return new TollgateProcess(root, port, { DATA_DIR: join(home, `${port}`), MASTER_KEY, ...env })
}

/** Starts a process that must not come up; answers what it printed and its exit code. */
async function refused(root: Root, env: Env) {
  const process = await processOf(root, env)
  const child = process.launch()
  const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })) as unknown[]
  return { code, printed: process.logs() }
}

const command = (name: string, env: Env, ...words: string[]) =>
  runCommand(new URL(`../../infra/processes/commands/${name}-cli.ts`, import.meta.url), words, {
    DATA_DIR: join(home, 'commands'),
    MASTER_KEY,
    ...env,
  })

const refusal = (text: string | RegExp) => ({
  code: 1,
  printed: expect.stringMatching(text) as string,
})

/** A database with all that another one has at this moment; nobody may be connected to that one. */
async function copyOf({ url }: TestDatabase): Promise<TestDatabase> {
  const copy = await createTestDatabase()
  const [admin, from, to] = [new URL(url), new URL(url).pathname, new URL(copy.url).pathname]
  admin.pathname = '/postgres'
  await queryOnce(admin.href, `drop database ${to.slice(1)}`)
  await queryOnce(admin.href, `create database ${to.slice(1)} template ${from.slice(1)}`)
  return copy
}

/** With the warning that a server without TLS is open to all, as the stand-in is. */
const isReady = (process: { readonly url: string }): Promise<boolean> =>
  readiness(process).then((text) => (JSON.parse(text) as { status: string }).status === 'ready')
const readiness = async ({ url }: { readonly url: string }): Promise<string> =>
  (await fetch(`${url}/readyz`)).text()

describe('given a Tollgate with its log in EventStoreDB,', () => {
  let double: EventStoreDbDouble
  let database: TestDatabase
  let gateway: Gateway<SingleProduct>
  let key: string

  beforeAll(async () => {
    double = await startEventStoreDbDouble()
    // Nothing of the test's stays connected to it, so that it can be copied.
    database = await createTestDatabase()
    gateway = await startSingleGateway({ models: [MODEL], product: { env: ownEnv() } })
    key = (await gateway.root.createToken({ name: 'pairs' })).key
  })
  afterAll(async () => {
    await gateway.stop()
    await database.drop()
    await double.close()
  })

  const ownEnv = (): Env => envOf(database)
  const envOf = ({ url }: TestDatabase): Env => ({
    DATABASE_URL: url,
    EVENTSTORE_URL: double.connectionString,
    MASTER_KEY,
  })
  const ask = () =>
    gateway
      .openai(key)
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  /** A copy of the database with what the running Tollgate has claimed, as if it was taken just now. */
  const copyOfRunning = async (): Promise<TestDatabase> => {
    await gateway.product.terminate()
    const copy = await copyOf(database)
    await gateway.product.start()
    const claims = await queryOnce(database.url, 'select claim from ledger.own_claims')
    for (const { claim } of claims as { claim: string }[]) {
      await copy.pool.query('insert into ledger.own_claims values ($1) on conflict do nothing', [
        claim,
      ])
    }
    return copy
  }
  const stored = (...types: string[]): number =>
    double.log.records.filter(({ type }) => types.includes(type)).length

  test('when processes or commands start with an empty database, then each is refused and writes nothing', async () => {
    await ask()
    const empty = await createTestDatabase()
    const before = double.log.records.length
    const env = envOf(empty)
    const isNew = /is new, and the event log at EVENTSTORE_URL \([\w-]{36}\) is in use/
    expect(await refused('all-in-one', env)).toMatchObject(refusal(isNew))
    for (const root of ['api', 'relay', 'projector'] as const) {
      expect(await refused(root, { ...env, NATS_URL: nats.url })).toMatchObject(refusal(isNew))
    }
    for (const [name, ...words] of [
      ['audit', 'seal'],
      ['projections', 'rebuild', 'balances'],
      ['ledger', 'accept-rollback'],
      ['charges', 'deliver', '/dev/null'],
    ] as const) {
      const { code, err } = await command(name, env, ...words)
      expect({ name, err, isRefused: code !== 0 }).toMatchObject({
        isRefused: true,
        err: expect.stringMatching(isNew) as string,
      })
    }
    // Seals made meanwhile are the running one's.
    expect(double.log.records.slice(before).map(({ stream }) => stream)).not.toContain(
      'ledger-claims',
    )
    expect(await empty.pool.query('select from ledger.pair')).toMatchObject({ rowCount: 0 })
    await empty.drop()
  }, 180_000)

  test('when another log is put beside its database, then it is refused and both are named', async () => {
    await gateway.product.terminate()
    const other = await startEventStoreDbDouble()
    const env = { ...ownEnv(), EVENTSTORE_URL: other.connectionString }
    const isEmpty =
      /goes with the event log [\w-]{36}, and the event log at EVENTSTORE_URL is empty/
    expect(await refused('all-in-one', env)).toMatchObject(refusal(isEmpty))
    expect(other.log.records).toHaveLength(1)
    const { EVENTSTORE_URL: _, ...embedded } = ownEnv()
    expect(await refused('all-in-one', embedded)).toMatchObject(
      refusal(/the event log in PostgreSQL is empty[^]*npm run ledger -- copy/),
    )
    const stranger = await processOf('all-in-one', {
      ...envOf(await createTestDatabase()),
      EVENTSTORE_URL: other.connectionString,
    })
    await stranger.start()
    await stranger.terminate()
    expect(await refused('all-in-one', env)).toMatchObject(
      refusal(
        /goes with the event log [\w-]{36}, and the event log at EVENTSTORE_URL is [\w-]{36}/,
      ),
    )
    await other.close()
    await gateway.product.start()
    await ask()
  }, 180_000)

  test('when it may not write at its start, then readiness says so, and it goes on once it may', async () => {
    await gateway.product.terminate()
    double.log.isDenied = () => true
    const starting = gateway.product.start()
    await until(
      'readiness says so',
      async () =>
        (await readiness(gateway.product).catch(() => '')).includes('does not let Tollgate write'),
      START_MS,
    )
    double.log.isDenied = () => false
    await starting
    await ask()
  }, 120_000)

  test('when another starts with a copy of its database, then it is refused and closes no hold', async () => {
    const copy = await copyOfRunning()
    await ask()
    const ends = stored('HoldExpired')
    expect(stored('QuotaHeld')).toBeGreaterThan(stored('HoldExpired', 'HoldReleased'))
    const asked: Promise<unknown>[] = []
    // Keeps a hold in use.
    const asking = setInterval(() => asked.push(ask()), 500)
    const isOther = /goes with another database than the database at DATABASE_URL/
    expect(await refused('all-in-one', envOf(copy))).toMatchObject(refusal(isOther))
    clearInterval(asking)
    await Promise.all(asked)
    expect(stored('HoldExpired')).toBe(ends)
    expect(gateway.product.logs()).toContain('a Tollgate with another database claimed it; refused')
    expect(await isReady(gateway.product)).toBe(true)
    await ask()
    await copy.drop()
  }, 180_000)

  test('when it stands still while a copy of its database takes over, then it ends once it goes on', async () => {
    const copy = await copyOfRunning()
    process.kill(gateway.product.pid(), 'SIGSTOP')
    const second = await processOf('all-in-one', envOf(copy))
    try {
      await second.start()
    } finally {
      process.kill(gateway.product.pid(), 'SIGCONT')
    }
    await until('the first has ended', () =>
      fetch(`${gateway.product.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    expect(gateway.product.logs()).toMatch(/goes with another database/)
    expect(await isReady(second)).toBe(true)
    await second.terminate()
    // Back again at an operator's word.
    expect(await refused('all-in-one', ownEnv())).toMatchObject(refusal(/accept-rollback/))
    expect(await command('ledger', ownEnv(), 'accept-rollback')).toMatchObject({ code: 0 })
    expect(await refused('all-in-one', envOf(copy))).toMatchObject(refusal(/accept-rollback/))
    await gateway.product.start()
    await ask()
    await copy.drop()
  }, 180_000)

  test('when its log loses its newest events, then it is not ready or does not start until accepted', async () => {
    await ask()
    await until('what was seen is noted', async () => {
      const [pair] = (await queryOnce(
        database.url,
        'select position::float8 as position from ledger.pair',
      )) as { position: number | null }[]
      return pair?.position === Number(double.log.records.at(-1)?.position)
    })
    const records = double.log.records.length
    await ask()
    await gateway.product.terminate()
    double.log.putBack(records)
    expect(await refused('all-in-one', ownEnv())).toMatchObject(
      refusal(/is older than the database at DATABASE_URL[^]*accept-rollback/),
    )
    expect(await command('audit', ownEnv(), 'seal')).toMatchObject({ code: 2 })
    expect(await command('ledger', ownEnv(), 'accept-rollback')).toMatchObject({ code: 0 })
    expect(await command('projections', ownEnv(), 'rebuild', 'all')).toMatchObject({ code: 0 })
    await gateway.product.start()

    const running = double.log.records.length
    await ask()
    await double.die()
    double.log.putBack(running)
    await double.comeBack()
    await until('it has noticed', async () =>
      (await readiness(gateway.product)).includes('accept-rollback'),
    )
    expect(await command('ledger', ownEnv(), 'accept-rollback')).toMatchObject({ code: 0 })
    expect(await command('projections', ownEnv(), 'rebuild', 'all')).toMatchObject({ code: 0 })
    await until('it goes on', () => isReady(gateway.product).catch(() => false))
    await ask()
  }, 180_000)
})

test('given a PostgreSQL log put back alone, when Tollgate starts, then it is refused until accepted', async () => {
  const database = await createTestDatabase()
  const env = { DATABASE_URL: database.url, MASTER_KEY }
  const gateway = await startSingleGateway({ models: [MODEL], product: { env } })
  try {
    const before = await database.pool.query('select position from ledger.head')
    await gateway.root.addUser('put-back', 'long-enough-2', 5)
    await gateway.product.terminate()
    const position = Number((before.rows as { position: string }[])[0]?.position)
    await database.pool.query(`
      begin;
      set local session_replication_role = replica;
      delete from ledger.events where position > ${position};
      update ledger.head set position = ${position};
      commit`)
    expect(await refused('all-in-one', env)).toMatchObject(
      refusal(/The event log in PostgreSQL .* is older than the database at DATABASE_URL/),
    )
    expect(await command('ledger', env, 'accept-rollback')).toMatchObject({ code: 0 })
    expect(await command('projections', env, 'rebuild', 'all')).toMatchObject({ code: 0 })
    await gateway.product.start()
  } finally {
    await gateway.stop()
    await database.drop()
  }
}, 180_000)
