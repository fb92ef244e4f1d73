import { type FragmentSqlToken, sql } from 'slonik'

/** Ledger accounts by kind; the first three are a user's own. */
export const LEDGER_ACCOUNTS = [
  'wallet',
  'held',
  'affiliate',
  'usage-revenue',
  'top-ups',
  'redemptions',
  'promotions',
  'adjustments',
] as const
export type LedgerAccountKind = (typeof LEDGER_ACCOUNTS)[number]

/** Conditions of a reader of the journal. Absent = no condition. */
export interface JournalFilter {
  /** On either side of a posting. */
  readonly account?: LedgerAccountKind
  readonly userId?: number
  /** The event's type. */
  readonly type?: string
  readonly actor?: string
  /** Amounts, both inclusive. */
  readonly min?: number
  readonly max?: number
  readonly tokenId?: number
  readonly channel?: number
  readonly model?: string
  readonly requestId?: string
  /** Positions, both inclusive. */
  readonly fromPosition?: number
  readonly toPosition?: number
  /** Effective time in unix milliseconds; `to` is exclusive. */
  readonly from?: number
  readonly to?: number
}

/** The filter as SQL over the columns of `journal.postings`. */
export const journalWhere = (filter: JournalFilter): FragmentSqlToken => {
  const { account, userId, type, actor, min, max, tokenId, channel, model, requestId } = filter
  const { fromPosition, toPosition, from, to } = filter
  return sql.fragment`${sql.and([
    account !== undefined && sql.fragment`(from_account = ${account} or to_account = ${account})`,
    userId !== undefined && sql.fragment`user_id = ${userId}`,
    type !== undefined && sql.fragment`event_type = ${type}`,
    actor !== undefined && sql.fragment`actor = ${actor}`,
    min !== undefined && sql.fragment`amount >= ${min}`,
    max !== undefined && sql.fragment`amount <= ${max}`,
    // The second condition lets the partial index serve.
    tokenId !== undefined && sql.fragment`token_id = ${tokenId} and token_id <> 0`,
    channel !== undefined && sql.fragment`channel = ${channel} and channel <> 0`,
    model !== undefined && sql.fragment`model = ${model} and model <> ''`,
    requestId !== undefined && sql.fragment`request_id = ${requestId} and request_id <> ''`,
    fromPosition !== undefined && sql.fragment`position >= ${fromPosition}`,
    toPosition !== undefined && sql.fragment`position <= ${toPosition}`,
    from !== undefined && sql.fragment`effective_at >= ${from}`,
    to !== undefined && sql.fragment`effective_at < ${to}`,
  ])}`
}

/** Whether the sums by day answer for a filter: they know ledger account, user and time alone. */
export const isBySums = (filter: JournalFilter): boolean =>
  Object.entries(filter).every(
    ([name, value]) => value === undefined || ['account', 'userId', 'from', 'to'].includes(name),
  )
