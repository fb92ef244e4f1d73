import type { Role } from '@tollgate/domain/user/events.ts'
import type { User } from '../identity/users.ts'

/** The figures of a user's account in the ledger, in quota. */
export interface AccountFigures {
  readonly posted: number
  readonly held: number
  readonly usedQuota: number
  readonly requestCount: number
  /** Earned by invitations and not transferred yet. */
  readonly affiliate: number
  /** All that invitations ever earned. */
  readonly affiliateEarned: number
  /** How many users were invited. */
  readonly affiliateCount: number
}

const NO_FIGURES: AccountFigures = {
  posted: 0,
  held: 0,
  usedQuota: 0,
  requestCount: 0,
  affiliate: 0,
  affiliateEarned: 0,
  affiliateCount: 0,
}

/** The user object of console-api 4, with all its fields; `held` is Tollgate's own. */
export interface UserEntity {
  readonly id: number
  readonly username: string
  readonly password: ''
  readonly original_password: ''
  readonly display_name: string
  readonly role: Role | 0
  readonly status: 0 | 1 | 2
  readonly email: string
  readonly github_id: string
  readonly oidc_id: string
  readonly wechat_id: string
  readonly telegram_id: string
  readonly linux_do_id: string
  readonly verification_code: ''
  readonly access_token: string | null
  readonly quota: number
  readonly held: number
  readonly used_quota: number
  readonly request_count: number
  readonly group: string
  readonly aff_code: string
  readonly aff_count: number
  readonly aff_quota: number
  readonly aff_history_quota: number
  readonly inviter_id: number
  readonly setting: string
  readonly DeletedAt: string | null
}

/** A user as their owner or an admin sees them. `accessToken` only for the owner; null for all others. */
export function userEntity(
  user: User,
  figures: AccountFigures = NO_FIGURES,
  accessToken: string | null = null,
): UserEntity {
  return {
    ...EMPTY_USER,
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    role: user.role,
    status: user.isBanned ? 2 : 1,
    email: user.email,
    github_id: user.githubId,
    oidc_id: user.oidcId,
    wechat_id: user.wechatId,
    telegram_id: user.telegramId,
    linux_do_id: user.linuxDoId,
    access_token: accessToken,
    quota: figures.posted,
    held: figures.held,
    used_quota: figures.usedQuota,
    request_count: figures.requestCount,
    group: user.group,
    aff_code: user.affCode ?? '',
    aff_count: figures.affiliateCount,
    aff_quota: figures.affiliate,
    aff_history_quota: figures.affiliateEarned,
    inviter_id: user.inviterId ?? 0,
    setting: user.setting,
    DeletedAt: user.deletedAt?.toISOString() ?? null,
  }
}

/** A user as an admin who is not above them sees them: without anything of their own (decision 19). */
export const strangerEntity = (user: User, figures?: AccountFigures): UserEntity => ({
  ...userEntity(user, figures),
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  setting: '',
})

/** The answer of a sign-in: who and which rights, the rest zero (console-api 2.2). */
export const signedInEntity = (user: User): UserEntity => ({
  ...EMPTY_USER,
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  role: user.role,
  status: user.isBanned ? 2 : 1,
  group: user.group,
})

/** The answer of managing a user: only the new role and status. */
export const userStatusEntity = (user: User): UserEntity => ({
  ...EMPTY_USER,
  role: user.role,
  status: user.isBanned ? 2 : 1,
})

/** All fields at zero. */
export const EMPTY_USER: UserEntity = {
  id: 0,
  username: '',
  password: '',
  original_password: '',
  display_name: '',
  role: 0,
  status: 0,
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  verification_code: '',
  access_token: null,
  quota: 0,
  held: 0,
  used_quota: 0,
  request_count: 0,
  group: '',
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  setting: '',
  DeletedAt: null,
}
