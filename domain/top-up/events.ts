import type { DomainEvent } from '../event.ts'
import type { UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'

/** Everything that can happen to an order of quota at a payment gateway; stream `topup-<tradeNo>`. */
export type TopUpEvent = TopUpRequested | TopUpPaid | TopUpPaidAgain | TopUpAbandoned

/** The order to be paid: its quota and money, with all that the price was made of. */
export type TopUpRequested = DomainEvent<'TopUpRequested', At & TopUpTerms>

export interface TopUpTerms {
  readonly user: UserId
  /** Credited when it is paid. */
  readonly quota: Quota
  /** In the gateway's currency, decimal text with two places. */
  readonly money: string
  /** `zfb` or `wx`. */
  readonly method: PaymentMethod
  /** As ordered, in US dollars or (DisplayInCurrencyEnabled off) in quota. */
  readonly amount: number
  readonly unit: AmountUnit
  /** Option Price, decimal text. */
  readonly price: string
  readonly group: string
  /** The ratio in TopupGroupRatio for this group, decimal text. */
  readonly groupRatio: string
  /** Option QuotaPerUnit, decimal text. */
  readonly quotaPerUnit: string
}

export type PaymentMethod = 'zfb' | 'wx'
export type AmountUnit = 'usd' | 'quota'

/** Decides that the user's account is credited; the credit follows with this event as its cause. */
export type TopUpPaid = DomainEvent<
  'TopUpPaid',
  At & {
    readonly user: UserId
    readonly quota: Quota
    readonly money: string
    /** The payment's number at the gateway. */
    readonly gatewayTradeNo: string
  }
>
/**
 * A paid order was paid once more, under another number of the gateway. Nothing is credited: whether the money goes back
 * or more quota is given is for an operator to decide.
 */
export type TopUpPaidAgain = DomainEvent<
  'TopUpPaidAgain',
  At & { readonly user: UserId; readonly money: string; readonly gatewayTradeNo: string }
>
/** The order was not paid in time. A payment that comes later is credited all the same. */
export type TopUpAbandoned = DomainEvent<'TopUpAbandoned', At>

interface At {
  readonly at: number
}
