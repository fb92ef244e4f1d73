import type { Clock } from './ports/clock.ts'

/** One moment by both clocks, for measuring how long something took although the process may have slept meanwhile. */
export interface Moment {
  readonly monotonicMs: number
  /** Unix milliseconds, as if the clock had never been set back. */
  readonly wallMs: number
}

export const momentOf = (clock: Clock): Moment => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: steadyWallMs(clock),
})

/**
 * Milliseconds since then. The larger of the two clocks' figures counts: a stopped process may find either standing
 * still.
 */
export const elapsedMs = (since: Moment, clock: Clock): number =>
  Math.max(clock.monotonicMs() - since.monotonicMs, steadyWallMs(clock) - since.wallMs)

/** Less than this is jitter between two clocks that are read one after the other. */
const SET_BACK_MIN_MS = 100

/** How far a wall clock was ahead of the monotonic one at most, and by how much it was set back since. */
interface Lead {
  readonly mostMs: number
  readonly setBackMs: number
}

const leads = new WeakMap<Clock, Lead>()

/**
 * The wall clock without the steps by which it was set back between two readings. Otherwise a machine that is suspended
 * after such a step finds both clocks behind: the monotonic one stood still, and the wall clock was not yet where it was.
 */
function steadyWallMs(clock: Clock): number {
  const wallMs = clock.now()
  const known = leads.get(clock)
  let setBackMs = known?.setBackMs ?? 0
  const leadMs = wallMs + setBackMs - clock.monotonicMs()
  const mostMs = Math.max(leadMs, known?.mostMs ?? leadMs)
  if (leadMs < mostMs - SET_BACK_MIN_MS) setBackMs += mostMs - leadMs
  leads.set(clock, { mostMs, setBackMs })
  return wallMs + setBackMs
}
