import { type Chances, chancesOf } from './chances.ts'
import { type Faults, faultsOf, NO_FAULTS } from './faults.ts'
import { makeScheduler, type Scheduler } from './scheduler.ts'

/** The finding of an invariant. */
export interface Violation {
  /** The invariant's short name, such as `charged-twice`. */
  readonly invariant: string
  readonly detail: string
  /** Milliseconds since the simulation began. */
  readonly at: number
}

/** The things that everything in one simulated run shares. */
export interface Runtime {
  readonly seed: number
  readonly scheduler: Scheduler
  readonly chances: Chances
  /** The rates in force; all zero after `calm`. */
  readonly faults: () => Faults
  /** From now on processes die and stand still only when they are told to; mostly, nothing but `kept` goes wrong. */
  quieten(kept?: Partial<Faults>): void
  /** From now on nothing goes wrong any more. */
  calm(): void
  /** A UUID that no other call has answered. */
  readonly uuid: () => string
  /** Says what happens, for whoever watches one seed. */
  trace(line: () => string): void
  readonly violate: (invariant: string, detail: string) => void
  readonly violations: readonly Violation[]
}

/** Violations kept; what follows from a broken book is of little interest. */
const VIOLATIONS_MAX = 20

/** See `Runtime`. `watch` gets one line for everything that happens. */
export function makeSimulation(seed: number, watch: ((line: string) => void) | null): Runtime {
  const scheduler = makeScheduler()
  const chances = chancesOf(seed)
  const violations: Violation[] = []
  let faults = faultsOf(chances)
  let uuids = 0
  const trace = (line: () => string): void => {
    watch?.(`${String(Math.round(scheduler.now())).padStart(7)} ${line()}`)
  }
  return {
    seed,
    scheduler,
    chances,
    faults: () => faults,
    quieten(kept = {}) {
      const noise = chances.chance(0.7) ? NO_FAULTS : { ...faults, crash: 0, pause: 0 }
      faults = { ...noise, ...kept }
    },
    calm() {
      faults = NO_FAULTS
      trace(() => 'faults stop')
    },
    uuid: () => `00000000-0000-4000-8000-${(++uuids).toString(16).padStart(12, '0')}`,
    trace,
    violate(invariant, detail) {
      trace(() => `VIOLATION ${invariant}: ${detail}`)
      if (violations.length >= VIOLATIONS_MAX) return
      violations.push({ invariant, detail, at: scheduler.now() })
    },
    violations,
  }
}
