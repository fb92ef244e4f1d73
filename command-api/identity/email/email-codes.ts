import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Entropy } from '../../secrets/entropy.ts'
import type { Vault } from '../../secrets/vault.ts'
import { changedRows, noRow, timestamp } from '../../statements.ts'

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
  readonly db: CommonQueryMethods
  readonly vault: Pick<Vault, 'fingerprint'>
  readonly clock: Pick<Clock, 'now'>
  readonly entropy: Entropy
}

/**
 * Codes in `identity.email_codes`. Only HMACs are stored and compared, under a key that neither the database nor a
 * guesser has: how long a comparison takes says nothing about the code.
 */
export function emailCodeRows({ db, vault, clock, entropy }: EmailCodeDeps): EmailCodes {
  const keyOf = (email: string): string => email.trim().toLowerCase()
  const hashOf = (purpose: CodePurpose, email: string, code: string) =>
    sql.binary(
      vault.fingerprint('email-code', `${purpose} ${keyOf(email)} ${code.trim().toLowerCase()}`),
    )
  return {
    async issue(purpose, email) {
      const code = entropy(CODE_BYTES[purpose]).toString('hex')
      await db.query(sql.type(noRow)`
        insert into identity.email_codes (purpose, email, code_hash, tries_left, expires_at)
        values (${purpose}, ${keyOf(email)}, ${hashOf(purpose, email, code)}, ${WRONG_TRIES_MAX},
          ${timestamp(clock.now() + CODE_MINUTES * 60_000)})
        on conflict (purpose, email) do update set
          code_hash = excluded.code_hash, tries_left = excluded.tries_left, expires_at = excluded.expires_at`)
      return code
    },
    async isRight(purpose, email, code) {
      // One statement, so that many guesses at once have no more tries than the same one after the other.
      const tried = hashOf(purpose, email, code)
      const isRight = await db.maybeOneFirst(sql.type(triedCode)`
        update identity.email_codes
        set tries_left = tries_left - case when code_hash = ${tried} then 0 else 1 end
        where purpose = ${purpose} and email = ${keyOf(email)}
          and expires_at > ${timestamp(clock.now())} and tries_left > 0
        returning code_hash = ${tried} as is_right`)
      return isRight === true
    },
    async take(purpose, email, code) {
      const taken = await changedRows(
        db,
        sql.type(noRow)`
          delete from identity.email_codes
          where purpose = ${purpose} and email = ${keyOf(email)}
            and code_hash = ${hashOf(purpose, email, code)}
            and expires_at > ${timestamp(clock.now())} and tries_left > 0`,
      )
      return taken === 1
    },
    removeExpired: () =>
      changedRows(
        db,
        sql.type(noRow)`
          delete from identity.email_codes where expires_at <= ${timestamp(clock.now())}`,
      ),
  }
}

const triedCode = z.object({ is_right: z.boolean() })
