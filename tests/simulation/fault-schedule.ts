import type { Writer } from './actors/writer.ts'
import type { Visit } from './actors/visitors.ts'
import type { Machine } from './core/machine.ts'
import type { Runtime } from './core/simulated-runtime.ts'
import type { Engines } from './engines/engines.ts'
import { CHAOS_MS, type Target } from './workload.ts'

/** When holds are open and claimed, and little enough has passed for what follows to come to its end. */
const BEGIN_MS = [4_000, 12_000] as const
/** Longer than claims last, and mostly than silence is borne. */
const PARTITION_MS = [22_000, 38_000] as const
/** From when the long answer has begun until just before its client goes on. */
const LONG_PARTITION_MS = [31_000, 35_500] as const
/** Until its holds have expired, and as many others have ended since as an owner remembers, and more. */
const FORGOTTEN_MS = 43_000
const VISITS = 10
const VISITING_MS = 3_000
/** Almost until the hold has lapsed: its claim before this one was sent five seconds earlier. */
const PAUSE_MS = [13_500, 15_000] as const
const LONG_PAUSE_MS = [31_000, 38_000] as const

/**
 * Faults that only together show a broken rule, and that chance alone brings together once in tens of thousands of
 * seeds: they befall a relay while a client draws from its hold, and the owners that it talks to.
 */
export function planFaultSchedule(
  runtime: Runtime,
  { network, leases, journal }: Engines,
  { relay: { machine: relay }, account, isLong }: Target,
  writers: readonly Writer[],
  visit: Visit,
): void {
  const { chances, scheduler } = runtime
  runtime.quieten()
  const begin = chances.whole(...BEGIN_MS)
  const after = (ms: number, work: () => void): void => void scheduler.at(begin + ms, work)
  const partitionedFor = ({ name }: Machine, ms: number): void => {
    network.setPartitioned(name, true)
    scheduler.at(scheduler.now() + ms, () => network.setPartitioned(name, false))
  }
  const whileCut = (ms: number, cut: (isCut: boolean) => void): void => {
    after(0, () => cut(true))
    scheduler.at(Math.min(CHAOS_MS, begin + ms), () => cut(false))
  }
  const partitionMs = chances.whole(...PARTITION_MS)
  const [one, other] = chances.chance(0.5) ? writers : writers.toReversed()
  const faultSchedules: readonly [() => void, ...(() => void)[]] = [
    // Nobody hears its claims.
    () => after(0, () => partitionedFor(relay, partitionMs)),
    // The same, and its wall clock cannot tell how long it was.
    () =>
      after(0, () => {
        partitionedFor(relay, partitionMs)
        relay.jump(-20_000)
      }),
    // It sleeps while its claim is answered, and is alone when it wakes.
    () =>
      after(0, () =>
        relay.pausePolling('claim', chances.whole(...PAUSE_MS), () =>
          partitionedFor(relay, partitionMs),
        ),
      ),
    // A hold that it was granted is no longer its own when it hears of it.
    () => relay.pausePolling('hold', chances.whole(...LONG_PAUSE_MS)),
    // It dies, and what it has published waits.
    () => {
      whileCut(CHAOS_MS - begin, (isStalled) => journal.setStalled(isStalled))
      after(chances.whole(100, 3_000), () => relay.crash())
    },
    // A writer hears nothing of the relay, and nothing of the one that took its place.
    () => {
      const { machine } = one ?? {}
      if (machine === undefined) return
      whileCut(partitionMs + 10_000, (isCut) => network.setCut(relay.name, machine.name, isCut))
      after(chances.whole(0, 15_000), () => leases.setCut(machine.name, true))
      after(partitionMs + chances.whole(0, 10_000), () => leases.setCut(machine.name, false))
    },
    // The same, but it sleeps where the other could not reach the leases.
    () => {
      const { machine } = one ?? {}
      if (machine === undefined) return
      whileCut(partitionMs + 10_000, (isCut) => network.setCut(relay.name, machine.name, isCut))
      after(chances.whole(3_000, 18_000), () => machine.pause(chances.whole(6_000, 15_000)))
    },
    // A writer cannot reach the leases while the other has its place, and is back when that one has fallen silent.
    () => {
      if (one === undefined || other === undefined) return
      const { machine } = one
      whileCut(45_000, (isCut) => network.setCut(relay.name, machine.name, isCut))
      after(chances.whole(1_000, 8_000), () => leases.setCut(machine.name, true))
      const silentMs = chances.whole(24_000, 27_000)
      after(silentMs, () => {
        partitionedFor(other.machine, 15_000)
        leases.setCut(other.machine.name, true)
      })
      after(silentMs + 6_000, () => leases.setCut(machine.name, false))
    },
    // Most of what it says reaches a process that is not the owner, once that has granted what it draws from.
    () => after(0, () => runtime.quieten({ wrongOwner: 0.97 })),
    // The owner goes and comes back, and had not heard all that the other heard.
    () => {
      const { machine } = other ?? {}
      if (machine === undefined) return
      after(0, () => machine.crash())
      whileCut(partitionMs, (isCut) => network.setCut(relay.name, machine.name, isCut))
      after(chances.whole(5_000, 25_000), () => machine.crash())
    },
    // It has charges of a hold that its owner has forgotten, and they come more than once.
    () => {
      runtime.quieten({ journalLost: 0.3, journalUnanswered: 0.3, journalRepeated: 0.3 })
      scheduler.at(BEGIN_MS[0], () => partitionedFor(relay, FORGOTTEN_MS - BEGIN_MS[0]))
      scheduler.at(FORGOTTEN_MS - VISITING_MS, () => void visit(account, VISITS))
    },
  ]
  // A hold that nobody draws from is forgotten by all but its claims.
  if (isLong)
    scheduler.at(BEGIN_MS[0], () => partitionedFor(relay, chances.whole(...LONG_PARTITION_MS)))
  else chances.pick(faultSchedules)()
}
