import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import type { Migration } from '../migration.ts'
import { called, existence } from '../statements.ts'
import { EmailTaken, UsernameTaken } from './name-conflicts.ts'

/** Both are the same however they are capitalised; only ASCII letters count, so that no other letter turns into one. */
export const folded = (expression: FragmentSqlToken | string): FragmentSqlToken =>
  sql.fragment`lower(${expression} collate "C")`

export const loginNameMigrations: readonly Migration[] = [
  {
    id: 'login-names-0001-folded',
    sql: `
      -- Not unique: names that differed by capitals alone before the rule stay.
      create index users_folded_name on identity.users (lower(username collate "C"));
    `,
  },
]

/** The names by which a write lets a user sign in; a missing one stays as it is. */
export interface LoginNames {
  /** 0 = a new user. */
  readonly userId: number
  readonly username?: string | undefined
  /** '' = none. */
  readonly email?: string | undefined
  /** No other user may have the e-mail; without it others may, for whom a provider vouches. */
  readonly isEmailOwn: boolean
  /** The e-mail that the user has after the write. */
  readonly emailThen: string
}

/** Any number that no other advisory lock of this database uses. */
const LOGIN_NAMES_LOCK = 7_203_114_588

/**
 * Ensures that no other user, living or deleted, is found by a user name or e-mail that is about to be written, and
 * that no other transaction writes one before this one ends. Users sign in by either, so that both are one name space.
 * A user name in the form of an e-mail must be the user's own. Fails with UsernameTaken or EmailTaken.
 */
export async function claimLoginNames(
  transaction: CommonQueryMethods,
  names: LoginNames,
): Promise<void> {
  const { userId, username, email = '', isEmailOwn, emailThen } = names
  await transaction.query(sql.type(called)`select pg_advisory_xact_lock(${LOGIN_NAMES_LOCK})`)
  if (username !== undefined) {
    const isTaken =
      (await isUsername(transaction, username, userId)) ||
      (await isEmail(transaction, username, userId))
    if (isTaken) throw new UsernameTaken(username, 'taken')
    const isOwn = username.toLowerCase() === emailThen.toLowerCase()
    if (isLikeEmail(username) && !isOwn) throw new UsernameTaken(username, 'an-email')
  }
  if (email === '') return
  if (await isUsername(transaction, email, userId)) throw new EmailTaken()
  if (isEmailOwn && (await isEmail(transaction, email, userId))) throw new EmailTaken()
}

/** Whether a user other than this one has the user name. */
export const isUsername = (
  db: CommonQueryMethods,
  login: string,
  exceptId: number,
): Promise<boolean> =>
  db.oneFirst(sql.type(existence)`
    select exists (
      select from identity.users
      where ${folded(sql.fragment`username`)} = ${folded(login)} and id <> ${exceptId})`)

/** Whether a user other than this one has the e-mail. */
export const isEmail = (
  db: CommonQueryMethods,
  login: string,
  exceptId: number,
): Promise<boolean> =>
  db.oneFirst(sql.type(existence)`
    select exists (
      select from identity.users
      where ${folded(sql.fragment`email`)} = ${folded(login)} and email <> '' and id <> ${exceptId})`)

/** Whether it is an e-mail, or may be one some day, even where such a one could not be bound here. */
export const isLikeEmail = (username: string): boolean => /.@./.test(username)
