// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort, workerData } from 'node:worker_threads'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { claimReplay } from '@tollgate/projections/replays/replay-table.ts'
import { BROKE_OFF, endAs, runReplay } from '@tollgate/projections/replays/run-replay.ts'
import { openEventStore } from '../../event-store/open-event-store.ts'
import type { StoreLogger } from '../../event-store/store-logger.ts'
import { openPool } from '../../postgres/pool.ts'
import { surviveRejections } from '../unhandled-rejections.ts'
import { systemClock, systemRandomness } from '../runtime.ts'
import { giveWay } from './give-way.ts'
import { type BusyShare, paceOf } from './shared-pace.ts'

/** Where replays find log and tables. Plain data, so that it can be handed to a thread. */
export interface ReplayThreadConfig {
  readonly databaseUrl: string
  /** Null = the log is in PostgreSQL. */
  readonly eventStoreUrl: string | null
}

/** The same with how busy the main thread is. */
export interface ReplayThreadData extends ReplayThreadConfig {
  readonly busy: BusyShare
}

/** A message of a replay's thread that an operator should read. */
export interface ReplayNews {
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly fields: object
}

const CONNECTIONS_MAX = 3

/** Runs what waits, one replay after the other, and ends when nothing does: between replays there is no thread. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  const { databaseUrl, eventStoreUrl, busy } = workerData as ReplayThreadData
  giveWay()
  const ending = new AbortController()
  port.on('message', () => ending.abort())
  const tell = (level: ReplayNews['level'], fields: object, message: string): void =>
    port.postMessage({ level, fields: textsOf(fields), message } satisfies ReplayNews)
  const logger: StoreLogger = {
    info: () => undefined,
    warn: (fields, message) => tell('warn', fields, message),
    error: (fields, message) => tell('error', fields, message),
  }
  surviveRejections(logger)
  const pool = openPool(databaseUrl, {
    max: CONNECTIONS_MAX,
    applicationName: 'tollgate-replays',
    isDurable: false,
    hasReadBuffers: true,
    onIdleError: (err) => tell('warn', { err }, 'replays: a connection to PostgreSQL broke'),
  })
  const store = await openEventStore({
    eventStoreUrl,
    pool,
    databaseUrl,
    logger,
    clock: systemClock,
  })
  const run = {
    store,
    pool,
    clock: systemClock,
    runner: systemRandomness.uuid(),
    signal: ending.signal,
    pace: paceOf(busy, ending.signal),
  }
  try {
    while (!ending.signal.aborted) {
      const replay = await claimReplay(pool, run.runner, systemClock.now())
      if (replay === null) break
      try {
        await runReplay(replay, run)
      } catch (err) {
        const fields = { err, replay: replay.id }
        if (isTransient(err)) {
          tell('warn', fields, 'replays: a replay broke off; it goes on at its checkpoint')
          break
        }
        tell(
          'error',
          fields,
          'replays: a replay failed; its owner sees it as failed and can run it again',
        )
        await endAs('failed', replay.id, BROKE_OFF, run)
      }
    }
  } finally {
    await store.close()
    await pool.end()
    port.close()
  }
}

/** Not every error can cross to another thread. */
const textsOf = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  )

if (parentPort !== null) await main(parentPort)
