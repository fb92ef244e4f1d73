import type { ChannelId, HoldId, NoteId, RelayId, RequestId, TokenId, UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import type { RefundedTask } from '../task/refund.ts'
import type { ChargedUsage, CreditSource } from './events.ts'
import type { TokenTerms } from './token-terms.ts'

/** Everything that can be asked of an account. Amounts are at least 0 unless said otherwise. */
export type AccountCommand =
  | { readonly type: 'OpenAccount' }
  | { readonly type: 'SuspendAccount' }
  | { readonly type: 'ResumeAccount' }
  | {
      readonly type: 'CreditQuota'
      readonly amount: Quota
      readonly source: CreditSource
      readonly reason: string
    }
  /** Takes quota away; never more than is available. */
  | { readonly type: 'DebitQuota'; readonly amount: Quota; readonly reason: string }
  | AdjustQuota
  | EarnAffiliateReward
  | { readonly type: 'TransferAffiliateQuota'; readonly amount: Quota }
  | ({
      readonly type: 'IssueToken'
      readonly token: TokenId
      readonly remain: Quota
      /** It comes with the account, whether or not there is a balance yet. */
      readonly isFirst?: true | undefined
    } & TokenTerms)
  | ({
      readonly type: 'ReviseToken'
      readonly token: TokenId
      readonly remainChange: RemainChange
    } & TokenTerms)
  | { readonly type: 'EnableToken'; readonly token: TokenId }
  | { readonly type: 'DisableToken'; readonly token: TokenId }
  /** Marks a token whose time is up; nothing when it is not. */
  | { readonly type: 'ExpireToken'; readonly token: TokenId }
  | { readonly type: 'DeleteToken'; readonly token: TokenId }
  | PlaceHold
  | ExtendHold
  | ReturnHeldQuota
  | ReleaseHold
  | ExpireHold
  | ChargeUsage
  | RefundUsage

/**
 * The change of a token's limit: a difference (may be negative), which keeps charges made in between, or an absolute
 * limit, whatever the limit is at the decision.
 */
export type RemainChange = Quota | { readonly to: Quota }

/** Credits or debits the difference between two posted balances. */
export interface AdjustQuota {
  readonly type: 'AdjustQuota'
  /** The balance that the form had loaded; null = the balance that there is when this is decided. */
  readonly from: Quota | null
  readonly to: Quota
  readonly note: NoteId | null
}

export interface EarnAffiliateReward {
  readonly type: 'EarnAffiliateReward'
  readonly amount: Quota
  readonly invitee: UserId
}

export interface PlaceHold {
  readonly type: 'PlaceHold'
  /** Null for the playground. */
  readonly token: TokenId | null
  readonly relay: RelayId
  readonly nonce: string
  readonly need: Quota
  readonly want: Quota
}

export interface ExtendHold {
  readonly type: 'ExtendHold'
  readonly hold: HoldId
  readonly number: number
  readonly need: Quota
  readonly want: Quota
}

export interface ReturnHeldQuota {
  readonly type: 'ReturnHeldQuota'
  readonly hold: HoldId
  readonly sequence: number
  readonly amount: Quota
}

/** Ends a hold whose messages 1..finalSequence are all in; nothing while one is missing. */
export interface ReleaseHold {
  readonly type: 'ReleaseHold'
  readonly hold: HoldId
  readonly finalSequence: number
}

export interface ExpireHold {
  readonly type: 'ExpireHold'
  readonly hold: HoldId
  readonly cause: string
}

export interface ChargeUsage {
  readonly type: 'ChargeUsage'
  readonly hold: HoldId
  readonly sequence: number
  readonly token: TokenId | null
  readonly amount: Quota
  readonly request: ChargedUsage
  /** Unix milliseconds by the relay's clock. */
  readonly endedAt: number
  /**
   * Only for a hold that ended too long ago for the state to remember it: whether the stream already has this charge.
   * Null when the stream was not scanned; such a charge is rejected with `hold-ended` and must come again scanned.
   */
  readonly chargedBefore: boolean | null
}

export interface RefundUsage {
  readonly type: 'RefundUsage'
  readonly request: RequestId
  readonly token: TokenId | null
  /** The channel that the charge counted for; null when that is not known. */
  readonly channel: ChannelId | null
  /** For owners of before, too, which know of no `failed`. */
  readonly reason: string
  /** The task whose failure the refund is for; left out: the reason says all. */
  readonly failed?: RefundedTask
  /** The charge for this request, as the stream has it; null when its charge is not there (yet). */
  readonly charged: Quota | null
  readonly refundedBefore: boolean
}
