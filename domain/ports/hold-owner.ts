import type { HoldId, RelayId, TokenId, UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import type { LogMark } from '../timeline/log-view.ts'

/** How long a relay waits for one answer before it repeats its question for a hold, and how long an owner works on one. */
export const HOLD_QUESTION_MS = 100
/**
 * The time for which an account's owner that does not answer is asked again. It is longer than a broker takes to
 * restart, and than a partition is without an owner after a kill (leases last 5 s). A person at a screen waits hardly
 * longer.
 */
export const OWNER_PATIENCE_MS = 8_000

/**
 * A relay's questions to the account's owner (the one ledger writer that owns the account's partition). In one process
 * it is a function call, between processes NATS request/reply: every answer may be lost, so every question can be
 * repeated: a hold by its nonce, an extension by its number.
 */
export interface HoldOwner {
  /** Reserves quota. Repeating a nonce answers the same open hold. Fails with HoldOwnerUnavailable. */
  placeHold(ask: HoldAsk): Promise<HoldAnswer | ExpiredQuestion>
  /** Adds to an open hold; extensions are numbered from 1, one outstanding per hold. */
  extendHold(ask: ExtensionAsk): Promise<ExtensionAnswer | ExpiredQuestion>
  /**
   * Reports that the relay still works with these holds; called every few seconds. Answers those whose owner received
   * the claim. The others lapse unless a later claim arrives, and an owner expires holds without claims.
   */
  claimHolds(relay: RelayId, holds: readonly HoldId[]): Promise<readonly HoldId[]>
  /** Says that a hold has ended with this number: it is released when messages 1..finalSequence have been accepted. */
  finishHold(hold: HoldId, finalSequence: number): Promise<void>
}

interface HoldQuestion {
  /** How far the relay has seen the log: an owner whose log is not that one any more grants nothing. */
  readonly seen?: LogMark
  /** Unix milliseconds by the owner's clock, as the relay knows it, after which the owner drops the question. Default: never. */
  readonly deadline?: number
}

export interface HoldAsk extends HoldQuestion {
  readonly account: UserId
  /** The token that limits the hold; null for the playground, which has none. */
  readonly token: TokenId | null
  readonly relay: RelayId
  /** New for each hold wanted; the same when the question is repeated. */
  readonly nonce: string
  /** The least that is of use, at least 0. */
  readonly need: Quota
  /** The quota that would be best: about ten seconds of recent spend. At least `need`. */
  readonly want: Quota
}

export interface ExtensionAsk extends HoldQuestion {
  readonly relay: RelayId
  readonly hold: HoldId
  readonly number: number
  readonly need: Quota
  readonly want: Quota
}

export type HoldAnswer =
  | {
      readonly status: 'held'
      readonly hold: HoldId
      readonly amount: Quota
      /** How far the owner has seen the log, the opening of the hold included; left out where no relay compares it. */
      readonly seen?: LogMark
    }
  | HoldRefusal

export type ExtensionAnswer =
  | {
      readonly status: 'extended'
      readonly amount: Quota
      /** How far the owner has seen the log, the extension included; left out where no relay compares it. */
      readonly seen?: LogMark
    }
  /** The hold has ended; nothing more can be drawn from it. */
  | { readonly status: 'closed' }
  | HoldRefusal

/** The question arrived after its deadline, or the clocks of relay and owner differ: nothing was granted. */
export interface ExpiredQuestion {
  readonly status: 'expired'
  /** The owner's clock, Unix milliseconds. */
  readonly now: number
}

export interface HoldRefusal {
  readonly status: 'refused'
  readonly reason: HoldRefusalReason
  /** The quota that account and token could still give, so that everyone who needs more can be refused at once. */
  readonly available: Quota
  /**
   * The quota that the account, or the token where its limit is the reason, could give if all open holds were returned
   * whole: running requests may still give back the difference between the two. 0 where quota is not the reason.
   */
  readonly balance: Quota
}

export type HoldRefusalReason =
  | 'account-not-open'
  | 'account-suspended'
  /** Another client has spoilt the account's stream: an operator has to act. */
  | 'account-locked'
  | 'token-unknown'
  | 'token-not-active'
  | 'insufficient-quota'
  | 'insufficient-token-quota'
  | 'too-many-holds'

/** An owner's request to one relay: give back the unused quota of this account's holds. */
export interface RecallListener {
  /**
   * Returns the idle quota of all holds but one (the one that more is wanted for: giving that back would only move
   * the same quota to and fro) as numbered QuotaReturn messages through the usage journal; resolves with the sum that
   * was given back, when it has arrived there.
   */
  returnIdleQuota(account: UserId, except: HoldId | null): Promise<Quota>
}

/** How an owner reaches relays, by the id that their holds carry. */
export interface Relays {
  /**
   * Passes a recall on to one relay. Answers the quota that it gave back; 0 when the relay is gone or does not answer
   * within `withinMs`. Never fails.
   */
  recall(relay: RelayId, recall: Recall, withinMs: number): Promise<Quota>
}

export interface Recall {
  readonly account: UserId
  /** The hold that more is wanted for; null = none. */
  readonly except: HoldId | null
}

/** The owner cannot be reached; ask again. */
export class HoldOwnerUnavailable extends Error {
  readonly code = 'HOLD_OWNER_UNAVAILABLE'
  readonly retryable = true
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'HoldOwnerUnavailable'
  }
}
