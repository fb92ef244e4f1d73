/** A running request that can be ended early. */
export interface Running {
  /** Ends it now: upstream is given up, and the delivered part is charged. */
  stop(): void
}

/**
 * The end of a relay. First new requests are turned away while those under way go on; then the rest is ended, so that
 * everything delivered is charged before the process ends.
 */
export class Stopping {
  readonly #running = new Set<Running>()
  #refuses = false
  #isOver = false
  #whenIdle: (() => void)[] = []

  /** True from when no request is taken any more. */
  get refuses(): boolean {
    return this.#refuses
  }

  /** Requests under way. */
  get running(): number {
    return this.#running.size
  }

  /** Notes a request until `left`; one that comes after the end is ended at once. */
  entered(request: Running): void {
    this.#running.add(request)
    if (this.#isOver) request.stop()
  }

  left(request: Running): void {
    this.#running.delete(request)
    if (this.#running.size > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  refuse(): void {
    this.#refuses = true
  }

  /** Ends everything that runs. */
  endRunning(): void {
    this.#refuses = true
    this.#isOver = true
    for (const request of this.#running) request.stop()
  }

  /** Resolves when nothing runs, or after `withinMs`; answers whether nothing runs. */
  async idle(withinMs: number): Promise<boolean> {
    if (this.#running.size === 0) return true
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve)
      timer = setTimeout(resolve, withinMs)
    })
    clearTimeout(timer)
    return this.#running.size === 0
  }
}
