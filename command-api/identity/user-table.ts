import { userId } from '@tollgate/domain/ids.ts'
import { type CommonQueryMethods, type FragmentSqlToken, type QuerySqlToken, sql } from 'slonik'
import { z } from 'zod'
import { claimLoginNames, folded } from './login-names.ts'
import { refuseTaken } from './name-conflicts.ts'
import type { NewUser, User, UserChange } from './users.ts'

/** The columns that a statement selects when it answers with users. */
export const USER_COLUMNS = sql.fragment`id, username, password_hash, display_name, role, status, email, github_id, oidc_id, wechat_id,
  telegram_id, linux_do_id, access_token_ciphertext, user_group, aff_code, inviter_id, invitee_reward, inviter_reward, setting,
  opening_quota, opening_source, is_opened, deleted_at`

/** The columns that say who calls, beside the id. */
export const callerColumns = {
  username: z.string(),
  role: z.literal([1, 10, 100]),
  user_group: z.string(),
  status: z.literal([1, 2]),
}

/** A row of USER_COLUMNS. */
export const userRow = z.object({
  id: z.number(),
  ...callerColumns,
  password_hash: z.string().nullable(),
  display_name: z.string(),
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  access_token_ciphertext: z.instanceof(Buffer).nullable(),
  aff_code: z.string().nullable(),
  inviter_id: z.number().nullable(),
  invitee_reward: z.number().nullable(),
  inviter_reward: z.number().nullable(),
  setting: z.string(),
  opening_quota: z.number(),
  opening_source: z.enum(['sign-up', 'grant']),
  is_opened: z.boolean(),
  deleted_at: z.date().nullable(),
})

export const userOfRow = (row: z.output<typeof userRow>): User => ({
  id: userId(row.id),
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
  inviterId: row.inviter_id,
  invitation:
    row.invitee_reward === null || row.inviter_reward === null
      ? null
      : { inviteeReward: row.invitee_reward, inviterReward: row.inviter_reward },
  setting: row.setting,
  openingQuota: row.opening_quota,
  openingSource: row.opening_source,
  isOpened: row.is_opened,
  deletedAt: row.deleted_at,
})

/** The user that a statement answers with; null when there is none. */
export async function oneUser(
  db: CommonQueryMethods,
  statement: QuerySqlToken<typeof userRow>,
): Promise<User | null> {
  const row = await db.maybeOne(statement)
  return row && userOfRow(row)
}

/** Adds the row of a user whose names are claimed; fails with UsernameTaken, EmailTaken or AffCodeTaken. */
export async function insertUser(transaction: CommonQueryMethods, user: NewUser): Promise<User> {
  const { email = '', isEmailOwn = false, invitation, externalIds } = user
  const inserted = await transaction
    .one(sql.type(userRow)`
      insert into identity.users
        (username, password_hash, display_name, role, opening_quota, opening_source, email,
         own_email, aff_code, inviter_id, invitee_reward, inviter_reward, github_id, oidc_id,
         wechat_id, telegram_id, linux_do_id, is_token_owed)
      values (${user.username}, ${user.passwordHash}, ${user.displayName}, ${user.role},
        ${user.openingQuota}, ${user.openingSource}, ${email}, ${isEmailOwn ? folded(email) : null},
        ${user.affCode ?? null}, ${user.inviterId ?? null}, ${invitation?.inviteeReward ?? null},
        ${invitation?.inviterReward ?? null}, ${externalIds?.githubId ?? ''},
        ${externalIds?.oidcId ?? ''}, ${externalIds?.wechatId ?? ''},
        ${externalIds?.telegramId ?? ''}, ${externalIds?.linuxDoId ?? ''},
        ${user.isTokenOwed ?? false})
      returning ${USER_COLUMNS}`)
    .catch((error: unknown) => refuseTaken(error, user.username))
  return userOfRow(inserted)
}

/** Claims the names that a change gives a user. Names that stay are not asked for: some were alike before the rule. */
export async function claimChangedNames(
  transaction: CommonQueryMethods,
  id: number,
  { username, ownEmail }: UserChange,
): Promise<void> {
  const before = await oneUser(
    transaction,
    sql.type(userRow)`select ${USER_COLUMNS} from identity.users where id = ${id} for update`,
  )
  if (before === null) return
  await claimLoginNames(transaction, {
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
  db: CommonQueryMethods,
  id: number,
  change: UserChange,
): Promise<User | null> {
  const signedOut = sql.fragment`
    with signed_out as (
      delete from identity.sessions
      where user_id = ${id} and id is distinct from ${change.sessionKept ?? null}::uuid)`
  return oneUser(
    db,
    sql.type(userRow)`
      ${change.passwordHash === undefined ? sql.fragment`` : signedOut}
      update identity.users set ${sql.join(assignmentsOf(change), sql.fragment`, `)}
      where id = ${id} returning ${USER_COLUMNS}`,
  ).catch((error: unknown) => refuseTaken(error, change.username ?? ''))
}

function assignmentsOf(change: UserChange): readonly FragmentSqlToken[] {
  const { username, passwordHash, displayName, setting, ownEmail, webhookSecret } = change
  return [
    sql.fragment`touched_at = now()`,
    username !== undefined && sql.fragment`username = ${username}`,
    passwordHash !== undefined &&
      sql.fragment`password_hash = ${passwordHash},
        access_token_ciphertext = null, access_token_hash = null`,
    displayName !== undefined && sql.fragment`display_name = ${displayName}`,
    setting !== undefined && sql.fragment`setting = ${setting}`,
    ownEmail !== undefined && sql.fragment`email = ${ownEmail}, own_email = ${folded(ownEmail)}`,
    webhookSecret !== undefined &&
      sql.fragment`webhook_secret_ciphertext = ${webhookSecret && sql.binary(webhookSecret)}`,
  ].filter((assignment) => assignment !== false)
}
