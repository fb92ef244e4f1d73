import type { Chances } from './chances.ts'

/** How often things go wrong: probabilities, most of them of one step or one message. */
export interface Faults {
  /** A process dies, at any step: something it sends, a message or timer that reaches it. */
  readonly crash: number
  /** A process stands still at a step, for some time between the two, milliseconds. */
  readonly pause: number
  readonly pauseMs: readonly [least: number, most: number]
  /** Messages between processes. */
  readonly lost: number
  readonly repeated: number
  readonly slow: number
  /** The event store: a request that never arrives, an answer that never arrives, an append that takes its time. */
  readonly storeLost: number
  readonly storeUnanswered: number
  readonly storeSlow: number
  /** The usage journal: the same, and deliveries that come twice. */
  readonly journalLost: number
  readonly journalUnanswered: number
  readonly journalRepeated: number
  /** The database of the read models. */
  readonly databaseLost: number
  readonly databaseUnanswered: number
  /** A renewal of leases that never arrives. */
  readonly leaseLost: number
  /** Somebody asks a process that is not the owner, or is no longer. */
  readonly wrongOwner: number
}

/** Shorter than every time limit, longer than leases, longer than claims and silence. */
const PAUSES_MS: readonly [Faults['pauseMs'], ...Faults['pauseMs'][]] = [
  [100, 4_000],
  [1_000, 25_000],
  [31_000, 45_000],
]

/** Nothing goes wrong: from the moment at which faults stop, so that everything can settle. */
export const NO_FAULTS: Faults = {
  crash: 0,
  pause: 0,
  pauseMs: [0, 0],
  lost: 0,
  repeated: 0,
  slow: 0,
  storeLost: 0,
  storeUnanswered: 0,
  storeSlow: 0,
  journalLost: 0,
  journalUnanswered: 0,
  journalRepeated: 0,
  databaseLost: 0,
  databaseUnanswered: 0,
  leaseLost: 0,
  wrongOwner: 0,
}

/**
 * The faults of one seed: each kind is absent, rare or frequent. A seed in which everything fails at once finds less
 * than seeds that differ.
 */
export function faultsOf(chances: Chances): Faults {
  const rate = (frequent: number): number => chances.pick([0, frequent / 5, frequent])
  return {
    crash: rate(0.002),
    pause: rate(0.004),
    pauseMs: chances.pick(PAUSES_MS),
    lost: rate(0.08),
    repeated: rate(0.08),
    slow: rate(0.08),
    storeLost: rate(0.05),
    storeUnanswered: rate(0.06),
    storeSlow: rate(0.05),
    journalLost: rate(0.06),
    journalUnanswered: rate(0.08),
    journalRepeated: rate(0.15),
    databaseLost: rate(0.05),
    databaseUnanswered: rate(0.05),
    leaseLost: rate(0.15),
    wrongOwner: chances.pick([0, 0.03, 0.15, 0.9]),
  }
}
