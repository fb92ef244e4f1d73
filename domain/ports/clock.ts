/** Time as the process sees it; injected, so that tests and the demo can move it. */
export interface Clock {
  /** Wall clock, unix milliseconds. */
  now(): number
  /** Milliseconds that only ever grow, for measuring how long something took. */
  monotonicMs(): number
}
