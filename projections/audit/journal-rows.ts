import { isAccountEvent } from '@tollgate/domain/account/event-types.ts'
import { postings } from '@tollgate/domain/account/postings.ts'
import { type BareEvent, numberOfStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { type EntryFacts, entryFacts } from '../journal/entry-facts.ts'

/** The balances of a user's own ledger accounts. */
export interface OwnBalances {
  wallet: number
  held: number
  affiliate: number
}

/** The state of one user's stream after the events read so far. */
export interface JournalState {
  readonly own: OwnBalances
  /** The latest `at` of its events; 0 before the first. */
  effectiveAt: number
}

/** A row that `journal.postings` must have, its columns in the order of `JOURNAL_COLUMNS`. */
export type JournalRow = Readonly<OwnBalances & EntryFacts> & {
  readonly position: number
  readonly line: number
  readonly at: number
  readonly effective_at: number
  readonly from_account: string
  readonly to_account: string
  readonly amount: number
  readonly event_id: string
  readonly event_type: string
}

export const JOURNAL_COLUMNS = [
  'position',
  'line',
  'at',
  'effective_at',
  'from_account',
  'to_account',
  'amount',
  'wallet',
  'held',
  'affiliate',
  'event_id',
  'event_type',
  'request_id',
  'actor',
  'source',
  'token_id',
  'channel',
  'model',
  'reason',
  'adjustment',
  'late',
] as const satisfies readonly (keyof JournalRow)[]

/** The rows of one event's postings, and the state moved along; none for events that move no quota. */
export function journalRows(event: BareEvent, state: JournalState): readonly JournalRow[] {
  const { own } = state
  state.effectiveAt = Math.max(state.effectiveAt, event.data.at)
  if (!isAccountEvent(event)) return []
  const facts = entryFacts(event)
  if (facts === null) return []
  return postings(userId(numberOfStream(event.stream)), event).map(({ from, to, amount }, line) => {
    const [source, target] = [kindOf(from), kindOf(to)]
    if (isOwn(source)) own[source] -= amount
    if (isOwn(target)) own[target] += amount
    return {
      position: event.position,
      line,
      at: event.data.at,
      effective_at: state.effectiveAt,
      from_account: source,
      to_account: target,
      amount,
      ...own,
      event_id: event.id,
      event_type: event.type,
      ...facts,
    }
  })
}

export const unopenedJournal = (): JournalState => ({
  own: { wallet: 0, held: 0, affiliate: 0 },
  effectiveAt: 0,
})

const kindOf = (account: string): string => account.split(':', 1)[0] ?? account
const isOwn = (kind: string): kind is keyof OwnBalances =>
  kind === 'wallet' || kind === 'held' || kind === 'affiliate'
