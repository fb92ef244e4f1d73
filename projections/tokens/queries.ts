import type { TokenStatus } from '@tollgate/domain/account/state.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import type pg from 'pg'
import {
  TOKEN_DISABLED,
  TOKEN_ENABLED,
  TOKEN_EXHAUSTED,
  TOKEN_EXPIRED,
  type TokenRow,
} from './projector.ts'

/** A page of a user's live tokens, newest first. `page` counts from 0. */
export async function tokenPage(
  pool: pg.Pool,
  userId: number,
  page: number,
  size: number,
): Promise<readonly TokenRow[]> {
  const { rows } = await pool.query<TokenRow>(
    `select * from tokens.tokens where user_id = $1 and deleted_at is null
     order by token_id desc limit $2 offset $3`,
    [userId, size, page * size],
  )
  return rows
}

/** Those of the given tokens that are the user's and live, newest first. */
export async function liveTokensOf(
  pool: pg.Pool,
  userId: number,
  ids: readonly number[],
): Promise<readonly TokenRow[]> {
  const { rows } = await pool.query<TokenRow>(
    `select * from tokens.tokens where user_id = $1 and token_id = any($2) and deleted_at is null
     order by token_id desc`,
    [userId, ids],
  )
  return rows
}

/** The quota that a live token may still spend and has spent; null when the read model has none of this number. */
export async function tokenFigures(
  pool: pg.Pool,
  tokenId: number,
): Promise<{ readonly remaining: number; readonly used: number } | null> {
  const { rows } = await pool.query<{ remaining: number; used: number }>(
    'select remain as remaining, used from tokens.tokens where token_id = $1 and deleted_at is null',
    [tokenId],
  )
  return rows[0] ?? null
}

/** `allowedIps` of a live token; null when the read model has none of this number. */
export async function allowedIpsOf(
  pool: pg.Pool,
  tokenId: number,
): Promise<readonly string[] | null> {
  const { rows } = await pool.query<{ readonly allowed_ips: readonly string[] }>(
    'select allowed_ips from tokens.tokens where token_id = $1 and deleted_at is null',
    [tokenId],
  )
  return rows[0]?.allowed_ips ?? null
}

/** A status number as the domain names it. */
export function tokenStatus(status: number): TokenStatus {
  switch (status) {
    case TOKEN_ENABLED:
      return 'enabled'
    case TOKEN_DISABLED:
      return 'disabled'
    case TOKEN_EXPIRED:
      return 'expired'
    case TOKEN_EXHAUSTED:
      return 'exhausted'
    default:
      throw new RangeError(`${status} is no token status`)
  }
}

/** A row's terms as the domain has them. */
export const termsOf = (row: TokenRow): TokenTerms => ({
  unlimited: row.unlimited,
  expiresAt: row.expires_at,
  group: row.group_name,
  models: row.models,
  allowedIps: row.allowed_ips,
})

/** Enabled tokens whose time was up at a moment (unix milliseconds), longest ago first. */
export async function dueTokens(
  pool: pg.Pool,
  at: number,
  limit = 1_000,
): Promise<readonly { readonly tokenId: number; readonly userId: number }[]> {
  const { rows } = await pool.query<{ tokenId: number; userId: number }>(
    `select token_id as "tokenId", user_id as "userId" from tokens.tokens
     where status = 1 and expires_at <= $1 and deleted_at is null order by expires_at limit $2`,
    [at, limit],
  )
  return rows
}
