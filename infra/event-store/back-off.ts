const FIRST_MS = 50
/** A store that comes back is noticed within this. */
const LONGEST_MS = 2_000

/** How long to wait after the n-th failure in a row (from 1): 50 ms, doubling, at most 2 s. */
export const backOffMs = (failures: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))

/** Resolves after so many milliseconds, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
