import type { PoolClient } from 'pg'
import { userId } from '@tollgate/domain/ids.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { User } from './users.ts'

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
