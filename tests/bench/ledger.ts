import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccountLedger } from '@tollgate/command-api/ledger/account-ledger.ts'
import { HoldDesk } from '@tollgate/command-api/ledger/hold-desk.ts'
import { NearbyRelays } from '@tollgate/command-api/ledger/nearby-relays.ts'
import { ownsEverything } from '@tollgate/command-api/ledger/ownership.ts'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { channelId, relayId, requestId, userId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { postgresEventStoreMigrations } from '@tollgate/infra/event-store/postgres/migrations.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { migrate } from '@tollgate/infra/postgres/migrate.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { systemClock } from '@tollgate/infra/processes/world.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import type { Pool } from 'pg'
import type { EventStoreFigures } from './event-store.ts'
import { measureEventStore } from './event-store.ts'
import type { Figure } from './figures.ts'
import { fraction, whole } from './figures.ts'

const ACCOUNTS = 64
const CHARGES = 120_000
/** Charges of one account that wait at once: what a busy relay has under way. */
const IN_FLIGHT_PER_ACCOUNT = 40
/** Rebuild targets of design section 9, events a second; other read models have none. */
const REBUILD_TARGETS: Readonly<Record<string, number>> = {
  'usage-log': 40_000,
  dashboard: 150_000,
}

const clock = systemClock
const randomness = { uuid: () => randomUUID(), fraction: () => Math.random() }
const logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * The ledger writer over the embedded, durable log, beside COPY of the very rows it wrote; then every read model
 * rebuilt from that log.
 */
export async function ledgerFigures(say: (line: string) => void): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir, logger })
  const pool = openPool(postgres.url, { max: 10, applicationName: 'bench' })
  await migrate(pool, postgresEventStoreMigrations)
  const store = openPostgresEventStore({ pool, databaseUrl: postgres.url, logger, clock })
  try {
    say(`ledger: ${whole(CHARGES)} charges to ${ACCOUNTS} accounts`)
    const chargesPerSecond = await settle(store)
    say('ledger: COPY of the same rows')
    const copiedPerSecond = await copySameRows(pool)
    const figures = [settlementFigure(chargesPerSecond, copiedPerSecond)]
    for (const projector of readModels) {
      say(`projections: ${projector.name}`)
      const report = await rebuild({ store, pool, projector, clock, logger })
      if (report.events < CHARGES) continue
      figures.push(rebuildFigure(projector.name, (report.events * 1000) / report.durationMs))
    }
    say('event store: appends and reads')
    figures.push(...eventStoreFigures(await measureEventStore(postgres.url, { rounds: 1 })))
    return figures
  } finally {
    await store.close()
    await pool.end()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Opens accounts with a hold each and charges them as fast as the ledger acknowledges; charges a second. */
async function settle(store: EventStore): Promise<number> {
  const ledger = new AccountLedger({ store, clock, randomness })
  const desk = new HoldDesk({
    ledger,
    clock,
    relays: new NearbyRelays(clock),
    ownership: ownsEverything(clock),
  })
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => userId(index + 1))
  const spend = await Promise.all(accounts.map((account) => openAccount(ledger, desk, account)))
  // The first appends compile code and fill caches, as they do once in a process's life.
  await Promise.all(spend.map((charge) => chargeInParallel(charge, 100)))
  const startedAt = performance.now()
  await Promise.all(spend.map((charge) => chargeInParallel(charge, CHARGES / ACCOUNTS)))
  const perSecond = (CHARGES * 1000) / (performance.now() - startedAt)
  ledger.stop()
  return perSecond
}

/** Returns a function that charges the account once and resolves when the charge is durable. */
async function openAccount(ledger: AccountLedger, desk: HoldDesk, account: UserId) {
  const cause = { actor: 'system', correlationId: 'bench', causationId: null } as const
  const amount = quota(1_000_000_000)
  const grant = { type: 'CreditQuota', amount, source: 'grant', reason: 'bench' } as const
  await ledger.execute(account, { type: 'OpenAccount' }, cause)
  await ledger.execute(account, grant, cause)
  const relay = relayId('bench')
  const want = quota(400_000_000)
  const ask = { account, token: null, relay, nonce: randomUUID(), need: want, want }
  const answer = await desk.placeHold(ask)
  if (answer.status !== 'held') throw new Error(`no hold for account ${account}: ${answer.reason}`)
  let sequence = 0
  return () =>
    desk.publish({
      type: 'usage',
      account,
      relay,
      hold: answer.hold,
      sequence: ++sequence,
      token: null,
      amount: quota(37),
      request: chargedRequest(sequence),
      final: false,
      at: Date.now(),
    })
}

async function chargeInParallel(charge: () => Promise<void>, count: number): Promise<void> {
  let left = Math.floor(count)
  const worker = async (): Promise<void> => {
    while (left-- > 0) await charge()
  }
  await Promise.all(Array.from({ length: IN_FLIGHT_PER_ACCOUNT }, worker))
}

/** Rows a second that the bare engine takes in by COPY: the log's own rows into a table with the same keys. */
async function copySameRows(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ file: string }>(
    "select current_setting('data_directory') || '/bench-copy' as file",
  )
  const file = rows[0]?.file ?? ''
  await pool.query(`copy ledger.events to '${file}'`)
  await pool.query('create table bench_copy (like ledger.events including all)')
  await pool.query('checkpoint')
  const startedAt = performance.now()
  const { rowCount } = await pool.query(`copy bench_copy from '${file}'`)
  const perSecond = ((rowCount ?? 0) * 1000) / (performance.now() - startedAt)
  await pool.query('drop table bench_copy')
  return perSecond
}

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

/** What a small chat leaves behind; about 700 bytes as stored. */
const chargedRequest = (number: number): ChargedUsage => ({
  id: requestId(`202601051200000000000000${number}`),
  channel: channelId((number % 5) + 1),
  model: 'gpt-4o-mini',
  upstreamModel: 'gpt-4o-mini',
  group: 'default',
  endpoint: '/v1/chat/completions',
  usage: { ...NO_USAGE, textIn: 120, textOut: 93 },
  price: {
    by: 'tokens',
    bookRevision: -1,
    groupRatio: '1',
    quotaPerUnit: '500000',
    modelRatio: '0.075',
    completionRatio: '4',
    cacheRatio: '0.5',
    cacheWriteRatio: '1.25',
    audioRatio: '20',
    audioCompletionRatio: '2',
    webSearchPrice: null,
    fileSearchPrice: null,
  },
  stream: true,
  startedAt: Date.now(),
  firstByteMs: 312,
  durationMs: 1_840,
  path: [channelId((number % 5) + 1)],
  estimated: false,
  cancelled: false,
  cutShort: false,
  reasoningEffort: null,
})
