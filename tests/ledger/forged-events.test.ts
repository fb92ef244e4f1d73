import { loadAccount } from '@tollgate/command-api/accounts/load-account.ts'
import { type DomainEvent, LOG_START, type NewEvent } from '@tollgate/domain/event.ts'
import type { EventPlace } from '@tollgate/domain/ports/event-store.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import { randomHistory } from '../support/histories/ledger-history.ts'
import { systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { setAside } from '@tollgate/infra/set-aside/set-aside.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  forgedEvent,
  postgresAuditedLog,
  strangeEvent,
} from '../support/histories/audited-log.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  silentLogger,
  testClock,
} from '../support/projection-log.ts'

/** Money that another client writes into an account: what it looks like is what Tollgate writes, but for the link. */
const MONEY: readonly DomainEvent[] = [
  {
    type: 'QuotaCredited',
    data: { at: Date.UTC(2026, 1, 3), amount: 1_000_000_007, source: 'top-up', reason: 'a gift' },
  } as DomainEvent,
  {
    type: 'QuotaDebited',
    data: { at: Date.UTC(2026, 1, 3), amount: 7, source: 'adjustment' },
  } as DomainEvent,
]
const NAMES = readModels.map(({ name }) => name)

describe.each([
  { engine: 'PostgreSQL', open: postgresAuditedLog },
  { engine: 'EventStoreDB (protocol double)', open: eventStoreDbAuditedLog },
])('given forged money in a log in $engine', ({ open }) => {
  let books: AuditedLog
  let models: ProjectionLog
  beforeEach(async () => {
    books = await open()
    models = await openProjectionLog()
    for (const { stream, event } of randomHistory({ seed: 14, steps: 150 }).events) {
      await books.append(stream, event)
    }
  })
  afterEach(async () => {
    await models.close()
    await books.close()
  })

  /** Brings the read models to the log's end by a process that has just been started. */
  async function project(): Promise<void> {
    const runner = models.runner(readModels, books.openAgain())
    await runner.start()
    expect(await runner.waitFor(NAMES, await books.store.headPosition(), 20_000)).toBe(true)
    await runner.stop()
  }

  async function figures() {
    const all = [
      'select * from balances.accounts order by user_id',
      'select * from journal.balances order by user_id',
      'select count(*) as rows, sum(quota) as quota from usage_log.rows',
      'select count(*) as rows, sum(amount) as amount from journal.postings',
    ].map(async (sql) => (await models.pool.query<object>(sql)).rows)
    return Promise.all(all)
  }

  test('when read models follow it, before or behind the forged events, then none of them counts these', async () => {
    await project()
    const before = await figures()
    for (const event of MONEY) {
      await books.forge('account-1', forgedEvent('account-1', event))
      await project()
      expect(await figures()).toEqual(before)
    }
    await rebuildAll()
    expect(await figures()).toEqual(before)
  })

  test('when it is set aside and read models are rebuilt, then they have the live figures', async () => {
    await project()
    const before = await figures()
    for (const event of MONEY) await books.forge('account-1', forgedEvent('account-1', event))
    for (const { stream, revision } of await foreignPlaces()) {
      const engines = { store: books.store, clock: testClock, randomness: systemRandomness }
      await setAside(engines, { stream, revision }, 'by hand')
    }
    const { head } = await loadAccount(books.store, 'account-1')
    await books.store.append('account-1', MONEY.map(newEvent), head)
    await project()
    const live = await figures()
    expect(live).not.toEqual(before)
    await rebuildAll()
    expect(await figures()).toEqual(live)
  })

  async function rebuildAll(): Promise<void> {
    for (const projector of readModels) {
      const options = { projector, pool: models.pool, clock: testClock, logger: silentLogger }
      const report = await rebuild({ ...options, store: books.openAgain() })
      expect(report.comparison).toMatchObject({ differing: 0 })
    }
  }

  /** As a process finds them that goes through the log. */
  async function foreignPlaces(): Promise<readonly EventPlace[]> {
    const store = books.openAgain()
    await store.readAll(LOG_START, 'all', 10_000)
    return store.foreignEvents?.() ?? []
  }

  const newEvent = ({ type, data }: DomainEvent): NewEvent => ({
    id: systemRandomness.uuid(),
    type,
    data,
    metadata: {
      actor: 'system',
      correlationId: 'test',
      causationId: null,
      schemaVersion: schemaVersionOf(type),
    },
  })

  test('when reconciled, then each foreign event is named, and nothing differs once they are set aside', async () => {
    for (const stream of ['settings', 'account-1']) await books.forge(stream, strangeEvent())
    await project()
    // Rows are compared one by one where sums differ, which reads the locked streams.
    await models.pool.query(`
      update journal.postings set amount = amount + 1 where position =
        (select min(position) from journal.postings where user_id = 1);
      update usage_log.rows set quota = quota + 1 where id =
        (select min(id) from usage_log.rows where user_id = 1 and type = 2)`)
    const compare = () => reconcile({ store: books.openAgain(), pool: models.pool })
    const { first } = await compare()
    expect(first.filter(({ table }) => table === '(foreign)').map(({ key }) => key)).toEqual([
      expect.stringMatching(/^settings@\d+$/u),
      expect.stringMatching(/^account-1@\d+$/u),
    ])
    const found = first.map(({ model }) => model)
    expect(found).toEqual(expect.arrayContaining(['journal', 'usage-log']))
    const engines = { store: books.store, clock: testClock, randomness: systemRandomness }
    for (const { key } of first.filter(({ table }) => table === '(foreign)')) {
      const [stream = '', revision] = key.split('@')
      await setAside(engines, { stream, revision: Number(revision) }, 'by hand')
    }
    for (const name of ['journal', 'usage-log']) {
      const projector = readModels.find((model) => model.name === name)
      if (projector === undefined) throw new Error(`no read model ${name}`)
      const options = { projector, pool: models.pool, clock: testClock, logger: silentLogger }
      await rebuild({ ...options, store: books.openAgain() })
    }
    await project()
    expect(await compare()).toMatchObject({ differences: 0, first: [] })
  })
})
