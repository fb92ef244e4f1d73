/** How much was spent lately, as an exponentially fading sum: no list of past requests is kept. */
export class SpendRate {
  readonly #windowMs: number
  #sum = 0
  #at = 0

  /** @param windowMs spend this far back counts 1/e. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Notes that `amount` was spent at a monotonic moment. */
  add(amount: number, now: number): void {
    this.#sum = this.inWindow(now) + amount
    this.#at = now
  }

  /** About the quota spent in the window that ends now. */
  inWindow(now: number): number {
    return this.#sum * Math.exp(-Math.max(0, now - this.#at) / this.#windowMs)
  }

  /** Nothing worth remembering: eight windows without a request. */
  isForgotten(now: number): boolean {
    return now - this.#at > this.#windowMs * 8
  }
}
