import type { Pool } from 'pg'
import type { Position } from '@tollgate/domain/event.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { Vault } from '../secrets/vault.ts'

/** System access tokens: one per user, sent as `Authorization` by scripts, kept encrypted and found by fingerprint. */
export interface AccessTokens {
  /** Makes and stores a new one; the old one dies. */
  renew(userId: number): Promise<string>
  /** The user of a token, banned ones too; null for an unknown token or a deleted user. */
  find(token: string): Promise<AccessTokenUser | null>
  rememberPosition(userId: number, position: Position): Promise<void>
}

export interface AccessTokenUser {
  readonly userId: number
  readonly username: string
  readonly role: Role
  readonly group: string
  readonly isBanned: boolean
  readonly lastPosition: Position
}

/** 24 bytes make 32 Base64 characters without padding. */
const TOKEN_BYTES = 24

/** Access tokens in `identity.users`. */
export function accessTokens(pool: Pool, vault: Vault, entropy: Entropy): AccessTokens {
  return {
    async renew(userId) {
      const token = entropy(TOKEN_BYTES).toString('base64')
      await pool.query(
        `update identity.users set access_token_ciphertext = $2, access_token_hash = $3
         where id = $1`,
        [userId, vault.seal('access-token', token), vault.fingerprint('access-token', token)],
      )
      return token
    },
    async find(token) {
      const { rows } = await pool.query<AccessTokenRow>(
        `select id, username, role, user_group, status, last_position from identity.users
         where access_token_hash = $1 and deleted_at is null`,
        [vault.fingerprint('access-token', token)],
      )
      const row = rows[0]
      if (row === undefined) return null
      return {
        userId: Number(row.id),
        username: row.username,
        role: row.role,
        group: row.user_group,
        isBanned: row.status === 2,
        lastPosition: Number(row.last_position),
      }
    },
    async rememberPosition(userId, position) {
      await pool.query(
        `update identity.users set last_position = $2 where id = $1 and last_position < $2`,
        [userId, position],
      )
    },
  }
}

interface AccessTokenRow {
  readonly id: string | number
  readonly username: string
  readonly role: Role
  readonly user_group: string
  readonly status: 1 | 2
  readonly last_position: string | number
}
