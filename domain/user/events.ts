import type { DomainEvent } from '../event.ts'

/**
 * The facts about a user that the ledger's readers must know; stream `user-<id>`. Names, e-mails and passwords live in
 * `identity.users`.
 */
export type UserEvent =
  | UserRegistered
  | UserRoleChanged
  | UserBanned
  | UserReinstated
  | UserGroupChanged
  | UserDeleted

/** 1 normal, 10 administrator, 100 super administrator. */
export type Role = 1 | 10 | 100

export type UserRegistered = DomainEvent<
  'UserRegistered',
  At & {
    readonly role: Role
    readonly group: string
    readonly inviter: number | null
    /** The rewards for the invitation, by the options of that moment; null when nobody invited them. */
    readonly invitation: InvitationRewards | null
  }
>
/** In quota; 0 = nothing. */
export interface InvitationRewards {
  readonly inviteeReward: number
  readonly inviterReward: number
}
export type UserRoleChanged = DomainEvent<'UserRoleChanged', At & { readonly role: Role }>
export type UserBanned = DomainEvent<'UserBanned', At>
export type UserReinstated = DomainEvent<'UserReinstated', At>
export type UserGroupChanged = DomainEvent<'UserGroupChanged', At & { readonly group: string }>
export type UserDeleted = DomainEvent<'UserDeleted', At>

interface At {
  readonly at: number
}
