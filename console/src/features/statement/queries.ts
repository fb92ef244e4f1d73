import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Query } from '../../core/api.ts'
import { shownZone } from '../../core/time-zone.ts'
import type { Group, Period, StatementSearch } from './filters.ts'

/** The kind of an event, by its subject. */
export type Kind =
  | 'sign-up'
  | 'invitation'
  | 'redemption'
  | 'top-up'
  | 'grant'
  | 'refund'
  | 'adjustment'
  | 'hold'
  | 'usage'
  | 'usage-refund'
  | 'affiliate-reward'
  | 'affiliate-transfer'

/** One event. Times in unix milliseconds, amounts in quota. */
export interface EventLine {
  readonly type: 'event'
  readonly position: number
  readonly at: number
  readonly dated: number
  readonly kind: Kind
  readonly event_id: string
  readonly reference: string
  readonly actor: string
  /** Username of an actor that is a user. */
  readonly actor_name: string
  readonly token_id: number
  readonly token_name: string
  readonly model: string
  readonly facts: {
    readonly reason: string
    readonly adjustment:
      | { readonly from: number; readonly to: number; readonly note: string }
      | { readonly legacy_text: string }
      | null
    readonly late: boolean
  }
  readonly credit: number
  readonly debit: number
  /** Change of the quota that holds reserve. */
  readonly held_change: number
  readonly balance: number
}

/** Several events of a part of the period as one line. */
export interface SumLine {
  readonly type: 'sum'
  readonly from: number
  readonly to: number
  readonly kind: Kind | ''
  readonly token_id: number
  readonly token_name: string
  readonly model: string
  readonly events: number
  readonly first_position: number
  readonly credit: number
  readonly debit: number
  readonly balance: number | null
}

export type Line = EventLine | SumLine

/** GET /api/ledger/statement. */
export interface Statement {
  readonly user_id: number
  readonly username: string
  readonly from: number
  readonly to: number
  readonly opening: number
  readonly credits: number
  readonly charges: number
  readonly refunds: number
  readonly deductions: number
  readonly closing: number
  readonly held: number
  readonly available: number
  readonly affiliate: number
  readonly complete_to: number
  readonly final: boolean
  readonly lines: readonly Line[]
  readonly next: string | null
}

/** GET /api/ledger/balance. */
export interface BalanceAsOf {
  readonly posted: number
  readonly held: number
  readonly available: number
  readonly affiliate: number
  readonly position: number
  readonly final: boolean
}

const LINES = 100

/** Where a statement is read: one's own, or a user's. */
const at = (path: 'statement' | 'balance', user: number | undefined): string =>
  user === undefined ? `/api/ledger/${path}/self` : `/api/ledger/${path}`

/** The query fields that determine the lines of a statement. */
export const statementFields = (search: StatementSearch, { from, to }: Period): Query => ({
  user_id: search.user,
  from,
  to,
  zone: shownZone(),
  group: search.group,
  term: search.term,
  token_id: search.token,
  model: search.model,
  // Holds are lines of their own, which no grouping sums.
  holds: search.group === 'none' ? search.holds : undefined,
})

/** A statement under the address' filters, page by page. */
export function statementQuery(search: StatementSearch, period: Period) {
  const fields = statementFields(search, period)
  return infiniteQueryOptions({
    queryKey: ['statement', fields],
    queryFn: ({ pageParam, signal }) =>
      get<Statement>(
        at('statement', search.user),
        { ...fields, after: pageParam, limit: LINES },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }: Statement) => next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

/** Where a statement is had as files, in formats that commas part; books know two groupings only. */
export function exportAt(search: StatementSearch, period: Period, formats: string) {
  const isBook = /hledger|beancount/.test(formats)
  const isOfBooks = search.group === undefined || search.group === 'none'
  const { group, ...fields } = statementFields(search, period)
  return {
    path: `${at('statement', search.user)}/export`,
    query: { ...fields, group: isBook && !isOfBooks ? undefined : group, format: formats },
  }
}

/** The events that a line stands for. */
export function insideQuery(search: StatementSearch, line: SumLine, group: Group) {
  const fields: Query = {
    user_id: search.user,
    from: line.from,
    to: line.to,
    zone: shownZone(),
    group: 'none',
    term: search.term,
    source: line.kind,
    token_id: group === 'token' ? line.token_id : search.token,
    model: line.model || search.model,
  }
  return infiniteQueryOptions({
    queryKey: ['statement', 'inside', fields],
    queryFn: ({ pageParam, signal }) =>
      get<Statement>(
        at('statement', search.user),
        { ...fields, after: pageParam, limit: LINES },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }: Statement) => next ?? undefined,
  })
}

/** A line for each day of a period on which something happened, with the balance at its end. */
export function dailyQuery(user: number | undefined, period: Period) {
  const fields = { user_id: user, ...period, zone: shownZone(), group: 'day', limit: LINES }
  return queryOptions({
    queryKey: ['statement', 'daily', fields],
    queryFn: ({ signal }) => get<Statement>(at('statement', user), fields, signal),
  })
}

/** Right before a moment (unix milliseconds), or right after the event at a position. */
export type AsOfPlace = { readonly at: number } | { readonly position: number }

/** The balance as of a moment or position. */
export function balanceQuery(user: number | undefined, asOf: AsOfPlace) {
  return queryOptions({
    queryKey: ['balance', user, asOf],
    queryFn: ({ signal }) =>
      get<BalanceAsOf>(at('balance', user), { user_id: user, ...asOf }, signal),
  })
}
