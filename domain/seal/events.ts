import type { DomainEvent, Position } from '../event.ts'

/** Stream of all seals. Its own events are in no seal: each seal names the one before it instead. */
export const SEALS_STREAM = 'ledger-seals'

/**
 * A statement that fits in one event, however much was written: from here on nothing up to `upTo` can be changed, left
 * out or put in another order without the seal telling. The leaves themselves are found again in the log.
 */
export type LedgerSealed = DomainEvent<
  'LedgerSealed',
  {
    readonly at: number
    /** From 1 without gaps. */
    readonly number: number
    /** Covers the events after this position (the `upTo` of the seal before; LOG_START for the first) ... */
    readonly after: Position
    /** ... up to and including this one, but for the seals themselves. */
    readonly upTo: Position
    /** How many events are covered, and how many streams they are in. */
    readonly events: number
    readonly streams: number
    /** Merkle root (merkle.ts) over the ends of those streams as they stood at `upTo`; lower-case hex. */
    readonly root: string
    /** SHA-256 over the hashes (hex text) of the covered events in log order: their order across streams. */
    readonly order: string
    /** The seal before this one; null for the first. */
    readonly previous: PreviousSeal | null
  }
>

export interface PreviousSeal {
  readonly root: string
  /** The hash of the event, as its metadata has it. */
  readonly hash: string
}
