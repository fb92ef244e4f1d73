import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** A clock that only a test moves. */
export class ManualClock implements Clock {
  #now: number
  readonly #sleepers = new Set<{ readonly until: number; wake(): void }>()

  constructor(now = 1_000_000) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  monotonicMs(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const wake = (): void => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { until: this.#now + ms, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', wake)
    })
  }

  /** Lets time pass sleeper by sleeper, in order, each with all that follows from it. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms
    await settled()
    for (let next = this.#next(until); next !== null; next = this.#next(until)) {
      this.#now = Math.max(this.#now, next.until)
      next.wake()
      await settled()
    }
    this.#now = until
    await settled()
  }

  /** Time goes by while nothing runs, as for a process that was stopped. */
  jump(ms: number): void {
    this.#now += ms
  }

  #next(until: number): { readonly until: number; wake(): void } | null {
    const due = [...this.#sleepers].filter((sleeper) => sleeper.until <= until)
    return due.toSorted((one, other) => one.until - other.until)[0] ?? null
  }
}

/** A macrotask comes after all promises that are settled, and after those that they settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
