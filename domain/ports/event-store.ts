import type { BareEvent, NewEvent, Position, RecordedEvent } from '../event.ts'
import type { ColumnFilter, ColumnPage } from '../event-columns.ts'

/**
 * The log of events. Two adapters: PostgreSQL and EventStoreDB/KurrentDB; one contract suite (tests/contract).
 */
export interface EventStore {
  /**
   * Appends all events or none, directly after `expected`. The adapter serialises them, chains their hashes from
   * `expected.hash` and answers the stream's new head and the position of the last event.
   * The same events (ids and bytes) again at the same place succeed without a second copy.
   * Fails with RevisionConflict when anything else stands there (decide again from the present state), or with
   * StoreUnavailable; with `outcome: 'unknown'` the same call must be repeated until it succeeds or conflicts.
   */
  append(stream: string, events: readonly NewEvent[], expected: StreamHead): Promise<AppendedEvents>
  /**
   * Events of one stream from `from` on (inclusive; default: the first, or backwards the last), in the direction given.
   * A stream that does not exist has none. Events of other clients that were set aside are left out; it fails with
   * ForeignEvent at those that were not, and with StreamCut when it is read from or to its beginning, and that is gone.
   */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>
  /** Up to `limit` events after a position, in order, of the streams that the filter lets through. */
  readAll(after: Position, filter: StreamFilter, limit: number): Promise<readonly RecordedEvent[]>
  /**
   * The same without metadata but for the actor, where the engine can spare reading it: twice as fast, for going through the whole log.
   * Types that are not among `types` are left out.
   */
  readBare?(after: Position, filter: BareFilter, limit: number): Promise<readonly BareEvent[]>
  /**
   * Members of the events among the next `limit` of the log, as columns: where the engine can hand over bytes, several
   * times as fast as `readBare`. The same filter object is to be used from page to page, by one reader at a time. A page's
   * tables may be filled anew by the second read after it: a page can be worked on while the next one is read.
   */
  readColumns?(after: Position, filter: ColumnFilter, limit: number): Promise<ColumnPage>
  /**
   * Follows the log from a position for ever, through lost connections, until the signal aborts (then it ends).
   * Each delivery is a batch in log order; `caughtUp` says that nothing newer was there when it was read. A batch may
   * be empty when only that, or `position` (how far the log was searched), is news.
   */
  subscribeAll(
    after: Position,
    filter: StreamFilter,
    signal: AbortSignal,
  ): AsyncIterable<SubscriptionBatch>
  /**
   * Streams of Tollgate that other clients limit or have deleted, where the engine has such things. Goes through the whole
   * log. Fails with StoreUnavailable.
   */
  readCutStreams?(): Promise<readonly CutStream[]>
  /** Events of other clients in Tollgate's streams that were met here and are not set aside, at most a thousand. */
  foreignEvents?(): readonly EventPlace[]
  /**
   * Other users who may write to the ledger's streams or cut them, in words for operators, where the engine has users;
   * null when no other user may. Fails with StoreUnavailable.
   */
  readOpenRights?(): Promise<string | null>
  /** Position of the newest event; LOG_START for an empty log. */
  headPosition(): Promise<Position>
  /** The newest event at or before a position that this store has told; null when there is none. */
  newestAt(position: Position): Promise<RecordedEvent | null>
  /** Whether positions are 0, 1, 2, ... without gaps, so that a missing event shows by its position alone. */
  readonly hasGaplessPositions: boolean
  /** Which server this is, for logs and test output, such as `PostgreSQL 18.4` or `EventStoreDB 23.10.1`. */
  describe(): Promise<string>
  close(): Promise<void>
}

/** End of a stream: revision −1 and hash '' before its first event. */
export interface StreamHead {
  readonly revision: number
  readonly hash: string
}
export const EMPTY_STREAM: StreamHead = { revision: -1, hash: '' }

export interface AppendedEvents {
  readonly head: StreamHead
  readonly position: Position
}

export interface ReadStreamOptions {
  readonly from?: number
  readonly direction?: 'forwards' | 'backwards'
  /** Events that were set aside count, too. */
  readonly limit?: number
  /** Forwards: the hash of the event before `from`, which the first one must follow; not compared when left out. */
  readonly prevHash?: string
}

/** Streams by the beginnings of their names, such as `account-`; 'all' lets every stream through. */
export type StreamFilter =
  | 'all'
  | {
      readonly streamPrefixes: readonly string[]
      /**
       * Event types that the subscriber does not need: left out before anything of them is read or decoded. Default
       * none. The position that a subscription reports may then be up to a thousand of them late.
       */
      readonly exceptTypes?: readonly string[]
    }

/** Streams by the beginnings of their names, and the only event types that are of use. */
export interface BareFilter {
  readonly streamPrefixes: readonly string[]
  readonly types: readonly string[]
}

export interface SubscriptionBatch {
  readonly events: readonly RecordedEvent[]
  /** Everything up to here was delivered or filtered out. */
  readonly position: Position
  readonly caughtUp: boolean
}

/** Something else stands at the expected place of the stream. */
export class RevisionConflict extends Error {
  readonly code = 'REVISION_CONFLICT'
  readonly retryable = false
  readonly stream: string
  readonly expected: number
  /** The stream's last revision as far as the store told; null when unknown. */
  readonly actual: number | null
  constructor(stream: string, expected: number, actual: number | null) {
    super(`stream ${stream} is at revision ${actual ?? 'unknown'}, expected ${expected}`)
    this.name = 'RevisionConflict'
    this.stream = stream
    this.expected = expected
    this.actual = actual
  }
}

/** The store refuses these events for good, whenever they come: nothing of them is stored, and others are not concerned. */
export class AppendRefused extends Error {
  readonly code = 'APPEND_REFUSED'
  readonly retryable = false
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'AppendRefused'
  }
}

/** Another client has done something to a stream: nothing is decided on it until an operator acts. Others go on. */
export class StreamUnusable extends Error {
  readonly code: 'STREAM_CUT' | 'FOREIGN_EVENT'
  readonly retryable = false
  constructor(code: StreamUnusable['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.name = 'StreamUnusable'
  }
}

/**
 * Events at a stream's beginning are gone, or all of them: another client has limited or deleted the stream. Its state
 * is unknown, so nothing is decided on it. Only this stream is concerned.
 */
export class StreamCut extends StreamUnusable {
  readonly stream: string
  /** Revision of the first event that is left; null when none is. */
  readonly firstRevision: number | null
  constructor(stream: string, firstRevision: number | null, cause?: unknown) {
    const what =
      firstRevision === null ? 'was deleted' : `begins at revision ${firstRevision}, not at 0`
    super(
      'STREAM_CUT',
      `stream ${stream} ${what}: another client of the event store has cut it, and nothing is decided on it. Take the limits ($maxCount, $maxAge, $tb) out of its metadata before a scavenge removes the events for good, else restore the event store from a copy; npm run audit -- verify lists all such streams`,
      cause,
    )
    this.name = 'StreamCut'
    this.stream = stream
    this.firstRevision = firstRevision
  }
}

/** An event of a stream is none that Tollgate has written behind the one before it. */
export class ForeignEvent extends StreamUnusable {
  readonly stream: string
  readonly revision: number
  constructor(stream: string, revision: number, why: string, cause?: unknown) {
    super(
      'FOREIGN_EVENT',
      `event ${revision} of stream ${stream} is not Tollgate's (${why}): another client of the event store wrote it, and nothing is decided on the stream. When you have looked at it: npm run ledger -- set-aside ${stream}@${revision} --reason "…"`,
      cause,
    )
    this.name = 'ForeignEvent'
    this.stream = stream
    this.revision = revision
  }
}

/** One event of a stream. */
export interface EventPlace {
  readonly stream: string
  readonly revision: number
}

/** The way in which another client has cut a stream of Tollgate. */
export interface CutStream {
  readonly stream: string
  /** Its metadata's limits as JSON, or that it was deleted. */
  readonly how: string
  readonly position: Position
}

/** The store cannot be reached or did not answer in time. */
export class StoreUnavailable extends Error {
  readonly code: 'STORE_UNAVAILABLE' | 'WRITE_DENIED' | 'READ_DENIED' = 'STORE_UNAVAILABLE'
  readonly retryable = true
  /** The outcome of an append: 'unknown' when it may have been stored, 'none' when certainly not. */
  readonly outcome: 'none' | 'unknown'
  constructor(message: string, outcome: 'none' | 'unknown', cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
    this.outcome = outcome
  }
}
/**
 * The store is up and denies Tollgate's writes. Nothing is stored. The same append is retried as while the store is
 * unavailable, so that nothing is lost until an operator restores the right.
 */
export class WriteDenied extends StoreUnavailable {
  override readonly code = 'WRITE_DENIED'
  constructor(message: string, cause?: unknown) {
    super(message, 'none', cause)
    this.name = 'WriteDenied'
  }
}

/** The store is there and does not let Tollgate read: a wrong user or password, or a right that was taken away. */
export class ReadDenied extends StoreUnavailable {
  override readonly code = 'READ_DENIED'
  constructor(message: string, cause?: unknown) {
    super(message, 'none', cause)
    this.name = 'ReadDenied'
  }
}
