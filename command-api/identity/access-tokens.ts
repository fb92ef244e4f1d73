import type { Position } from '@tollgate/domain/event.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Entropy } from '../secrets/entropy.ts'
import type { Vault } from '../secrets/vault.ts'
import { noRow } from '../statements.ts'
import { callerColumns } from './user-table.ts'

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
export function accessTokens(db: CommonQueryMethods, vault: Vault, entropy: Entropy): AccessTokens {
  const fingerprint = (token: string) => sql.binary(vault.fingerprint('access-token', token))
  return {
    async renew(userId) {
      const token = entropy(TOKEN_BYTES).toString('base64')
      await db.query(sql.type(noRow)`
        update identity.users
        set access_token_ciphertext = ${sql.binary(vault.seal('access-token', token))},
          access_token_hash = ${fingerprint(token)}
        where id = ${userId}`)
      return token
    },
    async find(token) {
      const row = await db.maybeOne(sql.type(accessTokenRow)`
        select id, username, role, user_group, status, last_position from identity.users
        where access_token_hash = ${fingerprint(token)} and deleted_at is null`)
      if (row === null) return null
      return {
        userId: row.id,
        username: row.username,
        role: row.role,
        group: row.user_group,
        isBanned: row.status === 2,
        lastPosition: row.last_position,
      }
    },
    async rememberPosition(userId, position) {
      await db.query(sql.type(noRow)`
        update identity.users set last_position = ${position}
        where id = ${userId} and last_position < ${position}`)
    },
  }
}

const accessTokenRow = z.object({ id: z.number(), last_position: z.number(), ...callerColumns })
