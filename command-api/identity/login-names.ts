import type { PoolClient } from 'pg'
import type { Migration } from '../migration.ts'
import { EmailTaken, UsernameTaken } from './name-conflicts.ts'

/** Both are the same however they are capitalised; only ASCII letters count, so that no other letter turns into one. */
export const foldedSql = (expression: string): string => `lower(${expression} collate "C")`

export const loginNameMigrations: readonly Migration[] = [
  {
    id: 'login-names-0001-folded',
    sql: `
      -- Not unique: names that differed by capitals alone before the rule stay.
      create index users_folded_name on identity.users (${foldedSql('username')});
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
export async function claimLoginNames(client: PoolClient, names: LoginNames): Promise<void> {
  const { userId, username, email = '', isEmailOwn, emailThen } = names
  await client.query('select pg_advisory_xact_lock($1)', [LOGIN_NAMES_LOCK])
  if (username !== undefined) {
    const isTaken =
      (await isUsername(client, username, userId)) || (await isEmail(client, username, userId))
    if (isTaken) throw new UsernameTaken(username, 'taken')
    const isOwn = username.toLowerCase() === emailThen.toLowerCase()
    if (isLikeEmail(username) && !isOwn) throw new UsernameTaken(username, 'an-email')
  }
  if (email === '') return
  if (await isUsername(client, email, userId)) throw new EmailTaken()
  if (isEmailOwn && (await isEmail(client, email, userId))) throw new EmailTaken()
}

type Queries = Pick<PoolClient, 'query'>

/** Whether a user other than this one has the user name. */
export async function isUsername(db: Queries, login: string, exceptId: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select 1 from identity.users where ${foldedSql('username')} = ${foldedSql('$1')} and id <> $2 limit 1`,
    [login, exceptId],
  )
  return rowCount !== 0
}

/** Whether a user other than this one has the e-mail. */
export async function isEmail(db: Queries, login: string, exceptId: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select 1 from identity.users
     where ${foldedSql('email')} = ${foldedSql('$1')} and email <> '' and id <> $2 limit 1`,
    [login, exceptId],
  )
  return rowCount !== 0
}

/** Whether it is an e-mail, or may be one some day, even where such a one could not be bound here. */
export const isLikeEmail = (username: string): boolean => /.@./.test(username)
