import { type CommonQueryMethods, type QuerySqlToken, sql } from 'slonik'
import { z } from 'zod'
import { changedRows, counted, noRow } from '../statements.ts'
import { claimLoginNames, folded, isEmail, isUsername } from './login-names.ts'
import { UNIQUE_VIOLATION } from './name-conflicts.ts'
import {
  claimChangedNames,
  insertUser,
  oneUser,
  updateUser,
  USER_COLUMNS,
  userOfRow,
  userRow,
} from './user-table.ts'
import type { UserNames, UserSearch, UserStore } from './users.ts'

/** An event has confirmed the row. Processes of before `revision`, in a rolling update or back, set `is_opened` alone. */
const IS_REGISTERED = sql.fragment`(revision >= 0 or is_opened)`

/** Users who have the e-mail, however it is capitalised. */
const hasEmail = (email: string) =>
  sql.fragment`(${folded(sql.fragment`email`)} = ${folded(email)} and email <> '')`

const matching = ({ keyword, group, ids, reader }: UserSearch) =>
  sql.and([
    keyword !== '' &&
      sql.fragment`(position(${keyword} in username) > 0 or position(${keyword} in display_name) > 0
        or id::text = ${keyword}
        -- An answer that hangs on an e-mail would tell it, letter by letter.
        or (position(${keyword} in email) > 0
          and (${reader.role} = 100 or role < ${reader.role} or id = ${reader.userId})))`,
    group !== '' && sql.fragment`user_group = ${group}`,
    ids !== null && sql.fragment`id = any(${sql.array(ids, 'int8')})`,
    IS_REGISTERED,
  ])

/** Users in `identity.users`. */
export function userStore(db: CommonQueryMethods): UserStore {
  const one = (statement: QuerySqlToken<typeof userRow>) => oneUser(db, statement)
  const row = (id: number) =>
    one(sql.type(userRow)`select ${USER_COLUMNS} from identity.users where id = ${id}`)
  return {
    row,
    byId: (id, options) =>
      one(sql.type(userRow)`
        select ${USER_COLUMNS} from identity.users
        where id = ${id} and ${IS_REGISTERED}
          and (deleted_at is null or ${options?.isDeletedWanted ?? false})`),
    isEmailTaken: (email, exceptId = 0) => isEmail(db, email, exceptId),
    insert: (user) =>
      db.transaction(async (transaction) => {
        const { username, email = '', isEmailOwn = false } = user
        const names = { userId: 0, username, email, isEmailOwn, emailThen: email }
        await claimLoginNames(transaction, names)
        return insertUser(transaction, user)
      }),
    byLogin: (login) =>
      one(sql.type(userRow)`
        select ${USER_COLUMNS} from identity.users
        where deleted_at is null and ${IS_REGISTERED}
          and (username = ${login} or ${hasEmail(login)})
        order by (own_email = ${folded(login)}) is true desc, (username = ${login}) desc,
          (own_email is not null) desc, (password_hash is not null) desc, id
        limit 1`),
    async byEmail(email, limit) {
      const rows = await db.any(sql.type(userRow)`
        select ${USER_COLUMNS} from identity.users
        where ${hasEmail(email)} and deleted_at is null and ${IS_REGISTERED}
        order by id limit ${limit}`)
      return rows.map(userOfRow)
    },
    byAffCode: (code) =>
      one(sql.type(userRow)`
        select ${USER_COLUMNS} from identity.users
        where aff_code = ${code} and deleted_at is null and status = 1 and ${IS_REGISTERED}`),
    async page(wanted, { offset, limit }) {
      const users = sql.fragment`identity.users where ${matching(wanted)}`
      const rows = await db.any(sql.type(userRow)`
        select ${USER_COLUMNS} from ${users} order by id desc offset ${offset} limit ${limit}`)
      const total = await db.oneFirst(sql.type(counted)`select count(*) as count from ${users}`)
      return { users: rows.map(userOfRow), total }
    },
    async below(wanted, before, limit) {
      const isBelow = before !== null && sql.fragment`id < ${before}`
      const rows = await db.any(sql.type(userRow)`
        select ${USER_COLUMNS} from identity.users where ${sql.and([matching(wanted), isBelow])}
        order by id desc limit ${limit}`)
      return rows.map(userOfRow)
    },
    async giveAffCode(id, code) {
      try {
        return await db.maybeOneFirst(sql.type(z.object({ aff_code: z.string() }))`
          update identity.users set aff_code = coalesce(aff_code, ${code}) where id = ${id}
          returning aff_code`)
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
        : db.transaction(async (transaction) => {
            await claimChangedNames(transaction, id, change)
            return updateUser(transaction, id, change)
          }),
    touch: (id) =>
      one(sql.type(userRow)`
        update identity.users set touched_at = now() where id = ${id} returning ${USER_COLUMNS}`),
    async project(id, { role, group, isBanned, deletedAt, revision }) {
      // A deletion leaves a ban as it was.
      const status = deletedAt === null ? (isBanned ? 2 : 1) : sql.fragment`status`
      await db.query(sql.type(noRow)`
        update identity.users set touched_at = now(), role = ${role}, user_group = ${group},
          status = ${status}, deleted_at = ${deletedAt && sql.timestamp(deletedAt)},
          revision = ${revision}
        where id = ${id} and revision <= ${revision}`)
      return row(id)
    },
    async settle(id) {
      await db.query(sql.type(noRow)`
        update identity.users set is_pending = false, is_opened = true where id = ${id}`)
    },
    async free(id, untouchedSeconds) {
      const freed = await changedRows(
        db,
        sql.type(noRow)`
          delete from identity.users where id = ${id} and not ${IS_REGISTERED}
            and is_pending and touched_at < now() - make_interval(secs => ${untouchedSeconds})`,
      )
      return freed === 1
    },
    async forgetCredentials(id) {
      await db.query(sql.type(noRow)`
        update identity.users set password_hash = null, access_token_ciphertext = null,
          access_token_hash = null, webhook_secret_ciphertext = null
        where id = ${id}`)
    },
    root: () =>
      one(sql.type(userRow)`
        select ${USER_COLUMNS} from identity.users where role = 100 order by id limit 1`),
    pendingFor: ({ registered, reserved }, limit) =>
      db.anyFirst(sql.type(userRow.pick({ id: true }))`
        select id from identity.users
        where is_pending and touched_at < now() - make_interval(
          secs => case when ${IS_REGISTERED} then ${registered}::float8 else ${reserved} end)
        order by touched_at limit ${limit}`),
  }
}

const userName = userRow.pick({ id: true, username: true })

/** Names out of `identity.users`. */
export const userNames = (db: CommonQueryMethods): UserNames => ({
  async byIds(ids) {
    const rows = await db.any(sql.type(userName)`
      select id, username from identity.users where id = any(${sql.array(ids, 'int8')})`)
    return new Map(rows.map(({ id, username }) => [id, username]))
  },
  idOf: (username) =>
    db.maybeOneFirst(sql.type(userRow.pick({ id: true }))`
      select id from identity.users where username = ${username}
      order by deleted_at nulls first limit 1`),
})
