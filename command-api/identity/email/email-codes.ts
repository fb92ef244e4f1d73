import type { Pool } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Entropy } from '../../secrets/entropy.ts'
import type { Vault } from '../../secrets/vault.ts'

/** The use of a code: showing that an e-mail is one's own, or setting a new password. */
export type CodePurpose = 'verification' | 'password-reset'

/** Codes that prove who reads an e-mail; shared by all processes (console-api 5.1). */
export interface EmailCodes {
  /** A new code in lower-case hex; an earlier one for the same purpose and e-mail is worth nothing from now on. */
  issue(purpose: CodePurpose, email: string): Promise<string>
  /** Whether it is the code, which stays good. Wrong tries are counted: after the last the code is worth nothing. */
  isRight(purpose: CodePurpose, email: string, code: string): Promise<boolean>
  /**
   * Whether it is the code, which is used up: of several callers with the same code one gets true. Wrong codes are not
   * counted.
   */
  take(purpose: CodePurpose, email: string, code: string): Promise<boolean>
  /** Drops codes past their time; answers how many. */
  removeExpired(): Promise<number>
}

/** How long a code is good (console-api 5.1). */
export const CODE_MINUTES = 10
/** Characters: a verification code is typed by hand, a reset token is part of a link and cannot be guessed. */
const CODE_BYTES = { verification: 3, 'password-reset': 16 } as const satisfies Record<
  CodePurpose,
  number
>
/** A guesser's chance is one in three million; a user who mistypes more often asks for another code. */
const WRONG_TRIES_MAX = 5

export interface EmailCodeDeps {
  readonly pool: Pool
  readonly vault: Pick<Vault, 'fingerprint'>
  readonly clock: Pick<Clock, 'now'>
  readonly entropy: Entropy
}

/**
 * Codes in `identity.email_codes`. Only HMACs are stored and compared, under a key that neither the database nor a
 * guesser has: how long a comparison takes says nothing about the code.
 */
export function emailCodeRows({ pool, vault, clock, entropy }: EmailCodeDeps): EmailCodes {
  const keyOf = (email: string): string => email.trim().toLowerCase()
  const hashOf = (purpose: CodePurpose, email: string, code: string): Buffer =>
    vault.fingerprint('email-code', `${purpose} ${keyOf(email)} ${code.trim().toLowerCase()}`)
  const now = () => new Date(clock.now())
  return {
    async issue(purpose, email) {
      const code = entropy(CODE_BYTES[purpose]).toString('hex')
      await pool.query(
        `insert into identity.email_codes (purpose, email, code_hash, tries_left, expires_at)
         values ($1, $2, $3, $4, $5)
         on conflict (purpose, email) do update set
           code_hash = excluded.code_hash, tries_left = excluded.tries_left, expires_at = excluded.expires_at`,
        [
          purpose,
          keyOf(email),
          hashOf(purpose, email, code),
          WRONG_TRIES_MAX,
          new Date(clock.now() + CODE_MINUTES * 60_000),
        ],
      )
      return code
    },
    async isRight(purpose, email, code) {
      // One statement, so that many guesses at once have no more tries than the same one after the other.
      const { rows } = await pool.query<{ readonly is_right: boolean }>(
        `update identity.email_codes
         set tries_left = tries_left - case when code_hash = $3 then 0 else 1 end
         where purpose = $1 and email = $2 and expires_at > $4 and tries_left > 0
         returning code_hash = $3 as is_right`,
        [purpose, keyOf(email), hashOf(purpose, email, code), now()],
      )
      return rows[0]?.is_right === true
    },
    async take(purpose, email, code) {
      const { rowCount } = await pool.query(
        `delete from identity.email_codes
         where purpose = $1 and email = $2 and code_hash = $3 and expires_at > $4 and tries_left > 0`,
        [purpose, keyOf(email), hashOf(purpose, email, code), now()],
      )
      return rowCount === 1
    },
    async removeExpired() {
      const { rowCount } = await pool.query(
        'delete from identity.email_codes where expires_at <= $1',
        [now()],
      )
      return rowCount ?? 0
    },
  }
}
