/** Time as the process sees it; injected, so that tests, the demo and the simulation can move it. */
export interface Clock {
  /** Wall clock, unix milliseconds. */
  now(): number
  /** Milliseconds that only ever grow, for measuring how long something took. */
  monotonicMs(): number
  /** Resolves when the time is up (at once when it is past, below 0), or when the signal aborts; never fails. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
