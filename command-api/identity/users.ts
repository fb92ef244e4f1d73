import type { Pool, PoolClient } from 'pg'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { InvitationRewards, Role } from '@tollgate/domain/user/events.ts'
import { inTransaction } from '../ledger/in-transaction.ts'
import { claimLoginNames, foldedSql, isEmail, isUsername } from './login-names.ts'
import { refuseTaken, UNIQUE_VIOLATION } from './taken.ts'

/** A person as `identity.users` keeps them: the source of names and credentials; quota is not here but in the ledger. */
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
  /** As the options were when the user signed up; null for whom nobody invited. */
  readonly invitation: InvitationRewards | null
  /** JSON object text or ''. */
  readonly setting: string
  readonly openingQuota: number
  readonly openingSource: 'sign-up' | 'grant'
  /** The account is open and has its opening quota. */
  readonly isOpened: boolean
  /** The events that this row asks for may be missing yet. */
  readonly isPending: boolean
  readonly deletedAt: Date | null
}

/** What a new row says; the rest starts at its default. */
export interface NewUser {
  readonly username: string
  readonly passwordHash: string | null
  readonly displayName: string
  readonly role: Role
  readonly openingQuota: number
  readonly openingSource: 'sign-up' | 'grant'
  readonly email?: string
  /** The user has shown that the e-mail is theirs: nobody else may have it by showing the same. */
  readonly isEmailOwn?: boolean
  readonly affCode?: string
  readonly inviterId?: number | null
  readonly invitation?: InvitationRewards | null
  /** They are promised a token with the account: users/first-token.ts sees to it. */
  readonly isTokenOwed?: boolean
  /** Who they are elsewhere. */
  readonly externalIds?: Partial<ExternalIds>
}

export type ExternalIds = Pick<
  User,
  'githubId' | 'oidcId' | 'wechatId' | 'telegramId' | 'linuxDoId'
>

/** Columns that change; a change of role, ban, group or deletion marks the row pending until its event is stored. */
export interface UserChange {
  readonly username?: string
  /** Signs the user out and ends their system access token: whoever has either may have known the old password. */
  readonly passwordHash?: string
  /** The session that a new password leaves open. */
  readonly sessionKept?: string | null
  readonly displayName?: string
  readonly role?: Role
  readonly isBanned?: boolean
  readonly group?: string
  readonly setting?: string
  /** Shown to be theirs. */
  readonly ownEmail?: string
  /** Sealed; null removes it. */
  readonly webhookSecret?: Buffer | null
  readonly deletedAt?: Date
}

/** Which users; null and '' match all. */
export interface UserSearch {
  /** Part of user name, e-mail or display name, or the whole id. */
  readonly keyword: string
  readonly group: string
  /** Only these, as another search found them. */
  readonly ids: readonly number[] | null
}

export interface UserStore {
  /** Adds a pending row. Fails with UsernameTaken, EmailTaken (an own e-mail, or another's name) or AffCodeTaken. */
  insert(user: NewUser): Promise<User>
  /** Null when there is none; deleted ones only when asked for. */
  byId(id: number, options?: { readonly isDeletedWanted: boolean }): Promise<User | null>
  /**
   * By user name or e-mail, for signing in: who has shown that the e-mail is theirs before who is called like it. Of
   * others with the e-mail who has a password, then the oldest: they only came with it from a provider. Never a deleted
   * one.
   */
  byLogin(login: string): Promise<User | null>
  /** All living users with an e-mail, however it is capitalised; oldest first, at most `limit`. */
  byEmail(email: string, limit: number): Promise<readonly User[]>
  /** Whose affiliate code it is; null for a code of nobody, of a banned or of a deleted user. */
  byAffCode(code: string): Promise<User | null>
  /** One page of users, newest first, deleted ones too, and how many there are in all. */
  page(
    wanted: UserSearch,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly users: readonly User[]; readonly total: number }>
  /** Gives the user this affiliate code unless they have one; answers theirs, or null when the code is taken. */
  giveAffCode(id: number, code: string): Promise<string | null>
  /** Whether a user other than this one, living or deleted, has this as name or e-mail, however it is capitalised. */
  isNameTaken(username: string, exceptId: number): Promise<boolean>
  /** Whether a user other than this one (0 = any), living or deleted, has the e-mail, however it is capitalised. */
  isEmailTaken(email: string, exceptId?: number): Promise<boolean>
  /** Fails with UsernameTaken or EmailTaken; null when there is no such row. */
  update(id: number, change: UserChange): Promise<User | null>
  /**
   * All events that this row asks for are stored. False when the row asks for something else by now: then its reader
   * must bring the events there.
   */
  confirm(user: User): Promise<boolean>
  /** Removes what a deleted user could have signed in or signed with; their name stays taken. */
  forgetCredentials(id: number): Promise<void>
  /** The super administrator; null before setup. */
  root(): Promise<User | null>
  /** Pending rows that nobody has touched for a while, oldest first, at most `limit`. */
  pendingFor(seconds: number, limit: number): Promise<readonly User[]>
}

const COLUMNS = `id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id,
  telegram_id, linux_do_id, access_token_ciphertext, user_group, aff_code, inviter_id, invitee_reward, inviter_reward, setting,
  opening_quota, opening_source, is_opened, is_pending, deleted_at`

/** The table behind a pool. */
export function userStore(db: Pool): UserStore {
  const one = (sql: string, values: readonly unknown[]) => oneUser(db, sql, values)
  return {
    isEmailTaken: (email, exceptId = 0) => isEmail(db, email, exceptId),
    insert: (user) =>
      inTransaction(db, async (client) => {
        const { username, email = '', isEmailOwn = false } = user
        const names = { userId: 0, username, email, isEmailOwn, emailThen: email }
        await claimLoginNames(client, names)
        return insertUser(client, user)
      }),
    byId: (id, options) =>
      one(
        `select ${COLUMNS} from identity.users where id = $1
           and (deleted_at is null or $2)`,
        [id, options?.isDeletedWanted ?? false],
      ),
    byLogin: (login) =>
      one(
        `select ${COLUMNS} from identity.users
         where deleted_at is null
           and (username = $1 or (${foldedSql('email')} = ${foldedSql('$1')} and email <> ''))
         order by (own_email = ${foldedSql('$1')}) is true desc, (username = $1) desc,
           (own_email is not null) desc, (password_hash is not null) desc, id
         limit 1`,
        [login],
      ),
    async byEmail(email, limit) {
      const { rows } = await db.query<UserRow>(
        `select ${COLUMNS} from identity.users
         where ${foldedSql('email')} = ${foldedSql('$1')} and email <> '' and deleted_at is null
         order by id limit $2`,
        [email, limit],
      )
      return rows.map(userOfRow)
    },
    byAffCode: (code) =>
      one(
        `select ${COLUMNS} from identity.users
         where aff_code = $1 and deleted_at is null and status = 1`,
        [code],
      ),
    async page({ keyword, group, ids }, { offset, limit }) {
      const matching = `from identity.users
        where ($1 = '' or position($1 in username) > 0 or position($1 in email) > 0
            or position($1 in display_name) > 0 or id::text = $1)
          and ($2 = '' or user_group = $2)
          and ($3::bigint[] is null or id = any($3))`
      const values = [keyword, group, ids]
      const { rows } = await db.query<UserRow>(
        `select ${COLUMNS} ${matching} order by id desc offset $4 limit $5`,
        [...values, offset, limit],
      )
      const counted = await db.query<{ readonly total: string | number }>(
        `select count(*) as total ${matching}`,
        values,
      )
      return { users: rows.map(userOfRow), total: Number(counted.rows[0]?.total ?? 0) }
    },
    async giveAffCode(id, code) {
      try {
        const { rows } = await db.query<{ readonly aff_code: string }>(
          `update identity.users set aff_code = coalesce(aff_code, $2) where id = $1
           returning aff_code`,
          [id, code],
        )
        return rows[0]?.aff_code ?? null
      } catch (error) {
        if ((error as { readonly code?: string }).code === UNIQUE_VIOLATION) return null
        throw error
      }
    },
    isNameTaken: async (username, exceptId) =>
      (await isUsername(db, username, exceptId)) || isEmail(db, username, exceptId),
    update: (id, change) =>
      change.username === undefined && change.ownEmail === undefined
        ? updateUser(db, id, change)
        : inTransaction(db, async (client) => {
            await claimChangedNames(client, id, change)
            return updateUser(client, id, change)
          }),
    async confirm({ id, role, isBanned, group, deletedAt }) {
      const { rowCount } = await db.query(
        `update identity.users set is_pending = false, is_opened = true
         where id = $1 and role = $2 and status = $3 and user_group = $4
           and (deleted_at is not null) = $5`,
        [id, role, isBanned ? 2 : 1, group, deletedAt !== null],
      )
      return rowCount === 1
    },
    async forgetCredentials(id) {
      await db.query(
        `update identity.users set password_hash = null, access_token_ciphertext = null,
           access_token_hash = null, webhook_secret_ciphertext = null
         where id = $1 and deleted_at is not null`,
        [id],
      )
    },
    root: () =>
      one(`select ${COLUMNS} from identity.users where role = 100 order by id limit 1`, []),
    async pendingFor(seconds, limit) {
      const { rows } = await db.query<UserRow>(
        `select ${COLUMNS} from identity.users where is_pending and touched_at < now() - make_interval(secs => $1)
         order by touched_at limit $2`,
        [seconds, limit],
      )
      return rows.map(userOfRow)
    },
  }
}

async function insertUser(client: PoolClient, user: NewUser): Promise<User> {
  const { email = '', isEmailOwn = false, invitation, externalIds } = user
  const inserted = await oneUser(
    client,
    `insert into identity.users
           (username, password_hash, display_name, role, opening_quota, opening_source, email, own_email, aff_code,
            inviter_id, invitee_reward, inviter_reward, github_id, oidc_id, wechat_id, telegram_id, linux_do_id,
            is_token_owed)
         values ($1, $2, $3, $4, $5, $6, $7, case when $8 then ${foldedSql('$7')} end, $9,
                 $10, $11, $12, $13, $14, $15, $16, $17, $18)
         returning ${COLUMNS}`,
    [
      user.username,
      user.passwordHash,
      user.displayName,
      user.role,
      user.openingQuota,
      user.openingSource,
      email,
      isEmailOwn,
      user.affCode ?? null,
      user.inviterId ?? null,
      invitation?.inviteeReward ?? null,
      invitation?.inviterReward ?? null,
      externalIds?.githubId ?? '',
      externalIds?.oidcId ?? '',
      externalIds?.wechatId ?? '',
      externalIds?.telegramId ?? '',
      externalIds?.linuxDoId ?? '',
      user.isTokenOwed ?? false,
    ],
  ).catch((error: unknown) => refuseTaken(error, user.username))
  if (inserted === null) throw new TypeError('an insert returned no row')
  return inserted
}

/** What stays as it was is not asked for: names that were alike before the rule stay. */
async function claimChangedNames(
  client: PoolClient,
  id: number,
  { username, ownEmail }: UserChange,
): Promise<void> {
  const before = await oneUser(
    client,
    `select ${COLUMNS} from identity.users where id = $1 for update`,
    [id],
  )
  if (before === null) return
  await claimLoginNames(client, {
    userId: id,
    username: username === before.username ? undefined : username,
    email: ownEmail,
    isEmailOwn: true,
    emailThen: ownEmail ?? before.email,
  })
}

/** One statement: no crash leaves a session or an access token to somebody who knew the old password. */
function updateUser(
  db: Pick<PoolClient, 'query'>,
  id: number,
  change: UserChange,
): Promise<User | null> {
  const { assignments, values } = assignmentsOf(change)
  const signsOut = change.passwordHash !== undefined
  const signedOut = `with signed_out as (
    delete from identity.sessions where user_id = $1 and id is distinct from $2::uuid)`
  return oneUser(
    db,
    `${signsOut ? signedOut : 'with kept as (select $2::uuid)'}
     update identity.users set touched_at = now() ${assignments.map((one) => `, ${one}`).join('')}
     where id = $1 returning ${COLUMNS}`,
    [id, change.sessionKept ?? null, ...values],
  ).catch((error: unknown) => refuseTaken(error, change.username ?? ''))
}

async function oneUser(
  db: Pick<PoolClient, 'query'>,
  sql: string,
  values: readonly unknown[],
): Promise<User | null> {
  const { rows } = await db.query<UserRow>(sql, [...values])
  return rows[0] === undefined ? null : userOfRow(rows[0])
}

const COLUMN_OF_CHANGE = {
  username: 'username',
  passwordHash: 'password_hash',
  displayName: 'display_name',
  role: 'role',
  isBanned: 'status',
  group: 'user_group',
  setting: 'setting',
  deletedAt: 'deleted_at',
  webhookSecret: 'webhook_secret_ciphertext',
} as const

function assignmentsOf(change: UserChange): {
  readonly assignments: readonly string[]
  readonly values: readonly unknown[]
} {
  const assignments: string[] = []
  const values: unknown[] = []
  const set = (column: string, value: unknown): void => {
    values.push(value)
    // $1 is the id, $2 the session that stays.
    assignments.push(`${column} = $${values.length + 2}`)
  }
  if (change.ownEmail !== undefined) {
    set('email', change.ownEmail)
    assignments.push(`own_email = ${foldedSql(`$${values.length + 2}`)}`)
  }
  for (const key of Object.keys(COLUMN_OF_CHANGE) as (keyof typeof COLUMN_OF_CHANGE)[]) {
    const value = change[key]
    if (value === undefined) continue
    set(COLUMN_OF_CHANGE[key], key === 'isBanned' ? (value === true ? 2 : 1) : value)
  }
  if (change.passwordHash !== undefined) {
    assignments.push('access_token_ciphertext = null', 'access_token_hash = null')
  }
  const { role, isBanned, group, deletedAt } = change
  if ([role, isBanned, group, deletedAt].some((value) => value !== undefined)) {
    set('is_pending', true)
  }
  return { assignments, values }
}

interface UserRow {
  readonly id: string | number
  readonly username: string
  readonly password_hash: string | null
  readonly display_name: string
  readonly role: Role
  readonly status: 1 | 2
  readonly email: string
  readonly github_id: string
  readonly oidc_id: string
  readonly wechat_id: string
  readonly telegram_id: string
  readonly linux_do_id: string
  readonly access_token_ciphertext: Buffer | null
  readonly user_group: string
  readonly aff_code: string | null
  readonly inviter_id: string | number | null
  readonly invitee_reward: string | number | null
  readonly inviter_reward: string | number | null
  readonly setting: string
  readonly opening_quota: string | number
  readonly opening_source: 'sign-up' | 'grant'
  readonly is_opened: boolean
  readonly is_pending: boolean
  readonly deleted_at: Date | null
}

// bigint columns arrive as text or as number, depending on the pool's parsers: Number() takes both.
const userOfRow = (row: UserRow): User => ({
  id: userId(Number(row.id)),
  username: row.username,
  passwordHash: row.password_hash,
  displayName: row.display_name,
  role: row.role,
  isBanned: row.status === 2,
  email: row.email,
  githubId: row.github_id,
  oidcId: row.oidc_id,
  wechatId: row.wechat_id,
  telegramId: row.telegram_id,
  linuxDoId: row.linux_do_id,
  accessTokenCiphertext: row.access_token_ciphertext,
  group: row.user_group,
  affCode: row.aff_code,
  inviterId: row.inviter_id === null ? null : Number(row.inviter_id),
  invitation:
    row.invitee_reward === null || row.inviter_reward === null
      ? null
      : { inviteeReward: Number(row.invitee_reward), inviterReward: Number(row.inviter_reward) },
  setting: row.setting,
  openingQuota: Number(row.opening_quota),
  openingSource: row.opening_source,
  isOpened: row.is_opened,
  isPending: row.is_pending,
  deletedAt: row.deleted_at,
})
