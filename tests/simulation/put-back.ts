import { openTimeline } from '@tollgate/command-api/ledger/timelines.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { immortal } from './actors/admin.ts'
import { insist, type Watches } from './actors/watch.ts'
import type { Machine } from './core/machine.ts'
import type { World } from './core/world.ts'
import type { Engines } from './engines/engines.ts'

/** What keeps books is told of what is left of the log, and of what is lost. */
interface Books {
  readonly putBack: (kept: readonly RecordedEvent[], lost: readonly RecordedEvent[]) => void
}

/** Early enough for every hold of before to end. */
const PUT_BACK_AT_MS = [12_000, 28_000] as const
/** So much of the log is lost. */
const LOST_MS = [200, 6_000] as const
const CLEARED_AFTER_MS = 400
/** Until an operator accepts it. */
const ACCEPTED_AFTER_MS = [1_000, 14_000] as const

/**
 * Plans that the log is put back, as when a server is restored beside everything else: connections break, read models are
 * built anew, and after a while an operator accepts it.
 */
export function planPutBack(
  world: World,
  engines: Engines,
  books: Books,
  watches: Watches,
  projectors: readonly Machine[],
): void {
  const { scheduler, chances, uuid } = world
  const { store, database } = engines
  const operator = immortal(world, 'operator')
  const at = chances.whole(...PUT_BACK_AT_MS)
  const lostMs = chances.whole(...LOST_MS)
  scheduler.at(at, () => {
    const since = store.log.findIndex(({ recordedAt }) => recordedAt > at - lostMs)
    if (since === -1) return
    // Charges of an account that is lost itself are refused and kept for the operator, which is not played here.
    const opened = store.log.findLastIndex(({ type }) => type === 'AccountOpened')
    const length = Math.max(since, opened + 1)
    const lost = store.putBack(length)
    books.putBack(store.log, lost)
    for (const machine of projectors) machine.crash()
    // What the projectors had under way must not come after it.
    database.setAway(true)
    scheduler.at(at + CLEARED_AFTER_MS, () => {
      database.clear()
      database.setAway(false)
      // One that came back meanwhile has read the old checkpoint, which may lie beyond all that the log will ever have.
      for (const machine of projectors) if (machine.life() !== null) machine.crash()
    })
    watches.loseConnections()
  })
  scheduler.at(at + chances.whole(...ACCEPTED_AFTER_MS), () => {
    const randomness = { uuid, fraction: () => chances.fraction() }
    const writer = { store: store.portOf(operator), clock: operator.clock, randomness }
    void insist(operator, () => openTimeline(writer, 'accept-rollback'))
  })
}
