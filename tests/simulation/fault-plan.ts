import type { Machine } from './core/machine.ts'
import type { Runtime } from './core/simulated-runtime.ts'
import type { Engines } from './engines/engines.ts'
import { CHAOS_MS } from './workload.ts'

/** Longer than claims last and silence is borne. */
const ISOLATED_MS = [15_000, 45_000] as const

/**
 * Plans what goes wrong at moments of its own: deaths, standstills, engines that are unavailable, machines cut apart.
 */
export function planFaults(runtime: Runtime, engines: Engines, machines: readonly Machine[]): void {
  const { chances, scheduler } = runtime
  const during = (most: number, probability: number, change: (isBegin: boolean) => void): void => {
    if (!chances.chance(probability)) return
    const from = chances.whole(1_000, CHAOS_MS - 1_000)
    const until = Math.min(CHAOS_MS, from + chances.whole(200, most))
    scheduler.at(from, () => change(true))
    scheduler.at(until, () => change(false))
  }
  for (const machine of machines) {
    if (chances.chance(0.35)) scheduler.at(chances.whole(500, CHAOS_MS), () => machine.crash())
    if (chances.chance(0.25)) {
      const ms = chances.pick([1_000, 8_000, 25_000, 34_000, 37_000, 40_000])
      // Not before there are holds to be forgotten.
      scheduler.at(chances.whole(6_000, CHAOS_MS - ms), () => machine.pause(ms))
    }
    if (chances.chance(0.1)) {
      const from = chances.whole(1_000, CHAOS_MS - ISOLATED_MS[1])
      const until = from + chances.whole(...ISOLATED_MS)
      scheduler.at(from, () => engines.network.setPartitioned(machine.name, true))
      scheduler.at(until, () => engines.network.setPartitioned(machine.name, false))
    }
    during(35_000, 0.1, (isCut) => engines.leases.setCut(machine.name, isCut))
    if (chances.chance(0.1)) {
      const ms = chances.pick([-40_000, -15_000, 15_000])
      scheduler.at(chances.whole(1_000, CHAOS_MS), () => machine.jump(ms))
    }
  }
  during(8_000, 0.25, (isUnavailable) => engines.store.setUnavailable(isUnavailable))
  during(25_000, 0.25, (isUnavailable) => engines.journal.setUnavailable(isUnavailable))
  during(45_000, 0.1, (isStalled) => engines.journal.setStalled(isStalled))
  during(8_000, 0.25, (isUnavailable) => engines.database.setUnavailable(isUnavailable))
  for (const [i, one] of machines.entries()) {
    for (const other of machines.slice(i + 1)) {
      during(35_000, 0.1, (isCut) => engines.network.setCut(one.name, other.name, isCut))
    }
  }
}
