import type { LedgerAccount } from '../../parts/ledger-accounts.ts'
import type { PostedType } from './filters.ts'

type OwnBalances = Readonly<Record<'wallet' | 'held' | 'affiliate', number>>

/** One posting of GET /api/ledger/journal; times in unix milliseconds. */
export interface JournalLine {
  readonly position: number
  readonly line: number
  readonly at: number
  readonly effective_at: number
  readonly user_id: number
  readonly username: string
  readonly from_account: LedgerAccount
  readonly to_account: LedgerAccount
  readonly amount: number
  readonly before: OwnBalances
  readonly after: OwnBalances
  readonly event_id: string
  readonly event_type: PostedType
  readonly actor: string
  readonly actor_name: string
  /** Kind of the booking, such as `redemption`. */
  readonly source: string
  readonly token_id: number
  readonly token_name: string
  readonly channel: number
  readonly channel_name: string
  readonly model: string
  readonly request_id: string
  readonly reason: string
  readonly note: string
  readonly late: boolean
}

/** The totals of all filtered postings; amounts as decimal text. */
export interface JournalTotals {
  readonly amount: string
  readonly debits: string | null
  readonly credits: string | null
  readonly postings: number | null
}

/** A posting's place: which row it is. */
export const placeOf = ({ position, line }: JournalLine): string => `${position}:${line}`
