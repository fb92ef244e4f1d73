import { balances } from '@tollgate/projections/balances/projector.ts'
import { deliverBatch } from '@tollgate/projections/runner/delivery.ts'
import { type Follower, openFollower } from '@tollgate/projections/runner/follower.ts'
import { liveCopy } from '@tollgate/projections/runner/projector.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { type Life, type Machine, makeMachine } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { SimulatedDatabase } from '../engines/database.ts'
import type { Engines } from '../engines/engines.ts'
import { type Watches, watchLog } from './watch.ts'

const PERSIST_EVERY_MS = 5_000
const SILENT = { info() {}, warn() {}, error() {} }

/** A process that feeds the balances: the real projector behind the real follower with its checkpoint. */
export function makeProjector(
  runtime: Runtime,
  engines: Engines,
  name: string,
  watches: Watches | null,
): Machine {
  const machine: Machine = makeMachine(runtime, name, (life) => {
    const { store, database } = engines
    if (watches === null) void follow(runtime, database, store.portOf(life), life)
    else {
      void watchLog(runtime, engines, watches, life, () => machine, 'follows').then((log) =>
        life.isAlive() ? follow(runtime, database, log.store, life) : undefined,
      )
    }
  })
  return machine
}

/** Follows the log as the runner does. Another projector may move the checkpoint meanwhile: the follower finds out. */
async function follow(
  runtime: Runtime,
  database: SimulatedDatabase,
  store: EventStore,
  life: Life,
): Promise<void> {
  const pool = database.poolOf(life)
  const follower = openFollower({
    projector: balances,
    copy: liveCopy(balances.name),
    position: database.tables.checkpoint,
    store,
    pool,
    clock: life.clock,
    logger: SILENT,
    onChange: () => undefined,
  })
  void persistNowAndThen(follower, life)
  for (;;) {
    const ending = new AbortController()
    await followUntilMoved(pool, follower, store, ending.signal)
    const { poison } = follower.status()
    if (poison === null) continue
    runtime.violate('projector-stopped', `${poison.type} at ${poison.position}: ${poison.message}`)
    return
  }
}

/** As the runner does: positions that moved in memory only are written down. */
async function persistNowAndThen(follower: Follower, { clock }: Life): Promise<void> {
  for (;;) {
    await clock.sleep(PERSIST_EVERY_MS)
    // Positions that could not be written down are read from the log again.
    await follower.persist().catch(() => undefined)
  }
}

async function followUntilMoved(
  pool: pg.Pool,
  follower: Follower,
  store: EventStore,
  signal: AbortSignal,
): Promise<void> {
  const { streamPrefixes } = follower
  let after = follower.status().position
  for await (const batch of store.subscribeAll(after, { streamPrefixes }, signal)) {
    const range = { events: batch.events, after, upTo: batch.position }
    const outcome = await deliverBatch(pool, [follower], range, signal)
    if (outcome === 'moved' || follower.status().state === 'stopped') return
    after = batch.position
  }
}
