import { acceptRollback } from '@tollgate/command-api/timelines/accept-rollback.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { uncrashable } from './actors/admin.ts'
import { insist, type Watches } from './actors/watch.ts'
import { chancesOf } from './core/chances.ts'
import type { Machine } from './core/machine.ts'
import type { Runtime } from './core/simulated-runtime.ts'
import type { Engines } from './engines/engines.ts'

/** The parts that keep books: they are told what is left of the log, and what is lost. */
interface Books {
  readonly putBack: (kept: readonly RecordedEvent[], lost: readonly RecordedEvent[]) => void
}

/** Early enough for every hold of before to end. */
const PUT_BACK_AT_MS = [12_000, 28_000] as const
/** Milliseconds of the log that are lost. */
const LOST_MS = [200, 6_000] as const
const CLEARED_AFTER_MS = 400
/** Share of the seeds in which the log alone is put back. */
const ALL_ANEW = 0.4
/**
 * Share of the seeds: the log ends just before a hold's extension, and all but the relay that was told of it start
 * anew.
 */
const SHORT_OF_EXTENSION = 0.3
/** Share of the seeds: the log ends just before a hold, and all start anew, so that nobody knows of it. */
const SHORT_OF_HOLD = 0.15
/** From a hold or an extension until the relay has heard of it, and how long one is waited for. */
const HEARD_MS = 60
const SHORT_WITHIN_MS = 800
/** Until an operator accepts it. */
const ACCEPTED_AFTER_MS = [1_000, 14_000] as const

/**
 * Plans that the log is put back, and that an operator accepts it after a while. With its database, as when a server is
 * restored beside everything else: read models are built anew. Alone, as when a node is promoted that lagged: the
 * database has seen more than the log has, at times every process starts anew, and the operator has the read models
 * built anew afterwards.
 */
export function planPutBack(
  runtime: Runtime,
  engines: Engines,
  books: Books,
  watches: Watches,
  machines: readonly Machine[],
  projectors: readonly Machine[],
): void {
  const { scheduler, chances, uuid } = runtime
  const { store, database } = engines
  const operator = uncrashable(runtime, 'operator')
  const { isLogInDatabase } = watches.places
  const at = chances.whole(...PUT_BACK_AT_MS)
  const lostMs = chances.whole(...LOST_MS)
  const acceptedMs = at + chances.whole(...ACCEPTED_AFTER_MS)
  const isShortOfExtension = chances.chance(SHORT_OF_EXTENSION)
  // Chance of its own, so that the other seeds stay what they are.
  const isShortOfHold = chancesOf(runtime.seed + 0x401d).chance(SHORT_OF_HOLD)
  const areAllAnew = !isLogInDatabase && chances.chance(ALL_ANEW)

  function buildAnew(): void {
    for (const machine of projectors) machine.crash()
    // Writes that the projectors had under way must not come after it.
    database.setUnavailable(true)
    scheduler.at(scheduler.now() + CLEARED_AFTER_MS, () => {
      database.clear()
      database.setUnavailable(false)
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

  /** Looks for the next event of a type; without one the log is put back some time. */
  function putBackShortOf(type: 'QuotaHeld' | 'HoldExtended', anew: readonly Machine[]): void {
    const now = scheduler.now()
    const found = store.log.findIndex((event) => event.type === type && event.recordedAt > at)
    if (found !== -1) scheduler.at(now + HEARD_MS, () => putBack(found, anew))
    else if (now > at + SHORT_WITHIN_MS) putBackSomeTime()
    else scheduler.at(now + HEARD_MS, () => putBackShortOf(type, anew))
  }

  scheduler.at(at, () => {
    const others = machines.filter(({ name }) => !name.startsWith('relay'))
    if (isShortOfHold) putBackShortOf('QuotaHeld', machines)
    else if (isShortOfExtension) putBackShortOf('HoldExtended', others)
    else putBackSomeTime()
  })
  scheduler.at(acceptedMs, () => {
    const randomness = { uuid, fraction: () => chances.fraction() }
    const writer = { store: store.portOf(operator), clock: operator.clock, randomness }
    const accept = () => acceptRollback(writer, database.dbOf(operator), watches.places)
    const refused = (error: Error): void => runtime.violate('accept-refused', error.message)
    void insist(operator, accept, refused).then(isLogInDatabase ? () => undefined : buildAnew)
  })
}
