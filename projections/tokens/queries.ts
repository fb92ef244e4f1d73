import type { TokenStatus } from '@tollgate/domain/account/state.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import {
  TOKEN_DISABLED,
  TOKEN_ENABLED,
  TOKEN_EXHAUSTED,
  TOKEN_EXPIRED,
  type TokenRow,
  tokenRow,
} from './projector.ts'

/** A page of a user's live tokens, newest first. `page` counts from 0. */
export const tokenPage = (
  reads: CommonQueryMethods,
  userId: number,
  page: number,
  size: number,
): Promise<readonly TokenRow[]> =>
  reads.any(sql.type(tokenRow)`
    select * from tokens.tokens where user_id = ${userId} and deleted_at is null
    order by token_id desc limit ${size} offset ${page * size}`)

/** Those of the given tokens that are the user's and live, newest first. */
export const liveTokensOf = (
  reads: CommonQueryMethods,
  userId: number,
  ids: readonly number[],
): Promise<readonly TokenRow[]> =>
  reads.any(sql.type(tokenRow)`
    select * from tokens.tokens
    where user_id = ${userId} and token_id = any(${sql.array(ids, 'int8')}) and deleted_at is null
    order by token_id desc`)

const figures = z.object({ remaining: z.number(), used: z.number() })

/** The quota that a live token may still spend and has spent; null when the read model has none of this number. */
export const tokenFigures = (
  reads: CommonQueryMethods,
  tokenId: number,
): Promise<Readonly<z.output<typeof figures>> | null> =>
  reads.maybeOne(sql.type(figures)`
    select remain as remaining, used from tokens.tokens
    where token_id = ${tokenId} and deleted_at is null`)

/** `allowedIps` of a live token; null when the read model has none of this number. */
export const allowedIpsOf = (
  reads: CommonQueryMethods,
  tokenId: number,
): Promise<readonly string[] | null> =>
  reads.maybeOneFirst(sql.type(tokenRow.pick({ allowed_ips: true }))`
    select allowed_ips from tokens.tokens where token_id = ${tokenId} and deleted_at is null`)

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

const dueToken = z.object({ tokenId: z.number(), userId: z.number() })

/** Enabled tokens whose time was up at a moment (unix milliseconds), longest ago first. */
export const dueTokens = (
  reads: CommonQueryMethods,
  at: number,
  limit = 1_000,
): Promise<readonly Readonly<z.output<typeof dueToken>>[]> =>
  reads.any(sql.type(dueToken)`
    select token_id as "tokenId", user_id as "userId" from tokens.tokens
    where status = 1 and expires_at <= ${at} and deleted_at is null
    order by expires_at limit ${limit}`)
