import type { PoolClient } from 'pg'
import { userId } from '@tollgate/domain/ids.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import { claimLoginNames, foldedSql } from './login-names.ts'
import { refuseTaken } from './name-conflicts.ts'
import type { NewUser, User, UserChange } from './users.ts'

/** The columns that a statement selects when it answers with users. */
export const USER_COLUMNS = `id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id,
  telegram_id, linux_do_id, access_token_ciphertext, user_group, aff_code, inviter_id, invitee_reward, inviter_reward, setting,
  opening_quota, opening_source, is_opened, deleted_at`

/** A row of USER_COLUMNS. */
export interface UserRow {
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
  readonly deleted_at: Date | null
}

/** bigint columns arrive as text or as number, depending on the pool's parsers: Number() takes both. */
export const userOfRow = (row: UserRow): User => ({
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
  deletedAt: row.deleted_at,
})

/** The first user that a statement answers with; null when there is none. */
export async function oneUser(
  db: Pick<PoolClient, 'query'>,
  sql: string,
  values: readonly unknown[],
): Promise<User | null> {
  const { rows } = await db.query<UserRow>(sql, [...values])
  return rows[0] === undefined ? null : userOfRow(rows[0])
}

/** Adds the row of a user whose names are claimed; fails with UsernameTaken, EmailTaken or AffCodeTaken. */
export async function insertUser(client: PoolClient, user: NewUser): Promise<User> {
  const { email = '', isEmailOwn = false, invitation, externalIds } = user
  const inserted = await oneUser(
    client,
    `insert into identity.users
           (username, password_hash, display_name, role, opening_quota, opening_source, email, own_email, aff_code,
            inviter_id, invitee_reward, inviter_reward, github_id, oidc_id, wechat_id, telegram_id, linux_do_id,
            is_token_owed)
         values ($1, $2, $3, $4, $5, $6, $7, case when $8 then ${foldedSql('$7')} end, $9,
                 $10, $11, $12, $13, $14, $15, $16, $17, $18)
         returning ${USER_COLUMNS}`,
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

/** Claims the names that a change gives a user. Names that stay are not asked for: some were alike before the rule. */
export async function claimChangedNames(
  client: PoolClient,
  id: number,
  { username, ownEmail }: UserChange,
): Promise<void> {
  const before = await oneUser(
    client,
    `select ${USER_COLUMNS} from identity.users where id = $1 for update`,
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

/**
 * Changes a row; null when there is none. One statement: no crash leaves a session or an access token to a holder of
 * the old password.
 */
export function updateUser(
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
     where id = $1 returning ${USER_COLUMNS}`,
    [id, change.sessionKept ?? null, ...values],
  ).catch((error: unknown) => refuseTaken(error, change.username ?? ''))
}

const COLUMN_OF_CHANGE = {
  username: 'username',
  passwordHash: 'password_hash',
  displayName: 'display_name',
  setting: 'setting',
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
    set(COLUMN_OF_CHANGE[key], value)
  }
  if (change.passwordHash !== undefined) {
    assignments.push('access_token_ciphertext = null', 'access_token_hash = null')
  }
  return { assignments, values }
}
