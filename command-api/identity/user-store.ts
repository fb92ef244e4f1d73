import type { Pool } from 'pg'
import { inTransaction } from '../in-transaction.ts'
import { claimLoginNames, foldedSql, isEmail, isUsername } from './login-names.ts'
import { UNIQUE_VIOLATION } from './name-conflicts.ts'
import {
  claimChangedNames,
  insertUser,
  oneUser,
  updateUser,
  USER_COLUMNS,
  type UserRow,
  userOfRow,
} from './user-table.ts'
import type { UserNames, UserSearch, UserStore } from './users.ts'

/** An event has confirmed the row. Processes of before `revision`, in a rolling update or back, set `is_opened` alone. */
const IS_REGISTERED = '(revision >= 0 or is_opened)'

/** The users of a search, whose values are the first five. */
const MATCHING = `from identity.users
  where ($1 = '' or position($1 in username) > 0 or position($1 in display_name) > 0 or id::text = $1
      -- An answer that hangs on an e-mail would tell it, letter by letter.
      or (position($1 in email) > 0 and ($4 = 100 or role < $4 or id = $5)))
    and ($2 = '' or user_group = $2)
    and ($3::bigint[] is null or id = any($3)) and ${IS_REGISTERED}`

const valuesOf = ({ keyword, group, ids, reader }: UserSearch): unknown[] => [
  keyword,
  group,
  ids,
  reader.role,
  reader.userId,
]

/** Users in the table behind a pool. */
export function userStore(db: Pool): UserStore {
  const one = (sql: string, values: readonly unknown[]) => oneUser(db, sql, values)
  const row = (id: number) => one(`select ${USER_COLUMNS} from identity.users where id = $1`, [id])
  return {
    row,
    byId: (id, options) =>
      one(
        `select ${USER_COLUMNS} from identity.users
         where id = $1 and ${IS_REGISTERED} and (deleted_at is null or $2)`,
        [id, options?.isDeletedWanted ?? false],
      ),
    isEmailTaken: (email, exceptId = 0) => isEmail(db, email, exceptId),
    insert: (user) =>
      inTransaction(db, async (client) => {
        const { username, email = '', isEmailOwn = false } = user
        const names = { userId: 0, username, email, isEmailOwn, emailThen: email }
        await claimLoginNames(client, names)
        return insertUser(client, user)
      }),
    byLogin: (login) =>
      one(
        `select ${USER_COLUMNS} from identity.users
         where deleted_at is null and ${IS_REGISTERED}
           and (username = $1 or (${foldedSql('email')} = ${foldedSql('$1')} and email <> ''))
         order by (own_email = ${foldedSql('$1')}) is true desc, (username = $1) desc,
           (own_email is not null) desc, (password_hash is not null) desc, id
         limit 1`,
        [login],
      ),
    async byEmail(email, limit) {
      const { rows } = await db.query<UserRow>(
        `select ${USER_COLUMNS} from identity.users
         where ${foldedSql('email')} = ${foldedSql('$1')} and email <> '' and deleted_at is null
           and ${IS_REGISTERED} order by id limit $2`,
        [email, limit],
      )
      return rows.map(userOfRow)
    },
    byAffCode: (code) =>
      one(
        `select ${USER_COLUMNS} from identity.users
         where aff_code = $1 and deleted_at is null and status = 1 and ${IS_REGISTERED}`,
        [code],
      ),
    async page(wanted, { offset, limit }) {
      const values = valuesOf(wanted)
      const { rows } = await db.query<UserRow>(
        `select ${USER_COLUMNS} ${MATCHING} order by id desc offset $6 limit $7`,
        [...values, offset, limit],
      )
      const counted = await db.query<{ readonly total: string | number }>(
        `select count(*) as total ${MATCHING}`,
        values,
      )
      return { users: rows.map(userOfRow), total: Number(counted.rows[0]?.total ?? 0) }
    },
    async below(wanted, before, limit) {
      const { rows } = await db.query<UserRow>(
        `select ${USER_COLUMNS} ${MATCHING} and ($6::bigint is null or id < $6)
         order by id desc limit $7`,
        [...valuesOf(wanted), before, limit],
      )
      return rows.map(userOfRow)
    },
    async giveAffCode(id, code) {
      try {
        const { rows } = await db.query<{ readonly aff_code: string }>(
          `update identity.users set aff_code = coalesce(aff_code, $2) where id = $1
           returning aff_code`,
          [id, code],
        )
        return rows[0]?.aff_code ?? null
      } catch (error) {
        if ((error as { readonly code?: string }).code === UNIQUE_VIOLATION) return null
        throw error
      }
    },
    isNameTaken: async (username, exceptId) =>
      (await isUsername(db, username, exceptId)) || isEmail(db, username, exceptId),
    update: (id, change) =>
      change.username === undefined && change.ownEmail === undefined
        ? updateUser(db, id, change)
        : inTransaction(db, async (client) => {
            await claimChangedNames(client, id, change)
            return updateUser(client, id, change)
          }),
    touch: (id) =>
      one(`update identity.users set touched_at = now() where id = $1 returning ${USER_COLUMNS}`, [
        id,
      ]),
    async project(id, { role, group, isBanned, deletedAt, revision }) {
      // A deletion leaves a ban as it was.
      await db.query(
        `update identity.users set touched_at = now(), role = $2, user_group = $3,
           status = case when $5::timestamptz is null then $4 else status end, deleted_at = $5, revision = $6
         where id = $1 and revision <= $6`,
        [id, role, group, isBanned ? 2 : 1, deletedAt, revision],
      )
      return row(id)
    },
    async settle(id) {
      await db.query(
        'update identity.users set is_pending = false, is_opened = true where id = $1',
        [id],
      )
    },
    async free(id, untouchedSeconds) {
      const { rowCount } = await db.query(
        `delete from identity.users where id = $1 and not ${IS_REGISTERED}
           and is_pending and touched_at < now() - make_interval(secs => $2)`,
        [id, untouchedSeconds],
      )
      return rowCount === 1
    },
    async forgetCredentials(id) {
      await db.query(
        `update identity.users set password_hash = null, access_token_ciphertext = null,
           access_token_hash = null, webhook_secret_ciphertext = null
         where id = $1`,
        [id],
      )
    },
    root: () =>
      one(`select ${USER_COLUMNS} from identity.users where role = 100 order by id limit 1`, []),
    async pendingFor({ registered, reserved }, limit) {
      const { rows } = await db.query<Pick<UserRow, 'id'>>(
        `select id from identity.users
         where is_pending and touched_at < now() - make_interval(
           secs => case when ${IS_REGISTERED} then $1::float8 else $2 end)
         order by touched_at limit $3`,
        [registered, reserved, limit],
      )
      return rows.map(({ id }) => Number(id))
    },
  }
}

/** Names out of `identity.users`. */
export const userNames = (pool: Pool): UserNames => ({
  async byIds(ids) {
    const { rows } = await pool.query<{ id: number; username: string }>(
      'select id, username from identity.users where id = any($1::bigint[])',
      [[...ids]],
    )
    return new Map(rows.map(({ id, username }) => [id, username]))
  },
  async idOf(username) {
    const { rows } = await pool.query<{ id: number }>(
      'select id from identity.users where username = $1 order by deleted_at nulls first limit 1',
      [username],
    )
    return rows[0] === undefined ? null : rows[0].id
  },
})
