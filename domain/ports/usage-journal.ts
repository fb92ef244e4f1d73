import type { ChargedUsage } from '../account/events.ts'
import type { Attempt, ClientTrace } from '../account/request-facts.ts'
import type { HoldId, RelayId, RequestId, TokenId, UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import type { LogMark } from '../timeline/log-view.ts'

/**
 * The way of consumption events from the relay to the ledger. Embedded: awaited until appended. Distributed: NATS
 * JetStream, awaited until stored on disk, then appended by the account's owner. In one process the HoldService of
 * command-api is this journal, between processes the bus of infra. The double-entry journal of projections is another.
 */
export interface UsageJournal {
  /**
   * Resolves when the message is durable: it will be charged exactly once. Fails with JournalUnavailable; the same
   * message is then published again, with `isRepeated`, until it is taken. A journal that already has a message of this
   * name, although this one is published for the first time, has another one: it fails with DuplicateMessage, as the
   * new one is not stored.
   */
  publish(message: UsageMessage, isRepeated?: boolean): Promise<void>
}

/** Both kinds are numbered together per hold, from 1 without holes, when they are handed to publish. */
export type UsageMessage = UsageReport | QuotaReturn

/** One request's consumption event. */
export interface UsageReport {
  readonly type: 'usage'
  readonly account: UserId
  readonly relay: RelayId
  readonly hold: HoldId
  readonly sequence: number
  readonly token: TokenId | null
  readonly amount: Quota
  readonly request: ChargedUsage
  /** True on the last message of the hold: it can be released once 1..sequence are in. */
  readonly final: boolean
  /** When the request ended, unix milliseconds by the relay's clock: a fact; the charge is dated by its acceptance. */
  readonly endedAt: number
  /** How far the relay had seen the log; left out by relays from before timelines. */
  readonly seen?: LogMark
}

/** Idle quota given back when recalled. */
export interface QuotaReturn {
  readonly type: 'return'
  readonly account: UserId
  readonly relay: RelayId
  readonly hold: HoldId
  readonly sequence: number
  readonly amount: Quota
  /** When it was given back, unix milliseconds by the relay's clock; dates nothing. */
  readonly at: number
  readonly seen?: LogMark
}

/** A request of a known token that failed after retries. */
export interface FailedRequest extends ClientTrace {
  readonly account: UserId
  readonly token: TokenId | null
  readonly request: RequestId
  readonly at: number
  readonly model: string
  readonly group: string
  /** The one tried last. */
  readonly channel: number | null
  /** Its channel type then; null also where that was not noted. */
  readonly channelType: number | null
  /** In order; none, where no channel was asked. */
  readonly attempts: readonly Attempt[]
  readonly stream: boolean
  /** Milliseconds to the first byte of a stream that had begun; null when none had, or where that was not noted. */
  readonly firstByteMs: number | null
  readonly durationMs: number
  readonly status: number
  readonly errorType: string
  readonly errorCode: string
  /** As shown to the client, credentials masked, at most 1,000 characters. */
  readonly message: string
}

/** The same as it is logged: a row of type 5, never a posting. */
export interface RequestFailure extends FailedRequest {
  /** Failures of the same account and token that were not logged by themselves since the one before. */
  readonly suppressed: number
}

/** Records failed requests. Failures beyond the log's capacity are counted only; blocking a request is not allowed. */
export interface FailureLog {
  record(failure: FailedRequest): void
}

/** The journal has another message under the same name; this one was not stored and would be lost if that went unsaid. */
export class DuplicateMessage extends Error {
  readonly code = 'DUPLICATE_MESSAGE'
  readonly retryable = false
  constructor({ hold, sequence }: UsageMessage) {
    super(
      `the journal has another message ${sequence} of hold ${hold} already: this one is not stored`,
    )
    this.name = 'DuplicateMessage'
  }
}

/** The journal does not acknowledge; the message may or may not have been stored. */
export class JournalUnavailable extends Error {
  readonly code = 'JOURNAL_UNAVAILABLE'
  readonly retryable = true
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'JournalUnavailable'
  }
}
