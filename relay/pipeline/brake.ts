/** A source that can be held back. */
interface Held {
  pause(): void
  resume(): void
}

/** Why upstream waits: the client reads slowly, or more quota is being asked for. */
export type BrakeReason = 'client' | 'quota'

/** Holds a source back for independent reasons: it runs again only when the last of them is gone. */
export class Brake {
  readonly #held: Held
  readonly #reasons = new Set<BrakeReason>()

  constructor(held: Held) {
    this.#held = held
  }

  hold(reason: BrakeReason): void {
    this.#reasons.add(reason)
    if (this.#reasons.size === 1) this.#held.pause()
  }

  free(reason: BrakeReason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#held.resume()
  }
}
