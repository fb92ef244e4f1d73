import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { SharedWork } from '@tollgate/domain/ports/leases.ts'

/** Work that goes on while its right is held, until the signal that it was given aborts; its end is waited for at most `endMs`. */
export function whileHeld(
  clock: Pick<Clock, 'sleep'>,
  endMs: number,
  work: (held: AbortSignal) => Promise<unknown>,
): Pick<SharedWork, 'begin' | 'end'> {
  let held = new AbortController()
  let working: Promise<unknown> = Promise.resolve()
  return {
    begin() {
      held = new AbortController()
      working = work(held.signal)
    },
    async end() {
      held.abort()
      await Promise.race([working, clock.sleep(endMs)])
    },
  }
}
