/** Charges that could not be handed to the journal since the start; whoever watches the process reads it. */
export class LostCharges {
  #count = 0

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count += 1
  }
}
