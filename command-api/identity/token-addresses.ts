import { addressRule, ruleIdOf } from '@tollgate/domain/account/token-terms.ts'
import type { Pool } from 'pg'

/** The addresses and ranges that tokens are bound to, which events call by id, so that they can be erased. */
export interface TokenAddresses {
  /**
   * Stores the addresses that a token of the user shall be bound to, before the event that names it; answers
   * `allowedIps` for the terms.
   */
  keep(user: number, addresses: readonly string[]): Promise<readonly string[]>
  /** Takes back an answer of `keep`, where the token's event was refused. */
  remove(allowedIps: readonly string[]): Promise<void>
  /** Erases the addresses of all tokens of a user. */
  forget(user: number): Promise<void>
  /**
   * `allowedIps` of several tokens with the addresses in place of their ids, in the same order. An id whose addresses
   * were erased stays, and allows no client. Events from before version 2 hold the addresses themselves, which stay
   * too.
   */
  read(lists: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]>
  /** Rules that were not looked up in the log for that long, longest ago first, at most `limit`. */
  unchecked(olderThanSeconds: number, limit: number): Promise<readonly AddressRule[]>
  /** The log names the rule: it is left alone for a while. */
  checked(id: string): Promise<void>
}

export interface AddressRule {
  readonly id: string
  readonly userId: number
}

/** Rules in `identity.token_addresses`, one for each time that a token's terms were saved. */
export function tokenAddresses(pool: Pool): TokenAddresses {
  const rowsOf = async <Row extends object>(sql: string, ...values: readonly unknown[]) =>
    (await pool.query<Row>(sql, [...values])).rows
  return {
    async keep(user, addresses) {
      if (addresses.length === 0) return []
      const [row] = await rowsOf<{ id: string }>(
        'insert into identity.token_addresses (user_id, addresses) values ($1, $2) returning id',
        user,
        addresses,
      )
      if (row === undefined) throw new Error('addresses were stored without an id')
      return [addressRule(row.id)]
    },
    async remove(allowedIps) {
      const ids = idsIn([allowedIps])
      if (ids.length === 0) return
      await rowsOf('delete from identity.token_addresses where id = any($1::uuid[])', ids)
    },
    async forget(user) {
      await rowsOf('delete from identity.token_addresses where user_id = $1', user)
    },
    async read(lists) {
      const ids = idsIn(lists)
      if (ids.length === 0) return lists
      const rows = await rowsOf<{ id: string; addresses: readonly string[] }>(
        'select id, addresses from identity.token_addresses where id = any($1::uuid[])',
        ids,
      )
      const found = new Map(rows.map(({ id, addresses }) => [addressRule(id), addresses]))
      return lists.map((list) => list.flatMap((entry) => found.get(entry) ?? [entry]))
    },
    async unchecked(olderThanSeconds, limit) {
      const rows = await rowsOf<{ id: string; user_id: string | number }>(
        `select id, user_id from identity.token_addresses
         where checked_at < now() - make_interval(secs => $1) order by checked_at limit $2`,
        olderThanSeconds,
        limit,
      )
      return rows.map(({ id, user_id }) => ({ id, userId: Number(user_id) }))
    },
    async checked(id) {
      await rowsOf('update identity.token_addresses set checked_at = now() where id = $1', id)
    },
  }
}

const idsIn = (lists: readonly (readonly string[])[]): readonly string[] =>
  lists.flat().flatMap((entry) => ruleIdOf(entry) ?? [])
