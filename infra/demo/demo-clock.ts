import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { systemClock } from '../processes/runtime.ts'

/** One request's own time: when it came in, and how much of its answer's time has passed. */
export interface Timeline {
  readonly at: number
  elapsedMs: number
}

/**
 * The demo's clock. While history is being made, each request lives on its own timeline, which moves on when upstream
 * says that it takes its time, not by waiting: weeks pass in a minute and an answer of four seconds still says four
 * seconds. Code outside of any request sees the moment that history has reached. Afterwards it shows the real time.
 */
export class DemoClock implements Clock {
  readonly #timelines = new AsyncLocalStorage<Timeline>()
  #present: number | null

  constructor(startsAt: number) {
    this.#present = startsAt
  }

  now(): number {
    const timeline = this.#timelines.getStore()
    if (this.#present === null) return Date.now()
    return Math.floor(timeline ? timeline.at + timeline.elapsedMs : this.#present)
  }

  /** Real milliseconds, so that time limits of the running process mean what they say, plus the request's own. */
  monotonicMs(): number {
    return performance.now() + (this.#timelines.getStore()?.elapsedMs ?? 0)
  }

  /** Really waits, for the same reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal)
  }

  /** History has come to this moment; never backwards. */
  advanceTo(moment: number): void {
    if (this.#present !== null) this.#present = Math.max(this.#present, moment)
  }

  /** From now on the time is the real one. */
  becomeReal(): void {
    this.#present = null
  }

  /** Does some work on a timeline: whatever it starts sees that time. */
  within<Result>(timeline: Timeline, work: () => Result): Result {
    return this.#timelines.run(timeline, work)
  }
}
