import type { UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Which accounts this process owns; what it decides for others is refused by the expected revision anyway. */
export interface Ownership {
  /**
   * Since when this process owns the account's partition without interruption and hears its relays, monotonic
   * milliseconds; null when it does not.
   */
  ownedSince(account: UserId): number | null
  /**
   * Whether no other process can own what this one believes to own, and hear its relays. Deciding needs no certainty, the
   * expected revision sees to that; holding a silence against somebody does.
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
