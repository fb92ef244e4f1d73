import { balances } from '@tollgate/projections/balances/projector.ts'
import { deliverBatch } from '@tollgate/projections/runner/delivery.ts'
import { type Follower, openFollower } from '@tollgate/projections/runner/follower.ts'
import { liveSlot } from '@tollgate/projections/runner/projector.ts'
import type pg from 'pg'
import { type Life, type Machine, makeMachine } from '../core/machine.ts'
import type { World } from '../core/world.ts'
import type { Engines } from '../engines/engines.ts'

const PERSIST_EVERY_MS = 5_000
const SILENT = { info() {}, warn() {}, error() {} }

/** A process that feeds the balances: the real projector behind the real follower with its checkpoint. */
export const makeProjector = (world: World, engines: Engines, name: string): Machine =>
  makeMachine(world, name, (life) => void follow(world, engines, life))

/** Follows the log as the runner does. Another projector may move the checkpoint meanwhile: the follower finds out. */
async function follow(world: World, { store, database }: Engines, life: Life): Promise<void> {
  const pool = database.poolOf(life)
  const follower = openFollower({
    projector: balances,
    slot: liveSlot(balances.name),
    position: database.tables.checkpoint,
    store: store.portOf(life),
    pool,
    clock: life.clock,
    logger: SILENT,
    onChange: () => undefined,
  })
  void persistNowAndThen(follower, life)
  for (;;) {
    const ending = new AbortController()
    await followUntilMoved(pool, follower, store.portOf(life), ending.signal)
    const { poison } = follower.status()
    if (poison === null) continue
    world.violate('projector-stopped', `${poison.type} at ${poison.position}: ${poison.message}`)
    return
  }
}

/** As the runner does: positions that moved in memory only are written down. */
async function persistNowAndThen(follower: Follower, { clock }: Life): Promise<void> {
  for (;;) {
    await clock.sleep(PERSIST_EVERY_MS)
    // What could not be written down is read from the log again.
    await follower.persist().catch(() => undefined)
  }
}

async function followUntilMoved(
  pool: pg.Pool,
  follower: Follower,
  store: ReturnType<Engines['store']['portOf']>,
  signal: AbortSignal,
): Promise<void> {
  const { streamPrefixes } = follower
  let after = follower.status().position
  for await (const batch of store.subscribeAll(after, { streamPrefixes }, signal)) {
    const stretch = { events: batch.events, after, upTo: batch.position }
    const outcome = await deliverBatch(pool, [follower], stretch, signal)
    if (outcome === 'moved' || follower.status().state === 'stopped') return
    after = batch.position
  }
}
