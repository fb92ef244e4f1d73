import type { UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Which accounts this process owns. The expected revision refuses decisions for others in any case. */
export interface Ownership {
  /**
   * The moment since which this process owns the account's partition without interruption and receives its relays'
   * messages, monotonic milliseconds; null when it does not.
   */
  ownedSince(account: UserId): number | null
  /**
   * Whether no other process can own an account that this one believes to own, and receive its relays' messages.
   * Decisions need no certainty, for the expected revision guards them; an expiry for silence does.
   */
  isCertain(): boolean
  /**
   * Whether everything that relays had published for a partition's accounts when this was asked is in the log; false
   * when another process owns the partition or it cannot be known.
   */
  isBacklogAppended(partition: number): Promise<boolean>
}

/** The ownership of a process that is the only writer and takes charges in by function call. */
export function ownsEverything(clock: Clock): Ownership {
  const since = clock.monotonicMs()
  return {
    ownedSince: () => since,
    isCertain: () => true,
    isBacklogAppended: () => Promise.resolve(true),
  }
}
