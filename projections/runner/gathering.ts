import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Lets events gather between batches, so that under load one transaction serves many. */
export interface Gathering {
  /** Waits after a batch of `events` that was the newest; ends early when somebody hurries or the signal aborts. */
  wait(events: number, signal: AbortSignal): Promise<void>
  /** To be called when a reader begins to wait for what was written last. */
  readonly hurry: () => void
}

/** An idle log is followed at once; the first steps of traffic are short. */
const LEAST_MS = 25
/** With reading, applying and committing this keeps finished request → visible below 250 ms (architecture 9). */
const MOST_MS = 100
/** Events of one batch that show that more come than short steps are worth: a request alone has two at most. */
const BUSY_EVENTS = 3

export function createGathering(clock: Clock): Gathering {
  let waitMs = LEAST_MS
  let waiting = new Set<AbortController>()
  /** A hurrying reader's event may have missed the batch at hand: the next batch must come at once, too. */
  let isHurried = false
  return {
    async wait(events, signal) {
      waitMs =
        events >= BUSY_EVENTS ? Math.min(waitMs * 2, MOST_MS) : Math.max(waitMs / 2, LEAST_MS)
      if (isHurried) {
        isHurried = false
        return
      }
      const hurried = new AbortController()
      waiting.add(hurried)
      await clock.sleep(waitMs, AbortSignal.any([signal, hurried.signal]))
      waiting.delete(hurried)
    },
    hurry() {
      isHurried = waiting.size === 0
      const woken = waiting
      waiting = new Set()
      for (const hurried of woken) hurried.abort()
    },
  }
}
