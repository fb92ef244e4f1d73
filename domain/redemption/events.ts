import type { DomainEvent } from '../event.ts'
import type { UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'

/** Everything that can happen to a redemption code; stream `redemption-<id>`. Its name and the code itself live in `secrets.redemptions`. */
export type RedemptionEvent =
  | CodeIssued
  | CodeRevised
  | CodeDisabled
  | CodeEnabled
  | CodeRedeemed
  | CodeDeleted

export type CodeIssued = DomainEvent<
  'CodeIssued',
  At & { readonly quota: Quota; readonly creator: UserId }
>
export type CodeRevised = DomainEvent<'CodeRevised', At & { readonly quota: Quota }>
export type CodeDisabled = DomainEvent<'CodeDisabled', At>
export type CodeEnabled = DomainEvent<'CodeEnabled', At>
/** Decides that this user's account is credited; the credit follows with this event as its cause. */
export type CodeRedeemed = DomainEvent<
  'CodeRedeemed',
  At & { readonly user: UserId; readonly quota: Quota }
>
export type CodeDeleted = DomainEvent<'CodeDeleted', At>

interface At {
  readonly at: number
}
