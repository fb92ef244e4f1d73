import { chancesOf } from './core/chances.ts'
import type { Machine } from './core/machine.ts'
import type { Runtime } from './core/simulated-runtime.ts'
import { CHAOS_MS } from './workload.ts'

/** Share of all seeds; the others show that what is found does not need them. */
const SEEDS_STEPPING = 0.5
const MACHINES_STEPPING = 0.6
const STEPS_MAX = 6
/**
 * Steps that a time service corrects, of a virtual machine that was moved, and of a clock that somebody sets by hand.
 */
const STEPS_MS = [-3_600_000, -40_000, -2_000, -1, 1, 2_000, 40_000, 3_600_000] as const

/**
 * Wall clocks of owners and relays that step back and forth, at any moment and beside whatever else goes wrong. Chance
 * of their own, so that a seed's other faults stay those that it had.
 */
export function planClockSteps({ seed, scheduler }: Runtime, machines: readonly Machine[]): void {
  const chances = chancesOf(seed + 0x7157)
  if (!chances.chance(SEEDS_STEPPING)) return
  for (const machine of machines) {
    if (!chances.chance(MACHINES_STEPPING)) continue
    for (let left = chances.whole(1, STEPS_MAX); left > 0; left--) {
      const ms = chances.pick(STEPS_MS)
      scheduler.at(chances.whole(500, CHAOS_MS), () => machine.jump(ms))
    }
  }
}
