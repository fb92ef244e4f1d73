import type { UserId } from '@tollgate/domain/ids.ts'
import type { InvitationRewards, Role } from '@tollgate/domain/user/events.ts'

/**
 * A person as `identity.users` keeps them: the source of names, credentials and bindings. Role, group, ban and deletion are
 * projected from the user's stream; quota is not here but in the ledger.
 */
export interface User {
  readonly id: UserId
  readonly username: string
  /** Null for an account that signs in through others only. */
  readonly passwordHash: string | null
  readonly displayName: string
  readonly role: Role
  readonly isBanned: boolean
  readonly email: string
  readonly githubId: string
  readonly oidcId: string
  readonly wechatId: string
  readonly telegramId: string
  readonly linuxDoId: string
  readonly accessTokenCiphertext: Buffer | null
  readonly group: string
  /** Null until first asked for. */
  readonly affCode: string | null
  readonly inviterId: number | null
  /** As the options were when the user signed up; null for a user who was not invited. */
  readonly invitation: InvitationRewards | null
  /** JSON object text or ''. */
  readonly setting: string
  readonly openingQuota: number
  readonly openingSource: 'sign-up' | 'grant'
  /** The user is registered; the account is open and has its opening quota. */
  readonly isOpened: boolean
  readonly deletedAt: Date | null
}

/** The values of a new row; the rest starts at its default. */
export interface NewUser {
  readonly username: string
  readonly passwordHash: string | null
  readonly displayName: string
  readonly role: Role
  readonly openingQuota: number
  readonly openingSource: 'sign-up' | 'grant'
  readonly email?: string
  /** The user has shown that the e-mail is theirs: no other user may have it by showing the same. */
  readonly isEmailOwn?: boolean
  readonly affCode?: string
  readonly inviterId?: number | null
  readonly invitation?: InvitationRewards | null
  /** They are promised a token with the account: users/first-token.ts sees to it. */
  readonly isTokenOwed?: boolean
  /** Their ids with external providers. */
  readonly externalIds?: Partial<ExternalIds>
}

export type ExternalIds = Pick<
  User,
  'githubId' | 'oidcId' | 'wechatId' | 'telegramId' | 'linuxDoId'
>

/** The state of a user's stream up to a revision. */
export interface UserStatusRow extends Pick<User, 'role' | 'group' | 'isBanned' | 'deletedAt'> {
  readonly revision: number
}

/** Columns of which the row is the source. */
export interface UserChange {
  readonly username?: string
  /** Signs the user out and ends their system access token: a holder of either may have known the old password. */
  readonly passwordHash?: string
  /** The session that a new password leaves open. */
  readonly sessionKept?: string | null
  readonly displayName?: string
  readonly setting?: string
  /** Shown to be theirs. */
  readonly ownEmail?: string
  /** Sealed; null removes it. */
  readonly webhookSecret?: Buffer | null
}

/** Which users; null and '' match all. */
export interface UserSearch {
  /** Part of user name, e-mail or display name, or the whole id. */
  readonly keyword: string
  readonly group: string
  /** Only these, as another search found them. */
  readonly ids: readonly number[] | null
  /** The admin that searches. An admin finds users below them, and themselves, by e-mail; root finds all. */
  readonly reader: { readonly userId: number; readonly role: number }
}

export interface UserStore {
  /** Reserves a row: role and group are those that the user is to be registered with. Fails with UsernameTaken, EmailTaken (an own e-mail, or another's name) or AffCodeTaken. */
  insert(user: NewUser): Promise<User>
  /**
   * Null when no user of this id is registered; deleted ones only on request. No other search finds reserved rows
   * either.
   */
  byId(id: number, options?: { readonly isDeletedWanted: boolean }): Promise<User | null>
  /**
   * By user name or e-mail, for signing in: a user who has shown that the e-mail is theirs comes before one who is
   * called like it. Among others with the e-mail, who only came with it from a provider, one with a password comes
   * first, then the oldest. Never a deleted one.
   */
  byLogin(login: string): Promise<User | null>
  /** All living users with an e-mail, however it is capitalised; oldest first, at most `limit`. */
  byEmail(email: string, limit: number): Promise<readonly User[]>
  /** The user whose affiliate code it is; null for an unknown code, or that of a banned or deleted user. */
  byAffCode(code: string): Promise<User | null>
  /** One page of users, newest first, deleted ones too, and how many there are in all. */
  page(
    wanted: UserSearch,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly users: readonly User[]; readonly total: number }>
  /** The newest of the same users with ids below one (null = of all), at most `limit`. */
  below(wanted: UserSearch, before: number | null, limit: number): Promise<readonly User[]>
  /** Gives the user this affiliate code unless they have one; answers theirs, or null when the code is taken. */
  giveAffCode(id: number, code: string): Promise<string | null>
  /** Whether a user other than this one, living or deleted, has this as name or e-mail, however it is capitalised. */
  isNameTaken(username: string, exceptId: number): Promise<boolean>
  /** Whether a user other than this one (0 = any), living or deleted, has the e-mail, however it is capitalised. */
  isEmailTaken(email: string, exceptId?: number): Promise<boolean>
  /** Fails with UsernameTaken or EmailTaken; null when there is no such row. */
  update(id: number, change: UserChange): Promise<User | null>
  /** The row of this id, reserved, living or deleted; null when there is none. */
  row(id: number): Promise<User | null>
  /** Marks the row as being worked on, so that it is not freed meanwhile. Answers it; null when there is none. */
  touch(id: number): Promise<User | null>
  /** Takes over the stream's state, unless the row is of a later revision. Answers the row; null when there is none. */
  project(id: number, standing: UserStatusRow): Promise<User | null>
  /** The user is registered and has an open account: the row is not looked at again. */
  settle(id: number): Promise<void>
  /** Removes a deleted user's credentials; their name stays taken. */
  forgetCredentials(id: number): Promise<void>
  /** The super administrator, reserved or registered; null before setup. */
  root(): Promise<User | null>
  /**
   * Removes a row that no event has confirmed and that was not touched for so long, so that its names are free again;
   * false for any other row.
   */
  free(id: number, untouchedSeconds: number): Promise<boolean>
  /**
   * Ids of rows that are not settled and were not touched for a while, which is longer for reserved ones; oldest first,
   * at most `limit`.
   */
  pendingFor(
    seconds: { readonly registered: number; readonly reserved: number },
    limit: number,
  ): Promise<readonly number[]>
}

/** The part of users' rows that the read side asks for: their names, deleted users' too. */
export interface UserNames {
  /** User names by id; unknown ids are left out. */
  byIds(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The user with exactly this name; null when there is none. */
  idOf(username: string): Promise<number | null>
}
