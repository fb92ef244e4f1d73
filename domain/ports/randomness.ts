/** Chance, injected for the same reason as the clock. */
export interface Randomness {
  /** A random UUID (version 4). */
  uuid(): string
  /** Uniform in [0, 1). */
  fraction(): number
}
