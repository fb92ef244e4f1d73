import {
  type LeaseAnswer,
  type LeaseRound,
  type Leases,
  LeasesUnavailable,
} from '@tollgate/domain/ports/leases.ts'
import type { Life } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'

/** The leases as a server of its own keeps them, by its own time. */
export interface SimulatedLeases {
  portOf(life: Life): Leases
  /** From now on a machine cannot reach them, or can again. */
  setCut(machine: string, isCut: boolean): void
}

interface Lease {
  readonly member: string
  readonly until: number
}

const TIMEOUT_MS = 1_000
const LATENCY_MS = [1, 15] as const
const SLOW_MS = [50, 1_500] as const

/** See `SimulatedLeases`. */
export function makeLeases(runtime: Runtime): SimulatedLeases {
  const { scheduler, chances } = runtime
  const presence = new Map<string, number>()
  const leases = new Map<string, Lease>()
  const cuts = new Set<string>()

  function renew({ group, member, ttlMs, wanted }: LeaseRound): LeaseAnswer {
    const now = scheduler.now()
    presence.set(`${group}/${member}`, now + ttlMs)
    const names = new Set(wanted.map((name) => `${group}/${name}`))
    for (const [name, lease] of leases) {
      const isGone = lease.until <= now || (lease.member === member && !names.has(name))
      if (name.startsWith(`${group}/`) && isGone) leases.delete(name)
    }
    const held = wanted.filter((name) => {
      const key = `${group}/${name}`
      if ((leases.get(key)?.member ?? member) !== member) return false
      leases.set(key, { member, until: now + ttlMs })
      return true
    })
    const members = [...presence]
      .filter(([name, until]) => name.startsWith(`${group}/`) && until > now)
      .map(([name]) => name.slice(group.length + 1))
    return { members: members.toSorted(), held }
  }

  function leave(group: string, member: string): void {
    presence.delete(`${group}/${member}`)
    for (const [name, lease] of leases) if (lease.member === member) leases.delete(name)
  }

  function stepBack(group: string, member: string): boolean {
    const isLast = ![...presence].some(
      ([name, until]) =>
        name.startsWith(`${group}/`) && name !== `${group}/${member}` && until > scheduler.now(),
    )
    if (!isLast) leave(group, member)
    return !isLast
  }

  function ask<Answer>(life: Life, work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      life.send(() => {
        const { leaseLost, slow } = runtime.faults()
        const timeout = life.after(TIMEOUT_MS, () =>
          reject(new LeasesUnavailable('no answer about leases')),
        )
        if (cuts.has(life.name) || chances.chance(leaseLost)) return
        const [least, most] = chances.chance(slow) ? SLOW_MS : LATENCY_MS
        scheduler.at(scheduler.now() + chances.whole(least, most), () => {
          const answer = work()
          if (cuts.has(life.name) || chances.chance(leaseLost)) return
          life.after(chances.whole(...LATENCY_MS), () => {
            timeout.cancel()
            resolve(answer)
          })
        })
      })
    })
  }

  return {
    portOf: (life) => ({
      renew: (round) => ask(life, () => renew(round)),
      leave: (group, member) => ask(life, () => leave(group, member)),
      stepBack: (group, member) => ask(life, () => stepBack(group, member)),
    }),
    setCut(machine, isCut) {
      runtime.trace(() => `${machine} ${isCut ? 'cannot reach' : 'reaches'} the leases`)
      if (isCut) cuts.add(machine)
      else cuts.delete(machine)
    },
  }
}
