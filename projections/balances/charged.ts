import type { Position } from '@tollgate/domain/event.ts'
import type pg from 'pg'
import { z } from 'zod'

/** An account that was charged, with the newest charge. Times in unix milliseconds. */
export interface ChargedAccount {
  readonly userId: number
  /** Credits minus charges, with that charge at least. */
  readonly posted: number
  readonly eventId: string
  readonly at: number
}

export interface ChargedAccounts {
  readonly accounts: readonly ChargedAccount[]
  /** Everything up to here was looked at. */
  readonly upTo: Position
  /** There is nothing newer that journal and balances have both seen. */
  readonly isAll: boolean
}

/**
 * Who was charged after a position, each account once, out of at most `chargesMax` charges. One range of an index and
 * one row per account: nothing is read or decoded per charge, and the log itself is left alone.
 */
export async function chargedAfter(
  pool: pg.Pool,
  after: Position,
  chargesMax: number,
): Promise<ChargedAccounts> {
  const { rows } = await pool.query(
    `with reach as (
       select coalesce(min(position), -1) as position from projections.checkpoints
       where name in ('journal', 'balances')
     ), recent as materialized (
       select p.position, p.user_id, p.event_id, p.at from journal.postings p, reach
       where p.position > $1 and p.position <= reach.position and p.event_type = 'UsageCharged'
       order by p.position limit $2
     ), newest as (
       select distinct on (user_id) user_id, event_id, at from recent order by user_id, position desc
     )
     select (select position from reach)::float8 as reach,
       (select count(*) from recent)::float8 as charges,
       (select max(position) from recent)::float8 as newest,
       (select coalesce(jsonb_agg(jsonb_build_object('userId', n.user_id, 'posted', a.posted,
           'eventId', n.event_id, 'at', n.at)), '[]')
        from newest n join balances.accounts a on a.user_id = n.user_id) as accounts`,
    [after, chargesMax],
  )
  const { reach, charges, newest, accounts } = row.parse(rows[0])
  const isAll = charges < chargesMax
  return { accounts, isAll, upTo: isAll ? Math.max(after, reach) : (newest ?? after) }
}

const row = z.object({
  reach: z.number(),
  charges: z.number(),
  newest: z.number().nullable(),
  accounts: z.array(
    z.object({
      userId: z.number(),
      posted: z.number(),
      eventId: z.string(),
      at: z.number(),
    }),
  ),
})
