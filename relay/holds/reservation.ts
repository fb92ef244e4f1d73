import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { HoldRefusalReason } from '@tollgate/domain/ports/hold-owner.ts'
import type { Quota } from '@tollgate/domain/quota.ts'

/** The result of a draw: quota, a refusal that is the client's business, or an owner or journal that is unavailable. */
export type DrawResult =
  | DrawnQuota
  | RefusedDraw
  | { readonly status: 'unavailable'; readonly retryAfterSeconds: number }

export interface DrawnQuota {
  readonly status: 'drawn'
  readonly reservation: Reservation
}

export interface RefusedDraw {
  readonly status: 'refused'
  readonly reason: HoldRefusalReason
  /** The quota that account and token could still give. */
  readonly available: Quota
  /** The quota that they could give if no request ran and no quota were held. */
  readonly balance: Quota
}

/** A refusal that running requests of the account may stand behind. */
export type LackOfQuota = RefusedDraw & {
  readonly reason: 'insufficient-quota' | 'insufficient-token-quota'
}

export const lacksQuota = (result: DrawResult): result is LackOfQuota =>
  result.status === 'refused' &&
  (result.reason === 'insufficient-quota' || result.reason === 'insufficient-token-quota')

/** One request's part of a hold. Ended exactly once: by `settle` or by `release`. */
export interface Reservation {
  /** The quota that is reserved for this request by now. */
  readonly reserved: Quota
  /**
   * Sees to it that `total` is covered before more is delivered; false when there is no such quota and the stream must
   * end. Fails, as with a retryable HoldOwnerUnavailable, when it cannot be asked for at present.
   */
  cover(total: Quota): boolean | Promise<boolean>
  /** Numbers and publishes the charge; resolves when it is durable. An unanswering journal is asked again for ever. */
  settle(amount: Quota, request: ChargedUsage): Promise<void>
  /** Nothing is charged; others can draw the reserved quota again. */
  release(): void
}
