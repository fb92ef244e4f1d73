import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Wakes one waiting loop before its time. */
export interface Alarm {
  /** Ends the wait that is going on, or else the next one at once. */
  ring(): void
  /** Waits until it rings, the time is up or the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function makeAlarm(clock: Pick<Clock, 'sleep'>): Alarm {
  let rung = new AbortController()
  return {
    ring: () => rung.abort(),
    async wait(ms, signal) {
      await clock.sleep(ms, AbortSignal.any([rung.signal, signal]))
      rung = new AbortController()
    },
  }
}
