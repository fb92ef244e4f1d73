import type { Position } from '@tollgate/domain/event.ts'
import { type CommonQueryMethods, sql } from 'slonik'
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
  reads: CommonQueryMethods,
  after: Position,
  upTo: Position,
  chargesMax: number,
): Promise<ChargedAccounts> {
  const rows = await reads.any(sql.type(row)`
    with reach as (
      -- One that has stopped may be of a past that the log has lost.
      select coalesce(least(min(case when failure is null then position else -1 end), ${upTo}), -1) as position
      from projections.checkpoints where name in ('journal', 'balances')
    ), recent as materialized (
      select p.position, p.user_id, p.event_id, p.at, p.wallet + p.held + p.amount as before
      from journal.postings p, reach
      where p.position > ${after} and p.position <= reach.position and p.event_type = 'UsageCharged' and p.line = 0
      order by p.position limit ${chargesMax}
    ), newest as (
      select distinct on (user_id) user_id, event_id, at, before from recent order by user_id, position desc
    )
    select null::bigint as "userId", reach.position as posted, null::bigint as before, null::uuid as "eventId",
      count(recent.position) as at, max(recent.position) as newest
    from reach left join recent on true group by reach.position
    union all
    select n.user_id, a.posted, n.before, n.event_id, n.at, null
    from newest n join balances.accounts a on a.user_id = n.user_id`)
  const { posted: reach, at: charges, newest } = boundRow.parse(rows.find((one) => !isAccount(one)))
  const isAll = charges < chargesMax
  return {
    accounts: rows.filter(isAccount),
    isAll,
    upTo: isAll ? Math.max(after, reach) : (newest ?? after),
  }
}

/** One row, of no user, says how far the read models are, how many charges were looked at, and where the last one stands. */
const boundRow = z.object({
  userId: z.null(),
  posted: z.number(),
  before: z.null(),
  eventId: z.null(),
  at: z.number(),
  newest: z.number().nullable(),
})
const accountRow = z.object({
  userId: z.number(),
  posted: z.number(),
  before: z.number(),
  eventId: z.string(),
  at: z.number(),
})
const row = z.union([boundRow, accountRow])
type Row = z.output<typeof row>

const isAccount = (one: Row): one is z.output<typeof accountRow> => one.userId !== null
