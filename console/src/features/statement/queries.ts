import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Query } from '../../core/api.ts'
import type { Answer } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { shownZone } from '../../core/time-zone.ts'
import type { Period } from '../../parts/range/months.ts'
import { type Group, periodOf, type StatementSearch } from './filters.ts'

/** A statement, or a page of one; times in unix milliseconds, amounts in quota. */
export type Statement = Answer<'GET /api/ledger/statement'>

/** An event, or several of a part of the period summed up. */
export type Line = Statement['lines'][number]
export type EventLine = Extract<Line, { type: 'event' }>
export type SumLine = Extract<Line, { type: 'sum' }>

const LINES = 100
/** The most that the server answers at once. */
const EVENTS = 1_000
/** More than the days that the curve shows. */
const DAYS = 400

/** Where a statement is read: one's own, or a user's. */
const statementAt = (user: number | undefined) =>
  user === undefined ? '/api/ledger/statement/self' : '/api/ledger/statement'

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
      get(statementAt(search.user), { ...fields, after: pageParam, limit: LINES }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }: Statement) => next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

/** Reads the first lines of the statement. */
export function readAhead({ client, search }: Entered<StatementSearch>): void {
  const now = Math.floor(Date.now() / 1000)
  void client.prefetchInfiniteQuery(statementQuery(search, periodOf(search, now)))
}

/** Where a statement is had as files, in formats that commas part; books know two groupings only. */
export function exportAt(search: StatementSearch, period: Period, formats: string) {
  const isBook = /hledger|beancount/.test(formats)
  const isOfBooks = search.group === undefined || search.group === 'none'
  const { group, ...fields } = statementFields(search, period)
  return {
    path: `${statementAt(search.user)}/export`,
    query: { ...fields, group: isBook && !isOfBooks ? undefined : group, format: formats },
  }
}

/** The events that a line stands for. */
export function insideQuery(search: StatementSearch, line: SumLine, group: Group) {
  const fields: Query = {
    user_id: search.user,
    from: line.from,
    to: line.to,
    first_position: line.first_position,
    last_position: line.last_position,
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
      get(statementAt(search.user), { ...fields, after: pageParam, limit: LINES }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }: Statement) => next ?? undefined,
  })
}

/** A line for each day of a period on which something happened, with the balance at its end. */
export function dailyQuery(user: number | undefined, period: Period) {
  const fields = { user_id: user, ...period, zone: shownZone(), group: 'day', limit: DAYS }
  return queryOptions({
    queryKey: ['statement', 'daily', fields],
    queryFn: ({ signal }) => get(statementAt(user), fields, signal),
  })
}

/** Every event of a period, as many as one answer has. */
export function eventsQuery(user: number | undefined, period: Period) {
  const fields = { user_id: user, ...period, zone: shownZone(), group: 'none', limit: EVENTS }
  return queryOptions({
    queryKey: ['statement', 'events', fields],
    queryFn: ({ signal }) => get(statementAt(user), fields, signal),
  })
}

/** Right before a moment (unix milliseconds), or right after the event at a position. */
export type AsOfPlace = { readonly at: number } | { readonly position: number }

const balancePath = (user: number | undefined) =>
  user === undefined ? '/api/ledger/balance/self' : '/api/ledger/balance'

/** The balance as of a moment or position. */
export function balanceQuery(user: number | undefined, asOf: AsOfPlace) {
  return queryOptions({
    queryKey: ['balance', user, asOf],
    queryFn: ({ signal }) => get(balancePath(user), { user_id: user, ...asOf }, signal),
  })
}

/** The holds that had quota left as of a moment or position, oldest first. */
export function openHoldsQuery(user: number | undefined, asOf: AsOfPlace) {
  return queryOptions({
    queryKey: ['balance', user, asOf, 'holds'],
    queryFn: async ({ signal }) => {
      const query = { user_id: user, ...asOf, holds: true }
      const { holds = [] } = await get(balancePath(user), query, signal)
      return holds
    },
  })
}
