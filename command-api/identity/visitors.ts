import { createHash } from 'node:crypto'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { type Entropy, randomAlphanumeric } from '../secrets/entropy.ts'
import { changedRows, existence, noRow, timestamp } from '../statements.ts'

/** Long enough to open an account with a provider on the way, short enough for a computer that others use, too. */
export const VISITOR_SECONDS = 1_200

/**
 * Facts about a browser that may not be signed in: that a human sits there, and which sign-in with a provider it has
 * begun. The cookie holds a random token, the row only its hash. Every change gives the browser a new token, so that
 * one which an attacker planted or read is worth nothing afterwards.
 */
export interface Visitors {
  /** Notes that a sign-in begins; a former one that has not come back is given up. */
  begin(token: string | null, beginning: Beginning): Promise<Begun>
  /** Takes the sign-in that was begun with this state, once; null when this browser began none such. */
  take(token: string | null, state: string): Promise<TakenAttempt | null>
  /** Notes that a human sits there; answers the new token. */
  passHuman(token: string | null): Promise<string>
  isHuman(token: string | null): Promise<boolean>
  /** Drops expired rows; answers how many. */
  removeExpired(): Promise<number>
}

export interface Beginning {
  /** The user who is signed in; null = nobody. */
  readonly userId: number | null
  /** The inviter's code; '' = none. */
  readonly affCode: string
  /** Whether the client puts `nonce` and `code_challenge` into the provider's address. */
  readonly isProving: boolean
}

export interface Begun {
  readonly token: string
  /** 12 alphanumerics (console-api 2.3). */
  readonly state: string
  readonly proof: Proof | null
}

/** OpenID Connect's nonce, and the verifier of PKCE (RFC 7636). */
export interface Proof {
  readonly nonce: string
  readonly codeVerifier: string
}

export interface TakenAttempt {
  readonly userId: number | null
  readonly affCode: string
  readonly proof: Proof | null
  /** Set when the browser is still to be remembered as a human's; else its cookie is of no more use. */
  readonly token: string | null
}

const TOKEN_BYTES = 32
const STATE_CHARACTERS = 12

/** Visitors in `identity.visitors`. */
export function visitorRows(deps: {
  readonly db: CommonQueryMethods
  readonly clock: Clock
  readonly entropy: Entropy
}): Visitors {
  const { db, clock, entropy } = deps
  const newToken = (): string => entropy(TOKEN_BYTES).toString('base64url')
  const hashOrNothing = (token: string | null) => (token === null ? null : hashOf(token))
  const now = () => timestamp(clock.now())
  const end = () => timestamp(clock.now() + VISITOR_SECONDS * 1000)
  return {
    async begin(token, { userId, affCode, isProving }) {
      const begun = {
        token: newToken(),
        state: randomAlphanumeric(entropy, STATE_CHARACTERS),
        proof: isProving ? { nonce: newToken(), codeVerifier: newToken() } : null,
      }
      await db.query(sql.type(noRow)`
        with former as (
          delete from identity.visitors where token_hash = ${hashOrNothing(token)}
          returning human_until
        )
        insert into identity.visitors
          (token_hash, expires_at, human_until, state_hash, user_id, aff_code, nonce, code_verifier)
        values (${hashOf(begun.token)}, ${end()}, (select human_until from former),
          ${hashOf(begun.state)}, ${userId}, ${affCode}, ${begun.proof?.nonce ?? null},
          ${begun.proof?.codeVerifier ?? null})`)
      return begun
    },
    async take(token, state) {
      if (token === null || state === '') return null
      const next = newToken()
      const row = await db.maybeOne(sql.type(attemptRow)`
        with taken as (
          delete from identity.visitors
          where token_hash = ${hashOf(token)} and state_hash = ${hashOf(state)} returning *
        ), kept as (
          insert into identity.visitors (token_hash, expires_at, human_until)
          select ${hashOf(next)}, human_until, human_until from taken where human_until > ${now()}
          returning 1
        )
        select user_id, aff_code, nonce, code_verifier, exists (select from kept) as is_kept
        from taken where expires_at > ${now()}`)
      return row && attemptOf(row, next)
    },
    async passHuman(token) {
      const next = newToken()
      await db.query(sql.type(noRow)`
        with former as (
          delete from identity.visitors where token_hash = ${hashOrNothing(token)} returning *
        )
        insert into identity.visitors
          (token_hash, expires_at, human_until, state_hash, user_id, aff_code, nonce, code_verifier)
        select ${hashOf(next)}, ${end()}, ${end()}, former.state_hash, former.user_id,
          coalesce(former.aff_code, ''), former.nonce, former.code_verifier
        from (select) as one left join former on former.expires_at > ${now()}`)
      return next
    },
    async isHuman(token) {
      if (token === null) return false
      return db.oneFirst(sql.type(existence)`
        select exists (
          select from identity.visitors
          where token_hash = ${hashOf(token)} and human_until > ${now()})`)
    },
    removeExpired: () =>
      changedRows(db, sql.type(noRow)`delete from identity.visitors where expires_at <= ${now()}`),
  }
}

const hashOf = (text: string) => sql.binary(createHash('sha256').update(text).digest())

const attemptRow = z.object({
  user_id: z.number().nullable(),
  aff_code: z.string(),
  nonce: z.string().nullable(),
  code_verifier: z.string().nullable(),
  is_kept: z.boolean(),
})

const attemptOf = (row: z.output<typeof attemptRow>, token: string): TakenAttempt => ({
  userId: row.user_id,
  affCode: row.aff_code,
  proof:
    row.nonce === null || row.code_verifier === null
      ? null
      : { nonce: row.nonce, codeVerifier: row.code_verifier },
  token: row.is_kept ? token : null,
})
