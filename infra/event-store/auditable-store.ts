import type { NewEvent, Position } from '@tollgate/domain/event.ts'
import type {
  AppendedEvents,
  EventStore,
  ReadStreamOptions,
  StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from './stored-event.ts'

/** An event store that also shows the bytes it keeps, for checking hash chains. Both adapters are one. */
export interface AuditableEventStore extends EventStore {
  /** One stream as stored, by default forwards from its first event. Fails as `readStream`. */
  readStoredStream(stream: string, options?: ReadStreamOptions): AsyncIterable<StoredEvent>
  /** Up to `limit` events of the whole log after a position, as stored, in order. Fails with StoreUnavailable. */
  readStoredLog(after: Position, limit: number): Promise<readonly StoredEvent[]>
  /** Up to `limit` events before a position (null = the log's end), as stored, newest first. Fails with StoreUnavailable. */
  readStoredLogBackwards(before: Position | null, limit: number): Promise<readonly StoredEvent[]>
  /** The event at exactly this position, as stored; null when none stands there. Fails with StoreUnavailable. */
  readStoredAt(position: Position): Promise<StoredEvent | null>
  /**
   * Appends events of one stream with the bytes that another log has of them; otherwise as `append`. Fails with
   * InvalidAppend, too, when they are not what was hashed there, but for those of `foreign` revisions.
   */
  appendStored(
    stream: string,
    events: readonly StoredEvent[],
    expected: StoredHead,
    foreign?: Pick<ReadonlySet<number>, 'has'>,
  ): Promise<AppendedEvents>
  /**
   * Appends the event that sets aside what stands between `expected.hash` and the stream's end; otherwise as `append`.
   */
  appendSetAside(stream: string, event: NewEvent, expected: StoredHead): Promise<AppendedEvents>
}

/**
 * End of a stream where the newest event may be one of another client: its revision, and the hash of the last event that
 * is Tollgate's. `storedHash` is what the newest event's column has for a hash, '' for none.
 */
export interface StoredHead extends StreamHead {
  readonly storedHash?: string
}

/** Whether a log takes writes and lets itself be read, for readiness. Both adapters say so. */
export interface LogHealth {
  /**
   * The reason why this process's last append failed for the store's sake (a full disk, no connection, no right),
   * lately.
   */
  appendProblem(): string | null
  /**
   * Resolves when something is durably written, or an append was within the last five seconds. Nothing of it is an event,
   * and what is written replaces what was. Fails as the engine does.
   */
  proveWrite(): Promise<void>
  /** Why the engine refuses new reads while the calls under way go on, for operators; null when it does not. */
  readProblem(): string | null
  /** Why this process cannot follow the log, for anybody: the engine refuses it; null when it does not. */
  followProblem(): string | null
  /**
   * Events that other clients have written into the ledger's streams, in words for operators; null while nothing is
   * known.
   */
  foreignProblem(): string | null
}
