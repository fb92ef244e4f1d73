import type { ChannelId } from '@tollgate/domain/ids.ts'

/**
 * Which half-open channels have a trial going on here. One at a time for each relay: to agree on one between relays
 * would put a question to others on the request's path, and what a few relays send at the same moment does a channel
 * no harm. A trial that has shown something keeps its place until the channel's status follows from it.
 */
export class Trials {
  readonly #running = new Map<ChannelId, object>()

  isFree(id: ChannelId): boolean {
    return !this.#running.has(id)
  }

  /** Begins one and answers how to give its place back. */
  begin(id: ChannelId): () => void {
    const trial = {}
    this.#running.set(id, trial)
    return () => {
      // A later trial of the channel, after its status changed, is not this one's to end.
      if (this.#running.get(id) === trial) this.#running.delete(id)
    }
  }

  /** The channel's status has changed: whatever was going on says nothing of the new one. */
  statusChanged(id: ChannelId): void {
    this.#running.delete(id)
  }
}
