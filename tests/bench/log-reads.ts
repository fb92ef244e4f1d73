import { EventStoreDBClient } from '@eventstore/db-client'
import { exampleTimelines } from '../support/example-timelines.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { verifyLog } from '@tollgate/infra/audit/verify-log.ts'
import type { AuditableEventStore } from '@tollgate/infra/event-store/auditable-store.ts'
import { openEventStoreDb } from '@tollgate/infra/event-store/eventstoredb/store.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import {
  systemClock as clock,
  systemRandomness as randomness,
} from '@tollgate/infra/processes/runtime.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import type { Pool } from 'pg'
import { chargeInParallel, holdServiceOf, openAccounts } from './charges.ts'
import { serve } from './child-process.ts'
import { logger, withEmbeddedLog } from './embedded-log.ts'
import { type Figure, fraction, whole } from './figures.ts'
import { scaled } from './scale.ts'

const ACCOUNTS = 64
const CHARGES = 100_000
/** The read models that every charge is in; the others' rebuild is that of a log without charges. */
const REBUILT = ['balances', 'usage-log', 'dashboard']
/** The best of so many counts, as other work on the machine only slows. */
const ROUNDS = 3
const TARGET = 0.6

/**
 * Walks through the whole log, with the log in EventStoreDB (the double, a process of its own), against the bare
 * client's streaming read of the same events in the same run.
 */
export async function logReadFigures(say: (line: string) => void): Promise<Figure[]> {
  const double = await serve('double-process.ts')
  try {
    return await withEmbeddedLog(async ({ url }) => {
      const store = openEventStoreDb({ connectionString: double.url, logger, clock })
      const pool = openPool(url, {
        max: 6,
        applicationName: 'bench-projections',
        isDurable: false,
        isPipelined: true,
      })
      try {
        return await measure(double.url, store, pool, say)
      } finally {
        await pool.end()
        await store.close()
      }
    })
  } finally {
    await double.stop()
  }
}

async function measure(
  doubleUrl: string,
  store: AuditableEventStore,
  pool: Pool,
  say: (line: string) => void,
): Promise<Figure[]> {
  say('log reads: charging')
  await charge(store)
  const best = new Map<string, number>()
  const note = (what: string, perSecond: number): void => {
    best.set(what, Math.max(best.get(what) ?? 0, perSecond))
  }
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`log reads: round ${round} of ${ROUNDS}`)
    note('raw', await rate(() => readBare(doubleUrl)))
    for (const projector of readModels.filter(({ name }) => REBUILT.includes(name))) {
      const work = async (): Promise<number> =>
        (await rebuild({ store, pool, projector, clock, logger })).events
      note(`rebuild of ${projector.name}`, await rate(work))
    }
    note('verify', await rate(async () => (await verifyLog(store)).events))
    note('reconcile', await rate(async () => (await reconcile({ store, pool })).events))
  }
  const raw = best.get('raw') ?? Number.NaN
  return [...best].map(([what, perSecond]) => ({
    what: `log in EventStoreDB (double): ${what === 'raw' ? 'streaming read by the bare client' : what}`,
    measured: `${whole(perSecond)} events/s${what === 'raw' ? '' : ` = ${fraction(perSecond / raw)} × bare client`}`,
    target: what === 'raw' ? '' : `≥ ${TARGET} × bare client`,
    isReached: what === 'raw' ? null : perSecond >= TARGET * raw,
  }))
}

async function charge(store: AuditableEventStore): Promise<void> {
  const ledger = new AccountLedger({ timelines: exampleTimelines, store, clock, randomness })
  const holdService = holdServiceOf(ledger)
  const holds = await openAccounts(ledger, holdService, ACCOUNTS)
  const perAccount = Math.ceil(scaled(CHARGES) / ACCOUNTS)
  await Promise.all(holds.map((hold) => chargeInParallel(holdService, hold, 1, perAccount)))
  ledger.stop()
}

/** Events a second; `work` answers how many there were. */
async function rate(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  return ((await work()) * 1000) / (performance.now() - startedAt)
}

/** Events of the whole log, read in one stream as the client's own documentation does it. */
async function readBare(url: string): Promise<number> {
  const client = EventStoreDBClient.connectionString(url)
  let events = 0
  for await (const { event } of client.readAll({ maxCount: Number.MAX_SAFE_INTEGER })) {
    if (event !== undefined) events += 1
  }
  await client.dispose()
  return events
}
