import type { Position } from '@tollgate/domain/event.ts'
import type pg from 'pg'
import { z } from 'zod'

/** An account that was charged, with the newest charge. Times in unix milliseconds. */
export interface ChargedAccount {
  readonly userId: number
  /** Credits minus charges, with that charge at least. */
  readonly posted: number
  /** The posted balance right before that charge. */
  readonly before: number
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
 * Accounts charged after a position and up to another, each once, out of at most `chargesMax` charges. The query reads
 * one range of an index and one row per account: no charge is decoded, and the log is not read.
 */
export async function chargedAfter(
  pool: pg.Pool,
  after: Position,
  upTo: Position,
  chargesMax: number,
): Promise<ChargedAccounts> {
  const { rows } = await pool.query(
    `with reach as (
       -- One that has stopped may be of a past that the log has lost.
       select coalesce(least(min(case when failure is null then position else -1 end), $3), -1) as position
       from projections.checkpoints where name in ('journal', 'balances')
     ), recent as materialized (
       select p.position, p.user_id, p.event_id, p.at, p.wallet + p.held + p.amount as before
       from journal.postings p, reach
       where p.position > $1 and p.position <= reach.position and p.event_type = 'UsageCharged' and p.line = 0
       order by p.position limit $2
     ), newest as (
       select distinct on (user_id) user_id, event_id, at, before from recent order by user_id, position desc
     )
     select null::bigint as "userId", reach.position as posted, null::bigint as before, null::uuid as "eventId",
       count(recent.position) as at, max(recent.position) as newest
     from reach left join recent on true group by reach.position
     union all
     select n.user_id, a.posted, n.before, n.event_id, n.at, null
     from newest n join balances.accounts a on a.user_id = n.user_id`,
    [after, chargesMax, upTo],
  )
  const isAccount = ({ userId }: { readonly userId: unknown }): boolean => userId !== null
  const bound = rows.find((row) => !isAccount(row))
  const { posted: reach, at: charges, newest } = boundRow.parse(bound)
  const isAll = charges < chargesMax
  return {
    accounts: accountRows.parse(rows.filter(isAccount)),
    isAll,
    upTo: isAll ? Math.max(after, reach) : (newest ?? after),
  }
}

/** Bigints come as numbers or as texts, depending on the pool. */
const figure = z.coerce.number()
/** One row, of no user, says how far the read models are, how many charges were looked at, and where the last one stands. */
const boundRow = z.object({ posted: figure, at: figure, newest: figure.nullable() })
const accountRows = z.array(
  z.object({ userId: figure, posted: figure, before: figure, eventId: z.string(), at: figure }),
)
