import type { HoldId, TokenId, UserId } from '@tollgate/domain/ids.ts'
import { elapsedMs, type Moment } from '@tollgate/domain/moment.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import type { DrawResult } from './reservation.ts'
import type { SpendRate } from './spend-rate.ts'

/** A hold may be drawn from for this long after its last acknowledged claim was sent (architecture 6, rule 7). */
const CLAIM_LASTS_MS = 20_000

/** Everything one account and token draws from: one hold at a time, and the requests that wait for more. */
export interface HoldPool {
  readonly account: UserId
  /** Null for the playground. */
  readonly token: TokenId | null
  readonly rate: SpendRate
  hold: LocalHold | null
  waiting: Waiting[]
  isAsking: boolean
  /** No extension ahead of need before this monotonic moment. */
  aheadAfter: number
  /** Before this monotonic moment the owner is not asked: it has just let a question run out of patience. */
  unavailableUntil: number
}

/**
 * A hold as its relay knows it. Its free quota and the reservations of running requests add up to the owner's remaining
 * quota.
 */
export interface LocalHold {
  readonly id: HoldId
  readonly pool: HoldPool
  /** Neither reserved by a request nor spent. */
  free: Quota
  /** Requests that draw from it now. */
  flying: number
  /** The sequence number of the last numbered message. */
  sequence: number
  /** Number of the last extension. */
  extensions: number
  /** Settles when the extension that is being asked for is answered. */
  extending: Promise<void> | null
  usedAt: number
  /** When it was asked for; its age counts from here. */
  readonly opened: Moment
  claimed: Moment
  /** No new request draws from it; running requests still extend it. */
  isRetired: boolean
  /** The owner has ended it: running requests get no more from it either. */
  hasEnded: boolean
  /** Nothing more may be numbered. */
  isFinalSent: boolean
}

/** A request that waits for quota. */
export interface Waiting {
  readonly estimate: Quota
  readonly resolve: (result: DrawResult) => void
  readonly reject: (error: unknown) => void
}

/** Whether a hold's claim is too old to draw; once lapsed, a hold is never revived. */
export const isLapsed = (hold: LocalHold, clock: Clock): boolean =>
  elapsedMs(hold.claimed, clock) > CLAIM_LASTS_MS
