import { LogWatch } from '@tollgate/command-api/ledger/log-watch.ts'
import { ensureTimelines } from '@tollgate/command-api/ledger/timelines.ts'
import { watchedStore } from '@tollgate/command-api/ledger/watched-store.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { Life, Machine } from '../core/machine.ts'
import type { World } from '../core/world.ts'
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

/** Every process's watch, so that each tells all others how far it has seen the log. */
export class Watches {
  readonly #watches = new Map<Life, LogWatch>()
  /** Also of those that are dead: what they appended last may land after them. */
  readonly #logs = new WeakMap<Life, LogId>()

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

  /** What `life` has seen reaches the others, or what they have seen reaches it. */
  exchange({ scheduler, chances }: World, { network }: Engines, life: Life): void {
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

/** Reads the log's identity and watches it from now on; the process ends when another timeline is opened. */
export async function watchLog(
  world: World,
  engines: Engines,
  watches: Watches,
  life: Life,
  machine: () => Machine,
): Promise<SimulatedWatch> {
  const { clock } = life
  const store = engines.store.portOf(life)
  const randomness = { uuid: () => world.uuid(), fraction: () => world.chances.fraction() }
  const timelines = await insist(life, () => ensureTimelines({ store, clock, randomness }))
  const watch = new LogWatch({
    store,
    clock,
    timelines,
    onChange: (reason) =>
      world.trace(() => `${life.name} ${reason === null ? 'trusts the log' : reason}`),
  })
  watches.add(life, watch)
  void watch.changed.then(() => (life.isAlive() ? machine().crash() : undefined))
  void compareAgainAndAgain(world, engines, watches, life, watch)
  watches.exchange(world, engines, life)
  await clock.sleep(AGAIN_MS)
  return { watch, store: watchedStore(store, watch), timelines }
}

async function compareAgainAndAgain(
  world: World,
  engines: Engines,
  watches: Watches,
  life: Life,
  watch: LogWatch,
): Promise<void> {
  while (life.isAlive()) {
    await life.clock.sleep(COMPARE_EVERY_MS)
    watches.exchange(world, engines, life)
    await watch.check().catch(() => undefined)
  }
}

/** Asks a store that is away until it answers. */
export async function insist<Answer>(life: Life, ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch {
      await life.clock.sleep(AGAIN_MS)
    }
  }
}
