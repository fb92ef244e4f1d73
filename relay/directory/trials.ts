import type { ChannelId } from '@tollgate/domain/ids.ts'

/**
 * The trials of half-open channels that are going on in this relay, one at a time for each channel. Relays do not agree
 * on one: that would put a question to others on the request's path, and a few requests of a few relays at the same
 * moment do a channel no harm. A trial with a result keeps its place until the channel's status follows from it.
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

  /** The channel's status has changed: a trial under way says nothing of the new one. */
  statusChanged(id: ChannelId): void {
    this.#running.delete(id)
  }
}
