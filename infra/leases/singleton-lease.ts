import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** The share of a process that has nobody to share with: everything, from the start until it stops. */
export const singletonLease =
  (clock: Pick<Clock, 'monotonicMs'>): ShareWork =>
  (work) => {
    const { names } = work
    const since = clock.monotonicMs()
    let isStopped = false
    for (const name of names) work.begin(name)
    return {
      heldSince: (name) => (!isStopped && names.includes(name) ? since : null),
      isCertain: () => !isStopped,
      held: () => (isStopped ? [] : names),
      members: () => 1,
      // Nothing changes before the stop, and whoever stops it knows.
      onChange: () => () => undefined,
      async stop() {
        isStopped = true
        await Promise.all(names.map((name) => work.end(name, 'stop')))
      },
    }
  }
