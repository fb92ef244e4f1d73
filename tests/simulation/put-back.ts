import { acceptRollback } from '@tollgate/command-api/ledger/accept-rollback.ts'
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
/** Of the seeds in which the log alone is put back. */
const ALL_ANEW = 0.4
/** Of the seeds: the log ends just before a hold's extension, and all but the relay that was told of it start anew. */
const SHORT_OF_EXTENSION = 0.3
/** From an extension until the relay has heard of it, and how long one is waited for. */
const HEARD_MS = 60
const EXTENSION_WITHIN_MS = 800
/** Until an operator accepts it. */
const ACCEPTED_AFTER_MS = [1_000, 14_000] as const

/**
 * Plans that the log is put back, and that an operator accepts it after a while. With its database, as when a server is
 * restored beside everything else: read models are built anew. Alone, as when a node is promoted that lagged: the
 * database has seen more than the log has, at times every process starts anew, and the operator has the read models
 * built anew afterwards.
 */
export function planPutBack(
  world: World,
  engines: Engines,
  books: Books,
  watches: Watches,
  machines: readonly Machine[],
  projectors: readonly Machine[],
): void {
  const { scheduler, chances, uuid } = world
  const { store, database } = engines
  const operator = immortal(world, 'operator')
  const { isLogInDatabase } = watches.places
  const at = chances.whole(...PUT_BACK_AT_MS)
  const lostMs = chances.whole(...LOST_MS)
  const acceptedMs = at + chances.whole(...ACCEPTED_AFTER_MS)
  const isShortOfExtension = chances.chance(SHORT_OF_EXTENSION)
  const areAllAnew = !isLogInDatabase && chances.chance(ALL_ANEW)

  function buildAnew(): void {
    for (const machine of projectors) machine.crash()
    // What the projectors had under way must not come after it.
    database.setAway(true)
    scheduler.at(scheduler.now() + CLEARED_AFTER_MS, () => {
      database.clear()
      database.setAway(false)
      // One that came back meanwhile has read the old checkpoint, which may lie beyond all that the log will ever have.
      for (const machine of projectors) if (machine.life() !== null) machine.crash()
    })
  }

  function putBack(since: number, anew: readonly Machine[]): void {
    if (since === -1) return
    // Charges of an account that is lost itself are refused and kept for the operator, which is not played here.
    const opened = store.log.findLastIndex(({ type }) => type === 'AccountOpened')
    const length = Math.max(since, opened + 1)
    if (isLogInDatabase) database.putBack(length)
    watches.putBack(length, database.noted())
    books.putBack(store.log.slice(0, length), store.putBack(length))
    if (isLogInDatabase) buildAnew()
    for (const machine of anew) machine.crash()
    watches.loseConnections()
  }

  const putBackSomeTime = (): void =>
    putBack(
      store.log.findIndex(({ recordedAt }) => recordedAt > at - lostMs),
      areAllAnew ? machines : [],
    )

  /** Looks for the next extension; without one the log is put back some time. */
  function putBackShortOfExtension(): void {
    const now = scheduler.now()
    const extended = store.log.findIndex(
      ({ type, recordedAt }) => type === 'HoldExtended' && recordedAt > at,
    )
    if (extended !== -1) {
      const others = machines.filter(({ name }) => !name.startsWith('relay'))
      scheduler.at(now + HEARD_MS, () => putBack(extended, others))
    } else if (now > at + EXTENSION_WITHIN_MS) putBackSomeTime()
    else scheduler.at(now + HEARD_MS, putBackShortOfExtension)
  }

  scheduler.at(at, isShortOfExtension ? putBackShortOfExtension : putBackSomeTime)
  scheduler.at(acceptedMs, () => {
    const randomness = { uuid, fraction: () => chances.fraction() }
    const writer = { store: store.portOf(operator), clock: operator.clock, randomness }
    const accept = () => acceptRollback(writer, database.poolOf(operator), watches.places)
    const refused = (error: Error): void => world.violate('accept-refused', error.message)
    void insist(operator, accept, refused).then(isLogInDatabase ? () => undefined : buildAnew)
  })
}
