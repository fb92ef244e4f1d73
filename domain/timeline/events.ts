import type { DomainEvent } from '../event.ts'
import type { LogId } from '../ids.ts'

/** Stream of the log's identities: the last event names the present one. */
export const TIMELINE_STREAM = 'ledger-timeline'

/**
 * The log continues under another identity. Names given under an older one (holds, charges on their way) belong to a
 * past that this log may not have: a backup was restored, or a lagging standby was promoted.
 */
export type TimelineOpened = DomainEvent<
  'TimelineOpened',
  {
    readonly at: number
    readonly log: LogId
    readonly cause: TimelineCause
    /** The identity before this one; null for the first. */
    readonly previous: LogId | null
  }
>

/**
 * Why a log got an identity: it had none yet, it was restored or copied into another engine, an operator accepted that
 * it was put back.
 */
export type TimelineCause = 'first-start' | 'restore' | 'accept-rollback'
