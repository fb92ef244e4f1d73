import type { Pool } from 'pg'

/** The part of users' rows that the read side asks for: their names, deleted users' too. */
export interface UserNames {
  /** User names by id; unknown ids are left out. */
  byIds(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The user with exactly this name; null when there is none. */
  idOf(username: string): Promise<number | null>
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
