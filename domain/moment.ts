import type { Clock } from './ports/clock.ts'

/** One moment by both clocks, for measuring how long something took although the process may have slept meanwhile. */
export interface Moment {
  readonly monotonicMs: number
  /** Unix milliseconds. */
  readonly wallMs: number
}

export const momentOf = (clock: Clock): Moment => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.now(),
})

/** Milliseconds since then; a process that was stopped may find either clock standing still, so the larger counts. */
export const elapsedMs = (since: Moment, clock: Clock): number =>
  Math.max(clock.monotonicMs() - since.monotonicMs, clock.now() - since.wallMs)
