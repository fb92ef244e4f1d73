import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'

/** Work that one of several processes does again and again. */
export interface Scheduled {
  /** No further run; resolves when the one under way, told to end, has ended. */
  stop(): Promise<void>
}

export interface ScheduledWork {
  /** The name by which processes agree who does it. Those that have it switched off do not take part. */
  readonly name: string
  /** From the end of one run, or the moment this process took the work over, to the next. */
  readonly everyMs: number
  /** The signal aborts when the work is another's from now on, or the process stops. */
  readonly work: (signal: AbortSignal) => Promise<unknown>
  readonly shareWork: ShareWork
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: { warn(facts: object, message: string): void }
}

/** Does the work every so often, in one process at a time; a run that fails is logged, and the next comes nevertheless. */
export function scheduled({
  name,
  everyMs,
  work,
  shareWork,
  clock,
  log,
}: ScheduledWork): Scheduled {
  let held = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal)
      if (signal.aborted) return
      await work(signal).catch((err: unknown) => log.warn({ err, name }, 'scheduled work failed'))
    }
  }
  const share = shareWork({
    // A group of its own: who does not take part in it is no member that the work could fall to.
    group: name,
    names: [name],
    begin() {
      held = new AbortController()
      running = run(held.signal)
    },
    async end() {
      held.abort()
      await running
    },
  })
  return { stop: () => share.stop() }
}
