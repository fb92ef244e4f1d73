import { isAccountEvent } from '@tollgate/domain/account/event-types.ts'
import {
  openTrialBalance,
  type TrialBalanceRow,
  totalOf,
} from '@tollgate/domain/account/trial-balance.ts'
import { effectiveTimes } from '@tollgate/domain/effective-time.ts'
import { LOG_START, numberOfStream, type Position } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'

/** Up to which moment: the present, a position (inclusive), or a time (unix milliseconds, exclusive, by effective time). */
export type Moment =
  | { readonly type: 'now' }
  | { readonly type: 'position'; readonly position: Position }
  | { readonly type: 'time'; readonly at: number }

/** Amounts are whole numbers in decimal text, as sums over all users may pass 2^53. */
export interface TrialBalanceReport {
  /** The log was read up to here. */
  readonly position: Position
  /** ISO 8601, when a time was asked for. */
  readonly at: string | null
  readonly events: number
  readonly rows: readonly ReportedRow[]
  readonly total: ReportedRow
}

export interface ReportedRow {
  readonly account: string
  readonly accounts: number
  readonly debits: string
  readonly credits: string
  readonly balance: string
}

export interface TrialBalanceOptions {
  readonly detail?: 'by-kind' | 'each'
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: {
    readonly events: number
    readonly position: Position
    readonly head: Position
  }) => void
}

/** Read at once, during which a process does nothing else: about 4 ms. */
const PAGE_EVENTS = 500

/**
 * Debits, credits and balance of every ledger account, from the postings of all account events: the ledger itself is
 * read, no read model. Takes as long as reading the log does. Fails with StoreUnavailable, PositionBeyondLog, and with the
 * signal's reason.
 */
export async function trialBalance(
  store: EventStore,
  moment: Moment,
  { detail = 'by-kind', signal, onProgress }: TrialBalanceOptions = {},
): Promise<TrialBalanceReport> {
  await refuseBeyondLog(store, moment)
  const end = moment.type === 'position' ? moment.position : await store.headPosition()
  const latest = moment.type === 'time' ? moment.at : Infinity
  const books = openTrialBalance()
  const times = effectiveTimes()
  let events = 0
  for (let position = LOG_START; position < end;) {
    const page = await store.readAll(position, { streamPrefixes: ['account-'] }, PAGE_EVENTS)
    signal?.throwIfAborted()
    for (const event of page) {
      if (event.position > end) break
      if (times.of(event) >= latest || !isAccountEvent(event)) continue
      books.post(userId(numberOfStream(event.stream)), event)
      events += 1
    }
    position = page.length < PAGE_EVENTS ? end : (page.at(-1)?.position ?? end)
    onProgress?.({ events, position: Math.min(position, end), head: end })
  }
  const rows = books.rows(detail)
  return {
    position: end,
    at: moment.type === 'time' ? new Date(moment.at).toISOString() : null,
    events,
    rows: rows.map(reported),
    total: reported(totalOf(rows)),
  }
}

const reported = ({
  account,
  accounts,
  debits,
  credits,
  balance,
}: TrialBalanceRow): ReportedRow => ({
  account,
  accounts,
  debits: String(debits),
  credits: String(credits),
  balance: String(balance),
})

/** The position that was asked for is not written yet. */
class PositionBeyondLog extends Error {
  readonly code = 'POSITION_BEYOND_LOG'
  readonly retryable = false
  readonly head: Position
  constructor(asked: Position, head: Position) {
    super(`The log ends at position ${head}: ${asked} is beyond it.`)
    this.name = 'PositionBeyondLog'
    this.head = head
  }
}

/** Fails with PositionBeyondLog when the moment is a position that the log has not reached. */
async function refuseBeyondLog(store: EventStore, moment: Moment): Promise<void> {
  if (moment.type !== 'position') return
  const head = await store.headPosition()
  if (moment.position > head) throw new PositionBeyondLog(moment.position, head)
}

/**
 * Reads `2026-02-03T12:00:00Z`, a date (its beginning in UTC), or unix milliseconds; '' and null are now. Null for a text
 * that is none of them, such as a day that its month has not got, or a time without its zone, which each machine would
 * read as another.
 */
export function momentOf(written: string | null): Moment | null {
  const text = written?.trim() ?? ''
  if (text === '') return { type: 'now' }
  if (/^\d{1,15}$/.test(text)) return { type: 'time', at: Number(text) }
  const day = WRITTEN.exec(text)?.[1]
  const at = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : { type: 'time', at }
}

const WRITTEN = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/i

/** `Date` reads the 30th of February as the 2nd of March. */
function isDay(day: string): boolean {
  const at = Date.parse(day)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}
