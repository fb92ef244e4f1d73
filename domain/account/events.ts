import type { Adjustment } from './adjustment.ts'
import type { DomainEvent } from '../event.ts'
import type { ChannelId, HoldId, RelayId, RequestId, TokenId, UserId } from '../ids.ts'
import type { Price } from '../pricing/price.ts'
import type { Usage } from '../pricing/usage.ts'
import type { Quota } from '../quota.ts'
import type { RefundedTask } from '../task/refund.ts'
import type { Attempt, ClientTrace, UpstreamFacts } from './request-facts.ts'
import type { AccountSnapshot } from './snapshot.ts'
import type { AcceptedSequences } from './state.ts'
import type { TokenTerms } from './token-terms.ts'

/** Everything that can happen to one user's account; stream `account-<userId>`. */
export type AccountEvent =
  | AccountOpened
  | AccountSuspended
  | AccountResumed
  | QuotaCredited
  | QuotaDebited
  | QuotaHeld
  | HoldExtended
  | HoldReduced
  | HoldReleased
  | HoldExpired
  | UsageCharged
  | UsageRefunded
  | AffiliateRewardEarned
  | AffiliateQuotaTransferred
  | TokenIssued
  | TokenRevised
  | TokenEnabled
  | TokenDisabled
  | TokenExpired
  | TokenExhausted
  | TokenDeleted
  | BalanceCarriedForward

/** Alone at revision 0. */
export type AccountOpened = DomainEvent<'AccountOpened', At>
export type AccountSuspended = DomainEvent<'AccountSuspended', At>
export type AccountResumed = DomainEvent<'AccountResumed', At>

export type CreditSource = 'sign-up' | 'invitation' | 'redemption' | 'top-up' | 'grant' | 'refund'

export type QuotaCredited = DomainEvent<
  'QuotaCredited',
  At & {
    readonly amount: Quota
    readonly source: CreditSource
    /** The reason of a refund; elsewhere the origin (code, order); '' for grants. */
    readonly reason: string
    /** The adjustment of a grant by an administrator; absent elsewhere, and where no more than the amount was said. */
    readonly adjustment?: Adjustment
  }
>
export type QuotaDebited = DomainEvent<
  'QuotaDebited',
  At & {
    readonly amount: Quota
    readonly source: 'adjustment'
    readonly adjustment?: Adjustment
  }
>

export type QuotaHeld = DomainEvent<
  'QuotaHeld',
  At & {
    readonly hold: HoldId
    readonly token: TokenId | null
    readonly relay: RelayId
    readonly nonce: string
    readonly amount: Quota
  }
>
export type HoldExtended = DomainEvent<
  'HoldExtended',
  At & { readonly hold: HoldId; readonly number: number; readonly amount: Quota }
>
export type HoldReduced = DomainEvent<
  'HoldReduced',
  At & { readonly hold: HoldId; readonly sequence: number; readonly amount: Quota }
>
export type HoldReleased = DomainEvent<'HoldReleased', At & EndOfHold>
export type HoldExpired = DomainEvent<'HoldExpired', At & EndOfHold & { readonly cause: string }>

interface EndOfHold {
  readonly hold: HoldId
  /** The rest of the hold, which goes back to the wallet. */
  readonly amount: Quota
  /**
   * Numbers of the hold's messages that were accepted by then, so that a late charge is judged by this event alone; null
   * in events older than version 2, whose holds are judged by the charges in the stream.
   */
  readonly accepted: AcceptedSequences | null
}

export type UsageCharged = DomainEvent<
  'UsageCharged',
  At & {
    readonly hold: HoldId
    readonly sequence: number
    readonly token: TokenId | null
    /** fromHold + fromWallet. */
    readonly amount: Quota
    readonly fromHold: Quota
    readonly fromWallet: Quota
    /** True when the hold had ended before the charge came in. */
    readonly late: boolean
    readonly request: ChargedUsage
    /**
     * When the request ended, unix milliseconds by the relay's clock. A fact that is in no sum: `at` is when the charge
     * was accepted. In events older than version 2 worked out from start and duration.
     */
    readonly endedAt: number
  }
>

/** The facts of a charged request that a log row, an audit and a re-rating need. */
export interface ChargedUsage extends ClientTrace {
  readonly id: RequestId
  readonly channel: ChannelId
  /** As the client named it; priced and logged by this. */
  readonly model: string
  readonly upstreamModel: string
  readonly group: string
  /** `/v1/chat/completions` and the like. */
  readonly endpoint: string
  readonly usage: Usage
  readonly price: Price
  readonly stream: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Milliseconds to the first byte of a streamed answer; null when not streamed. */
  readonly firstByteMs: number | null
  readonly durationMs: number
  /** Unix milliseconds: quota was reserved and the request could be sent. Null in events older than version 3. */
  readonly admittedAt: number | null
  /** In order; the last one answered. */
  readonly attempts: readonly Attempt[]
  readonly upstream: UpstreamFacts
  /** Usage was counted here because upstream gave none that can be true. */
  readonly estimated: boolean
  /** The client left before the end; the delivered or generated part is charged. */
  readonly cancelled: boolean
  /** The stream was ended here: no more quota could be held, or the process was stopped. */
  readonly cutShort: boolean
  readonly reasoningEffort: string | null
  /** Thinking was asked for and was off: the thoughts behind the last calls of tools were lost. Absent = not so. */
  readonly thinkingLost?: true
}

export type UsageRefunded = DomainEvent<
  'UsageRefunded',
  At & {
    readonly amount: Quota
    readonly request: RequestId
    readonly token: TokenId | null
    /** The channel that the charge counted for; null in events older than version 2, which did not say. */
    readonly channel: ChannelId | null
    /** '' where a failed task is the reason. */
    readonly reason: string
    readonly failed?: RefundedTask
  }
>
export type AffiliateRewardEarned = DomainEvent<
  'AffiliateRewardEarned',
  At & { readonly amount: Quota; readonly invitee: UserId }
>
/** From the affiliate balance into the wallet. */
export type AffiliateQuotaTransferred = DomainEvent<
  'AffiliateQuotaTransferred',
  At & { readonly amount: Quota }
>

export type TokenIssued = DomainEvent<
  'TokenIssued',
  At & TokenTerms & { readonly token: TokenId; readonly remain: Quota }
>
/** The limit changes by difference, so that charges in between are kept. */
export type TokenRevised = DomainEvent<
  'TokenRevised',
  At & TokenTerms & { readonly token: TokenId; readonly remainChange: Quota }
>
export type TokenEnabled = DomainEvent<'TokenEnabled', At & { readonly token: TokenId }>
export type TokenDisabled = DomainEvent<'TokenDisabled', At & { readonly token: TokenId }>
export type TokenExpired = DomainEvent<'TokenExpired', At & { readonly token: TokenId }>
export type TokenExhausted = DomainEvent<'TokenExhausted', At & { readonly token: TokenId }>
export type TokenDeleted = DomainEvent<'TokenDeleted', At & { readonly token: TokenId }>

/** The whole state at this revision; loading reads backwards to the newest one. */
export type BalanceCarriedForward = DomainEvent<
  'BalanceCarriedForward',
  At & {
    readonly account: AccountSnapshot
    /** Null where the stream alone tells it, as in events older than version 2. */
    readonly causes: CarriedCauses | null
  }
>

/** Which steps and requests left the events before this one, so that none is taken twice. */
export interface CarriedCauses {
  /** The cause of every event after this revision is among the fingerprints; -1 = of every event. */
  readonly after: number
  /** The first 8 characters of each causation id's SHA-256 in base64, the oldest first. */
  readonly fingerprints: string
}

interface At {
  readonly at: number
}
