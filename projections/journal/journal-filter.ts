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

/** A filter as SQL over the columns of `journal.postings`. */
export interface JournalSql {
  /** Conditions joined by `and`; `true` when there are none. */
  readonly where: string
  readonly values: readonly (string | number)[]
}

/** The filter's SQL; parameters are numbered from 1. */
export function journalSql(filter: JournalFilter): JournalSql {
  const values: (string | number)[] = []
  const conditions: string[] = []
  for (const [name, condition] of CONDITIONS) {
    const value = filter[name]
    if (value === undefined) continue
    values.push(value)
    conditions.push(condition.replaceAll('?', `$${values.length}`))
  }
  return { where: conditions.join(' and ') || 'true', values }
}

const CONDITIONS: readonly (readonly [keyof JournalFilter, string])[] = [
  ['account', '(from_account = ? or to_account = ?)'],
  ['userId', 'user_id = ?'],
  ['type', 'event_type = ?'],
  ['actor', 'actor = ?'],
  ['min', 'amount >= ?'],
  ['max', 'amount <= ?'],
  // The second condition lets the partial index serve.
  ['tokenId', 'token_id = ? and token_id <> 0'],
  ['channel', 'channel = ? and channel <> 0'],
  ['model', `model = ? and model <> ''`],
  ['requestId', `request_id = ? and request_id <> ''`],
  ['fromPosition', 'position >= ?'],
  ['toPosition', 'position <= ?'],
  ['from', 'effective_at >= ?'],
  ['to', 'effective_at < ?'],
]

/** Whether the sums by day answer for a filter: they know ledger account, user and time alone. */
export const isBySums = (filter: JournalFilter): boolean =>
  Object.entries(filter).every(
    ([name, value]) => value === undefined || ['account', 'userId', 'from', 'to'].includes(name),
  )
