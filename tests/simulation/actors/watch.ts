import {
  LogMismatch,
  type PairPlaces,
} from '@tollgate/command-api/timelines/log-pair/log-mismatch.ts'
import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { pairUp } from '@tollgate/command-api/timelines/log-pair/pair-up.ts'
import { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { comparedStore, watchedStore } from '@tollgate/command-api/timelines/watched-store.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { TIMELINE_STREAM } from '@tollgate/domain/timeline/events.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { pairComparison } from '@tollgate/infra/processes/engines/kept-pair.ts'
import {
  claimLooks,
  LOOK_MS,
  type LogRole,
  openClaim,
} from '@tollgate/infra/processes/engines/log-claim.ts'
import type { Life, Machine } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { Engines } from '../engines/engines.ts'

/** The log as one process has it: the real watch over the simulated store. */
export interface SimulatedWatch {
  readonly watch: LogWatch
  readonly store: EventStore
  readonly timelines: Timelines
}

const COMPARE_EVERY_MS = 5_000
const LATENCY_MS = [1, 15] as const
const AGAIN_MS = 300
const SILENT = { warn() {} }

/** Every process's watch, so that each tells all others how far it has seen the log. */
export class Watches {
  readonly places: PairPlaces
  readonly #watches = new Map<Life, LogWatch>()
  /** Also of those that are dead: what they appended last may land after them. */
  readonly #logs = new WeakMap<Life, LogId>()
  /** Tells whether a process could know that the log was put back; null while it was not, or once it is accepted. */
  #knows: ((life: Life) => boolean) | null = null

  constructor(isLogInDatabase: boolean) {
    this.places = { log: 'the event log', database: 'the database', isLogInDatabase }
  }

  /**
   * The log was put back to so many events. From now on nothing may be appended by whoever has seen more of it, nor by
   * those who start, when the database knows that it was seen up to a position that is not there any more.
   */
  putBack(length: number, noted: number): void {
    const before = new Map(
      [...this.#alive()].map(([life, { position }]) => [life, position] as const),
    )
    this.#knows = (life) => {
      const seen = before.get(life)
      return (seen ?? noted) >= length
    }
  }

  /** An event was stored. */
  see({ violate }: Runtime, { stream, type }: RecordedEvent, by: Life): void {
    if (stream === TIMELINE_STREAM) this.#knows = null
    else if (this.#knows?.(by) === true) violate('written-to-put-back-log', `${type} by ${by.name}`)
  }

  /** All lose their connections to the store. */
  loseConnections(): void {
    for (const watch of this.#alive().values()) watch.suspect()
  }

  /** The timeline that a process works in; null = it is not known yet. */
  logOf(life: Life): LogId | null {
    return this.#logs.get(life) ?? null
  }

  add(life: Life, watch: LogWatch): void {
    this.#watches.set(life, watch)
    this.#logs.set(life, watch.log)
  }

  /** The place that `life` has seen reaches the others, or the places that they have seen reach it. */
  exchange({ scheduler, chances }: Runtime, { network }: Engines, life: Life): void {
    const own = this.#watches.get(life)
    for (const [other, watch] of this.#alive()) {
      if (other === life || network.isAlone(other.name) || network.isAlone(life.name)) continue
      const pass = (from: LogWatch | undefined, to: LogWatch, hearer: Life): void => {
        const mark = from?.seen ?? null
        if (mark === null) return
        scheduler.at(scheduler.now() + chances.whole(...LATENCY_MS), () =>
          hearer.after(0, () => to.hear(mark)),
        )
      }
      pass(own, watch, other)
      if (own !== undefined) pass(watch, own, life)
    }
  }

  #alive(): ReadonlyMap<Life, LogWatch> {
    for (const life of this.#watches.keys()) if (!life.isAlive()) this.#watches.delete(life)
    return this.#watches
  }
}

/**
 * Compares log and database and watches the log from now on, as every process does; it ends when the two do not go
 * together, or when another timeline is opened.
 */
export async function watchLog(
  runtime: Runtime,
  engines: Engines,
  watches: Watches,
  life: Life,
  machine: () => Machine,
  role: LogRole,
): Promise<SimulatedWatch> {
  const { clock } = life
  const store = engines.store.portOf(life)
  const randomness = { uuid: () => runtime.uuid(), fraction: () => runtime.chances.fraction() }
  const table = pairTable(engines.database.dbOf(life))
  const pair = { store, table, places: watches.places, clock, randomness }
  const end = (error: Error): void => {
    if (!life.isAlive()) return
    runtime.trace(() => `${life.name} ends: ${error.message}`)
    machine().crash()
  }
  const timelines = await insist(life, () => pairUp(pair), end)
  const watch = new LogWatch({
    store,
    clock,
    timelines,
    onChange: (reason) =>
      runtime.trace(() => `${life.name} ${reason === null ? 'trusts the log' : reason}`),
  })
  watches.add(life, watch)
  watch.suspect()
  void watch.changed.then(end)
  const watched = watchedStore(store, watch)
  const claiming = { ...pair, store: comparedStore(store, watch) }
  const isClaimed = await insist(life, () => openClaim(claiming, role), end)
  const looks = claimLooks({ ...claiming, role, isClaimed, watch, logger: SILENT })
  const { compare } = pairComparison({ table, watch, timelines, places: watches.places })
  void looks.lost.then(end)
  void again(life, COMPARE_EVERY_MS, () => {
    watches.exchange(runtime, engines, life)
    return watch.check()
  })
  void again(life, COMPARE_EVERY_MS, compare)
  if (!watches.places.isLogInDatabase) void again(life, LOOK_MS[role], () => looks.look())
  watches.exchange(runtime, engines, life)
  await clock.sleep(AGAIN_MS)
  return { watch, store: watched, timelines }
}

/** A step that fails is repeated the next time. */
async function again(life: Life, everyMs: number, work: () => Promise<void>): Promise<void> {
  while (life.isAlive()) {
    await life.clock.sleep(everyMs)
    await work().catch(() => undefined)
  }
}

/** Asks engines that are unavailable until they answer; log and database that do not go together end it for good. */
export async function insist<Answer>(
  life: Life,
  ask: () => Promise<Answer>,
  end: (error: LogMismatch) => void,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof LogMismatch) {
        end(error)
        return new Promise(() => undefined)
      }
      await life.clock.sleep(AGAIN_MS)
    }
  }
}
