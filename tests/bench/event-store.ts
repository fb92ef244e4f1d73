import type { Pool } from 'pg'
import type { NewEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import {
  CHAIN_VERSION,
  chainEvents,
  type ChainedAppend,
} from '@tollgate/infra/event-store/chain.ts'
import { postgresEventStoreMigrations } from '@tollgate/infra/event-store/postgres/migrations.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { migrate } from '@tollgate/infra/postgres/migrate.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { copyRows } from './copy-rows.ts'

/** All rates per second; the first and the next two are of the same rows, so their ratios mean something anywhere. */
export interface EventStoreFigures {
  /** COPY of the rows into a table with the log's columns and indexes. */
  readonly copyEventsPerSecond: number
  /** Through `append`, one event an append, from 200 accounts at once: what settling charges looks like. */
  readonly settledEventsPerSecond: number
  /** Through `append`, 100 events an append, from four accounts at once. */
  readonly groupedEventsPerSecond: number
  /** One append after another, each waited for. */
  readonly singleAppendsPerSecond: number
  /** `readAll` in batches of 1,000, decoded. */
  readonly readEventsPerSecond: number
  /** Settled and grouped against COPY; the target is 0.35. */
  readonly settledToCopy: number
  readonly groupedToCopy: number
}

const ACCOUNTS = 200
const GROUP_EVENTS = 100
const GROUP_ACCOUNTS = 4
const SINGLE_APPENDS = 500

/**
 * Measures the PostgreSQL event store on an empty database of the given cluster, which it creates and drops.
 * `events` is how many each measurement writes. The best of `rounds` counts, as other work on the machine only slows.
 */
export async function measureEventStore(
  adminUrl: string,
  { events = 40_000, rounds = 3 }: { readonly events?: number; readonly rounds?: number } = {},
): Promise<EventStoreFigures> {
  const best = { copy: 0, settled: 0, grouped: 0, single: 0, read: 0 }
  for (let round = 0; round < rounds; round += 1) {
    await withEmptyLog(adminUrl, async (pool, store) => {
      best.copy = Math.max(best.copy, await measureCopy(pool, events))
      best.settled = Math.max(
        best.settled,
        await measureAppends(store, 'settled', ACCOUNTS, events, 1),
      )
      best.grouped = Math.max(
        best.grouped,
        await measureAppends(store, 'grouped', GROUP_ACCOUNTS, events, GROUP_EVENTS),
      )
      best.single = Math.max(
        best.single,
        await measureAppends(store, 'single', 1, SINGLE_APPENDS, 1),
      )
      best.read = Math.max(best.read, await measureRead(store))
    })
  }
  return {
    copyEventsPerSecond: best.copy,
    settledEventsPerSecond: best.settled,
    groupedEventsPerSecond: best.grouped,
    singleAppendsPerSecond: best.single,
    readEventsPerSecond: best.read,
    settledToCopy: best.settled / best.copy,
    groupedToCopy: best.grouped / best.copy,
  }
}

async function withEmptyLog(
  adminUrl: string,
  run: (pool: Pool, store: EventStore) => Promise<void>,
): Promise<void> {
  const name = `bench_${crypto.randomUUID().replaceAll('-', '')}`
  const admin = openPool(adminUrl, { max: 1, applicationName: 'bench' })
  await admin.query(`create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = openPool(url.href, { max: 4, applicationName: 'bench' })
  try {
    await migrate(pool, postgresEventStoreMigrations)
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const store = openPostgresEventStore({
      pool,
      databaseUrl: url.href,
      logger,
      clock: systemClock,
    })
    try {
      await run(pool, store)
    } finally {
      await store.close()
    }
  } finally {
    await pool.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

/** About 700 bytes with its metadata, as a charge in the ledger has. */
function chargeLike(amount: number): NewEvent {
  const data = {
    at: 1_700_000_000_000 + amount,
    hold: '12@345',
    sequence: amount,
    amount: 1_250,
    fromHold: 1_250,
    fromWallet: 0,
    request: {
      id: 'req_0123456789abcdef',
      token: 7,
      channel: 3,
      model: 'gpt-4o-mini',
      upstreamModel: 'gpt-4o-mini-2024-07-18',
      usage: { prompt: 1_024, completion: 256, cached: 0 },
      ratios: { model: 0.075, completion: 4, group: 1 },
      priceBook: 41,
      durationMs: 1_840,
      path: [3],
    },
  }
  return {
    id: crypto.randomUUID(),
    type: 'Counted',
    data,
    metadata: {
      actor: 'relay:6f0d3a51-7b0e-4a57-9d0a-0d6f3a517b0e',
      correlationId: 'req_0123456789abcdef',
      causationId: null,
      schemaVersion: 1,
    },
  }
}

async function measureAppends(
  store: EventStore,
  name: string,
  accounts: number,
  events: number,
  eventsPerAppend: number,
): Promise<number> {
  const rounds = Math.max(1, Math.round(events / accounts / eventsPerAppend))
  const work = Array.from({ length: accounts }, () =>
    Array.from({ length: rounds }, () =>
      Array.from({ length: eventsPerAppend }, (_, index) => chargeLike(index)),
    ),
  )
  const startedAt = performance.now()
  await Promise.all(
    work.map(async (appends, account) => {
      let head: StreamHead = EMPTY_STREAM
      for (const batch of appends) {
        ;({ head } = await store.append(`account-${name}${account}`, batch, head))
      }
    }),
  )
  return perSecond(accounts * rounds * eventsPerAppend, startedAt)
}

async function measureRead(store: EventStore): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  for (let after = -1; ;) {
    const batch = await store.readAll(after, 'all', 1_000)
    count += batch.length
    after = batch.at(-1)?.position ?? after
    if (batch.length < 1_000) return perSecond(count, startedAt)
  }
}

/** The rows are made before the clock starts: this is the engine alone. */
async function measureCopy(pool: Pool, events: number): Promise<number> {
  await pool.query('create table ledger.copied (like ledger.events including all)')
  const perAccount = Math.round(events / ACCOUNTS)
  const appends = Array.from({ length: ACCOUNTS }, (_, account) =>
    chainedCharges(`account-copied${account}`, perAccount),
  )
  const rows = copyText(appends)
  const client = await pool.connect()
  try {
    const startedAt = performance.now()
    await copyRows(client, 'copy ledger.copied from stdin', rows)
    return perSecond(perAccount * ACCOUNTS, startedAt)
  } finally {
    client.release()
  }
}

const chainedCharges = (stream: string, count: number): ChainedAppend =>
  chainEvents(
    stream,
    Array.from({ length: count }, (_, index) => chargeLike(index)),
    EMPTY_STREAM,
  )

/** Rows in COPY's text form, append by append, from a position on; only backslashes of our JSON need escaping. */
export function copyText(appends: readonly ChainedAppend[], from = 0): Buffer {
  let position = from
  const lines: string[] = []
  for (const { stream, events } of appends) {
    for (const event of events) {
      const columns = [
        position,
        stream,
        event.revision,
        event.id,
        event.type,
        '2026-01-01T00:00:00Z',
        event.dataText,
        event.metadataText,
        `\\x${event.hash}`,
        CHAIN_VERSION,
      ]
      lines.push(columns.join('\t').replaceAll('\\', '\\\\'))
      position += 1
    }
  }
  return Buffer.from(`${lines.join('\n')}\n`)
}

const perSecond = (count: number, startedAt: number): number =>
  Math.round((count * 1_000) / (performance.now() - startedAt))
