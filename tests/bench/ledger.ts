import { exampleTimelines } from '../support/example-timelines.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import {
  systemClock as clock,
  systemRandomness as randomness,
} from '@tollgate/infra/processes/runtime.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { chargeInParallel, holdServiceOf, openAccounts } from './charges.ts'
import { copyLog, logger, withEmbeddedLog } from './embedded-log.ts'
import type { EventStoreFigures } from './event-store.ts'
import { measureEventStore } from './event-store.ts'
import type { Figure } from './figures.ts'
import { fraction, whole } from './figures.ts'
import { scaled } from './scale.ts'

const ACCOUNTS = 64
const CHARGES = 120_000
/** Rebuild targets of design section 9, events a second; other read models have none. */
const REBUILD_TARGETS: Readonly<Record<string, number>> = {
  'usage-log': 40_000,
  dashboard: 150_000,
}
/** Appended by each measurement of the bare event store. */
const EVENTS_OF_STORE = 40_000

/**
 * The ledger writer over the embedded, durable log, beside COPY of the very rows it wrote; then every read model
 * rebuilt from that log.
 */
export const ledgerFigures = (say: (line: string) => void): Promise<Figure[]> =>
  withEmbeddedLog(async ({ url, pool, store }) => {
    const charges = perAccount(scaled(CHARGES)) * ACCOUNTS
    say(`ledger: ${whole(charges)} charges to ${ACCOUNTS} accounts`)
    const chargesPerSecond = await settle(store, charges)
    say('ledger: COPY of the same rows')
    const copiedPerSecond = await copyLog(pool)
    const figures = [settlementFigure(chargesPerSecond, copiedPerSecond)]
    figures.push(...(await rebuildFigures(url, store, charges, say)))
    say('event store: appends and reads')
    const events = scaled(EVENTS_OF_STORE)
    figures.push(...eventStoreFigures(await measureEventStore(url, { events, rounds: 1 })))
    return figures
  })

/** Every read model that the charges are in, rebuilt from their log over connections like those of the product. */
async function rebuildFigures(
  url: string,
  store: EventStore,
  charges: number,
  say: (line: string) => void,
): Promise<Figure[]> {
  const pool = openPool(url, {
    max: 6,
    applicationName: 'bench-projections',
    isDurable: false,
    isPipelined: true,
  })
  const figures: Figure[] = []
  try {
    for (const projector of readModels) {
      say(`projections: ${projector.name}`)
      const report = await rebuild({ store, pool, projector, clock, logger })
      if (report.events < charges) continue
      figures.push(rebuildFigure(projector.name, (report.events * 1000) / report.durationMs))
    }
  } finally {
    await pool.end()
  }
  return figures
}

/** Opens accounts with a hold each and charges them as fast as the ledger acknowledges; charges a second. */
async function settle(store: EventStore, charges: number): Promise<number> {
  const ledger = new AccountLedger({ timelines: exampleTimelines, store, clock, randomness })
  const holdService = holdServiceOf(ledger)
  const holds = await openAccounts(ledger, holdService, ACCOUNTS)
  // The first appends compile code and fill caches, as they do once in a process's life.
  await Promise.all(
    holds.map((hold) => chargeInParallel(holdService, hold, 1, perAccount(charges, 0.05))),
  )
  const from = perAccount(charges, 0.05) + 1
  const startedAt = performance.now()
  await Promise.all(
    holds.map((hold) => chargeInParallel(holdService, hold, from, perAccount(charges))),
  )
  const perSecond = (charges * 1000) / (performance.now() - startedAt)
  ledger.stop()
  return perSecond
}

/** Charges of one account out of so many, or of a part of them; at least one. */
const perAccount = (charges: number, part = 1): number =>
  Math.max(1, Math.floor((charges * part) / ACCOUNTS))

const settlementFigure = (charges: number, copied: number): Figure => ({
  what: 'settlement into the embedded log',
  measured: `${whole(charges)} charges/s = ${fraction(charges / copied)} × COPY (${whole(copied)} rows/s)`,
  target: '≥ 0.35 × COPY',
  isReached: charges >= 0.35 * copied,
})

const eventStoreFigures = (measured: EventStoreFigures): Figure[] => [
  {
    what: 'event store, one event an append, 200 accounts',
    measured: `${whole(measured.settledEventsPerSecond)} events/s = ${fraction(measured.settledToCopy)} × COPY (${whole(measured.copyEventsPerSecond)} rows/s)`,
    target: '≥ 0.35 × COPY',
    isReached: measured.settledToCopy >= 0.35,
  },
  rate(
    'event store, 100 events an append, 4 accounts',
    measured.groupedEventsPerSecond,
    'events/s',
  ),
  rate('event store, one append after another', measured.singleAppendsPerSecond, 'appends/s'),
  rate('event store, reading the log', measured.readEventsPerSecond, 'events/s'),
]

const rate = (what: string, perSecond: number, unit: string): Figure => ({
  what,
  measured: `${whole(perSecond)} ${unit}`,
  target: '',
  isReached: null,
})

function rebuildFigure(name: string, perSecond: number): Figure {
  const target = REBUILD_TARGETS[name]
  return {
    what: `rebuild of ${name}`,
    measured: `${whole(perSecond)} events/s`,
    target: target === undefined ? '' : `≥ ${whole(target)} events/s`,
    isReached: target === undefined ? null : perSecond >= target,
  }
}
