import { addressRule, ruleIdOf } from '@tollgate/domain/account/token-terms.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { noRow } from '../statements.ts'

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
export function tokenAddresses(db: CommonQueryMethods): TokenAddresses {
  return {
    async keep(user, addresses) {
      if (addresses.length === 0) return []
      const id = await db.oneFirst(sql.type(ruleRow.pick({ id: true }))`
        insert into identity.token_addresses (user_id, addresses)
        values (${user}, ${sql.array(addresses, 'text')}) returning id`)
      return [addressRule(id)]
    },
    async remove(allowedIps) {
      const ids = idsIn([allowedIps])
      if (ids.length === 0) return
      await db.query(sql.type(noRow)`
        delete from identity.token_addresses where id = any(${sql.array(ids, 'uuid')})`)
    },
    async forget(user) {
      await db.query(sql.type(noRow)`delete from identity.token_addresses where user_id = ${user}`)
    },
    async read(lists) {
      const ids = idsIn(lists)
      if (ids.length === 0) return lists
      const rows = await db.any(sql.type(ruleRow)`
        select id, addresses from identity.token_addresses
        where id = any(${sql.array(ids, 'uuid')})`)
      const found = new Map(rows.map(({ id, addresses }) => [addressRule(id), addresses]))
      return lists.map((list) => list.flatMap((entry) => found.get(entry) ?? [entry]))
    },
    unchecked: (olderThanSeconds, limit) =>
      db.any(sql.type(uncheckedRule)`
        select id, user_id as "userId" from identity.token_addresses
        where checked_at < now() - make_interval(secs => ${olderThanSeconds})
        order by checked_at limit ${limit}`),
    async checked(id) {
      await db.query(sql.type(noRow)`
        update identity.token_addresses set checked_at = now() where id = ${id}`)
    },
  }
}

const ruleRow = z.object({ id: z.string(), addresses: z.array(z.string()) })
const uncheckedRule = z.object({ id: z.string(), userId: z.number() })

const idsIn = (lists: readonly (readonly string[])[]): readonly string[] =>
  lists.flat().flatMap((entry) => ruleIdOf(entry) ?? [])
